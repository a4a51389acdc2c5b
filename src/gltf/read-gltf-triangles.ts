// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { fail, label } from './gltf-fields.ts';
import type { GltfPiece } from './list-gltf-pieces.ts';
import type { GltfAccessors } from './make-gltf-accessors.ts';

const STRIP = 5;
const FAN = 6;

/**
 * The triangles of a piece, as indices of its own vertices: lists, strips and fans alike, indexed or not. Corners of an
 * incomplete triangle at the end are dropped, and so are the flat triangles that stitch strips together.
 */
export function readGltfTriangles(json: GLTF.IGLTF, piece: GltfPiece, accessors: GltfAccessors): Uint32Array {
  const { indices, mode } = json.meshes![piece.mesh].primitives[piece.primitive];
  const corners =
    indices === undefined ? Uint32Array.from({ length: piece.vertexCount }, (_, i) => i) : accessors.integers(indices);
  for (let c = 0; c < corners.length; c++) {
    if (corners[c] >= piece.vertexCount) {
      const mesh = label(json.meshes![piece.mesh].name, piece.mesh);
      fail('index', `mesh ${mesh} has a triangle that names vertex ${corners[c]}, but it has ${piece.vertexCount}`);
    }
  }
  if (mode !== STRIP && mode !== FAN) return corners.subarray(0, corners.length - (corners.length % 3));
  const out: number[] = [];
  for (let n = 0; n + 2 < corners.length; n++) {
    // Every second triangle of a strip is turned the other way round.
    const odd = n & 1;
    const a = mode === FAN ? corners[n + 1] : corners[n];
    const b = mode === FAN ? corners[n + 2] : corners[n + 1 + odd];
    const c = mode === FAN ? corners[0] : corners[n + 2 - odd];
    if (mode === FAN || (a !== b && b !== c && c !== a)) out.push(a, b, c);
  }
  return Uint32Array.from(out);
}
