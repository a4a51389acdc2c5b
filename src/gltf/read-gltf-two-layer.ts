// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import {
  LINEAR_TWO_LAYER_KIND,
  TWO_LAYER_EXTENSION,
  TWO_LAYER_EXTENSION_VERSION,
  TWO_LAYER_KIND,
  unpackVirtualLayer,
  unpackVirtualSkin,
} from '../extension/two-layer.ts';
import { IDENTITY } from '../math/mat4.ts';
import type { AssetRig } from '../model/asset.ts';
import type { Mesh } from '../model/mesh.ts';
import type { TwoLayer } from '../model/two-layer.ts';
import { checkDecodedBytes } from './check-gltf.ts';
import { fail, integerField, numbersField, objectField, stringField } from './gltf-fields.ts';
import { LAYER_FIELDS } from './gltf-two-layer.ts';
import type { GltfPiece } from './list-gltf-pieces.ts';
import type { GltfAccessors } from './make-gltf-accessors.ts';
import {
  countOf,
  FLOAT,
  type GltfDdmPiece,
  INTEGERS,
  makeAccessorField,
  moveOf,
  moveOmega,
  NUMBERS,
} from './read-gltf-direct-delta-mush.ts';
import { labelOf } from './read-gltf-geometry.ts';

/** The extension of one piece, checked but for the values inside its buffers. Accessors are those of the first layer. */
export interface GltfTwoLayerPiece extends Pick<GltfDdmPiece, 'piece' | 'where' | 'bindMatrix' | 'accessors'> {
  /** Accessors of the second layer. */
  skin: Record<'starts' | 'counts' | 'bones' | 'weights', number>;
}

const WEIGHTS = [5126, 5123];

/** Lists the pieces with OSSIFY_two_layer_skin. Versions and kinds of the future are left alone, with a note: there is a plain skin beside them. */
export function listGltfTwoLayer(
  json: GLTF.IGLTF,
  pieces: GltfPiece[],
  log?: (message: string) => void,
): GltfTwoLayerPiece[] {
  const found: GltfTwoLayerPiece[] = [];
  const unknown = new Set<string>();
  pieces.forEach((piece, p) => {
    const value = json.meshes![piece.mesh].primitives[piece.primitive].extensions?.[TWO_LAYER_EXTENSION];
    if (value === undefined || piece.skin === undefined) return;
    const where = `${TWO_LAYER_EXTENSION} of mesh ${labelOf(json, piece)}`;
    const def = objectField(value, where);
    const version = integerField(def.version, `${where}: version`, 1);
    const kind = stringField(def.kind, `${where}: kind`);
    if (version !== TWO_LAYER_EXTENSION_VERSION) unknown.add(`version ${version}`);
    else if (kind !== TWO_LAYER_KIND && kind !== LINEAR_TWO_LAYER_KIND) unknown.add(`kind "${kind.slice(0, 40)}"`);
    if (version !== TWO_LAYER_EXTENSION_VERSION || kind !== TWO_LAYER_KIND) return;
    const accessor = makeAccessorField(json, def, where);
    const { starts, counts, centers, scales, joints, columns, squares } = LAYER_FIELDS;
    const boneCount = countOf(json, def[starts], `${where}: ${starts}`);
    const entryCount = countOf(json, def[joints], `${where}: ${joints}`);
    const weightCount = countOf(json, def.bones, `${where}: bones`);
    found.push({
      piece: p,
      where,
      bindMatrix: Float64Array.from(
        def.bindMatrix === undefined ? IDENTITY : numbersField(def.bindMatrix, `${where}: bindMatrix`, 16),
      ),
      accessors: {
        starts: accessor(starts, 'SCALAR', INTEGERS, boneCount),
        counts: accessor(counts, 'SCALAR', INTEGERS, boneCount),
        centers: accessor(centers, 'VEC3', FLOAT, boneCount),
        joints: accessor(joints, 'SCALAR', INTEGERS, entryCount),
        columns: accessor(columns, 'VEC4', NUMBERS, entryCount),
        squares: accessor(squares, 'VEC2', NUMBERS, 3 * entryCount),
        scales: def[scales] === undefined ? undefined : accessor(scales, 'SCALAR', FLOAT, boneCount),
      },
      skin: {
        starts: accessor('starts', 'SCALAR', INTEGERS, piece.vertexCount),
        counts: accessor('counts', 'SCALAR', INTEGERS, piece.vertexCount),
        bones: accessor('bones', 'SCALAR', INTEGERS, weightCount),
        weights: accessor('weights', 'SCALAR', WEIGHTS, weightCount),
      },
    });
  });
  for (const what of unknown) log?.(`${TWO_LAYER_EXTENSION} of ${what} is not read; the plain skin is used`);
  return found;
}

/** Virtual bones as they are gathered over pieces. */
interface Gathered {
  rowStart: number[];
  bones: number[];
  omegas: number[];
  centers: number[];
}

/**
 * Reads the two layers of all pieces into one model on the asset's mesh and skeleton. Pieces of one skin share their virtual bones where the file does.
 * Pieces without the extension keep their plain skin: each bone that they follow becomes a virtual one that turns with it, without its scale.
 * @param boneOf the bone of a piece's joint
 * @param byteLength of the file: rows that vertices share must not multiply it without end
 */
export function readGltfTwoLayer(
  json: GLTF.IGLTF,
  pieces: GltfPiece[],
  found: readonly GltfTwoLayerPiece[],
  restMatrices: readonly Float64Array[],
  rig: AssetRig,
  boneOf: (piece: number, joint: number) => number,
  accessors: GltfAccessors,
  mesh: Mesh,
  byteLength: number,
): TwoLayer {
  const most = checkSizes(json, pieces, found, accessors, byteLength) + rig.skin.weights.length;
  const gathered: Gathered = { rowStart: [0], bones: [], omegas: [], centers: [] };
  const layers = new Map<string, { first: number; count: number }>();
  const rowStart = new Uint32Array(mesh.positions.length / 3 + 1);
  const bones = new Uint32Array(most);
  const weights = new Float32Array(most);
  let [rows, used] = [0, 0];
  const put = (bone: number, weight: number): void => {
    bones[used] = bone;
    weights[used++] = weight;
  };
  const endRow = (): void => {
    rowStart[++rows] = used;
  };
  const turning = new Map<number, number>();
  pieces.forEach((piece, p) => {
    const own = found.find((one) => one.piece === p);
    if (!own) {
      for (let i = piece.vertexStart; i < piece.vertexStart + piece.vertexCount; i++) {
        for (let e = rig.skin.rowStart[i]; e < rig.skin.rowStart[i + 1]; e++) {
          const bone = rig.skin.boneIndices[e];
          if (!turning.has(bone)) turning.set(bone, addTurning(gathered, bone, mesh.positions, i));
          put(turning.get(bone)!, rig.skin.weights[e]);
        }
        endRow();
      }
      return;
    }
    const key = `${piece.skin} ${Object.values(own.accessors).join()} ${own.bindMatrix.join()} ${restMatrices[p].join()}`;
    try {
      const layer = layers.get(key) ?? addLayer(gathered, own, restMatrices[p], (joint) => boneOf(p, joint), accessors);
      layers.set(key, layer);
      const packed = {
        starts: accessors.integers(own.skin.starts),
        counts: accessors.integers(own.skin.counts),
        bones: accessors.integers(own.skin.bones),
        weights: accessors.floats(own.skin.weights),
      };
      unpackVirtualSkin(packed, layer.count, (bone, weight) => put(layer.first + bone, weight), endRow);
    } catch (error) {
      fail('value', `${own.where}: ${(error as Error).message.replace(`${own.where}: `, '')}`);
    }
  });
  return {
    kind: 'two-layer',
    mesh,
    skeleton: rig.skeleton,
    virtualBones: {
      rowStart: Uint32Array.from(gathered.rowStart),
      boneIndices: Uint32Array.from(gathered.bones),
      omegas: Float64Array.from(gathered.omegas),
    },
    centers: Float64Array.from(gathered.centers),
    skin: { rowStart, boneIndices: bones.slice(0, used), weights: weights.slice(0, used) },
  };
}

/** Checks what the buffers claim before memory is taken for it; returns the number of weights. */
function checkSizes(
  json: GLTF.IGLTF,
  pieces: GltfPiece[],
  found: readonly GltfTwoLayerPiece[],
  accessors: GltfAccessors,
  byteLength: number,
): number {
  let [weights, entries] = [0, 0];
  for (const { piece, where, accessors: own, skin } of found) {
    const jointCount = json.skins![pieces[piece].skin!].joints.length;
    for (const joint of accessors.integers(own.joints))
      if (joint >= jointCount) fail('index', `${where} names joint ${joint}, but the skin has ${jointCount} joints`);
    for (const count of accessors.integers(own.counts)) {
      if (count > jointCount) fail('length', `${where}: a virtual bone has ${count} entries for ${jointCount} joints`);
      entries += count;
    }
    const boneCount = json.accessors![own.starts].count;
    for (const count of accessors.integers(skin.counts)) {
      if (count > boneCount) fail('length', `${where}: a vertex has ${count} weights for ${boneCount} virtual bones`);
      weights += count;
    }
  }
  checkDecodedBytes(8 * weights + 168 * entries, byteLength);
  return weights;
}

/** Adds the virtual bones of a piece, about their centers; where they start, and how many they are. */
function addLayer(
  gathered: Gathered,
  own: GltfTwoLayerPiece,
  restMatrix: Float64Array,
  boneOf: (joint: number) => number,
  accessors: GltfAccessors,
): { first: number; count: number } {
  const { starts, counts, centers, joints, columns, scales, squares } = own.accessors;
  const packed = {
    starts: accessors.integers(starts),
    counts: accessors.integers(counts),
    centers: accessors.floats(centers),
    joints: accessors.integers(joints),
    columns: accessors.floats(columns),
    squares: accessors.floats(squares!),
    scales: scales === undefined ? undefined : accessors.floats(scales),
  };
  const move = moveOf(own, restMatrix);
  // about a center that moves along, only directions change
  const turn = move?.slice().fill(0, 12, 15);
  const first = gathered.rowStart.length - 1;
  unpackVirtualLayer(
    packed,
    boneOf,
    (bone, omega) => {
      if (turn) moveOmega(omega, turn);
      gathered.bones.push(bone);
      gathered.omegas.push(...omega);
    },
    ([x, y, z]) => {
      gathered.rowStart.push(gathered.bones.length);
      for (let c = 0; c < 3; c++)
        gathered.centers.push(move ? move[c] * x + move[4 + c] * y + move[8 + c] * z + move[12 + c] : [x, y, z][c]);
    },
  );
  return { first, count: packed.starts.length };
}

/** Adds a virtual bone that turns with a bone of the skeleton, about a vertex; returns its index. */
function addTurning(gathered: Gathered, bone: number, positions: Float32Array, i: number): number {
  gathered.bones.push(bone);
  gathered.omegas.push(1, 0, 0, 0, 1, 0, 0, 1, 0, 1);
  gathered.centers.push(...positions.subarray(3 * i, 3 * i + 3));
  return gathered.rowStart.push(gathered.bones.length) - 2;
}
