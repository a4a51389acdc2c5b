// SPDX-License-Identifier: MIT

import type { Document, GLTF, Skin as GltfSkin, Mesh, Node, Primitive } from '@gltf-transform/core';
import { IDENTITY, invertAffine, multiply } from '../math/mat4.ts';
import type { Asset } from '../model/asset.ts';
import { InputError } from '../model/errors.ts';
import { maxInfluencesOf, type Skin } from '../model/skin.ts';
import { addAccessor } from './build-gltf-document.ts';
import { listGltfPieces } from './list-gltf-pieces.ts';
import { makeGltfAccessors } from './make-gltf-accessors.ts';
import { packGltfWeights } from './pack-gltf-weights.ts';
import type { ShownPrimitive } from './place-gltf-shapes.ts';
import { readGltfNodes } from './read-gltf-nodes.ts';
import { readGltfRig } from './read-gltf-rig.ts';

/** A primitive whose vertices follow a skin. */
export interface BoundPrimitive extends ShownPrimitive {
  /** 16 numbers, column-major: from the primitive's vertices to the rest shape in model space */
  restMatrix: Float64Array;
  /** The joint of a bone of the rig. */
  jointOf: (bone: number) => number;
}

/** Two inverse bind matrices closer than this, relative to their size, bind alike. */
const SAME_BIND = 1e-5;

/**
 * Gives the skinned primitives of a document other weights on the same bones; nodes, animations, morph targets and rigid parts stay as they are. A skin
 * gets further joints where a vertex follows a bone that it did not have. Changed in place.
 * @param document of asset.source
 * @param shown the primitives of the asset's parts, in order
 * @param named bones, beside those of the skin, that a vertex must find among its joints
 * @param added nodes of bones that the file does not have
 * @param isPruned joints that nothing names are left out
 */
export async function rebindGltfSkins(
  document: Document,
  shown: readonly ShownPrimitive[],
  asset: Asset,
  skin: Skin,
  named: { rowStart: Uint32Array; boneIndices: Uint32Array },
  added?: ReadonlyMap<number, Node>,
  isPruned = false,
): Promise<BoundPrimitive[]> {
  const { rig, source } = asset;
  if (!rig || !source) throw new InputError('writeGlb', 'only a skinned glTF can get other weights');
  const json = source.json as unknown as GLTF.IGLTF;
  const nodes = readGltfNodes(json);
  const pieces = listGltfPieces(json, nodes);
  const { restMatrices } = readGltfRig(json, nodes, pieces, await makeGltfAccessors(json, source.resources));
  const documentNodes = document.getRoot().listNodes();
  const nodeAt = new Map<number, Node>();
  nodes.treeOf.forEach((tree, n) => {
    if (tree >= 0) nodeAt.set(tree, documentNodes[n]);
  });
  separateShared(document, shown);

  const bound: BoundPrimitive[] = [];
  const tables = new Map<GltfSkin, JointTable>();
  pieces.forEach((piece, p) => {
    if (piece.skin === undefined) return;
    const gltfSkin = shown[p].node.getSkin()!;
    const table =
      tables.get(gltfSkin) ?? (isPruned ? { joints: [], inverses: [], ownCount: -1 } : makeJointTable(gltfSkin));
    tables.set(gltfSkin, table);
    const jointOfBone = new Map<number, number>();
    for (const rows of [skin, named]) {
      const end = rows.rowStart[piece.vertexStart + piece.vertexCount];
      for (let e = rows.rowStart[piece.vertexStart]; e < end; e++) {
        const bone = rows.boneIndices[e];
        if (jointOfBone.has(bone)) continue;
        const inverse = new Float64Array(16);
        if (!invertAffine(rig.skeleton.bindMatrices, inverse, 16 * bone))
          throw new InputError(
            'writeGlb',
            `the bind matrix of bone ${bone} ("${rig.skeleton.names[bone]}") has no inverse`,
          );
        multiply(inverse, restMatrices[p], inverse);
        jointOfBone.set(bone, findJoint(table, added?.get(bone) ?? nodeAt.get(rig.nodeOfBone[bone])!, inverse));
      }
    }
    bound.push({ ...shown[p], restMatrix: restMatrices[p], jointOf: (bone) => jointOfBone.get(bone)! });
  });
  for (const [gltfSkin, table] of tables) putJoints(document, gltfSkin, table);
  const setCount = Math.ceil(maxInfluencesOf(skin) / 4);
  for (const one of bound) putWeights(document, one, skin, one.node.getSkin()!.listJoints().length, setCount);
  return bound;
}

interface JointTable {
  joints: Node[];
  /** By joint, 16 numbers. */
  inverses: ArrayLike<number>[];
  /** Joints that the file had. */
  ownCount: number;
}

function makeJointTable(skin: GltfSkin): JointTable {
  const joints = skin.listJoints();
  const stored = skin.getInverseBindMatrices();
  const inverses = joints.map((_, j) => (stored ? stored.getElement(j, [] as number[]) : IDENTITY));
  return { joints, inverses, ownCount: joints.length };
}

function findJoint(table: JointTable, node: Node, inverse: Float64Array): number {
  const known = table.joints.findIndex((joint, j) => joint === node && isSame(table.inverses[j], inverse));
  if (known >= 0) return known;
  table.inverses.push(inverse);
  return table.joints.push(node) - 1;
}

function isSame(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  let size = 0;
  let difference = 0;
  for (let c = 0; c < 16; c++) {
    size = Math.max(size, Math.abs(a[c]));
    difference = Math.max(difference, Math.abs(a[c] - b[c]));
  }
  return difference <= SAME_BIND * size;
}

function putJoints(document: Document, skin: GltfSkin, { joints, inverses, ownCount }: JointTable): void {
  if (joints.length === ownCount) return;
  if (ownCount < 0) for (const joint of skin.listJoints()) skin.removeJoint(joint);
  for (const joint of joints.slice(Math.max(0, ownCount))) skin.addJoint(joint);
  const values = Float32Array.from(inverses.flatMap((inverse) => Array.from(inverse)));
  const accessor = document.createAccessor().setType('MAT4').setArray(values);
  const old = skin.getInverseBindMatrices();
  skin.setInverseBindMatrices(accessor.setBuffer(document.getRoot().listBuffers()[0]));
  if (old?.listParents().every((parent) => parent === document.getRoot())) old.dispose();
}

function putWeights(
  document: Document,
  { primitive, vertexStart, vertexCount, jointOf }: BoundPrimitive,
  skin: Skin,
  jointCount: number,
  setCount: number,
): void {
  const buffer = document.getRoot().listBuffers()[0];
  const [from, to] = [skin.rowStart[vertexStart], skin.rowStart[vertexStart + vertexCount]];
  const own: Skin = {
    rowStart: skin.rowStart.slice(vertexStart, vertexStart + vertexCount + 1).map((start) => start - from),
    boneIndices: skin.boneIndices.slice(from, to).map(jointOf),
    weights: skin.weights.slice(from, to),
  };
  for (const semantic of primitive.listSemantics()) {
    if (!/^(JOINTS|WEIGHTS)_/.test(semantic)) continue;
    const old = primitive.getAttribute(semantic)!;
    primitive.setAttribute(semantic, null);
    if (old.listParents().every((parent) => parent === document.getRoot())) old.dispose();
  }
  const { joints, weights } = packGltfWeights(own, jointCount, 0, vertexCount, setCount);
  for (let set = 0; set < setCount; set++) {
    primitive.setAttribute(`JOINTS_${set}`, addAccessor(document, buffer, 4, joints[set]));
    primitive.setAttribute(`WEIGHTS_${set}`, addAccessor(document, buffer, 4, weights[set]));
  }
}

/** A mesh drawn by several nodes becomes one for each of those with a skin: their vertices may follow different bones. */
function separateShared(document: Document, shown: readonly ShownPrimitive[]): void {
  const owners = new Map<Mesh, Node>();
  const copies = new Map<Node, Map<Primitive, Primitive>>();
  for (const { node } of shown) {
    const mesh = node.getMesh()!;
    if (!owners.has(mesh)) owners.set(mesh, node);
    if (owners.get(mesh) === node || !node.getSkin()) continue;
    const copy = document.createMesh().copy(mesh);
    const copyOf = new Map<Primitive, Primitive>();
    for (const primitive of mesh.listPrimitives()) {
      copyOf.set(primitive, document.createPrimitive().copy(primitive));
      copy.removePrimitive(primitive).addPrimitive(copyOf.get(primitive)!);
    }
    node.setMesh(copy);
    owners.set(copy, node);
    copies.set(node, copyOf);
  }
  for (const one of shown) one.primitive = copies.get(one.node)?.get(one.primitive) ?? one.primitive;
}
