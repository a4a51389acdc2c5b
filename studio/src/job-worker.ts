// SPDX-License-Identifier: MIT
// The worker of one job: it runs the job and compares the result with its input. It lives as long as the job.
import {
  type Asset,
  type CompareResult,
  compare,
  type Job,
  type JobIo,
  type JobProgress,
  type Report,
  readAsset,
  runJob,
} from '../../src/index.ts';
import type { Comparison } from './protocol.ts';
import { Moved, type Port, serve } from './rpc.ts';

declare const OSSIFY_VERSION: string;

export interface JobCalls {
  run: {
    give: { job: Job; asset: Asset };
    get: { bytes: Uint8Array; report: Report; comparisons: MeasuredMotion[]; notes: string[] };
  };
  compare: { give: { reference: Asset; result: Asset }; get: MeasuredMotion[] };
  cancel: { give: Record<string, never>; get: boolean };
}

export type MeasuredMotion = Omit<Comparison, 'reference' | 'result' | 'motion'> & { name: string };

const port = self as unknown as Port;
const controller = new AbortController();

/** One core is left to the page. */
const threads = Math.max(1, Math.min(16, (navigator.hardwareConcurrency || 2) - 1));

/** Where writing and measuring stand on the bar; solving takes what is before. */
const PLACES: Readonly<Record<string, number>> = { read: 0, bake: 0, write: 0.9, measure: 0.92 };

function showProgress({ phase, fraction, eRms }: JobProgress): void {
  const place = PLACES[phase] ?? 0.9 * fraction;
  port.postMessage({ event: 'progress', progress: { phase, fraction: place, eRms } }, []);
}

serve<JobCalls>(port, {
  async run({ job, asset }) {
    const notes: string[] = [];
    const io: JobIo = {
      version: OSSIFY_VERSION,
      threads,
      open: async (input) => ({ input, asset, paths: [] }),
      read: (path) => Promise.reject(new Error(`${path} is not open`)),
    };
    const { report, files } = await runJob({ ...job, options: { ...job.options, threads } }, io, {
      onProgress: showProgress,
      onNote: (text) => notes.push(text),
      onInterrupted: () => notes.push('stopped early; this is the best result so far'),
      signal: controller.signal,
    });
    const bytes = files[0].bytes as Uint8Array;
    const result = await readAsset([{ name: files[0].path, bytes }]);
    const comparisons = listMeasured(await compare(asset, result));
    return new Moved({ bytes, report, comparisons, notes }, [bytes.buffer as ArrayBuffer]);
  },
  compare: async ({ reference, result }) => listMeasured(await compare(reference, result)),
  async cancel() {
    controller.abort(new DOMException('The job was cancelled.', 'AbortError'));
    return true;
  },
});

function listMeasured({ clips }: CompareResult): MeasuredMotion[] {
  return clips.map(({ pair, error }) => {
    const { eRms, rmse, rmsePercent, max, p99, normalDegrees, diagonal, perFrame } = error;
    return { name: pair.name, eRms, rmse, rmsePercent, max, p99, normalDegrees, diagonal, perFrame };
  });
}
