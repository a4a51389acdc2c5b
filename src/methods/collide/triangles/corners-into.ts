// SPDX-License-Identifier: MIT
import type { Collider } from '../collider.ts';

/** Computes a triangle of a collider and fills the offsets of its corners into collider.positions. */
export function cornersInto(collider: Collider, triangle: number, corners: Uint32Array): void {
  collider.computeTriangle(triangle);
  listCornersInto(collider, triangle, corners);
}

/** The same for a triangle that is computed. */
export function listCornersInto(collider: Collider, triangle: number, corners: Uint32Array): void {
  const { triangles } = collider.tree.model.mesh;
  for (let c = 0; c < 3; c++) corners[c] = 3 * triangles[3 * triangle + c];
}
