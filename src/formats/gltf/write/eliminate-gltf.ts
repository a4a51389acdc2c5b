// SPDX-License-Identifier: MIT
import type {
  Accessor,
  AnimationChannel,
  Document,
  Mesh,
  Node,
  Primitive,
  Skin,
  TypedArray,
} from '@gltf-transform/core';
import type { Elimination } from '../../../core/model/deformed/elimination.ts';
import { HELPER_EXTENSION } from '../../../deformers/helper-bones/index.ts';
import { addAccessor, disposeUnused } from '../document/add-accessor.ts';
import { attributeOf, samplerOf } from '../document/gltf-graph.ts';
import type { GltfPiece } from '../document/pieces/list-gltf-pieces.ts';

/**
 * Removes joints, morph targets and triangles from a document. Weights of a removed joint go to its nearest remaining ancestor; keys of removed joints and columns of removed targets
 * are removed from the animations. Changed in place.
 * @param nodes nodes in the order of the asset's tree
 */
export function eliminateGltf(
  document: Document,
  nodes: readonly Node[],
  pieces: readonly GltfPiece[],
  { nodes: joints, shapes, triangles }: Elimination,
): void {
  const before = document.getRoot().listAccessors();
  removeTriangles(document, pieces, triangles);
  const gone = new Set(joints.map((n) => nodes[n]));
  for (const skin of document.getRoot().listSkins()) removeJoints(document, skin, gone);
  for (const animation of document.getRoot().listAnimations())
    for (const channel of animation.listChannels()) {
      const target = channel.getTargetNode();
      if (target && gone.has(target)) disposeChannel(channel);
    }
  // children first
  for (const n of [...joints].sort((a, b) => b - a)) {
    const node = nodes[n];
    // its inputs are references to nodes
    node.getExtension(HELPER_EXTENSION)?.dispose();
    if (node.listChildren().length === 0 && !node.getMesh() && !node.getCamera() && node.listExtensions().length === 0)
      node.dispose();
  }
  const weightsOf = new Map<Node, Set<number>>();
  for (const { node, weight } of shapes) {
    const own = weightsOf.get(nodes[node]) ?? new Set<number>();
    weightsOf.set(nodes[node], own.add(weight));
  }
  const seen = new Set<Mesh>();
  for (const [node, weights] of weightsOf) removeTargets(document, node, weights, seen);
  disposeUnused(document, before);
}

function removeTriangles(document: Document, pieces: readonly GltfPiece[], triangles: readonly number[]): void {
  let start = 0;
  const seen = new Set<Primitive>();
  for (const { primitive } of pieces) {
    const indices = primitive.getIndices();
    const count = Math.floor((indices?.getCount() ?? attributeOf(primitive, 'POSITION').getCount()) / 3);
    const own = new Set(triangles.filter((f) => f >= start && f < start + count).map((f) => f - start));
    start += count;
    if (!indices || own.size === 0 || own.size === count || primitive.getMode() !== 4 || seen.has(primitive)) continue;
    seen.add(primitive);
    const kept = (indices.getArray() as Uint32Array).filter((_, c) => !own.has(Math.floor(c / 3)));
    primitive.setIndices(addAccessor(document, 1, kept as TypedArray));
  }
}

function removeJoints(document: Document, skin: Skin, gone: ReadonlySet<Node>): void {
  const joints = skin.listJoints();
  const left = joints.filter((joint) => !gone.has(joint));
  if (left.length === joints.length || left.length === 0) return;
  const inverses = skin.getInverseBindMatrices();
  if (inverses) {
    const values = joints.flatMap((joint, j) => (gone.has(joint) ? [] : inverses.getElement(j, [])));
    skin.setInverseBindMatrices(addAccessor(document, 16, Float32Array.from(values)));
  }
  const placeOf = joints.map((joint) => {
    let at: Node | null = joint;
    while (at && (gone.has(at) || !left.includes(at))) at = at.getParentNode();
    return Math.max(0, at ? left.indexOf(at) : 0);
  });
  for (const joint of joints) if (gone.has(joint)) skin.removeJoint(joint);
  const primitives = new Set(
    document
      .getRoot()
      .listNodes()
      .filter((node) => node.getSkin() === skin)
      .flatMap((node) => node.getMesh()?.listPrimitives() ?? []),
  );
  for (const primitive of primitives) renumber(document, primitive, placeOf);
}

/** New joint indices of a primitive; weights of one joint in a vertex are added up. */
function renumber(document: Document, primitive: Primitive, placeOf: readonly number[]): void {
  const sets: { joints: Accessor; weights: Accessor }[] = [];
  for (let set = 0; primitive.getAttribute(`JOINTS_${set}`); set++)
    sets.push({ joints: attributeOf(primitive, `JOINTS_${set}`), weights: attributeOf(primitive, `WEIGHTS_${set}`) });
  const count = sets[0]?.joints.getCount() ?? 0;
  const ids = sets.map(() => new Uint16Array(4 * count));
  const amounts = sets.map(() => new Float32Array(4 * count));
  const [joint, weight]: [number[], number[]] = [[], []];
  for (let i = 0; i < count; i++) {
    const total = new Map<number, number>();
    for (const { joints, weights } of sets) {
      joints.getElement(i, joint);
      weights.getElement(i, weight);
      for (let c = 0; c < 4; c++)
        if (weight[c] > 0) total.set(placeOf[joint[c]], (total.get(placeOf[joint[c]]) ?? 0) + weight[c]);
    }
    [...total].forEach(([place, amount], n) => {
      ids[n >> 2][4 * i + (n & 3)] = place;
      amounts[n >> 2][4 * i + (n & 3)] = amount;
    });
  }
  for (let set = 0; set < sets.length; set++) {
    const small = placeOf.length <= 256 ? Uint8Array.from(ids[set]) : ids[set];
    primitive.setAttribute(`JOINTS_${set}`, addAccessor(document, 4, small as TypedArray));
    primitive.setAttribute(`WEIGHTS_${set}`, addAccessor(document, 4, amounts[set]));
  }
}

function removeTargets(document: Document, node: Node, gone: ReadonlySet<number>, seen: Set<Mesh>): void {
  const mesh = node.getMesh();
  if (!mesh) return;
  const count = Math.max(0, ...mesh.listPrimitives().map((primitive) => primitive.listTargets().length));
  const keep = <T>(values: readonly T[]): T[] => values.filter((_, n) => !gone.has(n));
  if (node.getWeights().length > 0) node.setWeights(keep(node.getWeights()));
  for (const animation of document.getRoot().listAnimations())
    for (const channel of animation.listChannels()) {
      if (channel.getTargetNode() !== node || channel.getTargetPath() !== 'weights') continue;
      const output = channel.getSampler()?.getOutput();
      const values = output?.getArray();
      if (!output || !values) continue;
      const left = (values as Float32Array).filter((_, e) => !gone.has(e % count));
      if (left.length === 0) disposeChannel(channel);
      else samplerOf(channel).sampler.setOutput(addAccessor(document, 1, left as TypedArray, output.getNormalized()));
    }
  if (seen.has(mesh)) return;
  seen.add(mesh);
  if (mesh.getWeights().length > 0) mesh.setWeights(keep(mesh.getWeights()));
  const { targetNames, ...extras } = mesh.getExtras() as { targetNames?: string[] };
  if (Array.isArray(targetNames)) {
    const names = keep(targetNames);
    mesh.setExtras(names.length > 0 ? { ...extras, targetNames: names } : extras);
  }
  for (const primitive of mesh.listPrimitives())
    for (const [n, target] of primitive.listTargets().entries()) {
      if (!gone.has(n)) continue;
      primitive.removeTarget(target);
      target.dispose();
    }
}

function disposeChannel(channel: AnimationChannel): void {
  const sampler = channel.getSampler();
  channel.dispose();
  if (sampler?.listParents().every((parent) => parent.propertyType !== 'AnimationChannel')) sampler.dispose();
}
