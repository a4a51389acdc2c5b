// SPDX-License-Identifier: MIT
import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';
import { type Weld, weldVertices } from '../../core/mesh/topology/weld.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';

/** Makes a function that computes the normals of a deformed surface, smooth across UV seams; the weld is made at the first call. */
export function makeSurfaceNormals(mesh: Mesh): (positions: Float32Array, normals: Float32Array) => void {
  let weld: Weld | undefined;
  return (positions, normals) => {
    weld ??= weldVertices(mesh.positions);
    vertexNormalsInto(positions, mesh.triangles, normals, weld);
  };
}
