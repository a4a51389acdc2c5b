// SPDX-License-Identifier: MIT
// Example poses as a vector space: the effect of a transform in all poses of one joint is a block of numbers times u = (x, y, z, 1), and the mean squared
// error of a model is a sum of squares of such numbers. There are two such spaces: the paper's linear one, with four rows per joint (Eq. 11a),
// and a quadrature of the true transform, with three rows per pose.

import { multiply } from '../../../core/math/mat4.ts';
import type { Joints, PatchRow } from './continuous-joints.ts';
import { linearizationMap, linearizeCentered, type PatchShape, samplingRoot } from './continuous-maps.ts';

/** A patch: multi-weights about a center, and their sum. */
export interface PatchSum extends PatchRow, PatchShape {
  /** ten numbers: the part that moves with a joint; the row is for poses that move every bone independently */
  y: Float64Array;
}

export interface ExampleSpace {
  /** Numbers per joint. */
  readonly rows: number;
  /** Additional divisor of squares: the number of poses per joint, or 1 for a mean in closed form. */
  readonly divisor: number;
  /** Number of joints plus groups of whole poses. */
  readonly groupCount: number;
  /** groupCount x rows x 4: the block of a patch that moves rigidly with a joint */
  readonly full: Float64Array;
  /** Fills the block, rows x 4, of a patch of which a part moves with joint g. */
  blockInto(g: number, patch: PatchSum, out: Float64Array, o: number): void;
  /** Fills the block times (u, 1), rows numbers, without the block; place is u relative to the patch's center. */
  valuesInto(g: number, patch: PatchSum, place: Float64Array, out: Float64Array, o: number): void;
}

/** The paper's space: the rows of Sᵧ B⁻¹ Ω''. */
export function makeLinearSpace(joints: Joints): ExampleSpace {
  const count = joints.bones.length;
  /** count x 16, column-major: Sᵧ B⁻¹ */
  const maps = new Float64Array(16 * count);
  const full = new Float64Array(16 * count);
  for (let g = 0; g < count; g++) {
    multiply(samplingRoot(joints.ranges[g]), joints.inverses, maps, 0, 16 * g, 16 * g);
    transposeInto(maps, 16 * g, full, 16 * g);
  }
  const linear = new Float64Array(16);
  const product = new Float64Array(16);
  const x = new Float64Array(4);
  return {
    rows: 4,
    divisor: 1,
    groupCount: count,
    full,
    blockInto(g, patch, out, o) {
      linearizationMap(patch.y, patch, linear);
      multiply(maps, linear, product, 16 * g);
      transposeInto(product, 0, out, o);
    },
    valuesInto(g, patch, place, out, o) {
      const { center, centerOffset } = patch;
      linearizeCentered(patch.y, patch, linear);
      for (let r = 0; r < 4; r++)
        x[r] = linear[r] * place[0] + linear[4 + r] * place[1] + linear[8 + r] * place[2] + linear[12 + r];
      for (let r = 0; r < 3; r++) x[r] += center[centerOffset + r] * x[3];
      const m = 16 * g;
      for (let r = 0; r < 4; r++)
        out[o + r] = maps[m + r] * x[0] + maps[m + 4 + r] * x[1] + maps[m + 8 + r] * x[2] + maps[m + 12 + r] * x[3];
    },
  };
}

function transposeInto(m: Float64Array, o: number, out: Float64Array, to: number): void {
  for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++) out[to + 4 * r + c] = m[o + 4 * c + r];
}
