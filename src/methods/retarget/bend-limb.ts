// SPDX-License-Identifier: MIT
// A limb of two bones whose end is moved to a place, in closed form. Let a, b, c be the places of the upper, the middle and the end joint, t the goal, l = |b − a|, m = |c − b|, u the direction from a to t, d the distance between them, limited to
// [|l − m|, l + m]. The middle joint goes to
//   b' = a + x u + sqrt(l² − x²) p,   x = (l² − m² + d²) / (2 d)
// where p is the part across u of b − a, so that the limb bends in the plane in which it is bent. A bone turns by N' Nᵀ, where the columns of N are its direction, the normal of the plane, and their cross product: its axis of bending stays
// in the normal of the plane.
import { quaternionFromMatrix } from '../../core/math/quaternion.ts';
import { cross, dot, lengthOf, minus, plus, unitOf, type Vector } from './vectors.ts';

/** How near to straight a limb may be, relative to its length. */
const STRAIGHT = 1e-4;

export interface Bend {
  /** World rotations to multiply from the left: upper and middle bone. */
  upper: Float64Array;
  middle: Float64Array;
  /** Place of the end. */
  end: Vector;
}

/** @param pole direction in which a straight limb bends */
export function bendLimb(a: Vector, b: Vector, c: Vector, goal: Vector, pole: Vector): Bend | undefined {
  const [l, m] = [lengthOf(minus(b, a)), lengthOf(minus(c, b))];
  const whole = l + m;
  const u = unitOf(minus(goal, a));
  if (!u || !(l > STRAIGHT * m) || !(m > STRAIGHT * l)) return undefined;
  const d = Math.min(whole * (1 - STRAIGHT), Math.max(Math.abs(l - m) + STRAIGHT * whole, lengthOf(minus(goal, a))));
  const x = (l * l - m * m + d * d) / (2 * d);
  const before = unitOf(minus(c, a));
  const p = across(minus(b, a), before ?? u, l) ?? across(pole, before ?? u, 1);
  if (!p) return undefined;
  const now = across(minus(b, a), u, l) ?? across(p, u, 1) ?? across(pole, u, 1);
  if (!now) return undefined;
  const middle = plus(plus(a, u, x), now, Math.sqrt(Math.max(0, l * l - x * x)));
  const end = plus(a, u, d);
  const oldNormal = unitOf(cross(before ?? u, p));
  const newNormal = unitOf(cross(u, now));
  if (!oldNormal || !newNormal) return undefined;
  return {
    upper: turnOfFrames(minus(b, a), oldNormal, minus(middle, a), newNormal),
    middle: turnOfFrames(minus(c, b), oldNormal, minus(end, middle), newNormal),
    end,
  };
}

/** The part of a vector across a unit vector, of unit length; undefined where hardly any is left. */
function across(v: Vector, u: Vector, length: number): Vector | undefined {
  const rest = plus(v, u, -dot(v, u));
  return lengthOf(rest) > STRAIGHT * length ? unitOf(rest) : undefined;
}

/** The rotation from one frame to another, each of a direction and a normal across it. */
function turnOfFrames(d: Vector, n: Vector, e: Vector, o: Vector): Float64Array {
  const [from, to] = [frameOf(d, n), frameOf(e, o)];
  const m = new Float64Array(16);
  m[15] = 1;
  for (let c = 0; c < 3; c++)
    for (let r = 0; r < 3; r++) for (let i = 0; i < 3; i++) m[4 * c + r] += to[i][r] * from[i][c];
  const out = new Float64Array(4);
  quaternionFromMatrix(m, out);
  return out;
}

function frameOf(d: Vector, n: Vector): [Vector, Vector, Vector] {
  const x = unitOf(d) ?? [1, 0, 0];
  const y = unitOf(plus(n, x, -dot(n, x))) ?? n;
  return [x, y, cross(x, y)];
}
