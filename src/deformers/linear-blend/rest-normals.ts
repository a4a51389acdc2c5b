// SPDX-License-Identifier: MIT

import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';
import { weldVertices } from '../../core/mesh/topology/weld.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';

/**
 * Computes area-weighted normals of the rest shape, smooth across UV seams. vertexCount x 3
 * @example
 * ```ts
 * import { makeRestNormals } from 'ossify/gpu';
 *
 * const shaded = { ...mesh, normals: mesh.normals ?? makeRestNormals(mesh) };
 * ```
 */
export function makeRestNormals(mesh: Mesh): Float32Array {
  const normals = new Float32Array(mesh.positions.length);
  vertexNormalsInto(mesh.positions, mesh.triangles, normals, weldVertices(mesh.positions));
  return normals;
}

/** Makes a function that returns the mesh's normals; if it has none, those of its rest shape, computed at the first call that needs them. */
export function lazyRestNormals(mesh: Mesh): (isNeeded: boolean) => Float32Array | undefined {
  let made: Float32Array | undefined;
  return (isNeeded) => {
    if (isNeeded && !mesh.normals) made ??= makeRestNormals(mesh);
    return mesh.normals ?? made;
  };
}
