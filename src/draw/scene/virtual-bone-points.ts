// SPDX-License-Identifier: MIT
import type { Skin } from '../../core/model/skin/skin.ts';
import type { Rgb } from '../image/color.ts';
import type { ScenePoint } from './overlay.ts';

/** As in Le et al. 2021. */
const COLOR: Rgb = [0.85, 0.16, 0.14];
const RADIUS = 3;

/**
 * Makes points of the virtual bones of two layers for a Scene: each at the mean of its vertices, weighted by their squared weights (Le et al. 2021, §6.1). Virtual
 * bones without vertices are left out.
 * @param skin weights of virtual bones, by vertex
 * @param positions vertexCount x 3, at rest or posed
 * @example
 * ```ts
 * import { renderView, virtualBonePoints } from 'ossify/draw';
 *
 * const { positions, triangles } = twoLayer.mesh;
 * const points = virtualBonePoints(twoLayer.skin, positions);
 * const image = renderView({ positions, triangles, points }, { opacity: 0.6 });
 * ```
 */
export function virtualBonePoints(
  { rowStart, boneIndices, weights }: Skin,
  positions: ArrayLike<number>,
): ScenePoint[] {
  const sums = new Map<number, [x: number, y: number, z: number, weight: number]>();
  for (let i = 0; i + 1 < rowStart.length; i++) {
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const square = weights[e] * weights[e];
      const sum = sums.get(boneIndices[e]) ?? [0, 0, 0, 0];
      for (let c = 0; c < 3; c++) sum[c] += square * positions[3 * i + c];
      sum[3] += square;
      sums.set(boneIndices[e], sum);
    }
  }
  return [...sums.values()]
    .filter(([, , , weight]) => weight > 0)
    .map(([x, y, z, weight]) => ({
      position: [x / weight, y / weight, z / weight] as const,
      color: COLOR,
      radius: RADIUS,
    }));
}
