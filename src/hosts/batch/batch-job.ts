// SPDX-License-Identifier: MIT
// The data of a batch: jobs to do, what a process is given, and what it returns. All of it is plain JSON.

import type { Json } from '../../core/options/option.ts';
import type { Gate, Job } from '../../jobs/engine/index.ts';

/** A job of a batch. */
export interface BatchJob extends Job {
  /** Jobs with smaller numbers are started first. Default: 0. */
  priority?: number;
}

/** A file and the hash of its bytes. */
export interface FileDigest {
  /** Outputs: relative to the output folder, so that the folder can be moved. */
  path: string;
  bytes: number;
  /** SHA-256 in hexadecimal digits. */
  sha256: string;
}

/** A job with its identity, as it is given to a process or a queue. */
export interface BatchTask {
  /** See identifyJob. */
  id: string;
  job: Job;
  /** The output folder. */
  out: string;
  /** Run the job although it is finished. */
  isForced?: boolean;
}

/** What a finished job made: numbers for tables and gates, and the files that it wrote. */
export interface JobRecord {
  id: string;
  status: 'done' | 'failed';
  command: string;
  inputs: readonly string[];
  /** Relative to the output folder. */
  output?: string;
  /** Written files. */
  files: FileDigest[];
  /** Files that the inputs refer to, such as buffers of a glTF: a change of one of them makes the result outdated. */
  resources: FileDigest[];
  /** Single values of the report's result. */
  result: Record<string, Json | undefined>;
  /** Single values of the report's metrics. */
  metrics: Record<string, Json | undefined>;
  gate?: Gate;
  /** Time of the job itself. */
  seconds: number;
  /** Maximum size of the process so far, bytes. */
  peakMemory?: number;
  /** Why it failed. */
  error?: string;
}

/** Progress of a running job, for hosts that show it. */
export interface TaskProgress {
  phase: string;
  /** 0 to 1, of the phase. */
  fraction: number;
}
