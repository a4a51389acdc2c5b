// SPDX-License-Identifier: MIT

/** One frame of a sequence whose frames may differ in vertices and triangles, as scanners give it. */
export interface MeshFrame {
  /** Name of the file without its extension, or of the node. */
  name: string;
  /** vertexCount x 3, model space, file units */
  positions: Float32Array;
  /** triangleCount x 3 vertex indices */
  triangles: Uint32Array;
  /** vertexCount x 3, from 0 to 1, if the file has colours */
  colors?: Float32Array;
}
