// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import type { NodeTree } from '../../core/model/skin/node-tree.ts';
import {
  type Anatomy,
  type JointLabel,
  type LabelOptions,
  labelJoints,
  type RigShape,
  shapeOfNodes,
} from '../../fit/anatomy/index.ts';
import type { RetargetRig } from '../../methods/retarget/index.ts';
import { labelAsset } from '../engine/index.ts';

/** A rig for retargeting, and what its labels say. */
export interface LabelledRig {
  rig: RetargetRig;
  anatomy: Anatomy;
}

/** The rig of an asset: joints rest in the bind pose of the skin. Without a skin, the nodes as the file has them. */
export function rigOfAsset(asset: Asset, options?: LabelOptions): LabelledRig {
  const { rig, nodes } = asset;
  const labelled = labelAsset(asset, options);
  if (!rig || !labelled) return rigOfNodes(nodes, options);
  const { anatomy, shape } = labelled;
  const labels: (JointLabel | undefined)[] = nodes.names.map(() => undefined);
  const binds = new Map<number, Float64Array>();
  const radii = new Map<number, number>();
  rig.nodeOfBone.forEach((node, j) => {
    if (!rig.isJoint[j] || binds.has(node)) return;
    labels[node] = anatomy.labels[j];
    if (/^(hips|spine)$/.test(anatomy.labels[j]?.part ?? '')) radii.set(node, radiusOf(shape, j));
    binds.set(node, rig.skeleton.bindMatrices.slice(16 * j, 16 * j + 16));
  });
  return { rig: { nodes, labels, binds, radii, front: anatomy.front, ground: groundOf(shape, anatomy) }, anatomy };
}

/** Half of the smaller horizontal extent of the skin of a bone; 0 without. */
function radiusOf({ boxes }: RigShape, bone: number): number {
  const extents = [0, 2].map((c) => boxes[6 * bone + 3 + c] - boxes[6 * bone + c]);
  return Math.max(0, Math.min(...extents.filter(Number.isFinite)) / 2) || 0;
}

/** The lowest skin of the feet: what a character holds may hang below the ground. Without feet, the lowest skin. */
function groundOf({ boxes, box }: RigShape, { labels }: Anatomy): number {
  let low = Infinity;
  labels.forEach((label, j) => {
    if (label?.part === 'foot' || label?.part === 'toes') low = Math.min(low, boxes[6 * j + 1]);
  });
  return Number.isFinite(low) ? low : box[1];
}

/** The rig of a file without a mesh. */
export function rigOfNodes(nodes: NodeTree, options?: LabelOptions): LabelledRig {
  const anatomy = labelJoints(shapeOfNodes(nodes), options);
  return { rig: { nodes, labels: anatomy.labels, front: anatomy.front }, anatomy };
}
