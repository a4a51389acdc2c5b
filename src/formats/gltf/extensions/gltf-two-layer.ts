// SPDX-License-Identifier: MIT
// OSSIFY_two_layer_skin in a document: added by writers, read for the bones of a rig.
import type { Accessor, Document, Skin as GltfSkin } from '@gltf-transform/core';
import type { Asset } from '../../../core/model/asset.ts';
import type { LinearTwoLayer, TwoLayer } from '../../../core/model/deformed/two-layer.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';
import { bindMatrixField } from '../../../deformers/layout/index.ts';
import {
  type DecodedVirtualBones,
  decodeVirtualBones,
  decodeVirtualSkin,
  joinTwoLayers,
  LAYER_FIELDS,
  LAYER_LAYOUT,
  LINEAR_FIELDS,
  LINEAR_LAYOUT,
  LINEAR_TWO_LAYER_KIND,
  type PartLayers,
  packLinearLayer,
  packVirtualLayer,
  packVirtualSkin,
  placeLayer,
  readTwoLayerKind,
  SKIN_LAYOUT,
  TWO_LAYER_EXTENSION,
  TWO_LAYER_EXTENSION_VERSION,
  TWO_LAYER_FIELDS,
  TWO_LAYER_KIND,
} from '../../../deformers/two-layer/index.ts';
import { decodeGltfPieces, type RiggedPieces } from '../codecs/decode-gltf-pieces.ts';
import { indexIn, skinOf } from '../document/gltf-graph.ts';
import type { ShownPrimitive } from '../write/place-gltf-shapes.ts';
import type { BoundPrimitive } from '../write/skins/rebind-gltf-skins.ts';
import { addPackedArrays, makeArraysExtension } from './gltf-arrays-extension.ts';
import { bindMatrixFact } from './gltf-direct-delta-mush.ts';

export const GltfTwoLayerExtension = makeArraysExtension(TWO_LAYER_EXTENSION, 'TwoLayerSkin', TWO_LAYER_FIELDS);

export interface TwoLayerBones {
  /** Per skin, the virtual bones of its primitives, ascending. */
  bonesOfSkin: Map<GltfSkin, number[]>;
  /** A row per vertex. The first vertex of each primitive has the master bones of its skin's virtual bones. */
  named: { rowStart: Uint32Array; boneIndices: Uint32Array };
}

/** Lists the virtual bones of each skin. Its primitives share the first layer, so each of them needs all its bones. */
export function listTwoLayerBones(
  shown: readonly ShownPrimitive[],
  { virtualBones, skin }: { virtualBones: Pick<Skin, 'rowStart' | 'boneIndices'>; skin: Skin },
): TwoLayerBones {
  const sets = new Map<GltfSkin, Set<number>>();
  for (const { node, vertexStart, vertexCount } of shown) {
    const gltfSkin = node.getSkin();
    if (!gltfSkin) continue;
    const set = sets.get(gltfSkin) ?? new Set<number>();
    sets.set(gltfSkin, set);
    const end = skin.rowStart[vertexStart + vertexCount];
    for (let e = skin.rowStart[vertexStart]; e < end; e++) set.add(skin.boneIndices[e]);
  }
  const bonesOfSkin = new Map([...sets].map(([one, set]) => [one, [...set].sort((a, b) => a - b)]));
  const rowStart = new Uint32Array(skin.rowStart.length);
  const bones: number[] = [];
  const first = new Map(shown.map(({ vertexStart, node }) => [vertexStart, node.getSkin()]));
  for (let i = 0; i + 1 < rowStart.length; i++) {
    const gltfSkin = first.get(i);
    if (gltfSkin) {
      const named = new Set<number>();
      for (const k of bonesOfSkin.get(gltfSkin) ?? [])
        for (let e = virtualBones.rowStart[k]; e < virtualBones.rowStart[k + 1]; e++)
          named.add(virtualBones.boneIndices[e]);
      for (const bone of [...named].sort((a, b) => a - b)) bones.push(bone);
    }
    rowStart[i + 1] = bones.length;
  }
  return { bonesOfSkin, named: { rowStart, boneIndices: Uint32Array.from(bones) } };
}

/** Adds a two-layer model to primitives that follow its master bones, as OSSIFY_two_layer_skin. Changed in place. */
export function addGltfTwoLayer(
  document: Document,
  bound: readonly BoundPrimitive[],
  model: TwoLayer | LinearTwoLayer,
  bonesOfSkin: TwoLayerBones['bonesOfSkin'],
  quantize: boolean,
): void {
  const extension = document.createExtension(GltfTwoLayerExtension);
  const layers = new Map<string, [string, Accessor][]>();
  const skins = [...bonesOfSkin.keys()];
  const addLayer = (list: readonly number[], jointOf: BoundPrimitive['jointOf']): [string, Accessor][] =>
    model.kind === 'two-layer'
      ? addPackedArrays(document, packVirtualLayer(model, list, jointOf, quantize), LAYER_LAYOUT)
      : addPackedArrays(document, packLinearLayer(model.virtualBones, list, jointOf, quantize), LINEAR_LAYOUT);
  for (const { primitive, node, vertexStart, vertexCount, restMatrix, jointOf } of bound) {
    const gltfSkin = skinOf(node);
    const list = bonesOfSkin.get(gltfSkin) ?? [];
    const placeOf = new Map(list.map((k, n) => [k, n]));
    // Joints depend on the rest matrix: a skin may have one node twice, bound in two ways.
    const key = `${skins.indexOf(gltfSkin)} ${restMatrix.join()}`;
    const layer = layers.get(key) ?? addLayer(list, jointOf);
    layers.set(key, layer);
    const packed = packVirtualSkin(model.skin, vertexStart, vertexCount, (k) => indexIn(placeOf, k), quantize);
    const property = extension.createArrays().setFacts({
      version: TWO_LAYER_EXTENSION_VERSION,
      kind: model.kind === 'two-layer' ? TWO_LAYER_KIND : LINEAR_TWO_LAYER_KIND,
      ...(model.kind === 'two-layer' ? bindMatrixFact(restMatrix) : {}),
    });
    for (const [name, accessor] of [...layer, ...addPackedArrays(document, packed, SKIN_LAYOUT)])
      property.setAccessor(name, accessor);
    primitive.setExtension(TWO_LAYER_EXTENSION, property);
  }
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
  const decoded = decodeGltfPieces(rigged, TWO_LAYER_EXTENSION, (source, p, property): PartLayers => {
    const { skin } = pieces[p];
    if (!skinIndex.has(skin)) skinIndex.set(skin, skinIndex.size);
    const kind = readTwoLayerKind(source);
    const accessors = FIRST_LAYER.map((name) => {
      const accessor = property.getAccessor(name);
      return (accessor && accessorIndex.get(accessor)) ?? '';
    });
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
  return joinTwoLayers(pieces, decoded, rig, mesh);
}
