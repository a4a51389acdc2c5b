// SPDX-License-Identifier: MIT
import type { Document, Skin as GltfSkin } from '@gltf-transform/core';
import { IDENTITY, invertAffine } from '../../../../core/math/mat4.ts';
import { bindPieces, type FileSkin, type PieceBinding } from '../../../../core/model/skin/bind-pieces.ts';
import { isRegular } from '../../../../core/model/skin/choose-bind-space.ts';
import { fail, label } from '../../../../deformers/layout/index.ts';
import type { GltfNodes } from '../../read/read-gltf-nodes.ts';
import { weighGltfJoints } from '../../read/read-gltf-weights.ts';
import { targetOf } from '../gltf-graph.ts';
import { floatsOf } from '../read-accessor.ts';
import type { GltfPiece } from './list-gltf-pieces.ts';
import { listNamedJoints } from './list-named-joints.ts';

/** Tolerance of the last row of an inverse bind matrix. */
const MAX_ROW_ERROR = 1e-3;

/** Weight of a joint that only extensions name: more than none. */
const MIN_WEIGHT = Number.MIN_VALUE;

/** Reads how the pieces of a document are bound: their rest space and bones (core/model/skin/bind-pieces.ts). */
export function bindGltfPieces(document: Document, nodes: GltfNodes, pieces: readonly GltfPiece[]): PieceBinding {
  const { tree, treeOf, worlds } = nodes;
  const moving = listMoving(document, nodes);
  const isRigged = pieces.some(({ skin, node }) => skin || moving[treeOf(node)]);
  const places = pieces.map(({ node }) => treeOf(node));
  if (!isRigged) return { restMatrices: places.map((node) => worlds.slice(node * 16, node * 16 + 16)) };
  const named = listNamedJoints(document, pieces);
  const piecesOf = new Map<GltfSkin, GltfPiece[]>();
  for (const piece of pieces) {
    if (!piece.skin) continue;
    const own = piecesOf.get(piece.skin);
    if (own) own.push(piece);
    else piecesOf.set(piece.skin, [piece]);
  }
  const skins = new Map<GltfSkin | undefined, FileSkin>();
  for (const [skin, own] of piecesOf) skins.set(skin, readSkin(document, nodes, skin, own, named.get(skin) ?? []));
  const binding = bindPieces(
    tree,
    worlds,
    pieces.map(({ skin }, p) => ({ node: places[p], skin: skins.get(skin) })),
  );
  if (!binding.bones) return binding;
  const { nodeOfBone, skeleton } = binding.bones;
  const wrong = skeleton.bindMatrices.findIndex((x) => !Number.isFinite(x));
  if (wrong >= 0) {
    const node = nodeOfBone[Math.floor(wrong / 16)];
    fail('value', `the bind pose of node ${label(tree.names[node], node)} is not finite`);
  }
  return binding;
}

/** Reads the joints of a skin, with the total weights of the pieces that it moves. */
function readSkin(
  document: Document,
  { treeOf }: GltfNodes,
  skin: GltfSkin,
  pieces: readonly GltfPiece[],
  named: Iterable<number>,
): FileSkin {
  const joints = skin.listJoints().map((node) => treeOf(node));
  const inverses = readInverseBinds(skin, joints.length);
  const { weights, radius } = weighGltfJoints(pieces, joints.length);
  for (const j of named) if (j < weights.length) weights[j] ||= MIN_WEIGHT;
  const binds = new Float64Array(joints.length * 16);
  const isBound = joints.map((_, j) => {
    const isInvertible = isRegular(inverses, j * 16) && invertAffine(inverses, binds, j * 16, j * 16);
    if (!isInvertible && weights[j] > 0) {
      const name = label(skin.getName(), document.getRoot().listSkins().indexOf(skin));
      fail('value', `joint ${j} of skin ${name} has an inverse bind matrix that cannot be inverted`);
    }
    return isInvertible;
  });
  return { joints, inverses, binds, isBound, weights, radius };
}

/** By tree index: whether any animation moves the node or an ancestor. */
function listMoving(document: Document, nodes: GltfNodes): Uint8Array {
  const moving = new Uint8Array(nodes.list.length);
  for (const animation of document.getRoot().listAnimations())
    for (const channel of animation.listChannels())
      if (channel.getTargetPath() !== 'weights') moving[nodes.treeOf(targetOf(channel))] = 1;
  nodes.tree.parents.forEach((parent, tree) => {
    if (parent >= 0 && moving[parent]) moving[tree] = 1;
  });
  return moving;
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
