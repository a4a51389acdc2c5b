// SPDX-License-Identifier: MIT
// Samples of a USD stage as keys: transforms of prims, joints of SkelAnimations, weights of blend shapes. Transforms between samples are linear in the operations of
// USD and in translation, rotation and scale of a key; so keys are also set at every time code between samples.
import { determinant3 } from '../../../core/math/mat4.ts';
import { quaternionFromMatrix } from '../../../core/math/quaternion.ts';
import type { Track } from '../../../core/model/clip/animation.ts';
import { FormatError } from '../../../core/model/errors.ts';
import type { UsdPrim } from '../syntax/usd-layer.ts';
import { isSampled, numbersOf, textsOf } from '../syntax/usd-values-at.ts';
import { USD_COSTS, type UsdBudget } from './usd-budget.ts';
import type { UsdScene, UsdSkeletonNode } from './usd-scene.ts';
import { spreadWeight, type UsdShape } from './usd-skeleton.ts';
import { listTransformTimes, localMatrixAt, plainTransformAt } from './usd-transforms.ts';

/** Frames beyond which the times of a file are wrong. */
const MAX_FRAMES = 1_000_000;

/** Sample times, and every whole time code between them. */
export function fillTimes(times: readonly number[]): number[] {
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  if (times.length + span > MAX_FRAMES)
    throw new FormatError('usd', 'limit', `the samples span ${span} time codes, more than ${MAX_FRAMES}`);
  const out: number[] = [];
  times.forEach((time, n) => {
    out.push(time);
    const next = times[n + 1];
    for (let code = Math.floor(time) + 1; next !== undefined && code < next; code++) out.push(code);
  });
  return out;
}

/** Translation, rotation and scale of a matrix without shear. */
export interface UsdTransform {
  translation: Float64Array;
  rotation: Float64Array;
  scale: Float64Array;
}

/** Splits a matrix. Shear is lost; a mirrored matrix gets a negative scale. */
export function splitMatrix(m: Float64Array): UsdTransform {
  const translation = m.slice(12, 15);
  const rotation = new Float64Array(4);
  const scale = new Float64Array(3);
  const axes = Float64Array.from(m);
  for (let c = 0; c < 3; c++) {
    scale[c] = Math.hypot(m[4 * c], m[4 * c + 1], m[4 * c + 2]);
    for (let r = 0; r < 3; r++) axes[4 * c + r] = scale[c] > 0 ? m[4 * c + r] / scale[c] : c === r ? 1 : 0;
  }
  if (determinant3(axes) < 0) {
    scale[0] = -scale[0];
    for (let r = 0; r < 3; r++) axes[r] = -axes[r];
  }
  quaternionFromMatrix(axes, rotation);
  return { translation, rotation, scale };
}

/** Tracks of a node. */
function tracksOfTransforms(node: number, seconds: Float32Array, keys: readonly UsdTransform[], unit: number): Track[] {
  const paths = ['translation', 'rotation', 'scale'] as const;
  return paths.map((path) => {
    const size = path === 'rotation' ? 4 : 3;
    const values = new Float32Array(size * keys.length);
    keys.forEach((key, k) => {
      values.set(path === 'translation' ? key[path].map((x) => x * unit) : key[path], size * k);
    });
    if (path === 'rotation') alignQuaternionsInPlace(values);
    return { node, path, interpolation: 'LINEAR', times: seconds, values };
  });
}

/** Signs of quaternions that take the shorter way from key to key. */
function alignQuaternionsInPlace(values: Float32Array): void {
  for (let o = 4; o < values.length; o += 4) {
    let dot = 0;
    for (let c = 0; c < 4; c++) dot += values[o + c] * values[o + c - 4];
    if (dot < 0) for (let c = 0; c < 4; c++) values[o + c] = -values[o + c];
  }
}

/** How the numbers of a stage become those of a scene. */
export interface UsdScaling {
  /** Metres per unit. */
  unit: number;
  secondsOf(codes: readonly number[]): Float32Array;
  budget: UsdBudget;
}

/** The transform of a prim at a time. */
export function transformAt(prim: UsdPrim, time?: number): UsdTransform {
  return plainTransformAt(prim, time) ?? splitMatrix(localMatrixAt(prim, time));
}

/** Keys of all prims whose transforms have samples. Translation, rotation and scale as such are linear between samples; others get keys between them. */
export function listTransformTracks({ nodes }: UsdScene, { unit, secondsOf, budget }: UsdScaling): Track[] {
  return nodes.flatMap(({ prim }, node) => {
    const samples = prim ? listTransformTimes(prim) : [];
    if (!prim || samples.length < 2) return [];
    const isPlain = plainTransformAt(prim, samples[0]) !== undefined;
    const times = isPlain ? samples : fillTimes(samples);
    budget.take(3 * USD_COSTS.key * times.length, `${times.length} keys of a transform`);
    const keys = times.map((time) => (isPlain ? transformAt(prim, time) : splitMatrix(localMatrixAt(prim, time))));
    return tracksOfTransforms(node, secondsOf(times), keys, unit);
  });
}

const JOINT_PATHS = [
  ['translations', 'translation', 3],
  ['rotations', 'rotation', 4],
  ['scales', 'scale', 3],
] as const;

/** Time codes of the samples of a SkelAnimation. */
export function listSkeletonTimes(animation: UsdPrim): number[] {
  const names = [...JOINT_PATHS.map(([name]) => name), 'blendShapeWeights'];
  return names.flatMap((name) => [...(animation.properties.get(name)?.samples?.times ?? [])]);
}

/** Keys of the joints of a skeleton in an animation. */
export function listJointTracks(
  { joints, firstJoint }: UsdSkeletonNode,
  animation: UsdPrim,
  { unit, secondsOf, budget }: UsdScaling,
): Track[] {
  const moved = textsOf(animation, 'joints');
  const place = new Map(joints.map((joint, j) => [joint, j]));
  return JOINT_PATHS.flatMap(([name, path, size]) => {
    const samples = animation.properties.get(name)?.samples;
    if (!samples || samples.times.length === 0) return [];
    budget.take(USD_COSTS.key * moved.length * samples.times.length, `${samples.times.length} keys of joints`);
    const stored = Array.from(samples.times, (time) => numbersOf(animation, name, time));
    const frames = stored.filter((frame) => frame !== undefined);
    if (frames.length < stored.length) return [];
    const times = secondsOf([...samples.times]);
    return moved.flatMap((joint, m): Track[] => {
      const j = place.get(joint);
      if (j === undefined || frames.some((frame) => frame.length < size * (m + 1))) return [];
      const values = new Float32Array(size * frames.length);
      const factor = path === 'translation' ? unit : 1;
      frames.forEach((frame, k) => {
        for (let c = 0; c < size; c++) values[size * k + c] = factor * frame[size * m + c];
      });
      if (path === 'rotation') alignQuaternionsInPlace(values);
      return [{ node: firstJoint + j, path, interpolation: 'LINEAR', times, values }];
    });
  });
}

/**
 * Puts the pose of a SkelAnimation into the transforms of the joints: where it has values besides samples, where it does not move, and where the skeleton does
 * not state how joints rest.
 */
export function poseJoints(
  { animation, joints, firstJoint, hasRest }: UsdSkeletonNode,
  transforms: UsdTransform[],
): void {
  if (!animation) return;
  const moved = textsOf(animation, 'joints');
  const place = new Map(joints.map((joint, j) => [joint, j]));
  const isMoving = JOINT_PATHS.some(([name]) => isSampled(animation.properties.get(name)));
  for (const [name, path, size] of JOINT_PATHS) {
    const isPose = animation.properties.get(name)?.value !== undefined || !isMoving || !hasRest;
    const values = isPose ? numbersOf(animation, name) : undefined;
    moved.forEach((joint, m) => {
      const j = place.get(joint);
      if (j !== undefined && values && values.length >= size * (m + 1))
        transforms[firstJoint + j][path].set(values.subarray(size * m, size * (m + 1)));
    });
  }
}

/** Blend shapes of a mesh: for each weight of the animation, its shapes, and the place of the first among all shapes of the mesh. */
export interface UsdBlend {
  /** Index into the weights of the animation, -1 if it has none for this shape. */
  weight: number;
  first: number;
  shapes: UsdShape[];
}

/** Weights of the shapes of a mesh at a time. */
export function blendWeightsAt(
  animation: UsdPrim | undefined,
  blends: readonly UsdBlend[],
  count: number,
  time?: number,
): Float32Array {
  const out = new Float32Array(count);
  const values = animation && numbersOf(animation, 'blendShapeWeights', time);
  for (const { weight, first, shapes } of blends)
    if (values && weight >= 0 && weight < values.length) out.set(spreadWeight(values[weight], shapes), first);
  return out;
}

/** Keys of the weights of a mesh. Between keys weights are linear, so that keys are added where an in-between shape is reached. */
export function makeWeightTrack(
  node: number,
  animation: UsdPrim,
  blends: readonly UsdBlend[],
  count: number,
  secondsOf: (codes: readonly number[]) => Float32Array,
): Track | undefined {
  const samples = animation.properties.get('blendShapeWeights')?.samples;
  if (!samples || samples.times.length === 0) return undefined;
  const times = new Set<number>(samples.times);
  for (let k = 0; k + 1 < samples.times.length; k++) {
    const [a, b] = [k, k + 1].map((n) => numbersOf(animation, 'blendShapeWeights', samples.times[n]));
    for (const { weight, shapes } of blends)
      for (const at of shapes.length > 1 ? [0, ...shapes.map((shape) => shape.at)] : []) {
        const t = a && b && weight >= 0 ? (at - a[weight]) / (b[weight] - a[weight]) : Number.NaN;
        if (t > 0 && t < 1) times.add(samples.times[k] + t * (samples.times[k + 1] - samples.times[k]));
      }
  }
  const codes = [...times].sort((x, y) => x - y);
  const values = new Float32Array(count * codes.length);
  codes.forEach((code, k) => {
    values.set(blendWeightsAt(animation, blends, count, code), count * k);
  });
  return { node, path: 'weights', interpolation: 'LINEAR', times: secondsOf(codes), values };
}
