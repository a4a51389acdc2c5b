// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { IDENTITY, invertAffine, multiply } from '../math/mat4.ts';
import type { AssetRig } from '../model/asset.ts';
import { chooseGltfBind, isRegular, isSameBind } from './choose-gltf-bind.ts';
import { fail } from './gltf-fields.ts';
import type { GltfPiece } from './list-gltf-pieces.ts';
import type { GltfAccessors } from './make-gltf-accessors.ts';
import type { GltfNodes } from './read-gltf-nodes.ts';
import { readGltfWeights, weighGltfJoints } from './read-gltf-weights.ts';

export interface GltfRig {
  /** By piece: 16 numbers, column-major, from the vertices of the file to the rest shape in model space. */
  restMatrices: Float64Array[];
  rig?: AssetRig;
  /** The bone of a joint of a piece's skin. */
  boneOf?: (piece: number, joint: number) => number;
}

/** Two binds of a joint closer than this, relative to their size, are one bone. */
const SAME_BONE = 1e-5;

/** What a joint that is only named weighs: something. */
const LEAST_WEIGHT = Number.MIN_VALUE;

interface Bone {
  /** Tree index. */
  node: number;
  bind: Float64Array;
  skins: Set<number>;
  isJoint: boolean;
}

/**
 * Reads how the pieces are bound: their rest space, bones and weights. Rigid pieces rest where they are drawn and follow a bone
 * of their node; skinned ones rest by chooseGltfBind. A file in which nothing is skinned and no drawn node moves has no rig.
 * @param named by skin: joints that move something without any weight
 */
export function readGltfRig(
  json: GLTF.IGLTF,
  nodes: GltfNodes,
  pieces: GltfPiece[],
  accessors: GltfAccessors,
  log?: (message: string) => void,
  named?: Map<number, Set<number>>,
): GltfRig {
  const moving = listMoving(json, nodes);
  const rigged = pieces.some((piece) => piece.skin !== undefined || moving[nodes.treeOf[piece.node]]);
  const worldOf = (tree: number): Float64Array => nodes.worlds.slice(tree * 16, tree * 16 + 16);
  if (!rigged) return { restMatrices: pieces.map((piece) => worldOf(nodes.treeOf[piece.node])) };

  const bones: Bone[] = [];
  const bonesAt = new Map<number, number[]>();
  const addBone = (node: number, bind: Float64Array, skin: number): number => {
    const here = bonesAt.get(node) ?? [];
    bonesAt.set(node, here);
    let bone = here.find((b) => isEqualBind(bones[b].bind, bind));
    if (bone === undefined) {
      bone = bones.push({ node, bind, skins: new Set(), isJoint: false }) - 1;
      here.push(bone);
    }
    if (skin >= 0) {
      bones[bone].skins.add(skin);
      bones[bone].isJoint = true;
    }
    return bone;
  };

  const isMixed = pieces.some((piece) => piece.skin === undefined);
  const binds: Float64Array[] = [];
  const skinBinds = new Map<number, { bind: Float64Array; bones: Uint32Array }>();
  const addWeightless: (() => void)[] = [];
  for (const skin of new Set(pieces.flatMap((piece) => piece.skin ?? []))) {
    const def = json.skins![skin];
    const joints = def.joints.map((n) => nodes.treeOf[n]);
    const inverses = readInverseBinds(def, accessors);
    const { weights, radius } = weighGltfJoints(json, pieces, skin, joints.length, accessors);
    for (const j of named?.get(skin) ?? []) if (j < weights.length) weights[j] ||= LEAST_WEIGHT;
    const drawn = new Float64Array(joints.length * 16);
    const inBind = new Float64Array(joints.length * 16);
    const isBound = joints.map((tree, j) => {
      multiply(nodes.worlds, inverses, drawn, tree * 16, j * 16, j * 16);
      const isInvertible = isRegular(inverses, j * 16) && invertAffine(inverses, inBind, j * 16, j * 16);
      if (!isInvertible && weights[j] > 0)
        fail('value', `joint ${j} of skin ${skin} has an inverse bind matrix that cannot be inverted`);
      return isInvertible;
    });
    const chosen = chooseGltfBind(drawn, weights, radius, isMixed ? findTopmost(joints, weights) : undefined);
    // Skins bound alike up to rounding get one B, so that their joints are the same bones.
    const bind = binds.find((b) => isSameBind(chosen, b, radius, 1e-4)) ?? chosen;
    if (bind === chosen) binds.push(chosen);
    const boneOf = new Uint32Array(joints.length);
    skinBinds.set(skin, { bind, bones: boneOf });
    const add = (j: number): void => {
      const matrix = new Float64Array(16);
      multiply(bind, inBind, matrix, 0, j * 16);
      boneOf[j] = addBone(joints[j], matrix, skin);
    };
    for (let j = 0; j < joints.length; j++) if (weights[j] > 0) add(j);
    // No vertex tells where a weightless joint is bound. Beside rigid parts it is where it rests, or as another skin binds it.
    addWeightless.push(() => {
      for (let j = 0; j < joints.length; j++) {
        if (weights[j] > 0) continue;
        if (isBound[j] && !isMixed) add(j);
        else {
          const here = isMixed ? bonesAt.get(joints[j])?.[0] : undefined;
          const rest = isRegular(nodes.worlds, joints[j] * 16) ? worldOf(joints[j]) : Float64Array.from(IDENTITY);
          boneOf[j] = addBone(joints[j], here === undefined ? rest : bones[here].bind, skin);
        }
      }
    });
  }
  for (const add of addWeightless) add();

  const boneOfPiece = new Int32Array(pieces.length).fill(-1);
  const restMatrices = pieces.map((piece, p) => {
    if (piece.skin !== undefined) return skinBinds.get(piece.skin)!.bind;
    const tree = nodes.treeOf[piece.node];
    let rest = worldOf(tree);
    if (!isRegular(rest)) {
      // Hidden at rest by a scale of zero: the shape is kept at its place, unscaled, and the bone collapses it.
      rest = Float64Array.from(IDENTITY);
      for (let c = 12; c < 15; c++) rest[c] = nodes.worlds[tree * 16 + c];
    }
    boneOfPiece[p] = addBone(tree, rest, -1);
    return rest;
  });

  // Trees list parents first, so sorting bones by node does too.
  const order = [...bones.keys()].sort((a, b) => bones[a].node - bones[b].node || a - b);
  const placeOf = new Uint32Array(bones.length);
  order.forEach((b, place) => {
    placeOf[b] = place;
  });
  const sorted = order.map((b) => bones[b]);
  const boneOf = (p: number, joint: number): number =>
    placeOf[boneOfPiece[p] >= 0 ? boneOfPiece[p] : skinBinds.get(pieces[p].skin!)!.bones[joint]];
  const skin = readGltfWeights(json, pieces, accessors, log, boneOf);
  const bindMatrices = new Float64Array(sorted.length * 16);
  sorted.forEach((bone, j) => {
    if (!bone.bind.every(Number.isFinite)) fail('value', `the bind pose of node ${bone.node} is not finite`);
    bindMatrices.set(bone.bind, j * 16);
  });
  return {
    restMatrices,
    boneOf,
    rig: {
      skeleton: {
        names: sorted.map(({ node }) => nodes.tree.names[node] || `node ${node}`),
        parents: Int32Array.from(sorted, (bone) => {
          const parent = findParent(bone, bones, bonesAt, nodes.tree.parents);
          return parent < 0 ? -1 : placeOf[parent];
        }),
        bindMatrices,
      },
      skin,
      nodeOfBone: Int32Array.from(sorted, ({ node }) => node),
      isJoint: Uint8Array.from(sorted, ({ isJoint }) => (isJoint ? 1 : 0)),
    },
  };
}

/** By tree index: whether any animation moves the node or one above it. */
function listMoving(json: GLTF.IGLTF, nodes: GltfNodes): Uint8Array {
  const moving = new Uint8Array(nodes.treeOf.length);
  for (const { channels } of json.animations ?? [])
    for (const { target } of channels) if (target.path !== 'weights') moving[nodes.treeOf[target.node!]] = 1;
  nodes.tree.parents.forEach((parent, tree) => {
    if (parent >= 0 && moving[parent]) moving[tree] = 1;
  });
  return moving;
}

/** Of the joints that carry weight, the one that comes first in the tree, where parents come first. */
function findTopmost(joints: number[], weights: Float64Array): number | undefined {
  let best: number | undefined;
  joints.forEach((tree, j) => {
    if (weights[j] > 0 && (best === undefined || tree < joints[best])) best = j;
  });
  return best;
}

function isEqualBind(a: Float64Array, b: Float64Array): boolean {
  let size = 0;
  let difference = 0;
  for (let c = 0; c < 16; c++) {
    size = Math.max(size, Math.abs(a[c]));
    difference = Math.max(difference, Math.abs(a[c] - b[c]));
  }
  return difference <= SAME_BONE * size;
}

function readInverseBinds(skin: GLTF.ISkin, accessors: GltfAccessors): Float64Array {
  const out = new Float64Array(skin.joints.length * 16);
  if (skin.inverseBindMatrices === undefined) {
    for (let j = 0; j < skin.joints.length; j++) out.set(IDENTITY, j * 16);
    return out;
  }
  const stored = accessors.floats(skin.inverseBindMatrices);
  for (let c = 0; c < out.length; c++) {
    if (!Number.isFinite(stored[c]))
      fail('value', `an inverse bind matrix of joint ${Math.floor(c / 16)} is not finite`);
    out[c] = stored[c];
  }
  return out;
}

/** The bone of the nearest node above that has one; of several there, the one of the same skin. */
function findParent(bone: Bone, bones: Bone[], bonesAt: Map<number, number[]>, parents: Int32Array): number {
  for (let node = parents[bone.node]; node >= 0; node = parents[node]) {
    const here = bonesAt.get(node);
    if (!here || here.length === 0) continue;
    return here.find((b) => [...bone.skins].some((skin) => bones[b].skins.has(skin))) ?? here[0];
  }
  return -1;
}
