// SPDX-License-Identifier: MIT

/** A level of detail of a mesh: some of its vertices, each perhaps in another place at rest, and triangles between them. */
export interface MeshLevel {
  /** vertexCount, ascending: the vertex of the full mesh that each comes from, with its weights and all other data */
  vertices: Uint32Array;
  /** vertexCount x 3: rest positions, file units */
  positions: Float32Array;
  /** triangleCount x 3: vertices of this level */
  triangles: Uint32Array;
  /** boneCount: the bone that replaces each bone of the rig; bones that stay replace themselves. Absent: all stay. */
  boneMap?: Uint32Array;
}

/** How levels are stored. */
export interface LevelsContent {
  /** Discriminator. */
  kind: 'levels';
  /** In falling detail. */
  levels: readonly MeshLevel[];
  /**
   * Screen coverage down to which each is drawn: that of the full mesh first, then one per level. With it, the levels are added by MSFT_lod; without it,
   * there is one level, which replaces the mesh.
   */
  coverage?: readonly number[];
}
