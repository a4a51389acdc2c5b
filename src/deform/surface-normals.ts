// SPDX-License-Identifier: MIT
import { vertexNormalsInto } from '../mesh/vertex-normals.ts';
import { type Weld, weldVertices } from '../mesh/weld.ts';
import type { Mesh } from '../model/mesh.ts';

/** Makes a function that computes the normals of a deformed surface, smooth across UV seams; the weld is made at the first call. */
export function makeSurfaceNormals(mesh: Mesh): (positions: Float32Array, normals: Float32Array) => void {
  let weld: Weld | undefined;
  return (positions, normals) => {
    weld ??= weldVertices(mesh.positions);
    vertexNormalsInto(positions, mesh.triangles, normals, weld);
  };
}
