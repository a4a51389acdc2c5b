// SPDX-License-Identifier: MIT
// D. L. James and C. D. Twigg, "Skinning mesh animations", ACM Transactions on Graphics 24(3), 2005, doi:10.1145/1073204.1073206, §7, Fig. 18.
// D. L. James and D. K. Pai, "BD-Tree: output-sensitive collision detection for reduced deformable models", ACM Transactions on Graphics 23(3),
// 2004, doi:10.1145/1015706.1015735.
//
// Triangles are partitioned by their strongest bone, and each region has a tree of spheres whose bounds follow from the pose alone (bound-nodes.ts has
// the derivation). Above the regions, spheres enclose spheres: bones may go anywhere, so no bound by displacements would be tight there. Below, a cluster of
// a few triangles is fitted to its vertices when a query reaches it: a vertex takes no longer than the bound of a node, there are fewer, and fitted weights
// vary so much between neighbours that bounds of small nodes are twice as large as their vertices need.

import { weldVertices } from '../../core/mesh/topology/weld.ts';
import { checkSkinCorrection } from '../../core/model/deformed/skin-correction.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import { checkMesh } from '../../core/model/mesh/mesh.ts';
import { checkSkin, type Skin } from '../../core/model/skin/skin.ts';
import { checkFits } from '../../deformers/linear-blend/index.ts';
import { boundNodes } from './bound-nodes.ts';
import type { CollisionModel, CollisionTree } from './collision-tree.ts';
import { splitItems } from './split-items.ts';

/** Options of makeCollisionTree. */
export interface CollisionTreeOptions {
  /** Maximum number of triangles of a leaf. Larger leaves take less memory and cause more tests of triangles. */
  leafTriangles?: number;
}

/** Defaults of CollisionTreeOptions. */
export const COLLISION_TREE_DEFAULTS: Required<CollisionTreeOptions> = { leafTriangles: 2 };

/** Maximum triangles of a cluster. Of 8, 16, 32 and 64, the fastest for animals of 17,000 to 40,000 triangles. */
const CLUSTER_TRIANGLES = 16;

/**
 * Makes the sphere tree of a skin, once per model. A shape that does not move is a skin with one bone.
 * @example
 * ```ts
 * import { makeCollider, makeCollisionTree, overlap } from 'ossify/collide';
 *
 * const tree = makeCollisionTree({ kind: 'skin', mesh, skeleton, skin });
 * const [left, right] = [makeCollider(tree), makeCollider(tree)];
 * left.pose(poses[0]);
 * right.pose(poses[1], [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5, 0, 0, 1]); // half a metre away
 * const { pairCount } = overlap(left, right);
 * ```
 */
export function makeCollisionTree(model: CollisionModel, options: CollisionTreeOptions = {}): CollisionTree {
  const leafTriangles = options.leafTriangles ?? COLLISION_TREE_DEFAULTS.leafTriangles;
  if (!(Number.isInteger(leafTriangles) && leafTriangles >= 1)) {
    throw new UsageError('collision tree', `leafTriangles must be a whole number of at least 1, got ${leafTriangles}`);
  }
  checkModel(model);
  const { positions, triangles: corners } = model.mesh;
  const triangleBones = listTriangleBones(model.skin, corners, model.skeleton.names.length);
  const centers = listCentroids(positions, corners);

  const triangles = Uint32Array.from(triangleBones.keys()).sort((s, t) => triangleBones[s] - triangleBones[t] || s - t);
  const starts = listStarts(triangles, triangleBones);
  const topCount = starts.length - 1;
  const children: number[] = new Array(2 * topCount).fill(0);
  const clusters = { order: triangles, centers, leafSize: Math.max(leafTriangles, CLUSTER_TRIANGLES), children };
  const roots = starts.map((first, n) => splitItems(clusters, first, (starts[n + 1] ?? triangles.length) - first));
  joinRegions(children, roots, (n) => centerOfRegion(centers, triangles, starts[n], starts[n + 1]));

  const boundEnd = children.length / 2;
  const leaves = { ...clusters, leafSize: leafTriangles };
  const clusterRoots: number[] = [];
  for (let root = topCount; root < boundEnd; root++) {
    if (children[2 * root] >= 0) continue;
    splitItems(leaves, -1 - children[2 * root], children[2 * root + 1], root);
    while (clusterRoots.length < children.length / 2 - boundEnd) clusterRoots.push(root);
  }

  const nodes = { topCount, boundEnd, children: Int32Array.from(children), triangles };
  return {
    ...{ kind: 'collision-tree', model, ...nodes, triangleBones },
    ...boundNodes(model, nodes),
    clusterRoots: Uint32Array.from(clusterRoots),
    points: weldVertices(positions).pointOfVertex,
  };
}

function checkModel(model: CollisionModel): void {
  // callers without types pass any model that a file has
  const { kind }: { kind: string } = model;
  if (kind !== 'skin' && kind !== 'corrected-skin')
    throw new InputError(
      'collision tree',
      `models of kind ${kind} are not supported, since they are not linear in their bones; use the plain skin of the file`,
    );
  const { mesh, skeleton, skin } = model;
  if (mesh.triangles.length === 0) {
    throw new InputError(
      'collision tree',
      'the mesh has no triangles; collisions are those of triangles, not of points',
    );
  }
  checkMesh(mesh);
  checkFits('collision tree', skin, mesh.positions.length / 3, skeleton.names.length);
  checkSkin(skin, skeleton.names.length);
  if (model.kind === 'corrected-skin') checkSkinCorrection(model.correction, mesh.positions.length / 3);
}

/** The bone with the largest sum of weights over the corners of each triangle; ties go to the lower bone. */
function listTriangleBones({ rowStart, boneIndices, weights }: Skin, corners: Uint32Array, boneCount: number) {
  const sums = new Float64Array(boneCount);
  return Uint32Array.from({ length: corners.length / 3 }, (_, t) => {
    let best = boneIndices[rowStart[corners[3 * t]]];
    for (let c = 3 * t; c < 3 * t + 3; c++) {
      for (let e = rowStart[corners[c]]; e < rowStart[corners[c] + 1]; e++) {
        const j = boneIndices[e];
        sums[j] += weights[e];
        if (sums[j] > sums[best] || (sums[j] === sums[best] && j < best)) best = j;
      }
    }
    for (let c = 3 * t; c < 3 * t + 3; c++) {
      for (let e = rowStart[corners[c]]; e < rowStart[corners[c] + 1]; e++) sums[boneIndices[e]] = 0;
    }
    return best;
  });
}

/** triangleCount x 3 */
function listCentroids(positions: Float32Array, corners: Uint32Array): Float64Array {
  return Float64Array.from(corners, (_, n) => {
    const first = n - (n % 3);
    const c = n % 3;
    return (
      (positions[3 * corners[first] + c] +
        positions[3 * corners[first + 1] + c] +
        positions[3 * corners[first + 2] + c]) /
      3
    );
  });
}

/** Places in the sorted triangles at which another bone begins. */
function listStarts(triangles: Uint32Array, triangleBones: Uint32Array): number[] {
  const starts: number[] = [];
  for (let n = 0; n < triangles.length; n++) {
    if (n === 0 || triangleBones[triangles[n]] !== triangleBones[triangles[n - 1]]) starts.push(n);
  }
  return starts;
}

function centerOfRegion(centers: Float64Array, triangles: Uint32Array, from: number, to = triangles.length): number[] {
  const center = [0, 0, 0];
  for (let n = from; n < to; n++) for (let c = 0; c < 3; c++) center[c] += centers[3 * triangles[n] + c] / (to - from);
  return center;
}

/** Fills the children of the nodes above the regions: nodes 0 … roots.length − 2, the root first. */
function joinRegions(children: number[], roots: number[], centerOf: (region: number) => number[]): void {
  const order = Uint32Array.from(roots.keys());
  const centers = Float64Array.from(roots.flatMap((_, n) => centerOf(n)));
  const joined: number[] = [];
  splitItems({ order, centers, leafSize: 1, children: joined }, 0, order.length);
  // a leaf of this tree is a region: it is replaced by the root of that region, and inner nodes are numbered without leaves
  const numbers = new Int32Array(joined.length / 2);
  let count = 0;
  for (let n = 0; n < numbers.length; n++) numbers[n] = joined[2 * n] < 0 ? roots[order[-1 - joined[2 * n]]] : count++;
  for (let n = 0; n < numbers.length; n++) {
    if (joined[2 * n] < 0) continue;
    for (let side = 0; side < 2; side++) children[2 * numbers[n] + side] = numbers[joined[2 * n + side]];
  }
}
