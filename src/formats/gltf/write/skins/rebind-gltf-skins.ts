// SPDX-License-Identifier: MIT
import type { Accessor, Document, Skin as GltfSkin, Mesh, Node, Primitive } from '@gltf-transform/core';
import { IDENTITY, invertAffine, isCloseMatrix, multiply } from '../../../../core/math/mat4.ts';
import { InputError } from '../../../../core/model/errors.ts';
import type { Skeleton } from '../../../../core/model/skin/skeleton.ts';
import { maxInfluencesOf, type Skin, sliceSkin } from '../../../../core/model/skin/skin.ts';
import { packInfluences } from '../../../../deformers/linear-blend/index.ts';
import { addAccessor, disposeUnused } from '../../document/add-accessor.ts';
import { attributeOf, indexIn, meshOf } from '../../document/gltf-graph.ts';
import type { GltfPiece } from '../../document/pieces/list-gltf-pieces.ts';
import type { ShownPrimitive } from '../place-gltf-shapes.ts';

/** A primitive whose vertices follow a skin. */
export interface BoundPrimitive extends ShownPrimitive {
  /** 16 numbers, column-major: from the primitive's vertices to the rest shape in model space */
  restMatrix: Float64Array;
  /** The joint of a bone of the rig. */
  jointOf: (bone: number) => number;
}

/** The new weights of skinned primitives. */
export interface NewWeights {
  skeleton: Skeleton;
  skin: Skin;
  /** Bones that a vertex needs among its joints in addition to those of the skin. */
  named: { rowStart: Uint32Array; boneIndices: Uint32Array };
  /** The node of a bone. */
  nodeOf: (bone: number) => Node;
  /** Whether unused joints are removed from the skins. Default false. */
  pruneJoints?: boolean;
}

/** Tolerance, relative to their size, below which two inverse bind matrices are equal. */
const SAME_BIND = 1e-5;

/**
 * Replaces the weights of the skinned pieces of a document; nodes, animations, morph targets and rigid parts are not changed. A skin gets more
 * joints if a vertex follows a bone that the skin did not have. Changed in place.
 * @param restMatrices by piece, from bindGltfPieces
 */
export function rebindGltfSkins(
  document: Document,
  pieces: readonly GltfPiece[],
  restMatrices: readonly Float64Array[],
  weights: NewWeights,
): BoundPrimitive[] {
  const { skeleton, skin, named, nodeOf, pruneJoints = false } = weights;
  const primitives = separateShared(document, pieces);
  const bound: { primitive: BoundPrimitive; table: JointTable }[] = [];
  const tables = new Map<GltfSkin, JointTable>();
  pieces.forEach((piece, p) => {
    if (!piece.skin) return;
    const { node, vertexStart, vertexCount } = piece;
    const table = tables.get(piece.skin) ?? makeJointTable(piece.skin, pruneJoints);
    tables.set(piece.skin, table);
    const jointOfBone = new Map<number, number>();
    for (const rows of [skin, named]) {
      for (let e = rows.rowStart[vertexStart]; e < rows.rowStart[vertexStart + vertexCount]; e++) {
        const bone = rows.boneIndices[e];
        if (jointOfBone.has(bone)) continue;
        const inverse = new Float64Array(16);
        if (!invertAffine(skeleton.bindMatrices, inverse, 16 * bone))
          throw new InputError(
            'writeGlb',
            `the bind matrix of bone ${bone} ("${skeleton.names[bone]}") has no inverse`,
          );
        multiply(inverse, restMatrices[p], inverse);
        jointOfBone.set(bone, findJoint(document, table, nodeOf(bone), inverse));
      }
    }
    const jointOf = (bone: number): number => indexIn(jointOfBone, bone);
    const place = { node, vertexStart, vertexCount, restMatrix: restMatrices[p] };
    bound.push({ primitive: { primitive: primitives[p], ...place, jointOf }, table });
  });
  for (const [gltfSkin, table] of tables) putJoints(document, gltfSkin, table);
  const setCount = Math.ceil(maxInfluencesOf(skin) / 4);
  const old = new Set<Accessor>();
  for (const { primitive, table } of bound) putWeights(document, primitive, skin, table.joints.length, setCount, old);
  disposeUnused(document, old);
  return bound.map(({ primitive }) => primitive);
}

interface JointTable {
  joints: Node[];
  /** By joint, 16 numbers. */
  inverses: ArrayLike<number>[];
  /** Joints of a node. */
  placesOf: Map<Node, number[]>;
  /** Joints of the file; -1 if they are replaced. */
  ownCount: number;
}

function makeJointTable(skin: GltfSkin, isEmpty: boolean): JointTable {
  const table: JointTable = { joints: [], inverses: [], placesOf: new Map(), ownCount: -1 };
  if (isEmpty) return table;
  const stored = skin.getInverseBindMatrices();
  for (const [j, joint] of skin.listJoints().entries())
    addJoint(table, joint, stored ? stored.getElement(j, [] as number[]) : IDENTITY);
  table.ownCount = table.joints.length;
  return table;
}

function addJoint({ joints, inverses, placesOf }: JointTable, node: Node, inverse: ArrayLike<number>): number {
  const here = placesOf.get(node) ?? [];
  placesOf.set(node, here);
  here.push(joints.length);
  inverses.push(inverse);
  return joints.push(node) - 1;
}

/** The joint of a node with a bind matrix. A skin lists a node only once: for another bind matrix, a child without motion is used. */
function findJoint(document: Document, table: JointTable, node: Node, inverse: Float64Array): number {
  const here = table.placesOf.get(node) ?? [];
  const known = here.find((j) => isCloseMatrix(table.inverses[j], inverse, SAME_BIND));
  if (known !== undefined) return known;
  if (here.length === 0) return addJoint(table, node, inverse);
  const child = document.createNode(`${node.getName()} bind ${here.length}`);
  node.addChild(child);
  here.push(addJoint(table, child, inverse));
  return here[here.length - 1];
}

function putJoints(document: Document, skin: GltfSkin, { joints, inverses, ownCount }: JointTable): void {
  if (joints.length === ownCount) return;
  if (ownCount < 0) for (const joint of skin.listJoints()) skin.removeJoint(joint);
  for (const joint of joints.slice(Math.max(0, ownCount))) skin.addJoint(joint);
  const values = new Float32Array(16 * inverses.length);
  inverses.forEach((inverse, j) => {
    values.set(inverse, 16 * j);
  });
  const old = skin.getInverseBindMatrices();
  skin.setInverseBindMatrices(addAccessor(document, 16, values));
  if (old) disposeUnused(document, [old]);
}

function putWeights(
  document: Document,
  { primitive, vertexStart, vertexCount, jointOf }: BoundPrimitive,
  skin: Skin,
  jointCount: number,
  setCount: number,
  replaced: Set<Accessor>,
): void {
  const own = sliceSkin(skin, vertexStart, vertexCount);
  own.boneIndices = own.boneIndices.map(jointOf);
  for (const semantic of primitive.listSemantics()) {
    if (!/^(JOINTS|WEIGHTS)_/.test(semantic)) continue;
    replaced.add(attributeOf(primitive, semantic));
    primitive.setAttribute(semantic, null);
  }
  const { joints, weights } = packInfluences(own, jointCount, 0, vertexCount, setCount);
  for (let set = 0; set < setCount; set++) {
    primitive.setAttribute(`JOINTS_${set}`, addAccessor(document, 4, joints[set]));
    primitive.setAttribute(`WEIGHTS_${set}`, addAccessor(document, 4, weights[set]));
  }
}

/** Copies a mesh that is drawn by several nodes for each of them that has a skin: their vertices may follow different bones. Returns the primitives of the pieces. */
function separateShared(document: Document, pieces: readonly GltfPiece[]): Primitive[] {
  const owners = new Map<Mesh, Node>();
  const copies = new Map<Node, Map<Primitive, Primitive>>();
  for (const { node } of pieces) {
    const mesh = meshOf(node);
    if (!owners.has(mesh)) owners.set(mesh, node);
    if (owners.get(mesh) === node || !node.getSkin()) continue;
    const copy = document.createMesh().copy(mesh);
    const copyOf = new Map<Primitive, Primitive>();
    for (const primitive of mesh.listPrimitives()) {
      const own = document.createPrimitive().copy(primitive);
      copyOf.set(primitive, own);
      copy.removePrimitive(primitive).addPrimitive(own);
    }
    node.setMesh(copy);
    owners.set(copy, node);
    copies.set(node, copyOf);
  }
  return pieces.map(({ node, primitive }) => copies.get(node)?.get(primitive) ?? primitive);
}
