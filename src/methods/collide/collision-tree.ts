// SPDX-License-Identifier: MIT
import type { CorrectedSkin, LinearBlendSkin } from '../../core/model/deformed/deformed-model.ts';

/** A model whose collisions can be computed: linear blend skinning, with or without corrections. */
export type CollisionModel = LinearBlendSkin | CorrectedSkin;

/**
 * A sphere tree over the triangles of a skin, with what is needed to bound the spheres of every node in any pose. It depends on the rest shape only, is
 * shared by all colliders of the model, and is plain data.
 *
 * Triangles belong to the region of their strongest bone. Nodes 0 … topCount − 1 are above the regions, and their spheres enclose those of their
 * children. Nodes topCount … boundEnd − 1 belong to a region; node n has bounds at index n − topCount. Nodes from boundEnd on are those of clusters, below
 * the last nodes of regions: they are fitted to vertices.
 */
export interface CollisionTree {
  /** Discriminator. */
  kind: 'collision-tree';
  /** The model. Its arrays are kept, not copied. */
  model: CollisionModel;
  /** Number of nodes above the regions: one less than the number of regions. */
  topCount: number;
  /** Number of nodes above the regions and of regions. */
  boundEnd: number;
  /** nodeCount − boundEnd: the node of a region that a node of a cluster is below. Nodes of a cluster are consecutive, parents first. */
  clusterRoots: Uint32Array;
  /** nodeCount x 2: indices of both children; of a leaf, −1 − the place of its first triangle in `triangles`, and the number of its triangles */
  children: Int32Array;
  /** triangleCount: triangle indices; a leaf has consecutive ones */
  triangles: Uint32Array;
  /** triangleCount: the bone of each triangle, by triangle index */
  triangleBones: Uint32Array;
  /** boundCount x 3: center p of the vertices of a node at rest, file units */
  centers: Float32Array;
  /** boundCount: radius about the center at rest */
  radii: Float32Array;
  /** boundCount + 1: influences of bound n are influenceStart[n] up to influenceStart[n + 1], the strongest first */
  influenceStart: Uint32Array;
  /** influenceCount bone indices */
  influenceBones: Uint32Array;
  /** influenceCount: weight of the bone at the center */
  influenceWeights: Float32Array;
  /** influenceCount: maximum difference from it of the weight of any vertex */
  influenceSpreads: Float32Array;
  /** boundCount x rank x 3: displacement of the center by each correction */
  modes: Float32Array;
  /** boundCount x rank: maximum difference from it of the displacement of any vertex */
  modeSpreads: Float32Array;
  /** Largest distance of a rest position from the origin. */
  reach: number;
  /** rank: largest displacement of a vertex by each correction */
  modeReaches: Float64Array;
  /** Maximum difference from one of the sum of the weights of a vertex. */
  weightError: number;
  /** vertexCount: index of the position of each vertex; vertices that coincide at rest have the same */
  points: Uint32Array;
}

/** Number of nodes of a tree. */
export function nodeCountOf(tree: CollisionTree): number {
  return tree.children.length / 2;
}

/** Number of displacement components of the model of a tree. */
export function correctionRankOf(model: CollisionModel): number {
  return model.kind === 'corrected-skin' ? model.correction.rank : 0;
}
