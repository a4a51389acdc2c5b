// SPDX-License-Identifier: MIT
// Which joints of a rig its motion determines. A joint is determined if its bone turns against its parent, if there are weights on both sides of it, and if its bone has some surface that it visibly moves: the effect of a
// bone is max over frames and vertices of w |(M_bone − M_parent) x|. A joint slides if no other weighted bone moves along at its place: then no skeleton with connected joints has this motion.

import type { Asset, AssetRig } from '../../core/model/asset.ts';
import { poseOf } from '../../core/model/clip/motion.ts';
import { sampleAnimation } from '../../deformers/playback/index.ts';
import type { SharedAnimation } from '../measure-joints.ts';
import { RotationRange } from '../rotation-range.ts';
import type { RigJoints } from './list-rig-joints.ts';

/** Minimum angle within one animation, degrees; minimum part of the weighted area; minimum effect, relative to the size. */
const MIN_DEGREES = 5;
const MIN_AREA = 1e-4;
const MIN_EFFECT = 5e-3;
/** Minimum root mean square gap of a joint that slides, relative to the size. */
const MIN_GAP = 2e-3;
/** Frames per batch of bone matrices. */
const BATCH = 64;

/** What the motion says about a joint. */
export interface JointMotion {
  /** Largest displacement by its bone against the parent, relative to the size. */
  effect: number;
  /** Root mean square distance of the images of its place under its bone and under the bone that moves most alike there, relative to the size. */
  gap: number;
  /** The same under its bone and its parent; 0 if they are connected. */
  parentGap: number;
  isDetermined: boolean;
  /** Whether no other bone is connected to it. */
  slides: boolean;
}

/** Measures every joint of a rig in the animations of its asset. */
export function listDetermined(
  asset: Asset,
  rig: AssetRig,
  joints: RigJoints,
  animations: readonly SharedAnimation[],
  size: number,
): JointMotion[] {
  const meter = new MotionMeter(asset.mesh.positions, rig, joints);
  for (const { reference, times } of animations) {
    for (let first = 0; first < times.length; first += BATCH) {
      const batch = times.subarray(first, first + BATCH);
      const { motion } = sampleAnimation(asset, reference, batch);
      for (let k = 0; k < batch.length; k++) meter.add(poseOf(motion, k));
    }
    meter.range.endAnimation();
  }
  const hasOutside = listOutside(joints);
  return Array.from(joints.bones, (_, n) => {
    const { effect, gap, parentGap } = meter.read(n, size);
    const isDetermined =
      joints.parents[n] >= 0 &&
      hasOutside[n] === 1 &&
      meter.range.isTurning(n, MIN_DEGREES) &&
      joints.areas[n] >= MIN_AREA &&
      effect >= MIN_EFFECT;
    return { effect, gap, parentGap, isDetermined, slides: isDetermined && gap > MIN_GAP };
  });
}

/** jointCount: 1 if bones that are not below the joint have weights. Those below it have, as listRigJoints() leaves out others. */
function listOutside({ areas, parents }: RigJoints): Uint8Array {
  const below = areas.slice();
  for (let n = below.length - 1; n >= 0; n--) if (parents[n] >= 0) below[parents[n]] += below[n];
  // bones that are no joints have weights too
  return Uint8Array.from(below, (area) => (area < 1 - MIN_AREA ? 1 : 0));
}

/** Accumulates what is measured over frames. */
class MotionMeter {
  readonly range: RotationRange;
  readonly #joints: RigJoints;
  readonly #effects: Float64Array;
  /** jointCount x jointCount: sums of squared gaps at the place of the first joint */
  readonly #gaps: Float64Array;
  readonly #parentGaps: Float64Array;
  /** By joint: the vertices and weights of its bones. */
  readonly #followers: { vertices: number[]; weights: number[] }[];
  readonly #positions: Float32Array;
  #frameCount = 0;

  constructor(positions: Float32Array, rig: AssetRig, joints: RigJoints) {
    this.#positions = positions;
    this.#joints = joints;
    const count = joints.bones.length;
    this.range = new RotationRange(
      Array.from(joints.bones, (bone, n) => [bone, joints.parents[n] < 0 ? -1 : joints.bones[joints.parents[n]]]),
    );
    this.#effects = new Float64Array(count);
    this.#gaps = new Float64Array(count * count);
    this.#parentGaps = new Float64Array(count);
    this.#followers = Array.from({ length: count }, () => ({ vertices: [], weights: [] }));
    const { rowStart, boneIndices, weights } = rig.skin;
    for (let i = 0; i + 1 < rowStart.length; i++) {
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
        const n = joints.jointOfBone[boneIndices[e]];
        if (n < 0 || !(weights[e] > 0)) continue;
        this.#followers[n].vertices.push(i);
        this.#followers[n].weights.push(weights[e]);
      }
    }
  }

  /** @param bones boneCount x 16, rest to posed */
  add(bones: Float64Array): void {
    const { bones: boneOf, parents, positions, areas } = this.#joints;
    const count = boneOf.length;
    this.#frameCount++;
    this.range.add(bones);
    for (let n = 0; n < count; n++) {
      for (let m = 0; m < count; m++)
        if (m !== n && areas[m] > 0)
          this.#gaps[n * count + m] += squareBetween(bones, boneOf[n], boneOf[m], positions, 3 * n);
      if (parents[n] < 0) continue;
      this.#parentGaps[n] += squareBetween(bones, boneOf[n], boneOf[parents[n]], positions, 3 * n);
      this.#addEffect(n, bones, boneOf[n], boneOf[parents[n]]);
    }
  }

  #addEffect(n: number, bones: Float64Array, bone: number, parent: number): void {
    const { vertices, weights } = this.#followers[n];
    const mesh = this.#positions;
    for (let e = 0; e < vertices.length; e++) {
      const square = weights[e] ** 2 * squareBetween(bones, bone, parent, mesh, 3 * vertices[e]);
      if (square > this.#effects[n]) this.#effects[n] = square;
    }
  }

  read(n: number, size: number): { effect: number; gap: number; parentGap: number } {
    const count = this.#joints.bones.length;
    let least = Number.POSITIVE_INFINITY;
    for (let m = 0; m < count; m++)
      if (m !== n && this.#joints.areas[m] > 0) least = Math.min(least, this.#gaps[n * count + m]);
    const rms = (sum: number): number => Math.sqrt(sum / Math.max(1, this.#frameCount)) / size;
    return { effect: Math.sqrt(this.#effects[n]) / size, gap: rms(least), parentGap: rms(this.#parentGaps[n]) };
  }
}

/** |(M_a − M_b) x|² */
function squareBetween(bones: Float64Array, a: number, b: number, p: ArrayLike<number>, o: number): number {
  const [s, t] = [16 * a, 16 * b];
  let sum = 0;
  for (let r = 0; r < 3; r++) {
    let x = bones[s + 12 + r] - bones[t + 12 + r];
    for (let c = 0; c < 3; c++) x += (bones[s + 4 * c + r] - bones[t + 4 * c + r]) * p[o + c];
    sum += x * x;
  }
  return sum;
}
