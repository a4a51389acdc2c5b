// SPDX-License-Identifier: MIT
// What motions make of a patch, for the spaces that hold poses one by one (continuous-quadrature.ts, continuous-frames.ts). With F = R − I and τ the motion of a bone,
// h = F p + τ, and Y = [Aᵧ bᵧ; bᵧᵀ ωᵧ] the part of the patch that goes with it, about the center p:
//   Q* = A + Σ F Aᵧ + h bᵧᵀ,   q − p = Σ F bᵧ + ωᵧ h,   Θ = nearest rotation to Q*, moved to q.
import { nearestRotationInto } from '../math/rotation.ts';
import type { ExampleSpace, PatchSum } from './continuous-space.ts';

/** Fills Q* and R, nine numbers each, column-major, and q − p for one pose. */
export type TurnInto = (
  g: number,
  pose: number,
  patch: PatchSum,
  image: Float64Array,
  rotation: Float64Array,
  shift: Float64Array,
) => void;

/**
 * Adds one term of the sums to Q* and to q − p.
 * @param motions at o: F, column-major, and τ
 * @param parts at y: Y, ten numbers
 */
export function addMotionInto(
  motions: Float64Array,
  o: number,
  parts: ArrayLike<number>,
  y: number,
  { center: p, centerOffset: c }: PatchSum,
  image: Float64Array,
  shift: Float64Array,
): void {
  for (let r = 0; r < 3; r++) {
    const f0 = motions[o + r],
      f1 = motions[o + 3 + r],
      f2 = motions[o + 6 + r];
    const h = f0 * p[c] + f1 * p[c + 1] + f2 * p[c + 2] + motions[o + 9 + r];
    image[r] += f0 * parts[y] + f1 * parts[y + 1] + f2 * parts[y + 2] + h * parts[y + 3];
    image[3 + r] += f0 * parts[y + 1] + f1 * parts[y + 4] + f2 * parts[y + 5] + h * parts[y + 6];
    image[6 + r] += f0 * parts[y + 2] + f1 * parts[y + 5] + f2 * parts[y + 7] + h * parts[y + 8];
    shift[r] += f0 * parts[y + 3] + f1 * parts[y + 6] + f2 * parts[y + 8] + h * parts[y + 9];
  }
}

/** Adds A to the sum, which makes it Q*, and finds the rotation. */
export function turnImageInto(
  { spread: a, spreadOffset: s }: PatchSum,
  image: Float64Array,
  rotation: Float64Array,
): void {
  image[0] += a[s];
  image[1] += a[s + 1];
  image[2] += a[s + 2];
  image[3] += a[s + 1];
  image[4] += a[s + 3];
  image[5] += a[s + 4];
  image[6] += a[s + 2];
  image[7] += a[s + 4];
  image[8] += a[s + 5];
  nearestRotationInto(image, rotation);
}

/** Blocks and values of groups, pose after pose, each group scaled. */
export function makeTurnedRows(
  poses: number,
  turnInto: TurnInto,
  scaleOf: (g: number) => number,
): Pick<ExampleSpace, 'blockInto' | 'valuesInto'> {
  const image = new Float64Array(9);
  const rotation = new Float64Array(9);
  const shift = new Float64Array(3);
  return {
    blockInto(g, patch, out, o) {
      const scale = scaleOf(g);
      for (let s = 0; s < poses; s++) {
        turnInto(g, s, patch, image, rotation, shift);
        putBlock(patch, rotation, shift, scale, out, o + 12 * s);
      }
    },
    valuesInto(g, patch, x, y, z, out, o) {
      const scale = scaleOf(g);
      for (let s = 0; s < poses; s++) {
        turnInto(g, s, patch, image, rotation, shift);
        putValues(rotation, shift, scale, x, y, z, out, o + 3 * s);
      }
    },
  };
}

/** Θ of one pose, 3 x 4 row-major, from a rotation about the patch's center and a shift. */
function putBlock(
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
function putValues(
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
