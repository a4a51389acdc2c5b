// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import {
  LINEAR_TWO_LAYER_KIND,
  type PackedVirtualSkin,
  TWO_LAYER_EXTENSION,
  TWO_LAYER_EXTENSION_VERSION,
  unpackVirtualSkin,
} from '../extension/two-layer.ts';
import type { AssetRig } from '../model/asset.ts';
import type { Mesh } from '../model/mesh.ts';
import type { LinearTwoLayer } from '../model/two-layer.ts';
import { checkDecodedBytes } from './check-gltf.ts';
import { fail, objectField } from './gltf-fields.ts';
import { LINEAR_FIELDS } from './gltf-two-layer.ts';
import type { GltfPiece } from './list-gltf-pieces.ts';
import type { GltfAccessors } from './make-gltf-accessors.ts';
import { countOf, INTEGERS, makeAccessorField } from './read-gltf-direct-delta-mush.ts';
import { labelOf } from './read-gltf-geometry.ts';

type Fields = Record<keyof PackedVirtualSkin, number>;

/** The extension of one piece, checked but for the values inside its buffers. */
export interface GltfLinearPiece {
  piece: number;
  where: string;
  /** Accessors of the first layer, whose bones are joints; `joints` once more for those who ask which are named. */
  layer: Fields;
  accessors: { joints: number };
  /** Accessors of the second layer. */
  skin: Fields;
}

const WEIGHTS = [5126, 5123];

/** Lists the pieces with OSSIFY_two_layer_skin of kind 'linear'. */
export function listGltfLinearTwoLayer(json: GLTF.IGLTF, pieces: GltfPiece[]): GltfLinearPiece[] {
  const found: GltfLinearPiece[] = [];
  pieces.forEach((piece, p) => {
    const value = json.meshes![piece.mesh].primitives[piece.primitive].extensions?.[TWO_LAYER_EXTENSION];
    if (value === undefined || piece.skin === undefined) return;
    const where = `${TWO_LAYER_EXTENSION} of mesh ${labelOf(json, piece)}`;
    const def = objectField(value, where);
    if (def.version !== TWO_LAYER_EXTENSION_VERSION || def.kind !== LINEAR_TWO_LAYER_KIND) return;
    const accessor = makeAccessorField(json, def, where);
    const { starts, counts, bones, weights } = LINEAR_FIELDS;
    const boneCount = countOf(json, def[starts], `${where}: ${starts}`);
    const entryCount = countOf(json, def[bones], `${where}: ${bones}`);
    const weightCount = countOf(json, def.bones, `${where}: bones`);
    const layer = {
      starts: accessor(starts, 'SCALAR', INTEGERS, boneCount),
      counts: accessor(counts, 'SCALAR', INTEGERS, boneCount),
      bones: accessor(bones, 'SCALAR', INTEGERS, entryCount),
      weights: accessor(weights, 'SCALAR', WEIGHTS, entryCount),
    };
    found.push({
      ...{ piece: p, where, layer, accessors: { joints: layer.bones } },
      skin: {
        starts: accessor('starts', 'SCALAR', INTEGERS, piece.vertexCount),
        counts: accessor('counts', 'SCALAR', INTEGERS, piece.vertexCount),
        bones: accessor('bones', 'SCALAR', INTEGERS, weightCount),
        weights: accessor('weights', 'SCALAR', WEIGHTS, weightCount),
      },
    });
  });
  return found;
}

/** Rows as they are gathered. */
class Rows {
  readonly starts = [0];
  readonly bones: number[] = [];
  readonly weights: number[] = [];

  put(bone: number, weight: number): void {
    this.bones.push(bone);
    this.weights.push(weight);
  }

  end(): void {
    this.starts.push(this.bones.length);
  }

  toSkin(): LinearTwoLayer['skin'] {
    return {
      rowStart: Uint32Array.from(this.starts),
      boneIndices: Uint32Array.from(this.bones),
      weights: Float32Array.from(this.weights),
    };
  }
}

/**
 * Reads the two layers of all pieces into one model on the asset's mesh and skeleton. Pieces without the extension keep their plain skin: each bone that
 * they follow is a virtual one of its own.
 * @param boneOf the bone of a piece's joint
 * @param byteLength of the file: rows that vertices share must not multiply it without end
 */
export function readGltfLinearTwoLayer(
  json: GLTF.IGLTF,
  pieces: GltfPiece[],
  found: readonly GltfLinearPiece[],
  rig: AssetRig,
  boneOf: (piece: number, joint: number) => number,
  accessors: GltfAccessors,
  mesh: Mesh,
  byteLength: number,
): LinearTwoLayer {
  checkSizes(json, pieces, found, accessors, byteLength);
  const virtual = new Rows();
  const vertices = new Rows();
  const layers = new Map<string, { first: number; count: number }>();
  const own = new Map<number, number>();
  const unpack = ({ starts, counts, bones, weights }: Fields) => ({
    starts: accessors.integers(starts),
    counts: accessors.integers(counts),
    bones: accessors.integers(bones),
    weights: accessors.floats(weights),
  });
  pieces.forEach((piece, p) => {
    const one = found.find((each) => each.piece === p);
    if (!one) {
      for (let i = piece.vertexStart; i < piece.vertexStart + piece.vertexCount; i++) {
        for (let e = rig.skin.rowStart[i]; e < rig.skin.rowStart[i + 1]; e++) {
          const bone = rig.skin.boneIndices[e];
          if (!own.has(bone)) {
            own.set(bone, virtual.starts.length - 1);
            virtual.put(bone, 1);
            virtual.end();
          }
          vertices.put(own.get(bone)!, rig.skin.weights[e]);
        }
        vertices.end();
      }
      return;
    }
    try {
      const key = `${piece.skin} ${Object.values(one.layer).join()}`;
      let layer = layers.get(key);
      if (!layer) {
        const first = virtual.starts.length - 1;
        const jointCount = json.skins![piece.skin!].joints.length;
        unpackVirtualSkin(
          unpack(one.layer),
          jointCount,
          (joint, weight) => virtual.put(boneOf(p, joint), weight),
          () => virtual.end(),
        );
        layer = { first, count: virtual.starts.length - 1 - first };
        layers.set(key, layer);
      }
      const { first, count } = layer;
      unpackVirtualSkin(
        unpack(one.skin),
        count,
        (bone, weight) => vertices.put(first + bone, weight),
        () => vertices.end(),
      );
    } catch (error) {
      fail('value', `${one.where}: ${(error as Error).message.replace(`${one.where}: `, '')}`);
    }
  });
  return {
    kind: 'linear-two-layer',
    mesh,
    skeleton: rig.skeleton,
    virtualBones: virtual.toSkin(),
    skin: vertices.toSkin(),
  };
}

/** Checks what the buffers claim before memory is taken for it. */
function checkSizes(
  json: GLTF.IGLTF,
  pieces: GltfPiece[],
  found: readonly GltfLinearPiece[],
  accessors: GltfAccessors,
  byteLength: number,
): void {
  let entries = 0;
  for (const { piece, where, layer, skin } of found) {
    const jointCount = json.skins![pieces[piece].skin!].joints.length;
    for (const joint of accessors.integers(layer.bones))
      if (joint >= jointCount) fail('index', `${where} names joint ${joint}, but the skin has ${jointCount} joints`);
    for (const count of accessors.integers(layer.counts)) {
      if (count > jointCount) fail('length', `${where}: a virtual bone has ${count} entries for ${jointCount} joints`);
      entries += count;
    }
    const boneCount = json.accessors![layer.starts].count;
    for (const count of accessors.integers(skin.counts)) {
      if (count > boneCount) fail('length', `${where}: a vertex has ${count} weights for ${boneCount} virtual bones`);
      entries += count;
    }
  }
  checkDecodedBytes(24 * entries, byteLength);
}
