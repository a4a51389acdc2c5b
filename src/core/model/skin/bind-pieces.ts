// SPDX-License-Identifier: MIT
// Bones of a file in which several skins and rigid parts share one tree of nodes.
import { IDENTITY, isCloseMatrix, multiply } from '../../math/mat4.ts';
import type { AssetRig } from '../asset.ts';
import { chooseBindSpace, isRegular, isSameBind } from './choose-bind-space.ts';
import type { NodeTree } from './node-tree.ts';
import type { Skeleton } from './skeleton.ts';

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
  const binder = new PieceBinder(worlds, pieces);
  const skins = [...new Set(pieces.flatMap((piece) => piece.skin ?? []))];
  const bound = new Map(skins.map((skin) => [skin, binder.bindSkin(skin)]));
  // joints with weight first: the others may share their bones
  for (const [skin, piece] of bound) binder.bindWeightless(skin, piece);
  const placed = pieces.map(({ node, skin }) => (skin && bound.get(skin)) ?? binder.bindRigid(node));

  const { bones } = binder;
  // Trees list parents first, so sorting bones by node does too.
  const order = [...bones.keys()].sort((a, b) => bones[a].node - bones[b].node || a - b);
  const placeOf = new Uint32Array(bones.length);
  order.forEach((b, place) => {
    placeOf[b] = place;
  });
  const sorted = order.map((b) => bones[b]);
  return {
    restMatrices: placed.map(({ space }) => space),
    bones: {
      jointBones: placed.map(({ boneOf }) => boneOf.map((b) => placeOf[b])),
      skeleton: makeSkeleton(tree, sorted, makeParentFinder(bones, binder.bonesAt, tree.parents), placeOf),
      nodeOfBone: Int32Array.from(sorted, ({ node }) => node),
      isJoint: Uint8Array.from(sorted, ({ isJoint }) => (isJoint ? 1 : 0)),
    },
  };
}

/** Where a piece rests, and its bones: those of the joints of its skin, or its only bone. */
interface BoundPiece {
  space: Float64Array;
  boneOf: Uint32Array;
}

/** Collects the bones of pieces. A node has several if its joints are bound in different places. */
class PieceBinder {
  readonly bones: Bone[] = [];
  /** By node, its bones. */
  readonly bonesAt = new Map<number, number[]>();
  readonly #worlds: Float64Array;
  /** Whether some pieces are rigid. */
  readonly #isMixed: boolean;
  readonly #spaces: Float64Array[] = [];

  constructor(worlds: Float64Array, pieces: readonly FilePiece[]) {
    this.#worlds = worlds;
    this.#isMixed = pieces.some(({ skin }) => skin === undefined);
  }

  /** Chooses the rest space of a skin, and adds the bones of its joints with weight. */
  bindSkin(skin: FileSkin): BoundPiece {
    const { joints, inverses, weights, radius } = skin;
    const drawn = new Float64Array(joints.length * 16);
    joints.forEach((node, j) => {
      multiply(this.#worlds, inverses, drawn, node * 16, j * 16, j * 16);
    });
    const chosen = chooseBindSpace(drawn, weights, radius, this.#isMixed ? findTopmost(joints, weights) : undefined);
    const space = this.#spaces.find((other) => isSameBind(chosen, other, radius, SAME_SPACE)) ?? chosen;
    if (space === chosen) this.#spaces.push(chosen);
    const boneOf = new Uint32Array(joints.length);
    for (let j = 0; j < joints.length; j++) if (weights[j] > 0) boneOf[j] = this.#addJoint(skin, j, space);
    return { space, boneOf };
  }

  /** Adds the bones of joints without weight. No vertex depends on where they are bound. Beside rigid parts they are bound where they rest, or as in another skin. */
  bindWeightless(skin: FileSkin, { space, boneOf }: BoundPiece): void {
    const { joints, isBound, weights } = skin;
    for (let j = 0; j < joints.length; j++) {
      if (weights[j] > 0) continue;
      if (isBound[j] && !this.#isMixed) {
        boneOf[j] = this.#addJoint(skin, j, space);
        continue;
      }
      const here = this.#isMixed ? this.bonesAt.get(joints[j])?.[0] : undefined;
      const rest = isRegular(this.#worlds, joints[j] * 16) ? this.#worldOf(joints[j]) : Float64Array.from(IDENTITY);
      boneOf[j] = this.#addBone(joints[j], here === undefined ? rest : this.bones[here].bind, skin);
    }
  }

  /** Adds the bone of a rigid piece. */
  bindRigid(node: number): BoundPiece {
    let space = this.#worldOf(node);
    if (!isRegular(space)) {
      // Hidden at rest by a scale of zero: the shape is kept at its place, unscaled, and the bone collapses it.
      space = Float64Array.from(IDENTITY);
      for (let c = 12; c < 15; c++) space[c] = this.#worlds[node * 16 + c];
    }
    return { space, boneOf: Uint32Array.of(this.#addBone(node, space)) };
  }

  #addJoint(skin: FileSkin, j: number, space: Float64Array): number {
    const matrix = new Float64Array(16);
    multiply(space, skin.binds, matrix, 0, j * 16);
    return this.#addBone(skin.joints[j], matrix, skin);
  }

  #addBone(node: number, bind: Float64Array, skin?: FileSkin): number {
    const { bones, bonesAt } = this;
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
  }

  #worldOf(node: number): Float64Array {
    return this.#worlds.slice(node * 16, node * 16 + 16);
  }
}

/** @param bones in the order of the skeleton; boneAbove gives the place of a parent before sorting, or -1 */
function makeSkeleton(
  tree: NodeTree,
  bones: readonly Bone[],
  boneAbove: (bone: Bone) => number,
  placeOf: Uint32Array,
): Skeleton {
  const bindMatrices = new Float64Array(bones.length * 16);
  bones.forEach(({ bind }, j) => {
    bindMatrices.set(bind, j * 16);
  });
  return {
    names: bones.map(({ node }) => tree.names[node] || `node ${node}`),
    parents: Int32Array.from(bones, (bone) => {
      const parent = boneAbove(bone);
      return parent < 0 ? -1 : placeOf[parent];
    }),
    bindMatrices,
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
    const here = bonesAt.get(nearest[node]) ?? [];
    return here.find((b) => [...skins].some((skin) => bones[b].skins.has(skin))) ?? here[0] ?? -1;
  };
}
