// SPDX-License-Identifier: MIT
import type { Accessor, Document, Skin as GltfSkin } from '@gltf-transform/core';
import type { LinearTwoLayer, TwoLayer } from '../../../core/model/deformed/two-layer.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';
import {
  LAYER_FIELDS,
  LINEAR_FIELDS,
  LINEAR_TWO_LAYER_KIND,
  packLinearLayer,
  packVirtualLayer,
  packVirtualSkin,
  TWO_LAYER_EXTENSION,
  TWO_LAYER_EXTENSION_VERSION,
  TWO_LAYER_KIND,
} from '../../../deformers/two-layer/index.ts';
import type { ShownPrimitive } from '../write/place-gltf-shapes.ts';
import type { BoundPrimitive } from '../write/rebind-gltf-skins.ts';
import { bindMatrixFact } from './add-gltf-direct-delta-mush.ts';
import { addPackedArrays, GltfTwoLayerExtension } from './gltf-primitive-extensions.ts';

const LAYER_ORDER = ['starts', 'counts', 'centers', 'joints', 'columns', 'squares', 'scales'];
const SKIN_ORDER = ['starts', 'counts', 'bones', 'weights'];

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
      for (const k of bonesOfSkin.get(gltfSkin)!)
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
      ? addPackedArrays(document, packVirtualLayer(model, list, jointOf, quantize), LAYER_ORDER, LAYER_FIELDS)
      : addPackedArrays(
          document,
          packLinearLayer(model.virtualBones, list, jointOf, quantize),
          SKIN_ORDER,
          LINEAR_FIELDS,
        );
  for (const { primitive, node, vertexStart, vertexCount, restMatrix, jointOf } of bound) {
    const gltfSkin = node.getSkin()!;
    const list = bonesOfSkin.get(gltfSkin)!;
    const placeOf = new Map(list.map((k, n) => [k, n]));
    // Joints depend on the rest matrix: a skin may have one node twice, bound in two ways.
    const key = `${skins.indexOf(gltfSkin)} ${restMatrix.join()}`;
    const layer = layers.get(key) ?? addLayer(list, jointOf);
    layers.set(key, layer);
    const packed = packVirtualSkin(model.skin, vertexStart, vertexCount, (k) => placeOf.get(k)!, quantize);
    const property = extension.createArrays().setFacts({
      version: TWO_LAYER_EXTENSION_VERSION,
      kind: model.kind === 'two-layer' ? TWO_LAYER_KIND : LINEAR_TWO_LAYER_KIND,
      ...(model.kind === 'two-layer' ? bindMatrixFact(restMatrix) : {}),
    });
    for (const [name, accessor] of [...layer, ...addPackedArrays(document, packed, SKIN_ORDER)])
      property.setAccessor(name, accessor);
    primitive.setExtension(TWO_LAYER_EXTENSION, property);
  }
}
