// SPDX-License-Identifier: MIT
import { makePolygonMesh, type PolygonMesh } from '../mesh/make-polygon-mesh.ts';
import { scanObj } from './scan-obj.ts';

/** Options of readObj. */
export interface ReadObjOptions {
  /** Name of the mesh if the file has none. */
  name?: string;
}

/**
 * Reads an OBJ file: polygons (triangulated), UVs as TEXCOORD_0 (top-left origin, as glTF), normals if every corner has
 * one, vertex colours as COLOR_0.
 */
export function readObj(bytes: Uint8Array, options: ReadObjOptions = {}): PolygonMesh {
  return makePolygonMesh(scanObj(bytes), options.name);
}
