// SPDX-License-Identifier: MIT
// The motion of a model as keys of joints, for writers of every format that has nodes with translation, rotation and scale.
import { type AffineFactors, decomposeAffineInto, isSheared, makeAffineFactors } from '../math/decompose-affine.ts';
import { invertAffine, multiply } from '../math/mat4.ts';
import { quaternionFromMatrix } from '../math/quaternion.ts';
import type { SkinnedModel } from '../model/asset.ts';
import { boneCountOfMotion, type Motion } from '../model/clip/motion.ts';
import { InputError } from '../model/errors.ts';
import { boneCountOf, type Skeleton } from '../model/skin/skeleton.ts';
import { closeLoop, isLoop } from './close-loop.ts';
import { makeBoneBalls, measureJointReach } from './measure-joint-reach.ts';
import { type JointTracks, keepJointKeys, thinJointKeys } from './thin-joint-keys.ts';

/** A joint at rest. */
export interface TrackedJoint {
  /** Bone of the parent joint, a smaller index, or -1 for the root. */
  above: number;
  translation: Float64Array;
  rotation: Float64Array;
  scale: Float64Array;
  /** Present if the bone is sheared: the joint is then a child node of the one above, with this rotation. */
  turn?: Float64Array;
}

export interface TrackedMotion {
  name: string;
  /** frameCount, seconds, 32-bit, ascending from zero or later */
  times: Float32Array;
  /** By joint: translation, rotation, scale, and turn if it has one. */
  joints: JointTracks[];
  /** By joint and track: indices of the keys to store; empty if the track equals the rest value. */
  kept: Uint32Array[][];
}

export interface JointMotions {
  /** By bone. */
  joints: TrackedJoint[];
  motions: TrackedMotion[];
}

type JointLayout =
  /** Child of its parent's joint: its local matrix is a translation, rotation and scale. */
  | 'parent'
  /** Child of the root: its world matrix is of that kind, its local matrix is not. */
  | 'root'
  /** Two nodes below the root: the matrix is sheared. */
  | 'pair';

/**
 * Makes joints at rest and their keys. A bone is a child of its parent if its local matrix is translation, rotation and scale in every frame; a
 * sheared bone is two nodes, A = U Σ Vᵀ. If a motion ends in its first pose, its last keys equal the first keys exactly.
 * @param tolerance maximum vertex error of key reduction in any frame, file units; 0: one key per frame
 */
export function makeJointMotions(model: SkinnedModel, tolerance = 0): JointMotions {
  const { skeleton, motions, mesh } = model;
  const boneCount = boneCountOf(skeleton);
  for (const motion of motions) checkMotion(motion, boneCount);
  const worlds = makeWorlds(skeleton, motions);
  const joints: TrackedJoint[] = [];
  const moved: JointTracks[][] = motions.map(() => []);
  const local = new Float64Array(16);

  for (let j = 0; j < boneCount; j++) {
    const parent = skeleton.parents[j];
    const layout = chooseLayout(worlds, j, parent, local);
    const above = layout === 'parent' && parent >= 0 ? parent : -1;
    const isPair = layout === 'pair';
    const rest = makeAffineFactors();
    worlds.localInto(j, above, 0, local);
    decomposeAffineInto(local, rest, 0, !isPair);
    const { translation, rotation, scale } = rest;
    const turn = isPair ? turnOf(rest) : undefined;
    joints.push({ above, translation, rotation, scale, turn });

    let frame = 1;
    motions.forEach(({ times: { length: count } }, m) => {
      const factors = copyFactors(rest);
      const tracks: JointTracks['tracks'] = [
        { path: 'translation', rest: translation, values: new Float32Array(count * 3) },
        { path: 'rotation', rest: rotation, values: new Float32Array(count * 4) },
        { path: 'scale', rest: scale, values: new Float32Array(count * 3) },
        ...(turn ? [{ path: 'rotation', rest: turn, values: new Float32Array(count * 4) } as const] : []),
      ];
      for (let k = 0; k < count; k++) {
        worlds.localInto(j, above, frame++, local);
        decomposeAffineInto(local, factors, 0, !isPair);
        tracks[0].values.set(factors.translation, k * 3);
        setContinuous(tracks[1].values, k, factors.rotation, rotation);
        tracks[2].values.set(factors.scale, k * 3);
        if (turn) setContinuous(tracks[3].values, k, turnOf(factors), turn);
      }
      moved[m].push({ above, tracks });
    });
  }

  const balls = tolerance > 0 ? makeBoneBalls(model) : undefined;
  const aboves = Int32Array.from(joints, ({ above }) => above);
  return {
    joints,
    motions: motions.map((motion, m) => {
      const times = keyTimesOf(motion.times, motion.name);
      if (isLoop(motion, mesh.positions)) closeLoop(moved[m]);
      const kept = balls
        ? thinJointKeys(moved[m], times, measureJointReach(balls, motion, skeleton.bindMatrices, aboves), tolerance)
        : keepJointKeys(moved[m]);
      return { name: motion.name, times, joints: moved[m], kept };
    }),
  };
}

/** Times as stored in files: 32-bit, ascending, not negative (a motion that starts before zero is moved to zero). */
export function keyTimesOf(times: Float64Array, name: string): Float32Array {
  const shift = Math.min(0, times[0] ?? 0);
  const out = Float32Array.from(times, (t) => t - shift);
  for (let k = 0; k < out.length; k++) {
    if (!Number.isFinite(out[k]) || (k > 0 && out[k] <= out[k - 1]))
      throw new InputError('motion', `the times of "${name}" must rise, frame ${k} is at ${times[k]} s`);
  }
  return out;
}

function checkMotion(motion: Motion, boneCount: number): void {
  if (motion.times.length === 0) throw new InputError('motion', `the motion "${motion.name}" has no frames`);
  if (boneCountOfMotion(motion) !== boneCount)
    throw new InputError(
      'motion',
      `the motion "${motion.name}" moves ${boneCountOfMotion(motion)} bones, the skeleton has ${boneCount}`,
    );
  for (let c = 0; c < motion.matrices.length; c++) {
    if (!Number.isFinite(motion.matrices[c])) {
      const k = Math.floor(c / (16 * boneCount));
      throw new InputError('motion', `frame ${k} of the motion "${motion.name}" has a bone matrix that is not finite`);
    }
  }
}

interface Worlds {
  /** Total number of frames; the bind pose is the first. */
  frameCount: number;
  /** Fills out with the matrix of bone j in frame k in the space of bone above (-1: model space). False if that has no inverse. */
  localInto(j: number, above: number, k: number, out: Float64Array): boolean;
}

/** Worlds of bones: the bind pose as frame 0, then every frame of every motion; world = (rest to posed) x bind. */
function makeWorlds(skeleton: Skeleton, motions: Motion[]): Worlds {
  const stride = skeleton.names.length * 16;
  const frames: { matrices: Float64Array; offset: number }[] = [];
  for (const motion of motions)
    for (let k = 0; k < motion.times.length; k++) frames.push({ matrices: motion.matrices, offset: k * stride });
  const inverse = new Float64Array(16);
  const worldInto = (j: number, k: number, out: Float64Array): void => {
    if (k === 0) for (let c = 0; c < 16; c++) out[c] = skeleton.bindMatrices[j * 16 + c];
    else multiply(frames[k - 1].matrices, skeleton.bindMatrices, out, frames[k - 1].offset + j * 16, j * 16);
  };
  return {
    frameCount: frames.length + 1,
    localInto(j, above, k, out) {
      worldInto(j, k, out);
      if (above < 0) return true;
      worldInto(above, k, inverse);
      if (!invertAffine(inverse, inverse)) return false;
      multiply(inverse, out, out);
      return true;
    },
  };
}

function chooseLayout(worlds: Worlds, j: number, parent: number, scratch: Float64Array): JointLayout {
  const holds = (above: number): boolean => {
    for (let k = 0; k < worlds.frameCount; k++)
      if (!worlds.localInto(j, above, k, scratch) || isSheared(scratch)) return false;
    return true;
  };
  if (holds(parent)) return 'parent';
  return parent >= 0 && holds(-1) ? 'root' : 'pair';
}

/** The rotation Vᵀ as a quaternion. */
function turnOf({ v }: AffineFactors): Float64Array {
  const out = new Float64Array(4);
  quaternionFromMatrix([v[0], v[3], v[6], 0, v[1], v[4], v[7], 0, v[2], v[5], v[8], 0, 0, 0, 0, 1], out);
  return out;
}

/** Initializes a motion with the rest pose. */
function copyFactors(from: AffineFactors): AffineFactors {
  const factors = makeAffineFactors();
  factors.v.set(from.v);
  factors.u.set(from.u);
  factors.signs.set(from.signs);
  factors.before.set(from.before);
  return factors;
}

/** Stores key k with the sign that is closer to the previous key, so that interpolation follows the shorter arc. */
function setContinuous(values: Float32Array, k: number, q: Float64Array, rest: ArrayLike<number>): void {
  let dot = 0;
  for (let c = 0; c < 4; c++) dot += q[c] * (k > 0 ? values[(k - 1) * 4 + c] : rest[c]);
  for (let c = 0; c < 4; c++) values[k * 4 + c] = dot < 0 ? -q[c] : q[c];
}
