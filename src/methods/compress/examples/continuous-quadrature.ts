// SPDX-License-Identifier: MIT
// The expectation over single-joint poses with the true transform of Direct Delta Mush, by a fixed quadrature: a few rotations per joint from
// a Halton sequence. Only joints that move a part of a patch cause an error, and their poses need only the sum of that part.
//
// With M = [R τ] the joint's motion and Y the part that moves with it, the sums of turn-patch.ts have one term.

import { makeRandom } from '../../../core/math/random.ts';
import { cosineOf, sineOf } from '../../../core/math/sine.ts';
import type { JointRange } from '../../../fit/poses/index.ts';
import type { Joints } from './continuous-joints.ts';
import type { ExampleSpace } from './continuous-space.ts';
import { addMotion, finishTurn, makeTurnedRows, startTurn, type TurnInto } from './turn-patch.ts';

export interface QuadratureSpace extends ExampleSpace {
  /** Poses per joint. */
  readonly poses: number;
  /** jointCount x poses x 12: F, column-major, and τ */
  readonly motions: Float64Array;
  /** Factor on the rows of a group: 1 for joints. */
  scaleOf(g: number): number;
  readonly turnInto: TurnInto;
}

const HALTON_BASES = [2, 3, 5, 7, 11, 13];

/** @param ranges per joint of joints */
export function makeQuadratureSpace(
  joints: Joints,
  ranges: readonly JointRange[],
  poses: number,
  seed: number,
): QuadratureSpace {
  const count = joints.bones.length;
  const motions = new Float64Array(12 * poses * count);
  const full = new Float64Array(12 * poses * count);
  const random = makeRandom(seed);
  for (let g = 0; g < count; g++) {
    // each joint starts at another index, so that joints are not sampled in the same few directions
    const start = HALTON_BASES.map(() => random.next());
    for (let s = 0; s < poses; s++) {
      const o = 12 * (g * poses + s);
      const values = HALTON_BASES.map((base, d) => (halton(s + 1, base) + start[d]) % 1);
      motionInto(joints, g, { range: ranges[g], values }, motions, o);
      for (let r = 0; r < 3; r++) {
        for (let c = 0; c < 4; c++) full[o + 4 * r + c] = motions[o + 3 * c + r];
      }
    }
  }
  const scaleOf = (): number => 1;
  const turnInto: TurnInto = (g, pose, patch, out) => {
    startTurn(out, patch);
    addMotion(motions, 12 * (g * poses + pose), patch.y, 0, out);
    finishTurn(patch, out);
  };
  return {
    ...{ rows: 3 * poses, divisor: poses, groupCount: count, full, poses, motions, scaleOf, turnInto },
    ...makeTurnedRows(poses, turnInto, scaleOf),
  };
}

/** The radical inverse of n. */
function halton(n: number, base: number): number {
  let left = n;
  let digit = 1;
  let sum = 0;
  while (left > 0) {
    digit /= base;
    sum += digit * (left % base);
    left = Math.floor(left / base);
  }
  return sum;
}

/** The position of a joint in its range: six numbers from 0 to 1. */
export interface PlaceInRange {
  range: JointRange;
  values: readonly number[];
}

/** F and τ of B M̄ B⁻¹ with M̄ = Rx Ry Rz and a translation. */
export function motionInto(
  joints: Joints,
  g: number,
  { range, values }: PlaceInRange,
  out: Float64Array,
  o: number,
): void {
  const at = (d: number): number => {
    const [low, high] = d < 3 ? range.rotation[d] : range.translation[d - 3];
    return low + values[d] * (high - low);
  };
  const cx = cosineOf(at(0)),
    sx = sineOf(at(0)),
    cy = cosineOf(at(1)),
    sy = sineOf(at(1)),
    cz = cosineOf(at(2)),
    sz = sineOf(at(2));
  const turn = [cy * cz, cx * sz + sx * sy * cz, sx * sz - cx * sy * cz, -cy * sz, cx * cz - sx * sy * sz];
  turn.push(sx * cz + cx * sy * sz, sy, -sx * cy, cx * cy);
  const { binds } = joints;
  const b = 16 * g;
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) {
      let sum = r === c ? -1 : 0;
      for (let i = 0; i < 3; i++)
        for (let k = 0; k < 3; k++) sum += binds[b + 4 * i + r] * turn[3 * k + i] * binds[b + 4 * k + c];
      out[o + 3 * c + r] = sum;
    }
  }
  for (let r = 0; r < 3; r++) {
    let sum = 0;
    for (let c = 0; c < 3; c++) {
      sum += binds[b + 4 * c + r] * at(3 + c) - out[o + 3 * c + r] * binds[b + 12 + c];
    }
    out[o + 9 + r] = sum;
  }
}
