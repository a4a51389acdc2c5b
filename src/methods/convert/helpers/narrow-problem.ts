// SPDX-License-Identifier: MIT
// The part of a training set that is relevant for helpers: some points, the joints that move them relative to each other, and the poses of these joints. In all
// other poses the points move rigidly, so nothing is lost. Bones that are not among these joints must not be candidates, since they cannot be distinguished there.

import { type Clip, makeTimes } from '../../../core/model/clip/clip.ts';
import { type Mesh, makeMesh } from '../../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import type { NormalizedClip } from '../../../fit/skin/index.ts';
import type { TrainingSet } from '../sample/shape-set.ts';
import type { HelperFit } from './helper-fit.ts';

export interface NarrowProblem {
  /** The points as vertices, in all kept poses. */
  clip: Clip;
  skeleton: Skeleton;
  /** Without positions: the clip has them. */
  set: TrainingSet;
  /** By point of the clip, the point of the whole problem. */
  points: Uint32Array;
  /** By joint of the skeleton, the joint of the whole skeleton. */
  joints: number[];
}

/** Minimum weight of a point that is bound to a joint. */
const MIN_WEIGHT = 1e-3;

/** Joints that some points are bound to in a fit, and inputs of controllers, with their parents, in ascending order. */
export function listFollowed(
  fit: HelperFit,
  { parents }: Skeleton,
  points: Uint32Array,
  inputs: readonly number[] = [],
): number[] {
  const [ids, weights] = [fit.weights.bones.view(), fit.weights.weights.view()];
  const influences = fit.weights.influences;
  const found = new Set<number>();
  for (const i of points)
    for (let e = i * influences; e < (i + 1) * influences; e++)
      if (weights[e] > MIN_WEIGHT && ids[e] < fit.jointCount) found.add(ids[e]);
  for (const j of inputs) found.add(j);
  for (const j of [...found]) if (parents[j] >= 0) found.add(parents[j]);
  return [...found].sort((a, b) => a - b);
}

/** @param joints the joints of the points, including their parents */
export function narrowProblem(
  { mesh, skeleton }: { mesh: Mesh; skeleton: Skeleton },
  { weld }: NormalizedClip,
  set: TrainingSet,
  points: Uint32Array,
  joints: number[],
): NarrowProblem {
  const isKept = new Set(joints);
  const frames = Array.from(set.moved.keys()).filter((k) => set.moved[k] < 0 || isKept.has(set.moved[k]));
  const stride = mesh.positions.length;
  const shape = (from: Float32Array, offset: number, out: Float32Array, at: number): void => {
    for (let n = 0; n < points.length; n++)
      for (let c = 0; c < 3; c++) out[at + 3 * n + c] = from[offset + 3 * weld.vertexOfPoint[points[n]] + c];
  };
  const rest = new Float32Array(3 * points.length);
  shape(mesh.positions, 0, rest, 0);
  const positions = new Float32Array(frames.length * rest.length);
  frames.forEach((k, n) => {
    shape(set.positions, k * stride, positions, n * rest.length);
  });
  const placeOf = new Map(joints.map((j, n) => [j, n]));
  return {
    clip: {
      kind: 'clip',
      name: 'region',
      mesh: makeMesh(rest, new Uint32Array(0)),
      positions,
      times: makeTimes(frames.length, 1),
    },
    skeleton: narrowSkeleton(skeleton, joints, placeOf),
    set: narrowSet(set, skeleton.names.length, { frames, joints, placeOf }),
    points,
    joints,
  };
}

/** By joint of the whole skeleton, its place among the kept ones. */
type Places = ReadonlyMap<number, number>;

/** The kept joints. Their parents are their closest kept ancestors. */
function narrowSkeleton(
  { names, parents, bindMatrices }: Skeleton,
  joints: readonly number[],
  placeOf: Places,
): Skeleton {
  const own = joints.map((j) => {
    let parent = parents[j];
    while (parent >= 0 && !placeOf.has(parent)) parent = parents[parent];
    return placeOf.get(parent) ?? -1;
  });
  return {
    names: joints.map((j) => names[j]),
    parents: Int32Array.from(own),
    bindMatrices: Float64Array.from(joints.flatMap((j) => [...bindMatrices.subarray(16 * j, 16 * j + 16)])),
  };
}

/** The kept poses of the kept joints. */
function narrowSet(
  { moved, rotations, bones, weights, times, inputs }: TrainingSet,
  jointCount: number,
  { frames, joints, placeOf }: { frames: readonly number[]; joints: readonly number[]; placeOf: Places },
): TrainingSet {
  const pick = (from: Float64Array, size: number): Float64Array => {
    const out = new Float64Array(frames.length * joints.length * size);
    frames.forEach((k, n) => {
      joints.forEach((j, place) => {
        const at = (k * jointCount + j) * size;
        out.set(from.subarray(at, at + size), (n * joints.length + place) * size);
      });
    });
    return out;
  };
  return {
    frameCount: frames.length,
    moved: Int32Array.from(frames, (k) => placeOf.get(moved[k]) ?? -1),
    rotations: pick(rotations, 4),
    bones: pick(bones, 16),
    positions: new Float32Array(0),
    weights: Float64Array.from(frames, (k) => weights[k]),
    idle: [],
    times: times && Float64Array.from(frames, (k) => times[k]),
    inputs: inputs?.flatMap((j) => placeOf.get(j) ?? []),
  };
}
