// SPDX-License-Identifier: MIT
import type { Accessor, Document } from '@gltf-transform/core';
import {
  LINEAR_TWO_LAYER_KIND,
  type PackedVirtualSkin,
  packLinearLayer,
  packVirtualSkin,
  TWO_LAYER_EXTENSION,
  TWO_LAYER_EXTENSION_VERSION,
} from '../extension/two-layer.ts';
import type { LinearTwoLayer } from '../model/two-layer.ts';
import type { TwoLayerBones } from './add-gltf-two-layer.ts';
import { GltfTwoLayerExtension, LINEAR_FIELDS } from './gltf-two-layer.ts';
import type { BoundPrimitive } from './rebind-gltf-skins.ts';

/** Adds a skin in two layers to primitives that follow its master bones, as OSSIFY_two_layer_skin of kind 'linear'. Changed in place. */
export function addGltfLinearTwoLayer(
  document: Document,
  bound: readonly BoundPrimitive[],
  model: LinearTwoLayer,
  bonesOfSkin: TwoLayerBones['bonesOfSkin'],
  quantize: boolean,
): void {
  const extension = document.createExtension(GltfTwoLayerExtension);
  const buffer = document.getRoot().listBuffers()[0];
  const accessorOf = (values: unknown, normalized = false): Accessor =>
    document
      .createAccessor()
      .setType('SCALAR')
      .setArray(values as Float32Array<ArrayBuffer>)
      .setNormalized(normalized)
      .setBuffer(buffer);
  const fieldsOf = (
    packed: PackedVirtualSkin,
    names: Record<keyof PackedVirtualSkin, string>,
  ): [string, Accessor][] => [
    [names.starts, accessorOf(packed.starts)],
    [names.counts, accessorOf(packed.counts)],
    [names.bones, accessorOf(packed.bones)],
    [names.weights, accessorOf(packed.weights, packed.weights instanceof Uint16Array)],
  ];
  const own = { starts: 'starts', counts: 'counts', bones: 'bones', weights: 'weights' } as const;
  const layers = new Map<string, [string, Accessor][]>();
  const skins = [...bonesOfSkin.keys()];
  for (const { primitive, node, vertexStart, vertexCount, restMatrix, jointOf } of bound) {
    const gltfSkin = node.getSkin()!;
    const list = bonesOfSkin.get(gltfSkin)!;
    const placeOf = new Map(list.map((k, n) => [k, n]));
    // joints depend on the rest matrix: a skin may have one node twice, bound in two ways
    const key = `${skins.indexOf(gltfSkin)} ${restMatrix.join()}`;
    let layer = layers.get(key);
    if (!layer) {
      layer = fieldsOf(packLinearLayer(model.virtualBones, list, jointOf, quantize), LINEAR_FIELDS);
      layers.set(key, layer);
    }
    const packed = packVirtualSkin(model.skin, vertexStart, vertexCount, (k) => placeOf.get(k)!, quantize);
    const facts = { version: TWO_LAYER_EXTENSION_VERSION, kind: LINEAR_TWO_LAYER_KIND };
    const property = extension.createArrays().setFacts(facts);
    for (const [name, accessor] of [...layer, ...fieldsOf(packed, own)]) property.setAccessor(name, accessor);
    primitive.setExtension(TWO_LAYER_EXTENSION, property);
  }
}
