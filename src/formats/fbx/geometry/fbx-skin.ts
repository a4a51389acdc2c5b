// SPDX-License-Identifier: MIT
// Skins of FBX. A cluster binds points to a bone: Transform takes the mesh to the space of the bone in the bind pose, TransformLink is the
// world matrix of the bone there. A point moves by Σ w world(bone) Transform.

import { determinant3, IDENTITY, invertAffine, multiply } from '../../../core/math/mat4.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import { SkinBuilder } from '../../../core/model/skin/skin.ts';
import type { SceneSkin } from '../../gltf/index.ts';
import { type FbxNode, failFbx, findFbxChild, listFbxChildren, numbersOfFbx, textOfFbx } from '../syntax/fbx-node.ts';
import { type FbxObject, idOf } from '../syntax/fbx-object.ts';
import type { FbxObjects } from '../syntax/fbx-objects.ts';
import type { FbxMesh } from './fbx-geometry.ts';

/** What a skin is read for. */
export interface SkinnedFbxMesh {
  /** The geometry and the model: FBX 6 connects skins to the latter. */
  geometry: FbxObject;
  model: FbxObject;
  read: FbxMesh;
  /** Node of the model, and its world matrix at rest in the axes and the unit of the file. */
  node: number;
  world: Float64Array;
  /** Geometric transform of the model. */
  geometric?: Float64Array;
  nodeOf: ReadonlyMap<string, number>;
  /** World matrices of models in the bind poses of the file, by identifier. */
  poses: ReadonlyMap<string, Float64Array>;
  /** Counts memory before it is allocated. */
  spend(bytes: number): void;
  log?: (message: string) => void;
}

/** Reads the skin of a mesh; undefined if it has none. Points without weights follow the node of the mesh. */
export function readFbxSkin(objects: FbxObjects, mesh: SkinnedFbxMesh): SceneSkin | undefined {
  const { geometry, model, read, nodeOf, log } = mesh;
  const joints: number[] = [];
  const jointOf = new Map<number, number>();
  const binds: Float64Array[] = [];
  const links: { joint: number; points: ArrayLike<number>; weights: ArrayLike<number> }[] = [];
  let lost = 0;
  for (const skin of listDeformers(objects, [geometry, model], 'Skin')) {
    if (['DualQuaternion', 'Blend'].includes(textOfFbx(skin.node, 'SkinningType')))
      log?.(`the skin of ${quoteName(model.name)} blends dual quaternions; it is read as a linear blend`);
    for (const { object: cluster } of objects.childrenOf(skin.id)) {
      if (cluster.kind !== 'Deformer' || cluster.type !== 'Cluster') continue;
      const points = numbersOfFbx(cluster.node, 'Indexes');
      const weights = numbersOfFbx(cluster.node, 'Weights');
      if (points.length !== weights.length)
        failFbx('mismatch', `a cluster has ${points.length} points for ${weights.length} weights`);
      const bone = objects.childrenOf(cluster.id).find(({ object }) => object.kind === 'Model')?.object;
      const node = bone && nodeOf.get(bone.id);
      if (node === undefined) {
        if (points.length > 0) lost++;
        continue;
      }
      let joint = jointOf.get(node);
      if (joint === undefined) {
        joint = joints.push(node) - 1;
        jointOf.set(node, joint);
        binds.push(readInverseBind(cluster.node, mesh, mesh.poses.get(bone?.id ?? '')));
      }
      links.push({ joint, points, weights });
    }
  }
  if (lost > 0) log?.(`${lost} clusters of ${quoteName(model.name)} have no bone and were left out`);
  if (joints.length === 0) return undefined;
  // for points without weights
  const own = joints.push(mesh.node) - 1;
  binds.push(Float64Array.from(mesh.geometric ?? IDENTITY));
  const weights = joinWeights(links, read, own, mesh);
  if (!weights.boneIndices.includes(own)) {
    joints.pop();
    binds.pop();
  }
  const inverseBinds = new Float64Array(16 * joints.length);
  binds.forEach((bind, j) => {
    inverseBinds.set(bind, 16 * j);
  });
  return { joints, inverseBinds, weights };
}

/** Deformers of a type that are connected to any of some objects. */
export function listDeformers(objects: FbxObjects, owners: readonly FbxObject[], type: string): FbxObject[] {
  return owners.flatMap(({ id }) =>
    objects
      .childrenOf(id)
      .map(({ object }) => object)
      .filter((object) => object.kind === 'Deformer' && object.type === type),
  );
}

/** From the vertices of the file to the space of the bone: Transform, or what the world matrices give, after the geometric transform. */
function readInverseBind(
  cluster: FbxNode,
  { world, geometric }: SkinnedFbxMesh,
  pose: Float64Array | undefined,
): Float64Array {
  const out = new Float64Array(16);
  const stated = readMatrix(cluster, 'Transform');
  if (stated) out.set(stated);
  else {
    const link = readMatrix(cluster, 'TransformLink') ?? pose;
    if (!link || !invertAffine(link, out)) out.set(IDENTITY);
    else multiply(out, world, out);
  }
  if (geometric) multiply(out, geometric, out);
  return out;
}

/** World matrices of models in the bind poses of a file. */
export function readFbxPoses({ objects }: FbxObjects): Map<string, Float64Array> {
  const poses = new Map<string, Float64Array>();
  for (const { kind, node } of objects) {
    if (kind !== 'Pose') continue;
    for (const entry of listFbxChildren(node, 'PoseNode')) {
      const matrix = readMatrix(entry, 'Matrix');
      if (matrix) poses.set(idOf(findFbxChild(entry, 'Node')?.values[0]), matrix);
    }
  }
  return poses;
}

/** A matrix that can be inverted; undefined for anything else. */
function readMatrix(node: FbxNode, name: string): Float64Array | undefined {
  const numbers = numbersOfFbx(node, name);
  if (numbers.length !== 16) return undefined;
  const matrix = Float64Array.from(numbers);
  const isUsable = matrix.every(Number.isFinite) && determinant3(matrix) !== 0;
  return isUsable ? matrix : undefined;
}

function joinWeights(
  links: readonly { joint: number; points: ArrayLike<number>; weights: ArrayLike<number> }[],
  { pointOfVertex, pointCount }: FbxMesh,
  own: number,
  { model, spend }: SkinnedFbxMesh,
): SceneSkin['weights'] {
  const rowStart = new Uint32Array(pointCount + 1);
  const visit = (use: (point: number, joint: number, weight: number) => void): void => {
    for (const { joint, points, weights } of links) {
      for (let n = 0; n < points.length; n++) {
        const [point, weight] = [points[n], weights[n]];
        if (!(point >= 0 && point < pointCount && Number.isInteger(point)))
          failFbx('index', `a cluster of ${quoteName(model.name)} names point ${point} of ${pointCount}`);
        // what is not finite has no weight
        if (weight > 0 && weight < Number.POSITIVE_INFINITY) use(point, joint, weight);
      }
    }
  };
  visit((point) => {
    rowStart[point + 1]++;
  });
  let widest = 1;
  for (let p = 0; p < pointCount; p++) {
    widest = Math.max(widest, rowStart[p + 1]);
    rowStart[p + 1] += rowStart[p];
  }
  // sets of four joints and weights for every vertex
  spend(pointOfVertex.length * Math.ceil(widest / 4) * 24);
  const joints = new Uint32Array(rowStart[pointCount]);
  const values = new Float64Array(rowStart[pointCount]);
  const next = rowStart.slice();
  visit((point, joint, weight) => {
    joints[next[point]] = joint;
    values[next[point]++] = weight;
  });
  let entryCount = 0;
  for (const point of pointOfVertex) entryCount += Math.max(1, rowStart[point + 1] - rowStart[point]);
  const builder = new SkinBuilder(pointOfVertex.length, entryCount);
  for (const point of pointOfVertex) {
    for (let e = rowStart[point]; e < rowStart[point + 1]; e++) builder.add(joints[e], values[e]);
    builder.endRow(own);
  }
  return builder.finish();
}
