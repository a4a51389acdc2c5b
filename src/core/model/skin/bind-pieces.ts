// SPDX-License-Identifier: MIT
// Bones of a file in which several skins and rigid parts share one tree of nodes.
import { IDENTITY, isCloseMatrix, multiply } from '../../math/mat4.ts';
import type { AssetRig } from '../asset.ts';
import { chooseBindSpace, isRegular, isSameBind } from './choose-bind-space.ts';
import type { NodeTree } from './node-tree.ts';

/** How pieces are bound: where they rest, and which bones they follow. */
export interface PieceBinding {
  /** By piece: 16 numbers, column-major, from the vertices of the file to the rest shape in model space. */
  restMatrices: Float64Array[];
  /** Absent in a file in which nothing is skinned and no drawn node moves. */
  bones?: Omit<AssetRig, 'skin'> & {
    /** By piece: the bone of each joint of its skin; of a rigid piece, its only bone. */
    jointBones: Uint32Array[];
  };
}

/** A skin of a file: joints, and how they are bound. */
export interface FileSkin {
  /** By joint, its node in the tree. */
  joints: readonly number[];
  /** jointCount x 16: inverse bind matrices */
  inverses: Float64Array;
  /** jointCount x 16: their inverses, where isBound */
  binds: Float64Array;
  /** By joint: whether its inverse bind matrix can be inverted. All joints with weight must be. */
  isBound: readonly boolean[];
  /** By joint: total weight, above zero for joints that anything names. */
  weights: Float64Array;
  /** Maximum distance of a vertex from the origin. */
  radius: number;
}

/** A drawn part: its node in the tree, and its skin, if it has one. */
export interface FilePiece {
  node: number;
  skin?: FileSkin;
}

/** Two binds of a joint closer than this, relative to their size, are one bone. */
const SAME_BONE = 1e-5;
/** Skins whose bind spaces are closer than this, relative to their size, share one, so that their joints are the same bones. */
const SAME_SPACE = 1e-4;

interface Bone {
  /** Tree index. */
  node: number;
  bind: Float64Array;
  skins: Set<FileSkin>;
  isJoint: boolean;
}

/**
 * Finds the rest space and the bones of pieces. Rigid pieces rest where they are drawn and follow a bone of their node; skinned ones rest by
 * chooseBindSpace.
 * @param worlds nodeCount x 16: node to model space, at rest
 */
export function bindPieces(tree: NodeTree, worlds: Float64Array, pieces: readonly FilePiece[]): PieceBinding {
  const worldOf = (node: number): Float64Array => worlds.slice(node * 16, node * 16 + 16);
  const bones: Bone[] = [];
  const bonesAt = new Map<number, number[]>();
  const addBone = (node: number, bind: Float64Array, skin?: FileSkin): number => {
    const here = bonesAt.get(node) ?? [];
    bonesAt.set(node, here);
    let bone = here.find((b) => isCloseMatrix(bones[b].bind, bind, SAME_BONE));
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

  const isMixed = pieces.some(({ skin }) => skin === undefined);
  const spaces: Float64Array[] = [];
  const skinBinds = new Map<FileSkin, { space: Float64Array; bones: Uint32Array }>();
  const addWeightless: (() => void)[] = [];
  for (const skin of new Set(pieces.flatMap((piece) => piece.skin ?? []))) {
    const { joints, inverses, binds, isBound, weights, radius } = skin;
    const drawn = new Float64Array(joints.length * 16);
    joints.forEach((node, j) => {
      multiply(worlds, inverses, drawn, node * 16, j * 16, j * 16);
    });
    const chosen = chooseBindSpace(drawn, weights, radius, isMixed ? findTopmost(joints, weights) : undefined);
    const space = spaces.find((other) => isSameBind(chosen, other, radius, SAME_SPACE)) ?? chosen;
    if (space === chosen) spaces.push(chosen);
    const boneOf = new Uint32Array(joints.length);
    skinBinds.set(skin, { space, bones: boneOf });
    const add = (j: number): void => {
      const matrix = new Float64Array(16);
      multiply(space, binds, matrix, 0, j * 16);
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
          const rest = isRegular(worlds, joints[j] * 16) ? worldOf(joints[j]) : Float64Array.from(IDENTITY);
          boneOf[j] = addBone(joints[j], here === undefined ? rest : bones[here].bind, skin);
        }
      }
    });
  }
  for (const add of addWeightless) add();

  const boneOfPiece = new Int32Array(pieces.length).fill(-1);
  const restMatrices = pieces.map(({ node, skin }, p) => {
    if (skin) return skinBinds.get(skin)!.space;
    let rest = worldOf(node);
    if (!isRegular(rest)) {
      // Hidden at rest by a scale of zero: the shape is kept at its place, unscaled, and the bone collapses it.
      rest = Float64Array.from(IDENTITY);
      for (let c = 12; c < 15; c++) rest[c] = worlds[node * 16 + c];
    }
    boneOfPiece[p] = addBone(node, rest);
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
  sorted.forEach(({ bind }, j) => {
    bindMatrices.set(bind, j * 16);
  });
  const boneAbove = makeParentFinder(bones, bonesAt, tree.parents);
  return {
    restMatrices,
    bones: {
      jointBones,
      skeleton: {
        names: sorted.map(({ node }) => tree.names[node] || `node ${node}`),
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

/** Of the joints that carry weight, the one that comes first in the tree, where parents come first. */
function findTopmost(joints: readonly number[], weights: Float64Array): number | undefined {
  let best: number | undefined;
  joints.forEach((node, j) => {
    if (weights[j] > 0 && (best === undefined || node < joints[best])) best = j;
  });
  return best;
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
