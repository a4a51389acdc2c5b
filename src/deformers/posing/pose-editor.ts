// SPDX-License-Identifier: MIT
// A pose that is changed joint by joint. Per joint j with parent p, B its bind matrix without scale and M its bone matrix (rest to posed):
//
//   M̄ⱼ = Bⱼ⁻¹ Mₚ⁻¹ Mⱼ Bⱼ     the joint relative to its bind pose, in its own frame; ranges of motion are about its angles, R = Rx Ry Rz
//   Mⱼ = Mₚ Bⱼ M̄ⱼ Bⱼ⁻¹       so children follow
import { composeEuler, eulerOf } from '../../core/math/euler.ts';
import { compose, determinant3, IDENTITY, invertAffine, makeIdentities, multiply } from '../../core/math/mat4.ts';
import { conjugateQuaternion, multiplyQuaternions, quaternionFromMatrix } from '../../core/math/quaternion.ts';

/**
 * The joints of a pose.
 * @internal
 */
export interface EditedRig {
  /** boneCount; parents come before their children */
  parents: Int32Array;
  /** boneCount x 16, column-major: bone space to model space, at rest */
  binds: Float64Array;
  /** boneCount x 6: low and high end about x, y and z, radians */
  ranges: Float64Array;
}

/**
 * Edits a pose within ranges of motion: angles, rotations in model space.
 * @internal
 */
export class PoseEditor<Rig extends EditedRig = EditedRig> {
  /** The joints and their ranges. */
  readonly rig: Rig;
  /** boneCount x 16 each: B, B⁻¹, M̄ and M */
  readonly #binds: Float64Array;
  readonly #inverses: Float64Array;
  readonly #turns: Float64Array;
  readonly #bones: Float64Array;

  constructor(rig: Rig) {
    this.rig = rig;
    const boneCount = rig.parents.length;
    this.#binds = new Float64Array(16 * boneCount);
    this.#inverses = makeIdentities(boneCount);
    this.#turns = makeIdentities(boneCount);
    this.#bones = makeIdentities(boneCount);
    for (let o = 0; o < 16 * boneCount; o += 16) {
      const { translation, rotation } = decompose(rig.binds.subarray(o, o + 16));
      compose(translation, rotation, [1, 1, 1], this.#binds, 0, 0, 0, o);
      invertAffine(this.#binds, this.#inverses, o, o);
    }
  }

  /** Starts from a pose: boneCount x 16. */
  take(bones: Float64Array): void {
    this.#bones.set(bones);
    const m = new Float64Array(16);
    for (let j = 0; j < this.rig.parents.length; j++) {
      const o = 16 * j;
      if (!invertAffine(this.#parentOf(j), m)) m.set(IDENTITY);
      multiply(m, this.#bones, m, 0, o);
      multiply(this.#inverses, m, m, o);
      multiply(m, this.#binds, this.#turns, 0, o, o);
    }
  }

  /** The pose, boneCount x 16, copied. */
  bones(): Float64Array {
    return this.#bones.slice();
  }

  /** The frame of a joint in model space: 16 numbers, column-major. */
  frameOf(j: number): Float64Array {
    const out = new Float64Array(16);
    multiply(this.#bones, this.#binds, out, 16 * j, 16 * j);
    return out;
  }

  /** The position of a joint in model space. */
  headOf(j: number): Float64Array {
    return this.frameOf(j).slice(12, 15);
  }

  /** Angles about x, y and z from the bind pose, radians. */
  anglesOf(j: number): [number, number, number] {
    return eulerOf(decompose(this.#turns.subarray(16 * j, 16 * j + 16)).rotation);
  }

  /** The range of an angle (0: x, 1: y, 2: z), radians. */
  rangeOf(j: number, axis: number): [low: number, high: number] {
    const at = 6 * j + 2 * axis;
    return [this.rig.ranges[at], this.rig.ranges[at + 1]];
  }

  /** Rotates a joint to angles, clamped to its range. */
  setAngles(j: number, angles: ArrayLike<number>): void {
    const [x, y, z] = [0, 1, 2].map((c) => {
      const [low, high] = this.rangeOf(j, c);
      return Math.min(high, Math.max(low, angles[c]));
    });
    const { translation, scale } = decompose(this.#turns.subarray(16 * j, 16 * j + 16));
    compose(translation, composeEuler(x, y, z), scale, this.#turns, 0, 0, 0, 16 * j);
    this.#follow(j);
  }

  /**
   * Rotates a joint so that its frame in model space has this rotation, as far as its range allows.
   * @param rotation unit quaternion x y z w
   */
  setRotation(j: number, rotation: ArrayLike<number>): void {
    const frame = new Float64Array(16);
    multiply(this.#parentOf(j), this.#binds, frame, 0, 16 * j);
    const local = decompose(frame).rotation;
    conjugateQuaternion(local, local);
    multiplyQuaternions(local, rotation, local);
    this.setAngles(j, eulerOf(local));
  }

  /** Rotates a joint by a rotation in model space, about its own position. */
  turnBy(j: number, by: ArrayLike<number>): void {
    const { rotation } = decompose(this.frameOf(j));
    multiplyQuaternions(by, rotation, rotation);
    this.setRotation(j, rotation);
  }

  #parentOf(j: number): ArrayLike<number> {
    const parent = this.rig.parents[j];
    return parent < 0 ? IDENTITY : this.#bones.subarray(16 * parent, 16 * parent + 16);
  }

  /** Updates bones from j on: parents come before their children. */
  #follow(first: number): void {
    const m = new Float64Array(16);
    for (let j = first; j < this.rig.parents.length; j++) {
      const o = 16 * j;
      multiply(this.#parentOf(j), this.#binds, m, 0, o);
      multiply(m, this.#turns, m, 0, o);
      multiply(m, this.#inverses, this.#bones, 0, o, o);
    }
  }
}

/** Translation, rotation (unit quaternion x y z w) and scale of a matrix without shear. */
function decompose(m: Float64Array) {
  const scale = [0, 4, 8].map((c) => Math.hypot(m[c], m[c + 1], m[c + 2]));
  if (determinant3(m) < 0) scale[0] = -scale[0];
  const turn = m.map((x, e) => (e < 12 && e % 4 < 3 ? x / scale[Math.floor(e / 4)] : x));
  const rotation = [0, 0, 0, 1];
  quaternionFromMatrix(turn, rotation);
  return { translation: m.slice(12, 15), rotation, scale };
}
