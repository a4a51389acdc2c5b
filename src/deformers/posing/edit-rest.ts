// SPDX-License-Identifier: MIT
// D. L. James and C. D. Twigg, "Skinning Mesh Animations", ACM Transactions on Graphics 24 (3), 2005, section 7: an edited rest pose is carried to all
// frames by the skin. A skin maps a rest position u to
//
//   v = L u + t,   with L the blended linear part of the vertex (Direct Delta Mush: its rotation)
//
// where L and t depend on weights, multi-weights and bones, but not on u. So the edit u + d becomes v + L d in every frame: d turns with the surface.
// Corrections and morph targets are displacements of u and are added as before.
import { carryNormalsInto } from '../../core/mesh/geometry/carry-normals.ts';
import type { Asset } from '../../core/model/asset.ts';
import { InputError } from '../../core/model/errors.ts';
import { coordinateFault, MAX_COORDINATE } from '../../core/model/mesh/coordinate-limit.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';

/**
 * Returns a skinned asset with another rest shape. Bones, weights, corrections, morph targets and animations stay; normals and tangents turn with the
 * triangles around them. Throws an InputError if the asset has no bones, or the shape has other vertices or numbers that are not finite.
 * @param positions vertexCount x 3: the edited rest shape, in the space of the asset's mesh
 * @example
 * ```ts
 * import { editRest, writeGlb } from 'ossify';
 *
 * const larger = asset.mesh.positions.map((x) => 1.1 * x);
 * const glb = await writeGlb(editRest(asset, larger), { kind: 'shape' });
 * ```
 */
export function editRest(asset: Asset, positions: Float32Array): Asset {
  const { mesh, rig, ddm, twoLayer, linearTwoLayer } = asset;
  if (!rig) throw new InputError('editRest', 'the file has no skin; decompose its motion first');
  if (positions.length !== mesh.positions.length)
    throw new InputError(
      'edited shape',
      `has ${positions.length / 3} vertices, the skin has ${mesh.positions.length / 3}`,
    );
  const wrong = positions.findIndex((x) => !(Math.abs(x) <= MAX_COORDINATE));
  if (wrong >= 0) {
    const fault = coordinateFault(positions[wrong]);
    throw new InputError('edited shape', `vertex ${Math.floor(wrong / 3)} has a position that is ${fault}`);
  }
  const edited = turnMesh(mesh, positions);
  return {
    ...asset,
    mesh: edited,
    ...(ddm ? { ddm: { ...ddm, mesh: edited } } : {}),
    ...(twoLayer ? { twoLayer: { ...twoLayer, mesh: edited } } : {}),
    ...(linearTwoLayer ? { linearTwoLayer: { ...linearTwoLayer, mesh: edited } } : {}),
  };
}

/** A mesh with other positions. Vectors of vertices whose triangles did not change keep their bits. */
function turnMesh(mesh: Mesh, positions: Float32Array): Mesh {
  const isTouched = listTouched(mesh, positions);
  const turn = (vectors: Float32Array): Float32Array => {
    const turned = new Float32Array(vectors.length);
    carryNormalsInto({ ...mesh, normals: vectors }, positions, turned);
    for (let c = 0; c < turned.length; c++) if (!isTouched[Math.floor(c / 3)]) turned[c] = vectors[c];
    return turned;
  };
  const normals = mesh.normals && turn(mesh.normals);
  const attributes = mesh.attributes.map((attribute) => {
    if (attribute.name !== 'TANGENT' || attribute.size !== 4 || !normals) return attribute;
    const { values } = attribute;
    const turned = turn(
      Float32Array.from({ length: positions.length }, (_, c) => values[4 * Math.floor(c / 3) + (c % 3)]),
    );
    const own = values.slice();
    for (let i = 0; i < isTouched.length; i++) if (isTouched[i]) projectInto(turned, normals, i, own);
    return { ...attribute, values: own };
  });
  return { ...mesh, positions, normals, attributes };
}

/** vertexCount, 0 or 1: whether a corner of a triangle of the vertex was moved. */
function listTouched({ positions: rest, triangles }: Mesh, positions: Float32Array): Uint8Array {
  const isMoved = new Uint8Array(rest.length / 3);
  for (let c = 0; c < rest.length; c++) if (rest[c] !== positions[c]) isMoved[Math.floor(c / 3)] = 1;
  const isTouched = isMoved.slice();
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = triangles.subarray(t, t + 3);
    if (corners.some((i) => isMoved[i])) for (const i of corners) isTouched[i] = 1;
  }
  return isTouched;
}

/** Fills the tangent of a vertex with the part of a direction that is perpendicular to its normal; the hand stays. */
function projectInto(directions: Float32Array, normals: Float32Array, i: number, tangents: Float32Array): void {
  const [t, n] = [directions.subarray(3 * i, 3 * i + 3), normals.subarray(3 * i, 3 * i + 3)];
  const along = t[0] * n[0] + t[1] * n[1] + t[2] * n[2];
  const flat = [0, 1, 2].map((r) => t[r] - along * n[r]);
  const length = Math.hypot(...flat);
  if (length > 0) for (let r = 0; r < 3; r++) tangents[4 * i + r] = flat[r] / length;
}
