// SPDX-License-Identifier: MIT
import { availableParallelism, totalmem } from 'node:os';
import type { JobIo } from '../../jobs/engine/index.ts';
import { listFrameFiles } from './list-frame-files.ts';
import { type OpenHooks, openFiles } from './open-files.ts';
import { version } from './package-version.ts';
import { readBytes } from './read-bytes.ts';

/** Bytes of the default --max-memory on large machines. */
const MAX_DEFAULT_MEMORY = 16e9;

/** What a host adds to the reading of files. */
export type DiskHooks = Pick<OpenHooks, 'onResource' | 'signal'> &
  Pick<JobIo, 'checkOutputs' | 'reserveMemory' | 'openSearchDevice'> &
  Partial<Pick<JobIo, 'maxMemory' | 'threads'>>;

/** Access of a job to the files of this machine. */
export function makeDiskIo({ onResource, signal, ...own }: DiskHooks): JobIo {
  return {
    version,
    threads: availableParallelism(),
    maxMemory: Math.min(totalmem() / 2, MAX_DEFAULT_MEMORY),
    peakMemory: () => process.resourceUsage().maxRSS * 1024,
    open: (input, options, remark) => openFiles(input, options, { remark, onResource, signal }),
    list: listFrameFiles,
    read: (path) => readBytes(path, false),
    ...own,
  };
}
