// SPDX-License-Identifier: MIT

import { lightWidthOf, needsNormals, type SkinLight } from '../../../core/model/deformed/skin-light.ts';
import { fail } from '../../../deformers/layout/index.ts';
import { decodeSkinLight, LIGHT_EXTENSION } from '../../../deformers/light/index.ts';
import { decodeGltfPieces, type RiggedPieces } from '../codecs/decode-gltf-pieces.ts';

/** Fields that all pieces must share. */
const SHARED = ['times', 'values'];

/** Reads OSSIFY_skin_light of all pieces into one light of the asset's mesh. If a piece has none, the light is ignored, with a warning. */
export function readGltfLight(rigged: RiggedPieces): SkinLight | undefined {
  const { document, pieces, mesh, budget, log } = rigged;
  const animations = document.getRoot().listAnimations();
  const names = animations.map((animation, n) => animation.getName() || `animation ${n}`);
  const decoded = decodeGltfPieces(
    rigged,
    LIGHT_EXTENSION,
    (source, _, property) => ({
      ...decodeSkinLight(source, names),
      shared: SHARED.map((name) => property.getAccessor(name)),
    }),
    false,
  );
  if (decoded.size === 0) return undefined;
  if (decoded.size < pieces.length) {
    log?.(`only ${decoded.size} of ${pieces.length} primitives have ${LIGHT_EXTENSION}; it is ignored`);
    return undefined;
  }
  const [first] = decoded.values();
  const { kind, rank, environment, tracks, shared, terms, unshadowed } = first;
  for (const one of decoded.values()) {
    if (one.kind !== kind || one.rank !== rank || one.shared.some((accessor, n) => accessor !== shared[n]))
      fail('unsupported', `the primitives have different coefficients of ${LIGHT_EXTENSION}; one set for all is read`);
    if (!isEqual(one.terms, terms) || !isEqual(one.unshadowed, unshadowed))
      fail('unsupported', `the primitives have different unshadowed light in ${LIGHT_EXTENSION}; one for all is read`);
  }
  if (needsNormals(first) && !mesh.normals)
    fail('mismatch', `${LIGHT_EXTENSION} depends on normals, and the mesh has none`);
  const vertexCount = mesh.positions.length / 3;
  const channels = lightWidthOf(first);
  const hasColors = [...decoded.values()].some(({ colors }) => colors);
  budget(4 * vertexCount * (rank * channels + (hasColors ? 3 : 0)));
  const basis = new Float32Array(rank * vertexCount * channels);
  const colors = hasColors ? new Float32Array(3 * vertexCount).fill(1) : undefined;
  for (const [p, own] of decoded) {
    const { vertexStart, vertexCount: count } = pieces[p];
    for (let r = 0; r < rank; r++) {
      const row = own.basis.subarray(r * count * channels, (r + 1) * count * channels);
      basis.set(row, (r * vertexCount + vertexStart) * channels);
    }
    if (own.colors) colors?.set(own.colors, 3 * vertexStart);
  }
  return {
    ...{ kind, rank, basis },
    ...(terms ? { terms } : {}),
    ...(unshadowed ? { unshadowed } : {}),
    ...(environment ? { environment } : {}),
    ...(colors ? { colors } : {}),
    tracks,
  };
}

function isEqual(a: Float32Array | undefined, b: Float32Array | undefined): boolean {
  return a === b || (a !== undefined && b?.length === a.length && a.every((x, n) => x === b[n]));
}
