// SPDX-License-Identifier: MIT
// Two layers of the parts of a mesh, joined into one model per kind.
import { joinArrays } from '../../core/math/join-arrays.ts';
import { transformPoints } from '../../core/math/mat4.ts';
import type { Asset, AssetRig } from '../../core/model/asset.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import { type Skin, sliceSkin } from '../../core/model/skin/skin.ts';
import { findMove, placeMultiWeights } from '../direct-delta-mush/index.ts';
import type { DecodedVirtualBones } from './decode-two-layer.ts';
import { joinRowStarts } from './join-row-starts.ts';

type Kind = DecodedVirtualBones['kind'];
type Layer<K extends Kind> = Extract<DecodedVirtualBones, { kind: K }>;

/** The two layers of a part: virtual bones on the bones of the rig, and the vertices on them. */
export interface PartLayers {
  /** Parts may share it. */
  layer: DecodedVirtualBones;
  skin: Skin;
}

/** Vertices of a part in the joined mesh. */
interface Part {
  vertexStart: number;
  vertexCount: number;
}

/** Brings virtual bones from joints and the space of their primitive to bones and model space, in place. */
export function placeLayer(layer: DecodedVirtualBones, jointBones: Uint32Array, restMatrix: Float64Array): void {
  const { rows } = layer;
  if (layer.kind === 'linear-two-layer') {
    for (let e = 0; e < rows.boneIndices.length; e++) rows.boneIndices[e] = jointBones[rows.boneIndices[e]];
    return;
  }
  const move = findMove(layer.bindMatrix, restMatrix);
  // About a center that moves along, only directions change.
  placeMultiWeights(layer.rows, jointBones, move?.slice().fill(0, 12, 15));
  if (!move) return;
  transformPoints(move, layer.centers, layer.centers);
}

/**
 * Joins the layers of all parts into one model per kind. Parts without layers keep their plain skin: each bone that they follow becomes a virtual bone.
 * @param layers by index of the part
 */
export function joinTwoLayers(
  parts: readonly Part[],
  layers: ReadonlyMap<number, PartLayers>,
  rig: AssetRig,
  mesh: Mesh,
): Pick<Asset, 'twoLayer' | 'linearTwoLayer'> {
  const kinds = new Set([...layers.values()].map(({ layer }) => layer.kind));
  const model = { mesh, skeleton: rig.skeleton };
  const joined: Pick<Asset, 'twoLayer' | 'linearTwoLayer'> = {};
  const join = <K extends Kind>(kind: K) => joinLayers(parts, layers, kind, rig.skin, mesh.positions);
  if (kinds.has('two-layer')) {
    const { blocks, skin } = join('two-layer');
    const omegas = joinArrays(blocks.map(({ rows }) => rows.omegas));
    const centers = joinArrays(blocks.map((block) => block.centers));
    joined.twoLayer = { kind: 'two-layer', ...model, virtualBones: { ...joinRowsOf(blocks), omegas }, centers, skin };
  }
  if (kinds.has('linear-two-layer')) {
    const { blocks, skin } = join('linear-two-layer');
    const weights = joinArrays(blocks.map(({ rows }) => rows.weights));
    joined.linearTwoLayer = {
      kind: 'linear-two-layer',
      ...model,
      virtualBones: { ...joinRowsOf(blocks), weights },
      skin,
    };
  }
  return joined;
}

/** Virtual bones of all parts in blocks, and the vertices on them. */
function joinLayers<K extends Kind>(
  parts: readonly Part[],
  layers: ReadonlyMap<number, PartLayers>,
  kind: K,
  plain: Skin,
  positions: Float32Array,
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
  const skins = parts.map((part, p): Skin => {
    const own = layers.get(p);
    if (own?.layer.kind === kind) {
      const first = firstOf.get(own.layer) ?? add(own.layer as Layer<K>);
      firstOf.set(own.layer, first);
      return { ...own.skin, boneIndices: own.skin.boneIndices.map((bone) => first + bone) };
    }
    return followBones(part, plain, (bone, i) => {
      const own = ownOf.get(bone) ?? add(makeFollower(kind, bone, positions, i));
      ownOf.set(bone, own);
      return own;
    });
  });
  const weights = joinArrays(skins.map((skin) => skin.weights));
  return { blocks, skin: { ...joinRowsOf(skins.map((rows) => ({ rows }))), weights } };
}

function joinRowsOf(blocks: readonly { rows: Pick<Skin, 'rowStart' | 'boneIndices'> }[]) {
  return {
    rowStart: joinRowStarts(blocks.map(({ rows }) => rows.rowStart)),
    boneIndices: joinArrays(blocks.map(({ rows }) => rows.boneIndices)),
  };
}

/** The plain weights of a part, on virtual bones in the place of bones. */
function followBones(
  { vertexStart, vertexCount }: Part,
  plain: Skin,
  virtualOf: (bone: number, vertex: number) => number,
): Skin {
  const skin = sliceSkin(plain, vertexStart, vertexCount);
  const { rowStart, boneIndices } = skin;
  for (let i = 0; i < vertexCount; i++)
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) boneIndices[e] = virtualOf(boneIndices[e], vertexStart + i);
  return skin;
}

/** A virtual bone that follows a bone of the skeleton; of multi-weights, about a vertex and without the bone's scale. */
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
