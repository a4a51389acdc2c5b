// SPDX-License-Identifier: MIT
import type { Accessor, Skin as GltfSkin } from '@gltf-transform/core';
import {
  type DecodedVirtualBones,
  decodeVirtualBones,
  decodeVirtualSkin,
  readTwoLayerKind,
} from '../extension/decode-two-layer.ts';
import { bindMatrixField } from '../extension/extension-source.ts';
import { LAYER_FIELDS, LINEAR_FIELDS, TWO_LAYER_EXTENSION } from '../extension/pack-two-layer.ts';
import { transformPoints } from '../math/mat4.ts';
import type { Asset } from '../model/asset.ts';
import type { Skin } from '../model/skin.ts';
import { decodeGltfPieces, type RiggedPieces } from './decode-gltf-pieces.ts';
import { joinArrays, joinRowStarts } from './join-rows.ts';
import type { GltfPiece } from './list-gltf-pieces.ts';
import { findMove, placeMultiWeights } from './place-multi-weights.ts';

type Kind = DecodedVirtualBones['kind'];
type Layer<K extends Kind> = Extract<DecodedVirtualBones, { kind: K }>;

/** The two layers of a piece: virtual bones over the asset's bones, and vertices over virtual bones. */
interface PieceLayers {
  layer: DecodedVirtualBones;
  skin: Skin;
}

const FIRST_LAYER = [...Object.values(LAYER_FIELDS), LINEAR_FIELDS.weights];

/**
 * Reads OSSIFY_two_layer_skin of all pieces, one model per kind, on the asset's mesh and skeleton. Pieces of one skin share their virtual
 * bones if they do in the file. Pieces without the extension keep their plain skin: each of their bones becomes a virtual bone.
 */
export function readGltfTwoLayer(rigged: RiggedPieces): Pick<Asset, 'twoLayer' | 'linearTwoLayer'> {
  const { document, pieces, restMatrices, jointBones, mesh, rig } = rigged;
  const accessorIndex = new Map(
    document
      .getRoot()
      .listAccessors()
      .map((accessor, n): [Accessor, number] => [accessor, n]),
  );
  const skinIndex = new Map<GltfSkin | undefined, number>();
  const layers = new Map<string, DecodedVirtualBones>();
  const decoded = decodeGltfPieces(rigged, TWO_LAYER_EXTENSION, (source, p, property): PieceLayers => {
    const { skin } = pieces[p];
    if (!skinIndex.has(skin)) skinIndex.set(skin, skinIndex.size);
    const kind = readTwoLayerKind(source);
    const accessors = FIRST_LAYER.map((name) => accessorIndex.get(property.getAccessor(name)!) ?? '');
    const spaces = kind === 'two-layer' ? [...bindMatrixField(source), ...restMatrices[p]] : [];
    const key = [kind, skinIndex.get(skin), ...accessors, ...spaces].join();
    let layer = layers.get(key);
    if (!layer) {
      layer = decodeVirtualBones(source);
      placeLayer(layer, jointBones[p], restMatrices[p]);
      layers.set(key, layer);
    }
    return { layer, skin: decodeVirtualSkin(source, layer.rows.rowStart.length - 1) };
  });
  const kinds = new Set([...decoded.values()].map(({ layer }) => layer.kind));
  const model = { mesh, skeleton: rig.skeleton };
  const read: Pick<Asset, 'twoLayer' | 'linearTwoLayer'> = {};
  if (kinds.has('two-layer')) {
    const { blocks, skin } = joinLayers(rigged, decoded, 'two-layer');
    const virtualBones = {
      ...joinRowsOf(blocks),
      omegas: joinArrays(blocks.map(({ rows }) => rows.omegas)),
    };
    const centers = joinArrays(blocks.map((block) => block.centers));
    read.twoLayer = { kind: 'two-layer', ...model, virtualBones, centers, skin };
  }
  if (kinds.has('linear-two-layer')) {
    const { blocks, skin } = joinLayers(rigged, decoded, 'linear-two-layer');
    const virtualBones = {
      ...joinRowsOf(blocks),
      weights: joinArrays(blocks.map(({ rows }) => rows.weights)),
    };
    read.linearTwoLayer = { kind: 'linear-two-layer', ...model, virtualBones, skin };
  }
  return read;
}

/** Converts virtual bones from joints and primitive space to bones and model space, in place. */
function placeLayer(layer: DecodedVirtualBones, jointBones: Uint32Array, restMatrix: Float64Array): void {
  const { rows } = layer;
  if (layer.kind === 'linear-two-layer') {
    for (let e = 0; e < rows.boneIndices.length; e++) rows.boneIndices[e] = jointBones[rows.boneIndices[e]];
    return;
  }
  const move = findMove(layer.bindMatrix, restMatrix);
  // Rows are relative to the center, which is transformed too: only directions change.
  placeMultiWeights(layer.rows, jointBones, move?.slice().fill(0, 12, 15));
  if (!move) return;
  transformPoints(move, layer.centers, layer.centers);
}

/** Virtual bones of all pieces, block by block, and the weights of vertices over them. */
function joinLayers<K extends Kind>(
  rigged: RiggedPieces,
  decoded: ReadonlyMap<number, PieceLayers>,
  kind: K,
): { blocks: Layer<K>[]; skin: Skin } {
  const blocks: Layer<K>[] = [];
  let count = 0;
  const add = (block: Layer<K>): number => {
    blocks.push(block);
    count += block.rows.rowStart.length - 1;
    return count - block.rows.rowStart.length + 1;
  };
  const firstOf = new Map<DecodedVirtualBones, number>();
  const ownOf = new Map<number, number>();
  const parts = rigged.pieces.map((piece, p): Skin => {
    const own = decoded.get(p);
    if (own?.layer.kind === kind) {
      if (!firstOf.has(own.layer)) firstOf.set(own.layer, add(own.layer as Layer<K>));
      const first = firstOf.get(own.layer)!;
      return { ...own.skin, boneIndices: own.skin.boneIndices.map((bone) => first + bone) };
    }
    return followBones(piece, rigged.rig.skin, (bone, i) => {
      if (!ownOf.has(bone)) ownOf.set(bone, add(makeFollower(kind, bone, rigged.mesh.positions, i)));
      return ownOf.get(bone)!;
    });
  });
  const weights = joinArrays(parts.map((part) => part.weights));
  return { blocks, skin: { ...joinRowsOf(parts.map((rows) => ({ rows }))), weights } };
}

function joinRowsOf(blocks: readonly { rows: Pick<Skin, 'rowStart' | 'boneIndices'> }[]) {
  return {
    rowStart: joinRowStarts(blocks.map(({ rows }) => rows.rowStart)),
    boneIndices: joinArrays(blocks.map(({ rows }) => rows.boneIndices)),
  };
}

/** The plain weights of a piece, with virtual bones instead of bones. */
function followBones(
  { vertexStart, vertexCount }: GltfPiece,
  skin: Skin,
  virtualOf: (bone: number, vertex: number) => number,
): Skin {
  const [from, to] = [skin.rowStart[vertexStart], skin.rowStart[vertexStart + vertexCount]];
  const boneIndices = skin.boneIndices.slice(from, to);
  for (let i = vertexStart; i < vertexStart + vertexCount; i++)
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++)
      boneIndices[e - from] = virtualOf(boneIndices[e - from], i);
  const rowStart = skin.rowStart.slice(vertexStart, vertexStart + vertexCount + 1).map((start) => start - from);
  return { rowStart, boneIndices, weights: skin.weights.slice(from, to) };
}

/** A virtual bone that follows a bone of the skeleton; for multi-weights, relative to a vertex and without the bone's scale. */
function makeFollower<K extends Kind>(kind: K, bone: number, positions: Float32Array, i: number): Layer<K> {
  const rows = { rowStart: Uint32Array.of(0, 1), boneIndices: Uint32Array.of(bone) };
  const made: DecodedVirtualBones =
    kind === 'linear-two-layer'
      ? { kind: 'linear-two-layer', rows: { ...rows, weights: Float32Array.of(1) } }
      : {
          kind: 'two-layer',
          bindMatrix: new Float64Array(16),
          rows: { ...rows, omegas: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 1, 0, 1) },
          centers: Float64Array.from(positions.subarray(3 * i, 3 * i + 3)),
        };
  return made as Layer<K>;
}
