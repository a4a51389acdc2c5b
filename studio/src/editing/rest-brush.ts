// SPDX-License-Identifier: MIT
// Changes of a rest shape by a brush: vertices near a point are moved along a direction, along their normals, or scaled about the point.

export type BrushKind = 'inflate' | 'move' | 'scale';

export interface Stroke {
  kind: BrushKind;
  /** In file units, at rest. */
  center: readonly [number, number, number];
  radius: number;
  /** For inflate: distance along the normals. For scale: the factor minus one. */
  amount: number;
  /** For move: the displacement. */
  by?: readonly [number, number, number];
}

/**
 * Applies a stroke to a shape, in place. Its effect falls smoothly to zero at the radius.
 * @param positions vertexCount x 3
 * @param normals vertexCount x 3, unit length
 * @returns the number of vertices that moved
 */
export function strokeInto(positions: Float32Array, normals: Float32Array, stroke: Stroke): number {
  const { kind, center, radius, amount, by = [0, 0, 0] } = stroke;
  let moved = 0;
  for (let i = 0; i < positions.length; i += 3) {
    const d = [0, 1, 2].map((r) => positions[i + r] - center[r]);
    const distance = Math.hypot(d[0], d[1], d[2]) / radius;
    if (!(distance < 1)) continue;
    const share = (1 - distance * distance) ** 2;
    for (let r = 0; r < 3; r++) {
      const step = kind === 'inflate' ? amount * normals[i + r] : kind === 'scale' ? amount * d[r] : by[r];
      positions[i + r] += share * step;
    }
    moved++;
  }
  return moved;
}
