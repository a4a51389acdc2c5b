// SPDX-License-Identifier: MIT
import type { WeightProblem } from '../weight-problem.ts';

/**
 * The target of a point in every pose, 3 frameCount numbers in the units of the problem: given shapes, or the shapes of its own weights.
 * @param bones and centers from normalizePoses
 * @param targets frameCount x vertexCount x 3, file units
 */
export function makePoseTargets(
  problem: WeightProblem,
  bones: Float64Array,
  centers: Float64Array,
  targets?: Float32Array,
): (point: number, out: Float64Array) => void {
  const { boneCount: m, rest, rows, weld, size } = problem;
  const stride = 3 * weld.pointOfVertex.length;
  if (targets)
    return (i, out) => {
      const v = 3 * weld.vertexOfPoint[i];
      for (let row = 0; row < out.length; row++) {
        const r = row % 3;
        out[row] = (targets[((row - r) / 3) * stride + v + r] - centers[row]) / size;
      }
    };
  return (i, out) => {
    out.fill(0);
    const x = rest[3 * i],
      y = rest[3 * i + 1],
      z = rest[3 * i + 2];
    for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++) {
      const w = rows.values[e];
      for (let row = 0, b = 4 * rows.columns[e]; row < out.length; row++, b += 4 * m)
        out[row] += w * (bones[b] * x + bones[b + 1] * y + bones[b + 2] * z + bones[b + 3]);
    }
  };
}
