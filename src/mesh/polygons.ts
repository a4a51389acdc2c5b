// SPDX-License-Identifier: MIT

/** Polygons with an index per corner into points, UVs and normals, as OBJ, Alembic, FBX and USD files store them. */
export interface Polygons {
  /** '' if the file has none. */
  name: string;
  /** pointCount x 3, in the order of the file */
  positions: Float32Array;
  /** pointCount x 3, if some point has a colour; white for the others */
  colors?: Float32Array;
  /** uvCount x 3: u, v from the bottom of the picture, 0 */
  uvs: Float32Array;
  /** normalCount x 3, of any length */
  normals: Float32Array;
  /** faceCount + 1: the corners of face f are faceStart[f] up to faceStart[f + 1] */
  faceStart: Uint32Array;
  /** cornerCount: point index */
  cornerPositions: Int32Array;
  /** cornerCount: UV index, -1 if none */
  cornerUvs: Int32Array;
  /** cornerCount: normal index, -1 if none */
  cornerNormals: Int32Array;
  /** faceCount: index into materials */
  faceMaterials: Int32Array;
  /** Names in order of first use by a face; '' if the file has none for a face. */
  materials: string[];
}
