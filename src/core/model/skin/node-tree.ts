// SPDX-License-Identifier: MIT

/** The scene graph of a file, as local transforms. A parent comes before its children. */
export interface NodeTree {
  /** nodeCount */
  names: string[];
  /** nodeCount; -1 for a root, otherwise a smaller index */
  parents: Int32Array;
  /** nodeCount x 3, file units */
  translations: Float64Array;
  /** nodeCount x 4 unit quaternions, x y z w */
  rotations: Float64Array;
  /** nodeCount x 3 */
  scales: Float64Array;
}
