// SPDX-License-Identifier: MIT
import type {
  Accessor,
  Document,
  Mesh as GltfMesh,
  Skin as GltfSkin,
  Node,
  Primitive,
  TypedArray,
} from '@gltf-transform/core';
import { invertAffine, transformDirection } from '../../../core/math/mat4.ts';
import type { Asset, AssetRig } from '../../../core/model/asset.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { LevelsContent, MeshLevel } from '../../../core/model/mesh/mesh-level.ts';
import { CORRECTION_EXTENSION } from '../../../deformers/corrections/index.ts';
import { LIGHT_ELEMENT, LIGHT_EXTENSION } from '../../../deformers/light/index.ts';
import { addAccessor, disposeUnused } from '../document/add-accessor.ts';
import { arrayOf, attributeOf, meshOf } from '../document/gltf-graph.ts';
import type { GltfPiece } from '../document/pieces/list-gltf-pieces.ts';
import { floatsOf } from '../document/read-accessor.ts';
import { GltfArrays, GltfArraysExtension } from '../extensions/gltf-arrays-extension.ts';
import { GltfLodExtension, LOD_EXTENSION } from '../extensions/gltf-lod-extension.ts';

/** The document of an asset and its pieces. */
interface Bound {
  document: Document;
  nodes: readonly Node[];
  pieces: readonly GltfPiece[];
  restMatrices: readonly Float64Array[];
}

/**
 * Adds levels of detail to a document, or replaces its meshes by one. Vertices keep all their attributes, weights, morph targets, corrections and light; Direct
 * Delta Mush and two layers are left out of the new levels, which have the plain skin beside them. Changed in place.
 */
export function putGltfLevels(bound: Bound, asset: Asset, { levels, coverage }: LevelsContent): void {
  const { document, pieces } = bound;
  if (!coverage) {
    if (levels.length !== 1) throw new InputError('writeGlb', `one level replaces the mesh, got ${levels.length}`);
    const meshes = makeLevelMeshes(bound, asset, levels[0]);
    for (const node of new Set(pieces.map((piece) => piece.node))) node.setMesh(meshes.get(node) ?? null);
    removeUnused(document);
    return;
  }
  const extension = document.createExtension(GltfLodExtension);
  const made = levels.map((level) => makeLevelMeshes(bound, asset, level));
  for (const node of new Set(pieces.map((piece) => piece.node))) {
    const own = extension.createLevels();
    made.forEach((meshes, n) => {
      const copy = document
        .createNode(`${node.getName() || 'mesh'} level ${n + 1}`)
        .setTranslation(node.getTranslation())
        .setRotation(node.getRotation())
        .setScale(node.getScale())
        .setSkin(node.getSkin())
        .setMesh(meshes.get(node) ?? null);
      own.addLevel(copy);
    });
    node.setExtension(LOD_EXTENSION, own);
    node.setExtras({ ...node.getExtras(), MSFT_screencoverage: [...coverage] });
  }
}

/** The meshes of a level by node. A node whose triangles are all gone has none. */
function makeLevelMeshes(
  { document, nodes, pieces, restMatrices }: Bound,
  asset: Asset,
  level: MeshLevel,
): Map<Node, GltfMesh> {
  const meshes = new Map<Node, GltfMesh>();
  pieces.forEach((piece, p) => {
    const part = cutPart(level, piece);
    if (part.triangles.length === 0) return;
    const source = meshOf(piece.node);
    let mesh = meshes.get(piece.node);
    if (!mesh) {
      mesh = document.createMesh(source.getName()).setWeights(source.getWeights()).setExtras(source.getExtras());
      meshes.set(piece.node, mesh);
    }
    const primitive = makePrimitive(document, piece, part);
    movePositions(primitive, piece, part, asset, restMatrices[p]);
    if (level.boneMap && piece.skin && asset.rig) mergeJoints(primitive, piece.skin, nodes, asset.rig, level.boneMap);
    mesh.addPrimitive(primitive);
  });
  return meshes;
}

/** A level's vertices and triangles of one piece. */
interface LevelPart {
  /** Vertices of the piece's accessors. */
  rows: Uint32Array;
  positions: Float32Array;
  /** Vertices of this part. */
  triangles: Uint32Array;
}

function cutPart({ vertices, positions, triangles }: MeshLevel, { vertexStart, vertexCount }: GltfPiece): LevelPart {
  const first = countBelow(vertices, vertexStart);
  const end = countBelow(vertices, vertexStart + vertexCount);
  const own: number[] = [];
  for (let t = 0; t < triangles.length; t += 3)
    if (triangles[t] >= first && triangles[t] < end) for (let c = t; c < t + 3; c++) own.push(triangles[c] - first);
  return {
    rows: vertices.slice(first, end).map((i) => i - vertexStart),
    positions: positions.subarray(3 * first, 3 * end),
    triangles: Uint32Array.from(own),
  };
}

function countBelow(sorted: Uint32Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A copy of a primitive with some of its vertices and other triangles. */
function makePrimitive(document: Document, { primitive }: GltfPiece, { rows, triangles }: LevelPart): Primitive {
  const copy = document.createPrimitive().copy(primitive);
  const indices = rows.length <= 65_535 ? Uint16Array.from(triangles) : triangles;
  copy.setIndices(addAccessor(document, 1, indices)).setMode(4);
  for (const semantic of copy.listSemantics())
    copy.setAttribute(semantic, gather(document, attributeOf(primitive, semantic), rows));
  for (const target of primitive.listTargets()) {
    const own = document.createPrimitiveTarget().copy(target);
    for (const semantic of target.listSemantics())
      own.setAttribute(semantic, gather(document, attributeOf(target, semantic), rows));
    copy.removeTarget(target).addTarget(own);
  }
  for (const property of primitive.listExtensions()) {
    if (!(property instanceof GltfArrays)) continue;
    const gatherOwn = GATHERED[property.extensionName];
    copy.setExtension(property.extensionName, gatherOwn ? gatherOwn(document, property, primitive, rows) : null);
  }
  return copy;
}

/** Extensions of which a level keeps the numbers of its vertices. */
const GATHERED: Readonly<Record<string, typeof gatherCorrection>> = {
  [CORRECTION_EXTENSION]: gatherCorrection,
  [LIGHT_EXTENSION]: gatherLight,
};

/** Rows of an accessor; `blocks` runs of as many rows, one after the other. */
function gather(document: Document, accessor: Accessor, rows: Uint32Array, blocks = 1): Accessor {
  const array = arrayOf(accessor);
  const size = accessor.getElementSize();
  const count = accessor.getCount() / blocks;
  const values = new (array.constructor as new (length: number) => TypedArray)(rows.length * blocks * size);
  for (let b = 0; b < blocks; b++)
    rows.forEach((row, n) => {
      const from = (b * count + row) * size;
      values.set(array.subarray(from, from + size), (b * rows.length + n) * size);
    });
  return addAccessor(document, size, values, accessor.getNormalized());
}

/** The correction of some vertices: its components are runs of all vertices. */
function gatherCorrection(
  document: Document,
  property: GltfArrays,
  primitive: Primitive,
  rows: Uint32Array,
): GltfArrays {
  const vertexCount = attributeOf(primitive, 'POSITION').getCount();
  const own = copyArrays(document, property);
  for (const [name, accessor] of property.listFields()) {
    if (name !== 'basis' && name !== 'normalBasis') continue;
    own.setAccessor(name, gather(document, accessor, rows, accessor.getCount() / vertexCount));
  }
  return own;
}

/** The light of some vertices: its components are runs of all vertices, and fill whole elements together. */
function gatherLight(document: Document, property: GltfArrays, primitive: Primitive, rows: Uint32Array): GltfArrays {
  const vertexCount = attributeOf(primitive, 'POSITION').getCount();
  const own = copyArrays(document, property);
  const colors = property.getAccessor('colors');
  if (colors) own.setAccessor('colors', gather(document, colors, rows));
  const basis = property.getAccessor('basis');
  const { rank } = property.getFacts() as { rank: number };
  if (!basis || !(rank >= 1)) return own;
  const array = arrayOf(basis);
  const channels = Math.floor(array.length / (rank * vertexCount));
  const padded = LIGHT_ELEMENT * Math.ceil((rank * rows.length * channels) / LIGHT_ELEMENT);
  const values = new (array.constructor as new (length: number) => TypedArray)(padded);
  for (let r = 0; r < rank; r++)
    rows.forEach((row, n) => {
      const from = (r * vertexCount + row) * channels;
      values.set(array.subarray(from, from + channels), (r * rows.length + n) * channels);
    });
  return own.setAccessor('basis', addAccessor(document, LIGHT_ELEMENT, values, basis.getNormalized()));
}

/** Arrays of the same extension with the same accessors. */
function copyArrays(document: Document, property: GltfArrays): GltfArrays {
  const extension = document
    .getRoot()
    .listExtensionsUsed()
    .find(({ extensionName }) => extensionName === property.extensionName);
  const own = (extension as GltfArraysExtension).createArrays().setFacts(property.getFacts());
  for (const [name, accessor] of property.listFields()) own.setAccessor(name, accessor);
  return own;
}

/** Moves vertices to their places in the level; those that did not move keep their bits. */
function movePositions(
  primitive: Primitive,
  piece: GltfPiece,
  { rows, positions }: LevelPart,
  asset: Asset,
  matrix: Float64Array,
): void {
  const accessor = attributeOf(primitive, 'POSITION');
  const values = floatsOf(accessor).slice();
  const back = new Float64Array(16);
  const isRegular = invertAffine(matrix, back);
  const shift = new Float64Array(3);
  let isMoved = false;
  rows.forEach((row, n) => {
    const o = 3 * (piece.vertexStart + row);
    for (let r = 0; r < 3; r++) shift[r] = positions[3 * n + r] - asset.mesh.positions[o + r];
    if (!isRegular || shift.every((x) => x === 0)) return;
    isMoved = true;
    transformDirection(back, shift, shift);
    for (let r = 0; r < 3; r++) values[3 * n + r] += shift[r];
  });
  if (isMoved) accessor.setArray(values).setNormalized(false);
}

/** Replaces joints by those of other bones of the same skin, and adds up their weights. */
function mergeJoints(
  primitive: Primitive,
  skin: GltfSkin,
  nodes: readonly Node[],
  rig: AssetRig,
  boneMap: Uint32Array,
): void {
  const joints = skin.listJoints();
  const boneOfNode = new Map<Node, number>();
  rig.nodeOfBone.forEach((node, bone) => {
    if (rig.isJoint[bone] && !boneOfNode.has(nodes[node])) boneOfNode.set(nodes[node], bone);
  });
  const replaced = joints.map((joint, j) => {
    const bone = boneOfNode.get(joint);
    if (bone === undefined) return j;
    const place = joints.indexOf(nodes[rig.nodeOfBone[boneMap[bone]]]);
    return place < 0 ? j : place;
  });
  const sets: { joints: TypedArray; weights: TypedArray }[] = [];
  for (let s = 0; primitive.getAttribute(`JOINTS_${s}`) && primitive.getAttribute(`WEIGHTS_${s}`); s++)
    sets.push({
      joints: arrayOf(attributeOf(primitive, `JOINTS_${s}`)),
      weights: arrayOf(attributeOf(primitive, `WEIGHTS_${s}`)),
    });
  const vertexCount = attributeOf(primitive, 'POSITION').getCount();
  for (let i = 0; i < vertexCount; i++) {
    const places = sets.flatMap((set) => [0, 1, 2, 3].map((c) => ({ set, at: 4 * i + c })));
    const first = new Map<number, (typeof places)[number]>();
    for (const place of places) {
      const { set, at } = place;
      if (set.weights[at] === 0) continue;
      const joint = replaced[set.joints[at]];
      const known = first.get(joint);
      set.joints[at] = joint;
      if (!known) {
        first.set(joint, place);
        continue;
      }
      // integer weights of one vertex add up without overflow: their sum is one
      known.set.weights[known.at] += set.weights[at];
      set.weights[at] = 0;
      set.joints[at] = 0;
    }
  }
}

/** Removes meshes that no node draws, with what only they use. */
function removeUnused(document: Document): void {
  const root = document.getRoot();
  const meshes = root.listMeshes().filter((mesh) => mesh.listParents().every((parent) => parent === root));
  for (const mesh of meshes) {
    for (const primitive of mesh.listPrimitives()) {
      const targets = primitive.listTargets();
      const arrays = primitive.listExtensions().filter((property) => property instanceof GltfArrays);
      primitive.dispose();
      for (const target of targets) target.dispose();
      for (const property of arrays) property.dispose();
    }
    mesh.dispose();
  }
  const primitives = root.listMeshes().flatMap((mesh) => mesh.listPrimitives());
  for (const extension of root.listExtensionsUsed())
    if (
      extension instanceof GltfArraysExtension &&
      !primitives.some((primitive) => primitive.getExtension(extension.extensionName))
    )
      extension.dispose();
  disposeUnused(document, root.listAccessors());
}
