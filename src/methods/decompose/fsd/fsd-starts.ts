// SPDX-License-Identifier: MIT
// First clusters of a sample of the points: one start by region growing, as in the paper (methods/decompose/sma/region-growing.ts), and several by error, as in ssdr.ts
// (fit/clusters/rigid-clusters.ts). The latter are better on limbs (pdance, 24 bones, after six iterations: 0.47 to 0.58 against 0.68 to 0.93). Clusters only
// start a fit, so some evenly spaced frames suffice.

import type { Compute } from '../../../core/kernels/compute.ts';
import {
  reserveTrajectories,
  squareTrajectories,
  type Trajectories,
} from '../../../core/kernels/matrices/trajectories.ts';
import type { Random } from '../../../core/math/random.ts';
import type { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { rigidClusters } from '../../../fit/clusters/index.ts';
import { selectTrajectories } from '../../../fit/skin/index.ts';
import { regionGrowing } from '../sma/region-growing.ts';

/** Number of starts by error. */
const RIGID_STARTS = 3;
/** Maximum number of their frames. */
const FRAMES = 32;

export interface FsdStarts {
  /** By start: the cluster of each point of the sample. */
  labels: Uint32Array[];
  /** The squared error of all points and frames under the motions of the grown clusters. */
  error: number;
}

/** The triangles of all points, and a sample of the points. */
export interface SampledSurface {
  /** triangleCount x 3 indices of points */
  triangles: Uint32Array;
  /** The points of the sample. */
  ids: Uint32Array;
}

/** Clusters a sample of the points in several ways; only the first if stopped. */
export async function fsdStarts(
  compute: Compute,
  all: Trajectories,
  { triangles, ids }: SampledSurface,
  boneCount: number,
  monitor: SolveMonitor,
  random: Random,
): Promise<FsdStarts> {
  const { labels, error } = regionGrowing(all, triangles, boneCount, 0);
  const starts: FsdStarts = { labels: [ids.map((i) => labels[i])], error };
  const eRms = 1000 * Math.sqrt(error / (3 * all.vertexCount * all.frameCount));
  await compute.scope(async (memory) => {
    const sample = selectFrames(memory, selectTrajectories(memory, all, ids), FRAMES);
    const bones = memory.float64(12 * sample.frameCount * boneCount);
    for (let n = 0; n < RIGID_STARTS; n++) {
      if (await monitor.tick(n / RIGID_STARTS, eRms)) break;
      starts.labels.push((await rigidClusters(memory, sample, bones, boneCount, random)).labels);
    }
  });
  return starts;
}

/** At most count evenly spaced frames of all trajectories. */
export function selectFrames(compute: Compute, trajectories: Trajectories, count: number): Trajectories {
  const { vertexCount, frameCount } = trajectories;
  const taken = Math.min(count, frameCount);
  const out = reserveTrajectories(compute, vertexCount, taken);
  out.rest.view().set(trajectories.rest.view());
  const from = trajectories.posed.view();
  const to = out.posed.view();
  for (let i = 0; i < vertexCount; i++) {
    for (let n = 0; n < taken; n++) {
      const o = 3 * (i * frameCount + Math.floor((n * frameCount) / taken));
      for (let r = 0; r < 3; r++) to[3 * (i * taken + n) + r] = from[o + r];
    }
  }
  squareTrajectories(out);
  return out;
}
