// SPDX-License-Identifier: MIT
import type { Accessor, Document, Skin as GltfSkin } from '@gltf-transform/core';
import {
  packVirtualLayer,
  packVirtualSkin,
  TWO_LAYER_EXTENSION,
  TWO_LAYER_EXTENSION_VERSION,
  TWO_LAYER_KIND,
} from '../extension/two-layer.ts';
import { IDENTITY } from '../math/mat4.ts';
import type { Skin } from '../model/skin.ts';
import type { TwoLayer } from '../model/two-layer.ts';
import { GltfTwoLayerExtension, LAYER_FIELDS } from './gltf-two-layer.ts';
import type { ShownPrimitive } from './place-gltf-shapes.ts';
import type { BoundPrimitive } from './rebind-gltf-skins.ts';

export interface TwoLayerBones {
  /** Per skin, the virtual bones that its primitives follow, rising. */
  bonesOfSkin: Map<GltfSkin, number[]>;
  /** A row per vertex: at the first of each primitive, the master bones behind the virtual ones of its skin. */
  named: { rowStart: Uint32Array; boneIndices: Uint32Array };
}

/** Lists what the primitives of each skin follow. They share their first layer, so that each must find all its bones. */
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
      bones.push(...[...named].sort((a, b) => a - b));
    }
    rowStart[i + 1] = bones.length;
  }
  return { bonesOfSkin, named: { rowStart, boneIndices: Uint32Array.from(bones) } };
}

/** Adds a two-layer model to primitives that follow its master bones, as OSSIFY_two_layer_skin. Changed in place. */
export function addGltfTwoLayer(
  document: Document,
  bound: readonly BoundPrimitive[],
  model: TwoLayer,
  bonesOfSkin: TwoLayerBones['bonesOfSkin'],
  quantize: boolean,
): void {
  const extension = document.createExtension(GltfTwoLayerExtension);
  const buffer = document.getRoot().listBuffers()[0];
  const accessorOf = (type: 'SCALAR' | 'VEC2' | 'VEC3' | 'VEC4', values: unknown, normalized = false): Accessor =>
    document
      .createAccessor()
      .setType(type)
      .setArray(values as Float32Array<ArrayBuffer>)
      .setNormalized(normalized)
      .setBuffer(buffer);
  const layers = new Map<string, [string, Accessor][]>();
  const skins = [...bonesOfSkin.keys()];
  for (const { primitive, node, vertexStart, vertexCount, restMatrix, jointOf } of bound) {
    const gltfSkin = node.getSkin()!;
    const list = bonesOfSkin.get(gltfSkin)!;
    const placeOf = new Map(list.map((k, n) => [k, n]));
    const isPlaced = restMatrix.every((x, c) => x === IDENTITY[c]);
    const property = extension.createArrays().setFacts({
      version: TWO_LAYER_EXTENSION_VERSION,
      kind: TWO_LAYER_KIND,
      ...(isPlaced ? {} : { bindMatrix: [...restMatrix] }),
    });
    // joints depend on the rest matrix: a skin may have one node twice, bound in two ways
    const key = `${skins.indexOf(gltfSkin)} ${restMatrix.join()}`;
    let layer = layers.get(key);
    if (!layer) {
      const packed = packVirtualLayer(model, list, jointOf, quantize);
      const isShort = packed.columns instanceof Int16Array;
      layer = [
        [LAYER_FIELDS.starts, accessorOf('SCALAR', packed.starts)],
        [LAYER_FIELDS.counts, accessorOf('SCALAR', packed.counts)],
        [LAYER_FIELDS.centers, accessorOf('VEC3', packed.centers)],
        [LAYER_FIELDS.joints, accessorOf('SCALAR', packed.joints)],
        [LAYER_FIELDS.columns, accessorOf('VEC4', packed.columns, isShort)],
        [LAYER_FIELDS.squares, accessorOf('VEC2', packed.squares, isShort)],
      ];
      if (packed.scales) layer.push([LAYER_FIELDS.scales, accessorOf('SCALAR', packed.scales)]);
      layers.set(key, layer);
    }
    for (const [name, accessor] of layer) property.setAccessor(name, accessor);
    const packed = packVirtualSkin(model.skin, vertexStart, vertexCount, (k) => placeOf.get(k)!, quantize);
    property
      .setAccessor('starts', accessorOf('SCALAR', packed.starts))
      .setAccessor('counts', accessorOf('SCALAR', packed.counts))
      .setAccessor('bones', accessorOf('SCALAR', packed.bones))
      .setAccessor('weights', accessorOf('SCALAR', packed.weights, packed.weights instanceof Uint16Array));
    primitive.setExtension(TWO_LAYER_EXTENSION, property);
  }
}
