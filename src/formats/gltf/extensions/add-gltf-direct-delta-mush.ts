// SPDX-License-Identifier: MIT
import type { Document } from '@gltf-transform/core';
import { IDENTITY } from '../../../core/math/mat4.ts';
import type { DirectDeltaMush } from '../../../core/model/deformed/direct-delta-mush.ts';
import { DDM_EXTENSION, ddmExtensionVersionOf, packDdm } from '../../../deformers/direct-delta-mush/index.ts';
import type { BoundPrimitive } from '../write/rebind-gltf-skins.ts';
import { addPackedArrays, GltfDdmExtension } from './gltf-primitive-extensions.ts';

const ORDER = ['starts', 'counts', 'centers', 'joints', 'columns', 'scales', 'squares', 'weights'];

/** Adds the multi-weights of a model to primitives that follow its bones, as OSSIFY_direct_delta_mush. Changed in place. */
export function addGltfDdm(
  document: Document,
  bound: readonly BoundPrimitive[],
  model: DirectDeltaMush,
  quantize: boolean,
): void {
  const extension = document.createExtension(GltfDdmExtension);
  const { variant, settings, multiWeights } = model;
  for (const { primitive, vertexStart, vertexCount, restMatrix, jointOf } of bound) {
    const packed = packDdm(multiWeights, vertexStart, vertexCount, jointOf, { quantize, variant });
    const property = extension.createArrays().setFacts({
      version: ddmExtensionVersionOf(variant),
      variant,
      settings: { ...settings },
      ...bindMatrixFact(restMatrix),
    });
    for (const [name, accessor] of addPackedArrays(document, packed, ORDER)) property.setAccessor(name, accessor);
    primitive.setExtension(DDM_EXTENSION, property);
  }
}

/** The field bindMatrix, which is omitted if it is the identity. */
export function bindMatrixFact(restMatrix: Float64Array): { bindMatrix?: number[] } {
  return restMatrix.every((x, c) => x === IDENTITY[c]) ? {} : { bindMatrix: [...restMatrix] };
}
