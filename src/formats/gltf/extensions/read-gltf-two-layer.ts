// SPDX-License-Identifier: MIT
import type { Accessor, Skin as GltfSkin } from '@gltf-transform/core';
import type { Asset } from '../../../core/model/asset.ts';
import { bindMatrixField } from '../../../deformers/layout/index.ts';
import {
  type DecodedVirtualBones,
  decodeVirtualBones,
  decodeVirtualSkin,
  joinTwoLayers,
  LAYER_FIELDS,
  LINEAR_FIELDS,
  type PartLayers,
  placeLayer,
  readTwoLayerKind,
  TWO_LAYER_EXTENSION,
} from '../../../deformers/two-layer/index.ts';
import { decodeGltfPieces, type RiggedPieces } from '../codecs/decode-gltf-pieces.ts';

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
  return joinTwoLayers(pieces, decoded, rig, mesh);
}
