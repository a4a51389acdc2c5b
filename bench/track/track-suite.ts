// SPDX-License-Identifier: MIT
// The track suite: registers one frame of a sequence to all others, whose vertices and triangles differ, and compares the result with the true motion. docs/benchmarks/track.md has the table.
import { join } from 'node:path';
import { makeCompute } from '../../src/core/compute/make-compute.ts';
import { measureBounds } from '../../src/core/mesh/geometry/bounds.ts';
import { trackFrames } from '../../src/methods/track/index.ts';
import type { BenchContext, BenchRow, BenchSuite } from '../shared/bench-suite.ts';
import { findDataFolder } from '../shared/decompose-cases.ts';
import { listTrackCases, type TrackCase } from './track-cases.ts';

/** A vertex is followed if it is within this distance of its true place, relative to the box diagonal. */
const NEAR = 0.01;
/** Cases of a quick run. */
const QUICK = 2;

export const trackSuite: BenchSuite = {
  name: 'track',
  description:
    '10 frames with other vertices and triangles in each: percent of the vertices within 1 % of the box diagonal of their true place, mean error in percent, the worst frame, the smallest coverage. Scanned cases have the outer surface only, with touching parts fused; the vertices of these parts are also measured separately',
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
      rows.push(await measureCase(name, await make(), context));
    }
    return rows;
  },
};

async function measureCase(name: string, one: TrackCase, { threads, seed, signal }: BenchContext): Promise<BenchRow> {
  const { frames } = one;
  const compute = await makeCompute({ threads });
  try {
    const cpu = process.cpuUsage();
    const start = performance.now();
    const { template = 0, positions, coverage } = await trackFrames(compute, frames, { seed, signal });
    const ms = performance.now() - start;
    const { user } = process.cpuUsage(cpu);
    const all = measureFollowed(one, template, positions, one.isKnown?.(template));
    const found = one.isTouching && measureFollowed(one, template, positions, listBoth(one, template));
    const touching = found && found.count > 0 ? found : undefined;
    return {
      case: name,
      timings: { track: { least: ms, mean: ms, deviation: 0, runs: 1 } },
      figures: {
        ...{ within: all.within, error: all.error, worst: all.worst },
        ...{ coverage: 100 * Math.min(...coverage), cpuSeconds: user / 1e6, template },
        ...(touching && { touching: touching.within, touchingError: touching.error, touchingWorst: touching.worst }),
        ...(touching && { touchingShare: (100 * touching.count) / all.count }),
      },
    };
  } finally {
    compute.dispose();
  }
}

/** Vertices that are known, and of touching parts. */
function listBoth({ isKnown, isTouching }: TrackCase, template: number): Uint8Array | undefined {
  const known = isKnown?.(template);
  return isTouching?.(template).map((value, i) => (known?.[i] === 0 ? 0 : value));
}

/**
 * Compares tracked positions with the truth, in percent.
 * @param positions frameCount x vertexCount x 3
 * @param isCounted vertexCount, 0 or 1; default: all
 */
function measureFollowed(
  { frames, truth }: TrackCase,
  template: number,
  positions: Float32Array,
  isCounted?: Uint8Array,
): { within: number; error: number; worst: number; count: number } {
  const { diagonal } = measureBounds(frames[template].positions);
  const count = isCounted ? isCounted.reduce((sum, x) => sum + x, 0) : frames[template].positions.length / 3;
  let [near, sum, worst] = [0, 0, count];
  for (let k = 0; k < frames.length; k++) {
    const place = truth(template, k);
    let followed = 0;
    for (let i = 0; i < place.length; i += 3) {
      if (isCounted?.[i / 3] === 0) continue;
      const at = k * place.length + i;
      const error = Math.hypot(...[0, 1, 2].map((a) => positions[at + a] - place[i + a])) / diagonal;
      sum += error;
      if (error < NEAR) followed++;
    }
    near += followed;
    worst = Math.min(worst, followed);
  }
  const whole = Math.max(1, count * frames.length);
  return {
    ...{ within: (100 * near) / whole, error: (100 * sum) / whole },
    ...{ worst: (100 * worst) / Math.max(1, count), count },
  };
}
