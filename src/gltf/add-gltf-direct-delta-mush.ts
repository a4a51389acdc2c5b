// SPDX-License-Identifier: MIT
import type { Document } from '@gltf-transform/core';
import { DDM_EXTENSION, DDM_EXTENSION_VERSION, packDdm } from '../extension/direct-delta-mush.ts';
import { IDENTITY } from '../math/mat4.ts';
import type { DirectDeltaMush } from '../model/direct-delta-mush.ts';
import { GltfDdmExtension } from './gltf-direct-delta-mush.ts';
import type { BoundPrimitive } from './rebind-gltf-skins.ts';

/** Adds the multi-weights of a model to primitives that follow its bones, as OSSIFY_direct_delta_mush. Changed in place. */
export function addGltfDdm(
  document: Document,
  bound: readonly Pick<BoundPrimitive, 'primitive' | 'vertexStart' | 'vertexCount' | 'restMatrix' | 'jointOf'>[],
  model: DirectDeltaMush,
  quantize: boolean,
): void {
  const extension = document.createExtension(GltfDdmExtension);
  const buffer = document.getRoot().listBuffers()[0];
  const { variant, settings, multiWeights } = model;
  for (const { primitive, vertexStart, vertexCount, restMatrix, jointOf } of bound) {
    const packed = packDdm(multiWeights, vertexStart, vertexCount, jointOf, { quantize, squares: variant <= 1 });
    const isPlaced = restMatrix.every((x, c) => x === IDENTITY[c]);
    const property = extension.createArrays().setFacts({
      version: DDM_EXTENSION_VERSION,
      variant,
      settings: { ...settings },
      ...(isPlaced ? {} : { bindMatrix: [...restMatrix] }),
    });
    const accessorOf = (type: 'SCALAR' | 'VEC2' | 'VEC3' | 'VEC4', values: Uint8Array | Float32Array | Int16Array) =>
      document
        .createAccessor()
        .setType(type)
        .setArray(values as Float32Array<ArrayBuffer>)
        .setNormalized(values instanceof Int16Array)
        .setBuffer(buffer);
    property
      .setAccessor('starts', accessorOf('SCALAR', packed.starts as never))
      .setAccessor('counts', accessorOf('SCALAR', packed.counts as never))
      .setAccessor('centers', accessorOf('VEC3', packed.centers))
      .setAccessor('joints', accessorOf('SCALAR', packed.joints as never))
      .setAccessor('columns', accessorOf('VEC4', packed.columns));
    if (packed.scales) property.setAccessor('scales', accessorOf('SCALAR', packed.scales));
    // pairs: two short numbers fill the four bytes that compressed elements start at
    if (packed.squares) property.setAccessor('squares', accessorOf('VEC2', packed.squares));
    primitive.setExtension(DDM_EXTENSION, property);
  }
}
