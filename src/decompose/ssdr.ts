// SPDX-License-Identifier: MIT
// B. H. Le and Z. Deng, "Smooth skinning decomposition with rigid bones", ACM Transactions on Graphics 31(6), 2012, doi:10.1145/2366145.2366218;
// SIGGRAPH course 2014, §1, Algorithm 3. A clip becomes bones, their motion and at most K convex weights per vertex:
//   min Σᵢₖ |Σⱼ wᵢⱼ Mⱼₖ ũᵢ − vᵢₖ|²,  w ≥ 0, Σⱼ wᵢⱼ = 1, at most K of them, M rigid (or similar, or affine).
//
// symbol  here                              shape
// u, v    NormalizedClip.trajectories        points x 3, points x 3 frames
// w       SkinFit.weights                    points x K
// R, T    SkinFit.bones                      3 frames x 4 bones
//
// What differs from the course, and what it brings (FIT figures in docs/ssdr.md): seeds by error instead of splitting; supports by exact gains and
// exchange instead of the largest effects; over-relaxation; bones that relocate; structure found on a random sample of the points, and only the last
// alternations on all of them. Rest pose correction at the end as in Algorithm 3 (L. Kavan et al. 2010).
import { rigidClusters } from '../cluster/rigid-clusters.ts';
import { normalizeClip, type NormalizedClip, selectTrajectories } from '../fit/normalize-clip.ts';
import { relocateBones } from '../fit/relocate-bones.ts';
import { type FitState, SkinFit } from '../fit/skin-fit.ts';
import type { TransformKind } from '../kernels/bone-sweep.ts';
import type { Compute } from '../kernels/compute.ts';
import { freeTrajectories } from '../kernels/trajectories.ts';
import { makeRandom, type Random } from '../math/random.ts';
import type { Clip } from '../model/clip.ts';

const STARTS = 3;

export async function ssdrProbe(compute: Compute, clip: Clip, boneCount: number, seed: number, transforms: TransformKind, log: (s: string) => void) {
  const t0 = performance.now();
  const normalized = normalizeClip(compute, clip);
  const random = makeRandom(seed);
  const all = normalized.trajectories;
  log(`normalized ${(performance.now() - t0).toFixed(0)}`);
  const sampled = selectTrajectories(compute, all, drawSample(all.vertexCount, 2000, random));
  const options = { influences: 4, transforms, ridge: 1e-9, sweeps: 2 };
  const fit = new SkinFit(compute, sampled, boneCount, options);
  let best: FitState | undefined;
  for (let n = 0; n < STARTS; n++) {
    await rigidClusters(compute, sampled, fit.bones, boneCount, random);
    log(`clusters ${(performance.now() - t0).toFixed(0)}`);
    fit.dropHistory();
    await fit.solveWeights('cold');
    log(`first weights ${(performance.now() - t0).toFixed(0)} ${fit.eRms}`);
    await fit.alternate(6);
    log(`start ${(performance.now() - t0).toFixed(0)} ${fit.eRms}`);
    if (!best || fit.error < best.error) best = fit.save();
  }
  if (best) fit.restore(best);
  await fit.alternate(6);
  log(`alternated ${(performance.now() - t0).toFixed(0)} ${fit.eRms}`);
  const kept = await relocateBones(fit, random, { tries: 80, failures: 12 });
  log(`relocated ${kept} ${(performance.now() - t0).toFixed(0)} ${fit.eRms}`);
  await fit.alternate(20);
  log(`alternated ${(performance.now() - t0).toFixed(0)} ${fit.eRms}`);
  const full = new SkinFit(compute, all, boneCount, options);
  full.bones.view().set(fit.bones.view());
  fit.free();
  freeTrajectories(sampled);
  await full.solveWeights('cold');
  log(`full cold ${(performance.now() - t0).toFixed(0)} ${full.eRms}`);
  await full.alternate(8);
  log(`full ${(performance.now() - t0).toFixed(0)} ${full.eRms}`);
  return full.eRms;
}

function drawSample(vertexCount: number, wanted: number, random: Random): Uint32Array {
  if (vertexCount <= wanted) return Uint32Array.from({ length: vertexCount }, (_, i) => i);
  // reservoir-free: a partial shuffle, then sorted so that memory is read in order
  const ids = Uint32Array.from({ length: vertexCount }, (_, i) => i);
  for (let n = 0; n < wanted; n++) {
    const other = n + random.below(vertexCount - n);
    const swap = ids[n];
    ids[n] = ids[other];
    ids[other] = swap;
  }
  return ids.subarray(0, wanted).toSorted();
}

export type { NormalizedClip };
