// SPDX-License-Identifier: MIT
// The expectation over single-joint poses with the true transform of Direct Delta Mush, by a fixed quadrature: a few rotations per joint from
// a Halton sequence. Only joints that move a part of a patch leave an error, and of these a pose needs no more than the part's sum.
//
// With M = [R τ] the joint's motion, F = R − I, h = M p − p and Y = [Aᵧ bᵧ; bᵧᵀ ωᵧ] the part that goes with it, about the center p:
//   Q* = A + F Aᵧ + h bᵧᵀ,   q − p = F bᵧ + ωᵧ h,   Θ = nearest rotation to Q*, moved to q.

import type { JointRange } from '../fit/ranges-of-motion.ts';
import { makeRandom } from '../math/random.ts';
import { nearestRotationInto } from '../math/rotation.ts';
import { cosineOf, sineOf } from '../math/sine.ts';
import type { Joints } from './continuous-joints.ts';
import type { ExampleSpace, PatchSum } from './continuous-space.ts';

export interface QuadratureSpace extends ExampleSpace {
  /** Poses per joint. */
  readonly poses: number;
  /** jointCount x poses x 12: F, column-major, and τ */
  readonly motions: Float64Array;
  /** What the rows of a group are scaled by: 1 for joints. */
  scaleOf(g: number): number;
  /** Fills Q* and R, nine numbers each, column-major, and q − p for one pose. */
  turnInto(
    g: number,
    pose: number,
    patch: PatchSum,
    image: Float64Array,
    rotation: Float64Array,
    shift: Float64Array,
  ): void;
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
    // each joint starts elsewhere, so that joints are not all sampled in the same few directions
    const start = HALTON_BASES.map(() => random.next());
    for (let s = 0; s < poses; s++) {
      const o = 12 * (g * poses + s);
      const values = HALTON_BASES.map((base, d) => (halton(s + 1, base) + start[d]) % 1);
      motionInto(joints, g, ranges[g], values, motions, o);
      for (let r = 0; r < 3; r++) {
        for (let c = 0; c < 4; c++) full[o + 4 * r + c] = motions[o + 3 * c + r];
      }
    }
  }
  const image = new Float64Array(9);
  const rotation = new Float64Array(9);
  const shift = new Float64Array(3);

  const turnInto: QuadratureSpace['turnInto'] = (g, pose, patch, b, turned, moved) => {
    const { y, spread: a, spreadOffset: s, center: p, centerOffset: c } = patch;
    const o = 12 * (g * poses + pose);
    for (let r = 0; r < 3; r++) {
      const f0 = motions[o + r],
        f1 = motions[o + 3 + r],
        f2 = motions[o + 6 + r];
      const h = f0 * p[c] + f1 * p[c + 1] + f2 * p[c + 2] + motions[o + 9 + r];
      b[r] = f0 * y[0] + f1 * y[1] + f2 * y[2] + h * y[3];
      b[3 + r] = f0 * y[1] + f1 * y[4] + f2 * y[5] + h * y[6];
      b[6 + r] = f0 * y[2] + f1 * y[5] + f2 * y[7] + h * y[8];
      moved[r] = f0 * y[3] + f1 * y[6] + f2 * y[8] + h * y[9];
    }
    b[0] += a[s];
    b[1] += a[s + 1];
    b[2] += a[s + 2];
    b[3] += a[s + 1];
    b[4] += a[s + 3];
    b[5] += a[s + 4];
    b[6] += a[s + 2];
    b[7] += a[s + 4];
    b[8] += a[s + 5];
    nearestRotationInto(b, turned);
  };
  return {
    rows: 3 * poses,
    divisor: poses,
    groupCount: count,
    full,
    poses,
    motions,
    scaleOf: () => 1,
    turnInto,
    blockInto(g, patch, out, o) {
      for (let s = 0; s < poses; s++) {
        turnInto(g, s, patch, image, rotation, shift);
        putBlock(patch, rotation, shift, 1, out, o + 12 * s);
      }
    },
    valuesInto(g, patch, x, y, z, out, o) {
      for (let s = 0; s < poses; s++) {
        turnInto(g, s, patch, image, rotation, shift);
        putValues(rotation, shift, 1, x, y, z, out, o + 3 * s);
      }
    },
  };
}

/** Θ of one pose, 3 x 4 row-major, from a rotation about the patch's center and a shift. */
export function putBlock(
  { center: p, centerOffset: c }: PatchSum,
  rotation: Float64Array,
  shift: Float64Array,
  scale: number,
  out: Float64Array,
  o: number,
): void {
  for (let r = 0; r < 3; r++) {
    const t = o + 4 * r;
    const x = scale * (rotation[r] - (r === 0 ? 1 : 0)),
      y = scale * (rotation[3 + r] - (r === 1 ? 1 : 0)),
      z = scale * (rotation[6 + r] - (r === 2 ? 1 : 0));
    out[t] = x;
    out[t + 1] = y;
    out[t + 2] = z;
    out[t + 3] = scale * shift[r] - x * p[c] - y * p[c + 1] - z * p[c + 2];
  }
}

/** Θ times a place relative to the patch's center. */
export function putValues(
  rotation: Float64Array,
  shift: Float64Array,
  scale: number,
  x: number,
  y: number,
  z: number,
  out: Float64Array,
  o: number,
): void {
  out[o] = scale * (rotation[0] * x + rotation[3] * y + rotation[6] * z - x + shift[0]);
  out[o + 1] = scale * (rotation[1] * x + rotation[4] * y + rotation[7] * z - y + shift[1]);
  out[o + 2] = scale * (rotation[2] * x + rotation[5] * y + rotation[8] * z - z + shift[2]);
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

/** F and τ of B M̄ B⁻¹ with M̄ = Rx Ry Rz and a translation, six places in the range from 0 to 1. */
export function motionInto(
  joints: Joints,
  g: number,
  range: JointRange,
  values: readonly number[],
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
