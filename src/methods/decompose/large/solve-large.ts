// SPDX-License-Identifier: MIT
// Decomposition of clips that are large: long ones, which have far more frames than different poses, and those with very many points. A method solves a small clip,
// some points in the frames that represent all (../cluster/representative-frames.ts); its bones are then fitted to all points and frames, block by block
// (../fit/fit-in-blocks.ts). Memory beyond the clip does not grow with the number of points, and with the number of frames only by the bones.
//
// The small clip determines the structure: which bones there are. A mean over it estimates the mean over the clip, and the passes over all points and frames lower the exact error.

import type { Compute } from '../../../core/kernels/compute.ts';
import { invertAffine, multiply } from '../../../core/math/mat4.ts';
import { smallestEnclosingBall } from '../../../core/mesh/geometry/enclosing-ball.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import type { PointSource } from '../../../core/model/clip/point-source.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { SolveMonitor, type SolveMonitorOptions } from '../../../core/progress/solve-monitor.ts';
import { orderPoints } from '../../../fit/clusters/index.ts';
import { type ClipSpace, makeSkinnedModel, normalizeBones } from '../../../fit/skin/index.ts';
import type { Decomposition } from '../decomposition.ts';
import type { LargeClip } from '../define-decompose-method.ts';
import { type BlockFit, type BlockFitOptions, fitInBlocks } from './fit-in-blocks.ts';
import { type RepresentativeFrames, representativeFrames } from './representative-frames.ts';

/** Maximum numbers of frames and points of the small clip, and of points by which frames are compared. */
const FRAMES = 200;
const POINTS = 8000;
const SHAPE_POINTS = 100;
/** Progress of the solve when the passes over all points begin. */
const PASSES_FROM = 0.6;

export interface SolveLargeOptions extends SolveMonitorOptions, Omit<BlockFitOptions, 'onBlock'> {}

export interface LargeResult<Result extends Decomposition> {
  /** The result of the method on the small clip. */
  small: Result;
  solved: Decomposition & { eRmsBeforeRest: number; iterations: number };
}

/**
 * Solves a large clip.
 * @param solveSmall the method; it must keep the rest pose
 */
export async function solveLarge<Result extends Decomposition>(
  compute: Compute,
  large: LargeClip,
  options: SolveLargeOptions,
  solveSmall: (clip: Clip, monitor: SolveMonitorOptions) => Promise<Result>,
): Promise<LargeResult<Result>> {
  const { source } = large;
  const { pointCount, times } = source;
  const { onProgress, signal, time } = options;
  const monitor = new SolveMonitor(options);
  const order = orderPoints(Float64Array.from(source.rest));
  const shape = await pickClip(source, spreadPoints(order, SHAPE_POINTS).sort(), Uint32Array.from(times.keys()));
  const chosen = representativeFrames(shape, FRAMES);
  const points = spreadPoints(order, POINTS).sort();
  const small = await solveSmall(await pickClip(source, points, chosen.frames), {
    ...{ signal, time },
    onProgress: onProgress && ((info) => onProgress({ ...info, fraction: PASSES_FROM * info.fraction })),
  });
  const space = measureSpace(source, shape);
  const { skeleton, motions } = small.model;
  const boneCount = skeleton.names.length;
  const matrices = spreadMotion(chosen, motions[0].matrices, boneCount);
  monitor.enter('finish', PASSES_FROM, 1);
  const eRmsOf = (error: number) => 1000 * Math.sqrt(error / (3 * pointCount * times.length));
  const fit = await fitInBlocks(
    compute,
    source,
    {
      ...{ ...space, boneCount, frames: chosen.frames, axes: axesOf(skeleton) },
      bones: normalizeBones(space, matrices, boneCount),
      skin: { skin: small.model.skin, placeOf: listNearest(source.rest, order, points) },
    },
    { ...options, onBlock: (part) => monitor.tick(part, small.eRms) },
  );
  return {
    small,
    solved: {
      model: makeModel(large, space, fit, boneCount, axesOf(skeleton), !options.keepRest),
      eRms: eRmsOf(fit.error),
      eRmsBeforeRest: eRmsOf(fit.errorBeforeRest),
      iterations: fit.passes,
      status: monitor.isStopped ? 'stopped' : small.status,
    },
  };
}

/** Points evenly spaced along an order of all: spread over the shape as the points are. */
function spreadPoints(order: Uint32Array, count: number): Uint32Array {
  const wanted = Math.min(count, order.length);
  return Uint32Array.from({ length: wanted }, (_, n) => order[Math.floor(((n + 0.5) * order.length) / wanted)]);
}

/**
 * pointCount: for every point the place in points of a near one. The last one before it and the next two along the order are compared: neighbours in this order are neighbours in
 * space, and most of those in space.
 * @param points rising indices, spread along the order
 */
function listNearest(rest: Float32Array, order: Uint32Array, points: Uint32Array): Uint32Array {
  const placeOf = new Uint32Array(order.length);
  points.forEach((i, n) => {
    placeOf[i] = n + 1;
  });
  const along = order.filter((i) => placeOf[i] > 0);
  const nearest = new Uint32Array(order.length);
  let next = 0;
  for (const i of order) {
    let lowest = Number.POSITIVE_INFINITY;
    for (let n = Math.max(0, next - 1); n < Math.min(along.length, next + 2); n++) {
      let square = 0;
      for (let c = 0; c < 3; c++) square += (rest[3 * along[n] + c] - rest[3 * i + c]) ** 2;
      if (square < lowest) {
        lowest = square;
        nearest[i] = placeOf[along[n]] - 1;
      }
    }
    if (placeOf[i] > 0) {
      nearest[i] = placeOf[i] - 1;
      next++;
    }
  }
  return nearest;
}

/** Some points in some frames as a clip without triangles. */
async function pickClip(source: PointSource, points: Uint32Array, frames: Uint32Array): Promise<Clip> {
  const rest = new Float32Array(3 * points.length);
  points.forEach((i, n) => {
    rest.set(source.rest.subarray(3 * i, 3 * i + 3), 3 * n);
  });
  return {
    ...{ kind: 'clip', name: source.name, mesh: makeMesh(rest, new Uint32Array()) },
    positions: await source.pick(points, frames),
    times: Float64Array.from(frames, (k) => source.times[k]),
  };
}

/** Solver units: the radius of the rest pose, and centers of the points that were picked from it; any centers near those of all points will do. */
function measureSpace({ rest }: PointSource, shape: Clip): ClipSpace {
  const count = shape.mesh.positions.length / 3;
  const centerOf = (positions: Float32Array, offset: number): [number, number, number] => {
    const sum: [number, number, number] = [0, 0, 0];
    for (let c = 0; c < 3 * count; c++) sum[c % 3] += positions[offset + c] / count;
    return sum;
  };
  const frameCenters = new Float64Array(3 * shape.times.length);
  for (let k = 0; k < shape.times.length; k++) frameCenters.set(centerOf(shape.positions, 3 * count * k), 3 * k);
  return {
    size: smallestEnclosingBall(rest).radius || 1,
    restCenter: centerOf(shape.mesh.positions, 0),
    frameCenters,
  };
}

/** Bones of every frame from those of its representative c, moved by the rigid motion between both: Gₖ G_c⁻¹ M_c. frameCount x boneCount x 16 */
function spreadMotion(
  { frames, cellOf, motions }: RepresentativeFrames,
  solved: Float64Array,
  boneCount: number,
): Float64Array {
  const matrices = new Float64Array(cellOf.length * boneCount * 16);
  const between = new Float64Array(16);
  for (let k = 0; k < cellOf.length; k++) {
    const from = cellOf[k] * boneCount * 16;
    const to = k * boneCount * 16;
    if (frames[cellOf[k]] === k) {
      matrices.set(solved.subarray(from, from + boneCount * 16), to);
      continue;
    }
    invertAffine(motions, between, 16 * frames[cellOf[k]]);
    multiply(motions, between, between, 16 * k, 0, 0);
    for (let j = 0; j < boneCount; j++) multiply(between, solved, matrices, 0, from + 16 * j, to + 16 * j);
  }
  return matrices;
}

/** boneCount x 9: the axes of bones, as makeSkinnedModel stores them */
function axesOf({ bindMatrices }: Skeleton): Float64Array {
  const axes = new Float64Array((9 * bindMatrices.length) / 16);
  for (let o = 0, a = 0; o < bindMatrices.length; o += 16, a += 9)
    for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) axes[a + 3 * c + r] = bindMatrices[o + 4 * c + r];
  return axes;
}

function makeModel(
  { source, mesh, pointOfVertex }: LargeClip,
  space: ClipSpace,
  fit: BlockFit,
  boneCount: number,
  axes: Float64Array,
  newRest: boolean,
) {
  const view = <T>(values: T) => ({ view: () => values });
  // only the map from vertices to points is used
  const weld = { pointCount: source.pointCount, pointOfVertex, vertexOfPoint: new Uint32Array(0) };
  return makeSkinnedModel(
    { name: source.name, mesh, times: source.times },
    { ...space, weld },
    {
      ...{ boneCount, bones: view(fit.bones), axes: view(axes), trajectories: { rest: view(fit.rest) } },
      weights: { influences: fit.influences, bones: view(fit.boneIndices), weights: view(fit.weights) },
    },
    newRest,
  );
}
