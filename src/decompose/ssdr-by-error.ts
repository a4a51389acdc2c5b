// SPDX-License-Identifier: MIT
// The smallest number of bones with which every vertex is within a distance. Numbers grow by 50 % until one suffices, then bisection between it and the last that
// did not; each number starts from the bones of the largest that failed, with new ones at the vertices of the largest error, so work is not repeated. The number
// that suffices is then solved completely (ssdr.ts), and bones are removed while the distance still holds: one, then two more, four … and back by bisection, since
// each of these solves costs as much as the whole search before.

import { rigidClusters } from '../cluster/rigid-clusters.ts';
import { placeBone, RigidPatches } from '../cluster/rigid-patches.ts';
import { measureFarthest } from '../fit/measure-farthest.ts';
import { normalizeClip } from '../fit/normalize-clip.ts';
import { SkinFit } from '../fit/skin-fit.ts';
import { type ProgressInfo, SolveMonitor } from '../fit/solve-monitor.ts';
import type { Compute } from '../kernels/compute.ts';
import type { Trajectories } from '../kernels/trajectories.ts';
import { makeRandom } from '../math/random.ts';
import type { Clip } from '../model/clip.ts';
import { UsageError } from '../model/errors.ts';
import { piecesFirstByError } from './pieces-first.ts';
import { fitOptionsOf, SSDR_DEFAULTS, type SsdrOptions, type SsdrResult, ssdr } from './ssdr.ts';

const FIRST_COUNT = 2;
const GROWTH = 1.5;
/** Growth of the number while the full solve exceeds the distance although the probe did not. */
const CAREFUL_GROWTH = 1.1;
/** Maximum number of bones: more do not make a small model. */
const MAX_BONES = 256;
const PROBE_ITERATIONS = 8;
/** Seconds for a solve that starts after the time limit. */
const MIN_TIME = 1e-3;
/** Number of points of a new bone's patch. The constants here are not tuned. */
const PATCH_POINTS = 12;

/** Finds the number of bones and solves with it. The status is 'stalled' if no number up to the largest suffices. */
export async function ssdrByError(
  compute: Compute,
  clip: Clip,
  maxError: number,
  options: SsdrOptions = {},
): Promise<SsdrResult> {
  if (!(maxError > 0)) throw new UsageError('ssdr', `maxError must be positive, got ${maxError}`);
  return piecesFirstByError(clip, options, maxError, {
    exact: () => ({ eRmsBeforeRest: 0, iterations: 0, relocations: 0, reseeds: 0 }),
    solve: (part, own) => searchCount(compute, part, maxError, own),
  });
}

async function searchCount(compute: Compute, clip: Clip, maxError: number, options: SsdrOptions): Promise<SsdrResult> {
  const { time = 0 } = options;
  let done = 0;
  // Numbers rise and fall, and the number of solves is unknown; the reported progress still never falls.
  const onProgress = (info: ProgressInfo) => {
    done = Math.max(done, info.fraction);
    options.onProgress?.({ ...info, fraction: done });
  };
  const monitor = new SolveMonitor({ ...options, onProgress });
  monitor.enter('count', 0, 0.5);
  const found = await compute.scope((memory) => findCount(memory, clip, maxError, options, monitor));
  /** Every solve gets half of the remaining progress and all of the remaining time: at least MIN_TIME, since 0 means no limit. */
  const solve = (bones: number) => {
    const from = Math.max(0.5, done);
    return ssdr(compute, clip, {
      ...options,
      bones,
      time: time > 0 ? Math.max(MIN_TIME, time - monitor.seconds) : 0,
      onProgress: (info) => onProgress({ ...info, fraction: from + 0.5 * (1 - from) * info.fraction }),
    });
  };
  let bones = found.bones;
  let result = await solve(bones);
  let off = measureFarthest(clip, result.model);
  // the full solve may need more bones than the probe, or fewer
  while (off > maxError && bones < found.maxBones && !monitor.isStopped) {
    bones = Math.min(found.maxBones, Math.max(bones + 1, Math.round(bones * CAREFUL_GROWTH)));
    result = await solve(bones);
    off = measureFarthest(clip, result.model);
  }
  let failed = 0;
  for (let step = 1; off <= maxError && bones - failed > 1 && !monitor.isStopped; ) {
    const count = Math.max(bones - step, failed > 0 ? Math.ceil((bones + failed) / 2) : 1);
    const fewer = await solve(count);
    if (measureFarthest(clip, fewer.model) > maxError) failed = count;
    else {
      result = fewer;
      step *= 2;
      bones = count;
    }
  }
  if (monitor.isStopped) return { ...result, status: 'stopped' };
  return off > maxError ? { ...result, status: 'stalled' } : result;
}

async function findCount(
  compute: Compute,
  clip: Clip,
  maxError: number,
  options: SsdrOptions,
  monitor: SolveMonitor,
): Promise<{ bones: number; maxBones: number }> {
  const normalized = normalizeClip(compute, clip);
  const points = normalized.trajectories;
  const maxBones = Math.min(MAX_BONES, points.vertexCount);
  const wanted = maxError / normalized.size;
  const fitOptions = fitOptionsOf(options);
  const random = makeRandom(options.seed ?? SSDR_DEFAULTS.seed);

  /** Quick fit of a number of bones, starting from fewer bones if there are any; returns the bones and the vertices of the largest errors, largest first. */
  const probe = (count: number, from: Probe | undefined): Promise<Probe> =>
    compute.scope(async (memory) => {
      const fit = new SkinFit(memory, points, count, fitOptions);
      if (from) growBones(points, from, fit.bones.view(), count);
      else await rigidClusters(memory, points, fit.bones, count, random);
      await fit.solveWeights('cold');
      await fit.alternate(PROBE_ITERATIONS, () => monitor.tick(count / maxBones, fit.eRms));
      return { bones: fit.bones.view().slice(), count, distances: listFarthest(fit) };
    });
  const holds = (p: Probe) => p.distances.every((d) => d <= wanted);

  let failed: Probe | undefined;
  let holding: Probe | undefined;
  for (let count = Math.min(FIRST_COUNT, maxBones); ; count = Math.min(maxBones, Math.ceil(count * GROWTH))) {
    const tried = await probe(count, failed);
    if (holds(tried)) holding = tried;
    else failed = tried;
    if (holding || count === maxBones || monitor.isStopped) break;
  }
  while (holding && failed && holding.count - failed.count > 1 && !monitor.isStopped) {
    const tried = await probe(Math.floor((holding.count + failed.count) / 2), failed);
    if (holds(tried)) holding = tried;
    else failed = tried;
  }
  return { bones: holding?.count ?? failed?.count ?? 1, maxBones };
}

interface Probe {
  /** 3 frameCount x 4 count */
  bones: Float64Array;
  count: number;
  /** vertexCount: the largest distance of each point over the frames, solver units */
  distances: Float64Array;
}

/** Copies the given bones and adds new ones at the points of the largest errors, apart from one another. */
function growBones(points: Trajectories, from: Probe, bones: Float64Array, count: number): void {
  const rows = 3 * points.frameCount;
  for (let row = 0; row < rows; row++) {
    bones.set(from.bones.subarray(row * 4 * from.count, (row + 1) * 4 * from.count), row * 4 * count);
  }
  const patches = new RigidPatches(points);
  const left = from.distances.slice();
  const fresh = new Float64Array(4 * rows);
  for (let j = from.count; j < count; j++) {
    let worst = 0;
    for (let i = 1; i < left.length; i++) if (left[i] > left[worst]) worst = i;
    const patch = patches.listNearest(worst, PATCH_POINTS);
    patches.fitInto(patch, fresh, 0, 1);
    placeBone(fresh, 0, 1, bones, j, count);
    for (const i of patch) left[i] = 0;
  }
}

/** The largest distance of each point over the frames. */
function listFarthest(fit: SkinFit): Float64Array {
  const { trajectories, boneCount, weights } = fit;
  const { vertexCount, frameCount } = trajectories;
  const rest = trajectories.rest.view();
  const posed = trajectories.posed.view();
  const bones = fit.bones.view();
  const ids = weights.bones.view();
  const ws = weights.weights.view();
  const maxBones = weights.influences;
  const distances = new Float64Array(vertexCount);
  for (let i = 0; i < vertexCount; i++) {
    let farthest = 0;
    for (let k = 0; k < frameCount; k++) {
      let square = 0;
      for (let r = 0; r < 3; r++) {
        const row = 3 * k + r;
        let e = -posed[i * 3 * frameCount + row];
        for (let a = i * maxBones; a < (i + 1) * maxBones; a++) {
          const o = row * 4 * boneCount + 4 * ids[a];
          e +=
            ws[a] *
            (bones[o] * rest[3 * i] + bones[o + 1] * rest[3 * i + 1] + bones[o + 2] * rest[3 * i + 2] + bones[o + 3]);
        }
        square += e * e;
      }
      farthest = Math.max(farthest, square);
    }
    distances[i] = Math.sqrt(farthest);
  }
  return distances;
}
