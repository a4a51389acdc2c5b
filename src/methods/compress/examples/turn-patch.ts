// SPDX-License-Identifier: MIT
// The transform of a patch in a pose, for the spaces with explicit poses (continuous-quadrature.ts, continuous-frames.ts). With F = R − I and τ the motion of a bone,
// h = F p + τ, and Y = [Aᵧ bᵧ; bᵧᵀ ωᵧ] the part of the patch that moves with it, about the center p:
//   Q* = A + Σ F Aᵧ + h bᵧᵀ,   q − p = Σ F bᵧ + ωᵧ h,   Θ = nearest rotation to Q*, with the center at q.
import { nearestRotationInto } from '../../../core/math/rotation.ts';
import { addRowTimesSym4 } from '../../../core/math/sym4.ts';
import type { ExampleSpace, PatchSum } from './continuous-space.ts';

/** The transform of a patch in one pose, and scratch memory. */
export interface Turn {
  /** p, three numbers */
  center: Float64Array;
  /** [Q* q − p]: 3x4, column-major */
  image: Float64Array;
  /** R: 3x3, column-major */
  rotation: Float64Array;
  /** A row of F, and of h */
  row: Float64Array;
}

/** Fills the transform of a patch in one pose of a group. */
export type TurnInto = (g: number, pose: number, patch: PatchSum, out: Turn) => void;

export function makeTurn(): Turn {
  return {
    center: new Float64Array(3),
    image: new Float64Array(12),
    rotation: new Float64Array(9),
    row: new Float64Array(4),
  };
}

/** Begins the sums of a patch. */
export function startTurn(turn: Turn, { center, centerOffset }: PatchSum): void {
  for (let c = 0; c < 3; c++) turn.center[c] = center[centerOffset + c];
  turn.image.fill(0);
}

/**
 * Adds one term of the sums to Q* and to q − p.
 * @param motions at o: F, column-major, and τ
 * @param parts at y: Y
 */
export function addMotion(motions: Float64Array, o: number, parts: Float64Array, y: number, turn: Turn): void {
  const { center, row, image } = turn;
  for (let r = 0; r < 3; r++) {
    row[0] = motions[o + r];
    row[1] = motions[o + 3 + r];
    row[2] = motions[o + 6 + r];
    row[3] = row[0] * center[0] + row[1] * center[1] + row[2] * center[2] + motions[o + 9 + r];
    addRowTimesSym4(row, parts, y, image, r);
  }
}

/** Adds A to the sum, which gives Q*, and computes the rotation. */
export function finishTurn({ spread: a, spreadOffset: s }: PatchSum, { image, rotation }: Turn): void {
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
  const turn = makeTurn();
  return {
    blockInto(g, patch, out, o) {
      const scale = scaleOf(g);
      for (let s = 0; s < poses; s++) {
        turnInto(g, s, patch, turn);
        putBlock(turn, scale, out, o + 12 * s);
      }
    },
    valuesInto(g, patch, place, out, o) {
      const scale = scaleOf(g);
      for (let s = 0; s < poses; s++) {
        turnInto(g, s, patch, turn);
        putValues(turn, scale, place, out, o + 3 * s);
      }
    },
  };
}

/** Θ of one pose, 3 x 4 row-major, from a rotation about the patch's center and a shift. */
function putBlock({ center, rotation, image }: Turn, scale: number, out: Float64Array, o: number): void {
  for (let r = 0; r < 3; r++) {
    const t = o + 4 * r;
    const x = scale * (rotation[r] - (r === 0 ? 1 : 0)),
      y = scale * (rotation[3 + r] - (r === 1 ? 1 : 0)),
      z = scale * (rotation[6 + r] - (r === 2 ? 1 : 0));
    out[t] = x;
    out[t + 1] = y;
    out[t + 2] = z;
    out[t + 3] = scale * image[9 + r] - x * center[0] - y * center[1] - z * center[2];
  }
}

/** Θ times a place relative to the patch's center. */
function putValues({ rotation, image }: Turn, scale: number, place: Float64Array, out: Float64Array, o: number): void {
  const x = place[0],
    y = place[1],
    z = place[2];
  out[o] = scale * (rotation[0] * x + rotation[3] * y + rotation[6] * z - x + image[9]);
  out[o + 1] = scale * (rotation[1] * x + rotation[4] * y + rotation[7] * z - y + image[10]);
  out[o + 2] = scale * (rotation[2] * x + rotation[5] * y + rotation[8] * z - z + image[11]);
}
