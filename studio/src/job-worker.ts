// SPDX-License-Identifier: MIT
// The worker of one job: solves, writes, reads back, measures against what it was made from. It lives as long as the job.
import {
  type Asset,
  type CompareResult,
  compare,
  makeReport,
  type Report,
  readAsset,
  reportInputOf,
  reportMetricsOf,
  writeGlb,
} from '../../src/index.ts';
import { RUNNERS } from './job-runners.ts';
import type { Comparison, JobProgress } from './protocol.ts';
import { Moved, type Port, serve } from './rpc.ts';

declare const OSSIFY_VERSION: string;

export interface JobCalls {
  run: {
    give: { job: string; asset: Asset; input: string; options: Record<string, unknown>; diagonal: number };
    get: { bytes: Uint8Array; report: Report; comparisons: MeasuredMotion[]; notes: string[]; seconds: number };
  };
  compare: { give: { reference: Asset; result: Asset }; get: MeasuredMotion[] };
  cancel: { give: Record<string, never>; get: boolean };
}

export type MeasuredMotion = Omit<Comparison, 'reference' | 'result' | 'motion'> & { name: string };

const port = self as unknown as Port;
const controller = new AbortController();

/** One core is left to the page. */
const threads = Math.max(1, Math.min(16, (navigator.hardwareConcurrency || 2) - 1));

const tell = (progress: JobProgress): void => port.postMessage({ event: 'progress', progress }, []);

serve<JobCalls>(port, {
  async run({ job, asset, input, options, diagonal }) {
    const start = performance.now();
    const secondsOf = (since: number): number => (performance.now() - since) / 1000;
    const solved = await RUNNERS[job](asset, options, {
      signal: controller.signal,
      threads,
      diagonal,
      onProgress: ({ phase, fraction, eRms }) => tell({ phase, fraction: 0.9 * fraction, eRms }),
    });
    const solve = secondsOf(start);
    const notes = [...solved.notes];
    tell({ phase: 'write', fraction: 0.9 });
    const writing = performance.now();
    const bytes = await writeGlb(asset, solved.content, { log: (remark) => notes.push(remark) });
    const write = secondsOf(writing);
    tell({ phase: 'measure', fraction: 0.92 });
    const measuring = performance.now();
    const result = await readAsset([{ name: 'written.glb', bytes }]);
    const compared = await compare(asset, result);
    const { error } = compared.clips[compared.worst];
    const own = solved.reference && (await compare(solved.reference, result));
    const metrics = own
      ? { ...reportMetricsOf(own.clips[own.worst].error), ddmVsLbs: error.rmseOfHeight }
      : reportMetricsOf(error);
    const measure = secondsOf(measuring);
    const report = makeReport({
      version: OSSIFY_VERSION,
      command: job,
      options,
      inputs: [reportInputOf(input, asset)],
      result: solved.result,
      metrics,
      bytes: { file: bytes.length },
      seconds: { solve, write, measure },
      totalSeconds: secondsOf(start),
      threads,
      seed: Number(options.seed ?? 0),
    });
    const value = { bytes, report, comparisons: listMeasured(compared), notes, seconds: solve };
    return new Moved(value, [bytes.buffer as ArrayBuffer]);
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
