// SPDX-License-Identifier: MIT
// The worker of one job: it runs the job and compares the result with its input. It ends with the job.
import {
  type Asset,
  type CompareResult,
  compare,
  type Job,
  type JobIo,
  type Report,
  readAsset,
  runJob,
} from '../../../src/entry/index.ts';
import type { Comparison, FileBytes, ReadOptions } from '../messages/protocol.ts';
import { Moved, type Port, serve } from '../messages/rpc.ts';
import { readFiles } from '../worker/read-files.ts';
import { JobBar } from './job-bar.ts';
import { MeasurePool } from './measure-pool.ts';

declare const OSSIFY_VERSION: string;

export interface JobCalls {
  run: { give: { job: Job; asset: Asset; files?: FileBytes[] }; get: JobResult };
  compare: { give: { reference: Asset; result: Asset }; get: MeasuredMotion[] };
  read: {
    give: { files: FileBytes[]; options: ReadOptions };
    get: { asset: Asset; notes: string[]; files: FileBytes[] };
  };
  cancel: { give: Record<string, never>; get: boolean };
}

export interface JobResult {
  /** The model, and the other files of the job. */
  files: FileBytes[];
  report: Report;
  /** Empty if the vertices of the result are not those of the input. */
  comparisons: MeasuredMotion[];
  notes: string[];
}

export type MeasuredMotion = Omit<Comparison, 'reference' | 'result' | 'motion'> & { name: string };

const port = self as unknown as Port;
const controller = new AbortController();

/** One core is reserved for the page. */
const threads = Math.max(1, Math.min(16, (navigator.hardwareConcurrency || 2) - 1));
/** While frames are measured the page is idle, so that its core is used too. */
const measureThreads = Math.min(16, navigator.hardwareConcurrency || 2);

serve<JobCalls>(port, {
  async run({ job, asset, files: given = [] }) {
    const notes: string[] = [];
    const bar = new JobBar((progress) => port.postMessage({ event: 'progress', progress }, []));
    const pool = new MeasurePool(measureThreads);
    const io: JobIo = {
      version: OSSIFY_VERSION,
      threads,
      measureHost: pool,
      open: async (input) => ({ input, asset, paths: [] }),
      read: async (path) => {
        const found = given.find(({ name }) => name === path);
        if (!found) throw new Error(`${path} is not open`);
        return found.bytes;
      },
    };
    const { report, files } = await runJob({ ...job, options: { ...job.options, threads } }, io, {
      onProgress: (info) => bar.tell(info),
      onNote: (text) => notes.push(text),
      onInterrupted: () => notes.push('stopped early; this is the best result so far'),
      onWritten: (bytes) => port.postMessage({ event: 'written', bytes }, []),
      signal: controller.signal,
    });
    const made = files.map(({ path, bytes }) => ({
      name: path,
      bytes: typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes,
    }));
    const result = await readAsset([made[0]]);
    const isSame = result.mesh.positions.length === asset.mesh.positions.length;
    const comparisons = isSame ? await measure(asset, result, pool, (fraction) => bar.compare(fraction)) : [];
    pool.end();
    return new Moved({ files: made, report, comparisons, notes }, [made[0].bytes.buffer as ArrayBuffer]);
  },
  async compare({ reference, result }) {
    const tell = (fraction: number): void => port.postMessage({ event: 'comparing', fraction }, []);
    const pool = new MeasurePool(measureThreads);
    const measured = await measure(reference, result, pool, tell);
    pool.end();
    return measured;
  },
  async read({ files, options }) {
    const read = await readFiles(files, options);
    return new Moved({ ...read, files }, [...new Set(files.map(({ bytes }) => bytes.buffer as ArrayBuffer))]);
  },
  async cancel() {
    controller.abort(new DOMException('The job was cancelled.', 'AbortError'));
    return true;
  },
});

async function measure(reference: Asset, result: Asset, pool: MeasurePool, onProgress: (fraction: number) => void) {
  const onRatio = ({ ratio }: { ratio: number }): void => onProgress(ratio);
  return listMeasured(await compare(reference, result, { host: pool, onProgress: onRatio }));
}

function listMeasured({ clips }: CompareResult): MeasuredMotion[] {
  return clips.map(({ pair, error }) => {
    const { eRms, rmse, rmsePercent, max, p99, normalDegrees, diagonal, perFrame } = error;
    return { name: pair.name, eRms, rmse, rmsePercent, max, p99, normalDegrees, diagonal, perFrame };
  });
}
