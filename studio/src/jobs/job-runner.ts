// SPDX-License-Identifier: MIT
// Runs jobs and other long work, each in a worker of its own, so that it can be stopped at any time.
import type { Asset, Job } from '../../../src/entry/index.ts';
import type { AssetEvent, FileBytes } from '../messages/protocol.ts';
import { type Client, makeClient, type Port } from '../messages/rpc.ts';
import type { JobCalls, JobResult } from './job-worker.ts';

/** Milliseconds that a cancelled job has to return its best result so far. */
const PATIENCE = 20_000;
/** Milliseconds that a job that was cancelled while it solved has to measure its best result; the page measures it afterwards otherwise. */
const MEASURE_PATIENCE = 2000;

/** A result whose job was cancelled while it was measured has no report. */
export type RunResult = Pick<JobResult, 'files' | 'notes'> &
  Partial<Pick<JobResult, 'report' | 'comparisons'>> & { isCancelled: boolean };

/** A worker, as long as it is needed. */
export function startJobWorker(onEvent: (event: unknown) => void) {
  const worker = new Worker(new URL('./job-worker.ts', import.meta.url), { type: 'module' });
  return {
    client: makeClient<JobCalls>(worker as unknown as Port, onEvent) as Client<JobCalls>,
    end: () => worker.terminate(),
    onFault: (receive: (message: string) => void) => {
      worker.onerror = (event) => receive(event.message || 'the worker of the job did not start; load the page again');
    },
  };
}

type JobEvent = AssetEvent | { event: 'written'; bytes: Uint8Array };

export class JobRunner {
  readonly #tell: (event: AssetEvent) => void;
  #cancel: (() => void) | undefined;

  constructor(tell: (event: AssetEvent) => void) {
    this.#tell = tell;
  }

  get isBusy(): boolean {
    return this.#cancel !== undefined;
  }

  /** Runs a job. Throws an AbortError if it was cancelled before it had a result. */
  async run(job: Job, asset: Asset, files?: FileBytes[]): Promise<RunResult> {
    let written: Uint8Array | undefined;
    let isCancelled = false;
    let settle: (result: RunResult) => void = () => {};
    let abandon: (error: Error) => void = () => {};
    /** Ends a cancelled job whose result is written, without its measurement. */
    const cut = (): void => {
      if (!written) return;
      const notes = ['stopped before it was measured; the report of the job is missing'];
      settle({ files: [{ name: job.output ?? '', bytes: written }], notes, isCancelled });
    };
    const worker = startJobWorker((event) => {
      const one = event as JobEvent;
      if (one.event !== 'written') return this.#tell(one);
      written = one.bytes;
      if (isCancelled) setTimeout(cut, MEASURE_PATIENCE);
    });
    this.#cancel = () => {
      isCancelled = true;
      if (written) return cut();
      setTimeout(() => abandon(new DOMException('The job was cancelled.', 'AbortError')), PATIENCE);
      void worker.client.call('cancel', {});
    };
    try {
      return await new Promise<RunResult>((resolve, reject) => {
        settle = resolve;
        abandon = reject;
        worker.onFault((message) => reject(new Error(message)));
        worker.client.call('run', { job, asset, files }).then((got) => resolve({ ...got, isCancelled }), reject);
      });
    } finally {
      this.#cancel = undefined;
      worker.end();
    }
  }

  cancel(): boolean {
    this.#cancel?.();
    return this.isBusy;
  }
}
