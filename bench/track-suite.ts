// SPDX-License-Identifier: MIT
// The track suite: registers one frame of a sequence to all others, whose vertices and triangles differ, and compares the result with the true motion. docs/track.md has the table.
import { join } from 'node:path';
import { makeCompute } from '../src/kernels/make-compute.ts';
import { measureBounds } from '../src/mesh/bounds.ts';
import { trackFrames } from '../src/track/track-frames.ts';
import type { BenchContext, BenchRow, BenchSuite } from './bench-suite.ts';
import { findDataFolder } from './decompose-cases.ts';
import { listTrackCases, type TrackCase } from './track-cases.ts';

/** A vertex is followed if it is within this distance of its true place, relative to the box diagonal. */
const NEAR = 0.01;
/** Cases of a quick run. */
const QUICK = 2;

export const trackSuite: BenchSuite = {
  name: 'track',
  description:
    '10 frames with other vertices and triangles in each: percent of the vertices within 1 % of the box diagonal of their true place, mean error in percent, the worst frame, the smallest coverage',
  async run(context) {
    const data = findDataFolder(process.env);
    const listed = await listTrackCases(data && join(data, '..'));
    const wanted = listed.filter(
      ({ name }) => context.only.length === 0 || context.only.some((part) => name.includes(part)),
    );
    const rows: BenchRow[] = [];
    for (const { make, name } of context.quick ? wanted.slice(-QUICK) : wanted) {
      context.signal.throwIfAborted();
      context.onProgress({ phase: name, fraction: rows.length / wanted.length });
      rows.push(await measureCase(name, make(), context));
    }
    return rows;
  },
};

async function measureCase(
  name: string,
  { frames, truth }: TrackCase,
  { threads, seed, signal }: BenchContext,
): Promise<BenchRow> {
  const compute = await makeCompute({ threads });
  try {
    const cpu = process.cpuUsage();
    const start = performance.now();
    const { template = 0, positions, coverage } = await trackFrames(compute, frames, { seed, signal });
    const ms = performance.now() - start;
    const { user } = process.cpuUsage(cpu);
    const { diagonal } = measureBounds(frames[template].positions);
    let [near, sum, worst] = [0, 0, 1];
    for (let k = 0; k < frames.length; k++) {
      const place = truth(template, k);
      let followed = 0;
      for (let i = 0; i < place.length; i += 3) {
        const at = k * place.length + i;
        const error = Math.hypot(...[0, 1, 2].map((a) => positions[at + a] - place[i + a])) / diagonal;
        sum += error;
        if (error < NEAR) followed++;
      }
      near += followed;
      worst = Math.min(worst, followed / (place.length / 3));
    }
    const count = positions.length / 3;
    return {
      case: name,
      timings: { track: { least: ms, mean: ms, deviation: 0, runs: 1 } },
      figures: {
        ...{ within: (100 * near) / count, error: (100 * sum) / count, worst: 100 * worst },
        ...{ coverage: 100 * Math.min(...coverage), cpuSeconds: user / 1e6 },
      },
    };
  } finally {
    compute.dispose();
  }
}
