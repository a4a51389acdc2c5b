// SPDX-License-Identifier: MIT
import { Primitive } from '@gltf-transform/core';
import { fail } from '../../../deformers/layout/index.ts';
import type { GltfPiece } from '../document/pieces/list-gltf-pieces.ts';
import { integersOf } from '../document/read-accessor.ts';

const { TRIANGLE_STRIP, TRIANGLE_FAN } = Primitive.Mode;

/**
 * Reads the triangles of a piece, as indices of its own vertices: lists, strips and fans, indexed or not. Incomplete triangles at the end and
 * degenerate triangles that connect strips are dropped.
 */
export function readGltfTriangles({
  primitive,
  vertexCount,
  label,
}: Pick<GltfPiece, 'primitive' | 'vertexCount' | 'label'>): ArrayLike<number> {
  const indices = primitive.getIndices();
  const mode = primitive.getMode();
  const corners = indices ? integersOf(indices) : Uint32Array.from({ length: vertexCount }, (_, i) => i);
  let largest = 0;
  for (let c = 0; c < corners.length; c++) if (corners[c] > largest) largest = corners[c];
  if (largest >= vertexCount)
    fail('index', `mesh ${label} has a triangle that names vertex ${largest}, but it has ${vertexCount}`);
  if (mode !== TRIANGLE_STRIP && mode !== TRIANGLE_FAN)
    return corners.subarray(0, corners.length - (corners.length % 3));
  const out: number[] = [];
  for (let n = 0; n + 2 < corners.length; n++) {
    // Every second triangle of a strip has the opposite winding.
    const odd = n & 1;
    const a = mode === TRIANGLE_FAN ? corners[n + 1] : corners[n];
    const b = mode === TRIANGLE_FAN ? corners[n + 2] : corners[n + 1 + odd];
    const c = mode === TRIANGLE_FAN ? corners[0] : corners[n + 2 - odd];
    if (mode === TRIANGLE_FAN || (a !== b && b !== c && c !== a)) out.push(a, b, c);
  }
  return out;
}
