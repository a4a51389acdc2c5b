// SPDX-License-Identifier: MIT
import type { Document, Skin as GltfSkin } from '@gltf-transform/core';
import { fail, label } from '../extension/json-fields.ts';
import { IDENTITY, invertAffine, multiply } from '../math/mat4.ts';
import type { AssetRig } from '../model/asset.ts';
import { chooseGltfBind, isRegular, isSameBind } from './choose-gltf-bind.ts';
import type { GltfPiece } from './list-gltf-pieces.ts';
import { listNamedJoints } from './list-named-joints.ts';
import { floatsOf } from './read-accessor.ts';
import type { GltfNodes } from './read-gltf-nodes.ts';
import { weighGltfJoints } from './read-gltf-weights.ts';

/** How pieces are bound: where they rest, and which bones they follow. */
export interface GltfBinding {
  /** By piece: 16 numbers, column-major, from the vertices of the file to the rest shape in model space. */
  restMatrices: Float64Array[];
  /** Absent in a file in which nothing is skinned and no drawn node moves. */
  bones?: Omit<AssetRig, 'skin'> & {
    /** By piece: the bone of each joint of its skin; of a rigid piece, its only bone. */
    jointBones: Uint32Array[];
  };
}

/** Two binds of a joint closer than this, relative to their size, are one bone. */
const SAME_BONE = 1e-5;

/** How far the last row of an inverse bind matrix may be off. */
const MAX_ROW_ERROR = 1e-3;

/** Weight of a joint that only extensions name: more than none. */
const LEAST_WEIGHT = Number.MIN_VALUE;

interface Bone {
  /** Tree index. */
  node: number;
  bind: Float64Array;
  skins: Set<GltfSkin>;
  isJoint: boolean;
}

/**
 * Reads how the pieces of a document are bound: their rest space and bones. Rigid pieces rest where they are drawn and follow a bone of their
 * node; skinned ones rest by chooseGltfBind.
 */
export function bindGltfPieces(document: Document, nodes: GltfNodes, pieces: readonly GltfPiece[]): GltfBinding {
  const moving = listMoving(document, nodes);
  const rigged = pieces.some(({ skin, node }) => skin || moving[nodes.treeOf.get(node)!]);
  const worldOf = (tree: number): Float64Array => nodes.worlds.slice(tree * 16, tree * 16 + 16);
  if (!rigged) return { restMatrices: pieces.map(({ node }) => worldOf(nodes.treeOf.get(node)!)) };

  const bones: Bone[] = [];
  const bonesAt = new Map<number, number[]>();
  const addBone = (node: number, bind: Float64Array, skin?: GltfSkin): number => {
    const here = bonesAt.get(node) ?? [];
    bonesAt.set(node, here);
    let bone = here.find((b) => isEqualBind(bones[b].bind, bind));
    if (bone === undefined) {
      bone = bones.push({ node, bind, skins: new Set(), isJoint: false }) - 1;
      here.push(bone);
    }
    if (skin) {
      bones[bone].skins.add(skin);
      bones[bone].isJoint = true;
    }
    return bone;
  };

  const isMixed = pieces.some((piece) => piece.skin === undefined);
  const binds: Float64Array[] = [];
  const skinBinds = new Map<GltfSkin, { bind: Float64Array; bones: Uint32Array }>();
  const addWeightless: (() => void)[] = [];
  const named = listNamedJoints(document, pieces);
  const piecesOf = new Map<GltfSkin, GltfPiece[]>();
  for (const piece of pieces) {
    if (!piece.skin) continue;
    const own = piecesOf.get(piece.skin);
    if (own) own.push(piece);
    else piecesOf.set(piece.skin, [piece]);
  }
  for (const [skin, own] of piecesOf) {
    const joints = skin.listJoints().map((node) => nodes.treeOf.get(node)!);
    const inverses = readInverseBinds(skin, joints.length);
    const { weights, radius } = weighGltfJoints(own, joints.length);
    for (const j of named.get(skin) ?? []) if (j < weights.length) weights[j] ||= LEAST_WEIGHT;
    const drawn = new Float64Array(joints.length * 16);
    const inBind = new Float64Array(joints.length * 16);
    const isBound = joints.map((tree, j) => {
      multiply(nodes.worlds, inverses, drawn, tree * 16, j * 16, j * 16);
      const isInvertible = isRegular(inverses, j * 16) && invertAffine(inverses, inBind, j * 16, j * 16);
      if (!isInvertible && weights[j] > 0)
        fail(
          'value',
          `joint ${j} of skin ${skinLabel(document, skin)} has an inverse bind matrix that cannot be inverted`,
        );
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
    // No vertex depends on where a weightless joint is bound. Beside rigid parts it is bound where it rests, or as in another skin.
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
    if (piece.skin) return skinBinds.get(piece.skin)!.bind;
    const tree = nodes.treeOf.get(piece.node)!;
    let rest = worldOf(tree);
    if (!isRegular(rest)) {
      // Hidden at rest by a scale of zero: the shape is kept at its place, unscaled, and the bone collapses it.
      rest = Float64Array.from(IDENTITY);
      for (let c = 12; c < 15; c++) rest[c] = nodes.worlds[tree * 16 + c];
    }
    boneOfPiece[p] = addBone(tree, rest);
    return rest;
  });

  // Trees list parents first, so sorting bones by node does too.
  const order = [...bones.keys()].sort((a, b) => bones[a].node - bones[b].node || a - b);
  const placeOf = new Uint32Array(bones.length);
  order.forEach((b, place) => {
    placeOf[b] = place;
  });
  const sorted = order.map((b) => bones[b]);
  for (const { bones: own } of skinBinds.values()) for (let j = 0; j < own.length; j++) own[j] = placeOf[own[j]];
  const jointBones = pieces.map(({ skin }, p) =>
    skin ? skinBinds.get(skin)!.bones : Uint32Array.of(placeOf[boneOfPiece[p]]),
  );
  const bindMatrices = new Float64Array(sorted.length * 16);
  sorted.forEach(({ bind, node }, j) => {
    if (!bind.every(Number.isFinite))
      fail('value', `the bind pose of node ${label(nodes.tree.names[node], node)} is not finite`);
    bindMatrices.set(bind, j * 16);
  });
  const boneAbove = makeParentFinder(bones, bonesAt, nodes.tree.parents);
  return {
    restMatrices,
    bones: {
      jointBones,
      skeleton: {
        names: sorted.map(({ node }) => nodes.tree.names[node] || `node ${node}`),
        parents: Int32Array.from(sorted, (bone) => {
          const parent = boneAbove(bone);
          return parent < 0 ? -1 : placeOf[parent];
        }),
        bindMatrices,
      },
      nodeOfBone: Int32Array.from(sorted, ({ node }) => node),
      isJoint: Uint8Array.from(sorted, ({ isJoint }) => (isJoint ? 1 : 0)),
    },
  };
}

/** By tree index: whether any animation moves the node or one above it. */
function listMoving(document: Document, nodes: GltfNodes): Uint8Array {
  const moving = new Uint8Array(nodes.list.length);
  for (const animation of document.getRoot().listAnimations())
    for (const channel of animation.listChannels())
      if (channel.getTargetPath() !== 'weights') moving[nodes.treeOf.get(channel.getTargetNode()!)!] = 1;
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

function readInverseBinds(skin: GltfSkin, jointCount: number): Float64Array {
  const out = new Float64Array(jointCount * 16);
  const accessor = skin.getInverseBindMatrices();
  if (!accessor) {
    for (let j = 0; j < jointCount; j++) out.set(IDENTITY, j * 16);
    return out;
  }
  const stored = floatsOf(accessor);
  for (let c = 0; c < out.length; c++) {
    if (!Number.isFinite(stored[c]))
      fail('value', `an inverse bind matrix of joint ${Math.floor(c / 16)} is not finite`);
    // The last row is 0 0 0 1 by definition; some exporters round it.
    const isLastRow = c % 4 === 3;
    if (isLastRow && Math.abs(stored[c] - IDENTITY[c % 16]) > MAX_ROW_ERROR)
      fail('value', `the inverse bind matrix of joint ${Math.floor(c / 16)} is not affine`);
    out[c] = isLastRow ? IDENTITY[c % 16] : stored[c];
  }
  return out;
}

function skinLabel(document: Document, skin: GltfSkin): string {
  return label(skin.getName(), document.getRoot().listSkins().indexOf(skin));
}

/** Finds the bone of the nearest node above that has one; of several there, the one of the same skin. */
function makeParentFinder(
  bones: readonly Bone[],
  bonesAt: ReadonlyMap<number, number[]>,
  parents: Int32Array,
): (bone: Bone) => number {
  const nearest = new Int32Array(parents.length).fill(-1);
  // Parents come first.
  parents.forEach((parent, node) => {
    if (parent >= 0) nearest[node] = bonesAt.has(parent) ? parent : nearest[parent];
  });
  return ({ node, skins }) => {
    const here = nearest[node] < 0 ? [] : bonesAt.get(nearest[node])!;
    return here.find((b) => [...skins].some((skin) => bones[b].skins.has(skin))) ?? here[0] ?? -1;
  };
}
