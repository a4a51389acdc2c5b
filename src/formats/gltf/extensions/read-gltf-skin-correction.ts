// SPDX-License-Identifier: MIT

import { determinant3, transformDirections } from '../../../core/math/mat4.ts';
import type { SkinCorrection } from '../../../core/model/deformed/skin-correction.ts';
import { CORRECTION_EXTENSION, decodeSkinCorrection } from '../../../deformers/corrections/index.ts';
import { fail } from '../../../deformers/layout/index.ts';
import { decodeGltfPieces, type RiggedPieces } from '../codecs/decode-gltf-pieces.ts';
import type { GltfPiece } from '../document/list-gltf-pieces.ts';

/** Fields that all pieces must share. */
const SHARED = ['times', 'values', 'normalValues'];

/** Reads OSSIFY_skin_correction of all pieces into one correction of the asset's mesh; pieces without it are not corrected. */
export function readGltfCorrection(rigged: RiggedPieces): SkinCorrection | undefined {
  const { document, pieces, restMatrices, mesh, budget } = rigged;
  const animations = document.getRoot().listAnimations();
  const names = animations.map((animation, n) => animation.getName() || `animation ${n}`);
  const decoded = decodeGltfPieces(rigged, CORRECTION_EXTENSION, (source, _, property) => ({
    ...decodeSkinCorrection(source, names),
    shared: SHARED.map((name) => property.getAccessor(name)),
  }));
  if (decoded.size === 0) return undefined;
  const [first] = decoded.values();
  const { rank, normalRank, tracks } = first;
  for (const one of decoded.values()) {
    const isAlike =
      one.rank === rank &&
      one.normalRank === normalRank &&
      one.normals?.rule === first.normals?.rule &&
      one.shared.every((accessor, n) => accessor === first.shared[n]);
    if (!isAlike)
      fail(
        'unsupported',
        `the primitives have different coefficients of ${CORRECTION_EXTENSION}; one set for all is read`,
      );
  }
  const size = mesh.positions.length;
  const normalCount = first.normals ? normalRank || rank : 0;
  budget(4 * size * (rank + normalCount));
  const basis = new Float32Array(rank * size);
  const normalBasis = new Float32Array(normalCount * size);
  for (const [p, own] of decoded) {
    const m = restMatrices[p];
    turnInto(own.basis, rank, pieces[p], m, basis);
    const scale = Math.cbrt(Math.abs(determinant3(m))) || 1;
    const turn = m.map((x) => x / scale);
    if (own.normals) turnInto(own.normals.basis, normalCount, pieces[p], turn, normalBasis);
  }
  const normals = first.normals && { rule: first.normals.rule, basis: normalBasis };
  return { rank, basis, normalRank, ...(normals ? { normals } : {}), tracks };
}

/** Transforms the components of a piece to the space of the mesh, by the 3x3 part of a matrix. */
function turnInto(
  from: Float32Array,
  rank: number,
  { vertexStart, vertexCount }: GltfPiece,
  m: Float64Array,
  basis: Float32Array,
): void {
  const stride = basis.length / rank;
  for (let r = 0; r < rank; r++) {
    const [own, start] = [r * 3 * vertexCount, r * stride + 3 * vertexStart];
    transformDirections(m, from, basis, own, start, vertexCount);
  }
}
