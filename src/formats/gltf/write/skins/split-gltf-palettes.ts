// SPDX-License-Identifier: MIT
// For engines with few bones per draw call: pieces that follow more joints are split into several, each with its own skin.

import type { Accessor, Document, Skin as GltfSkin, Node, Primitive, TypedArray } from '@gltf-transform/core';
import { addAccessor, disposeUnused } from '../../document/add-accessor.ts';
import { arrayOf, attributeOf } from '../../document/gltf-graph.ts';
import { groupTriangles } from './group-triangles.ts';

/**
 * Splits every skinned primitive so that none follows more joints than a maximum (formats/gltf/write/skins/group-triangles.ts). A vertex at a cut is in both pieces.
 * Changed in place.
 */
export function splitGltfPalettes(document: Document, maxJoints: number): void {
  const root = document.getRoot();
  for (const node of root.listNodes()) {
    const skin = node.getSkin();
    const mesh = node.getMesh();
    if (!skin || !mesh || skin.listJoints().length <= maxJoints) continue;
    const pieces = mesh.listPrimitives().flatMap((primitive) => splitPrimitive(document, primitive, maxJoints));
    for (const [n, { primitive, joints }] of pieces.entries()) {
      const part = document.createMesh(pieces.length > 1 ? `${mesh.getName()}_${n}` : mesh.getName());
      part.addPrimitive(primitive).setWeights(mesh.getWeights());
      const own = makePartSkin(document, skin, joints, n);
      if (n === 0) {
        node.setMesh(part).setSkin(own);
        continue;
      }
      const other = document.createNode(`${node.getName()}_${n}`).setMesh(part).setSkin(own);
      placeBeside(document, node, other);
    }
    if (mesh.listParents().every((one) => one === root)) {
      for (const primitive of mesh.listPrimitives()) primitive.dispose();
      mesh.dispose();
    }
  }
  disposeUnused(document, root.listSkins());
  disposeUnused(document, root.listAccessors());
}

/** Adds a piece to the scenes of a node, at their root: joints alone place a skinned mesh. Channels of morph weights are copied. */
function placeBeside(document: Document, node: Node, other: Node): void {
  const root = document.getRoot();
  let top = node;
  for (let parent = node.getParentNode(); parent; parent = parent.getParentNode()) top = parent;
  for (const scene of root.listScenes()) if (scene.listChildren().includes(top)) scene.addChild(other);
  for (const animation of root.listAnimations()) {
    for (const channel of animation.listChannels()) {
      if (channel.getTargetNode() !== node || channel.getTargetPath() !== 'weights') continue;
      const copy = document.createAnimationChannel().setTargetNode(other).setTargetPath('weights');
      animation.addChannel(copy.setSampler(channel.getSampler()));
    }
  }
}

function makePartSkin(document: Document, skin: GltfSkin, joints: readonly number[], n: number): GltfSkin {
  const all = skin.listJoints();
  const inverses = skin.getInverseBindMatrices();
  const own = document.createSkin(`${skin.getName()}_${n}`);
  const skeleton = skin.getSkeleton();
  if (skeleton) own.setSkeleton(skeleton);
  for (const joint of joints) own.addJoint(all[joint]);
  if (!inverses) return own;
  const values = new Float32Array(16 * joints.length);
  joints.forEach((joint, j) => {
    values.set(inverses.getElement(joint, [] as number[]), 16 * j);
  });
  return own.setInverseBindMatrices(addAccessor(document, 16, values));
}

interface Piece {
  primitive: Primitive;
  /** Joints of the skin, in the order of the piece's joints. */
  joints: number[];
}

function splitPrimitive(document: Document, primitive: Primitive, maxJoints: number): Piece[] {
  const sets = primitive.listSemantics().filter((name) => name.startsWith('JOINTS_')).length;
  const joints = Array.from({ length: sets }, (_, s) => attributeOf(primitive, `JOINTS_${s}`));
  const weights = Array.from({ length: sets }, (_, s) => attributeOf(primitive, `WEIGHTS_${s}`));
  const count = attributeOf(primitive, 'POSITION').getCount();
  const jointsOf: number[][] = Array.from({ length: count }, () => []);
  const four: number[] = [];
  const parts: number[] = [];
  for (let s = 0; s < sets; s++)
    for (let i = 0; i < count; i++) {
      joints[s].getElement(i, four);
      weights[s].getElement(i, parts);
      for (let c = 0; c < 4; c++) if (parts[c] > 0 && !jointsOf[i].includes(four[c])) jointsOf[i].push(four[c]);
    }
  const indices = primitive.getIndices()?.getArray() ?? Uint32Array.from({ length: count }, (_, i) => i);
  const groups = groupTriangles(indices, jointsOf, maxJoints);
  return groups.map(({ corners, bones }) => takePiece(document, primitive, corners, bones));
}

/** Makes a primitive of some of the triangles, with their vertices. */
function takePiece(document: Document, primitive: Primitive, corners: readonly number[], joints: number[]): Piece {
  const placeOf = new Map<number, number>();
  const indices = Uint32Array.from(corners, (i) => {
    const place = placeOf.get(i) ?? placeOf.size;
    placeOf.set(i, place);
    return place;
  });
  const vertices = [...placeOf.keys()];
  const jointOf = new Map(joints.map((joint, j) => [joint, j]));
  const take = (accessor: Accessor, rename?: Map<number, number>): Accessor => {
    const size = accessor.getElementSize();
    const from = arrayOf(accessor);
    const values = from.slice(0, 0).constructor as new (length: number) => typeof from;
    const array = new values(vertices.length * size);
    vertices.forEach((i, n) => {
      for (let c = 0; c < size; c++) {
        const value = from[i * size + c];
        array[n * size + c] = rename ? (rename.get(value) ?? 0) : value;
      }
    });
    return addAccessor(document, size, array as TypedArray, accessor.getNormalized()).setType(accessor.getType());
  };
  const piece = document.createPrimitive().setMode(primitive.getMode()).setMaterial(primitive.getMaterial());
  const narrow = vertices.length < 65536 ? Uint16Array.from(indices) : indices;
  piece.setIndices(addAccessor(document, 1, narrow));
  for (const name of primitive.listSemantics())
    piece.setAttribute(name, take(attributeOf(primitive, name), name.startsWith('JOINTS_') ? jointOf : undefined));
  for (const target of primitive.listTargets()) {
    const own = document.createPrimitiveTarget(target.getName());
    for (const name of target.listSemantics()) own.setAttribute(name, take(attributeOf(target, name)));
    piece.addTarget(own);
  }
  return { primitive: piece, joints };
}
