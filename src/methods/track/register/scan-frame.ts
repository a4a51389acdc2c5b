// SPDX-License-Identifier: MIT

/** A frame of a scan: a mesh with vertices and triangles of its own. */
export interface ScanFrame {
  /** vertexCount x 3, file units */
  positions: Float32Array;
  /** triangleCount x 3 vertex indices */
  triangles: Uint32Array;
  /** vertexCount x 3, 0 to 1. Matches use them if both meshes have them. */
  colors?: Float32Array;
}
