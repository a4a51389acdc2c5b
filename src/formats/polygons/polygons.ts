// SPDX-License-Identifier: MIT

/** Polygons with an index per corner into points, UVs and normals, as OBJ, Alembic, FBX and USD files store them. */
export interface Polygons {
  /** '' if the file has none. */
  name: string;
  /** pointCount x 3, in the order of the file */
  positions: Float32Array;
  /** pointCount x 3, or colorCount x 3 with cornerColors, if some point has a colour; white for the others */
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
  /** Further UV sets, in the same form. */
  uvSets?: readonly { uvs: Float32Array; cornerUvs: Int32Array }[];
  /** cornerCount: normal index, -1 if none */
  cornerNormals: Int32Array;
  /** As many as colours: the opacity of each, if the file has it. */
  alphas?: Float32Array;
  /** cornerCount: colour index, if corners and not points have colours */
  cornerColors?: Int32Array;
  /** faceCount: index into materials */
  faceMaterials: Int32Array;
  /** Names in order of first use by a face; '' if the file has none for a face. */
  materials: string[];
  /** As many as materials, if the file has several objects: the object of each. Two objects may have the same material. */
  objects?: string[];
}
