// SPDX-License-Identifier: MIT
// The largest angle between two rotations of a bone relative to another one within an animation, close to exact: the largest angle from the rotation that is farthest from the first one.

import { multiplyQuaternions, quaternionFromMatrix } from '../core/math/quaternion.ts';
import { nearestRotationInto } from '../core/math/rotation.ts';
import { cosineOf } from '../core/math/sine.ts';

/** Rotations of pairs of bones over the frames of animations. */
export class RotationRange {
  readonly #pairs: readonly (readonly [bone: number, parent: number])[];
  /** By pair: rotations of the present animation, frames x 4 */
  readonly #rotations: number[][];
  /** By pair: the smallest cosine of half an angle in the animations that have ended. */
  readonly #cosines: Float64Array;

  /** @param pairs bones, and the bones that their rotations are relative to; -1: none, the pair does not turn */
  constructor(pairs: readonly (readonly [bone: number, parent: number])[]) {
    this.#pairs = pairs;
    this.#rotations = pairs.map(() => []);
    this.#cosines = new Float64Array(pairs.length).fill(1);
  }

  /** Adds a frame: boneCount x 16, rest to posed. */
  add(bones: Float64Array): void {
    const worlds = rotationsOf(bones);
    const local = new Float64Array(4);
    this.#pairs.forEach(([j, parent], n) => {
      if (parent < 0) return;
      const p = 4 * parent;
      const inverse = [-worlds[p], -worlds[p + 1], -worlds[p + 2], worlds[p + 3]];
      multiplyQuaternions(inverse, worlds, local, 0, 4 * j);
      this.#rotations[n].push(...local);
    });
  }

  /** Ends an animation: rotations of different animations are not compared. */
  endAnimation(): void {
    this.#rotations.forEach((rotations, n) => {
      this.#cosines[n] = Math.min(this.#cosines[n], smallestCosine(rotations));
      rotations.length = 0;
    });
  }

  /** Whether a pair turns by an angle or more. */
  isTurning(n: number, degrees: number): boolean {
    return this.#cosines[n] <= cosineOf((degrees * Math.PI) / 360);
  }
}

/** Rotations of rest-to-posed matrices: boneCount x 4. Relative to one another they differ from those of the joints by constant rotations. */
function rotationsOf(bones: Float64Array): Float64Array {
  const boneCount = bones.length / 16;
  const out = new Float64Array(4 * boneCount);
  const rotation = new Float64Array(9);
  const matrix = new Float64Array(16);
  for (let j = 0; j < boneCount; j++) {
    for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) rotation[3 * c + r] = bones[16 * j + 4 * c + r];
    nearestRotationInto(rotation, rotation);
    for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) matrix[4 * c + r] = rotation[3 * c + r];
    quaternionFromMatrix(matrix, out, 0, 4 * j);
  }
  return out;
}

/**
 * Cosine of half the largest angle between two rotations of a list.
 * @param q count x 4
 */
function smallestCosine(q: readonly number[]): number {
  const farthestFrom = (o: number): { at: number; cosine: number } => {
    let found = { at: o, cosine: 1 };
    for (let e = 0; e < q.length; e += 4) {
      const cosine = Math.abs(q[o] * q[e] + q[o + 1] * q[e + 1] + q[o + 2] * q[e + 2] + q[o + 3] * q[e + 3]);
      if (cosine < found.cosine) found = { at: e, cosine };
    }
    return found;
  };
  return q.length === 0 ? 1 : farthestFrom(farthestFrom(0).at).cosine;
}
