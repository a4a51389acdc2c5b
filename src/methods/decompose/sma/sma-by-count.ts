// SPDX-License-Identifier: MIT
// SMA with a given number of bones: epsilon is scanned, since the number is not monotone in it (SMA, Table 1: a flag has 32 bones at 0.05 and 100 at 0.10).
// The chosen value gives exactly that number (if there are several, the one nearest to the default); otherwise the smallest larger number, of which the bones with
// the most triangles are kept; otherwise the largest number.

import type { Compute } from '../../../core/kernels/compute.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { piecesFirst } from '../pieces/pieces-first.ts';
import { FIRST_EPSILON, type SmaOptions, type SmaSettings, settleSmaOptions } from './options.ts';
import {
  checkSmaClip,
  clusterTriangles,
  describeRigid,
  type SmaClusters,
  type SmaResult,
  skinClusters,
} from './sma.ts';
import { triangleRotations } from './triangle-rotations.ts';

/** Steps of 25 %, from the default outwards, because values far from it rarely find meaningful bones. */
const SCAN = [0.05, 0.063, 0.04, 0.08, 0.032, 0.1, 0.025, 0.125, 0.02, 0.16, 0.2, 0.25, 0.32, 0.4, 0.5, 0.63, 0.8, 1];
/** Part of the progress for clustering. */
const CLUSTER_PROGRESS = 0.9;

/** Decomposes a clip into the given number of bones, or the largest number that any epsilon finds. */
export async function smaByCount(compute: Compute, clip: Clip, options: SmaOptions): Promise<SmaResult> {
  return solveByCount(compute, clip, settleSmaOptions(options));
}

/** The same with all options. */
export function solveByCount(compute: Compute, clip: Clip, o: SmaSettings): Promise<SmaResult> {
  checkSmaClip(clip);
  return piecesFirst(clip, o, {
    bones: o.bones,
    exact: (_, boneCount) => describeRigid(boneCount, o.epsilon),
    solve: (part, own) => solve(compute, part, own, o.isEpsilonGiven ? [o.epsilon] : SCAN),
  });
}

async function solve(compute: Compute, clip: Clip, o: SmaSettings, scan: readonly number[]): Promise<SmaResult> {
  const wanted = o.bones;
  const monitor = new SolveMonitor(o);
  const rotations = triangleRotations(clip);
  let best: SmaClusters | undefined;
  for (const [n, epsilon] of scan.entries()) {
    monitor.enter('cluster', (CLUSTER_PROGRESS * n) / scan.length, (CLUSTER_PROGRESS * (n + 1)) / scan.length);
    const tried = await clusterTriangles(compute, clip, rotations, epsilon, o, monitor);
    if (best === undefined || isBetter(tried.boneCount, best.boneCount, wanted)) best = tried;
    if (best.boneCount === wanted || monitor.isStopped) break;
  }
  const found = best ?? { epsilon: FIRST_EPSILON, boneCount: 0, labels: new Int32Array(0), eta: 0 };
  const chosen = keepLargest(found, wanted, clip);
  const result = await skinClusters(compute, clip, { rotations, clusters: chosen }, o, monitor);
  if (chosen.boneCount >= wanted || monitor.isStopped) return result;
  const warning = `sma finds ${chosen.boneCount} ${chosen.boneCount === 1 ? 'bone' : 'bones'} at most in this motion, not ${wanted}`;
  return { ...result, warnings: [...(result.warnings ?? []), warning] };
}

function isBetter(count: number, than: number, wanted: number): boolean {
  if (than >= wanted) return count >= wanted && count < than;
  return count > than;
}

/** Bones are sorted by falling number of triangles: those after the wanted ones are dropped. */
function keepLargest(clusters: SmaClusters, wanted: number, clip: Clip): SmaClusters {
  if (clusters.boneCount <= wanted) return clusters;
  const labels = clusters.labels.map((label) => (label < wanted ? label : -1));
  const core = labels.reduce((sum, label) => sum + (label >= 0 ? 1 : 0), 0);
  return { ...clusters, boneCount: wanted, labels, eta: core / (clip.mesh.triangles.length / 3) };
}
