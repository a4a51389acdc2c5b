// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import type { GltfSource } from '../../../core/model/asset.ts';
import { fail } from '../../../deformers/layout/index.ts';
import { jsonBuffer, jsonView } from '../document/gltf-json.ts';
import { GLB_BINARY } from '../document/load-gltf-resources.ts';
import { COMPONENT_BYTES, MESHOPT } from './check-gltf-data.ts';

/** Throws if an index of a sparse accessor is out of range, which glTF-Transform does not check. Lengths are already checked. */
export function checkGltfSparse(json: GLTF.IGLTF, resources: GltfSource['resources']): void {
  for (const [n, { count, sparse }] of (json.accessors ?? []).entries()) {
    if (!sparse) continue;
    const { bufferView, byteOffset = 0, componentType } = sparse.indices;
    const view = jsonView(json, bufferView);
    // Only glTF-Transform can decode compressed ones.
    if (view.extensions?.[MESHOPT]) continue;
    const bytes = resources[jsonBuffer(json, view.buffer).uri ?? GLB_BINARY];
    const data = new DataView(bytes.buffer, bytes.byteOffset + (view.byteOffset ?? 0) + byteOffset);
    const size = COMPONENT_BYTES[componentType];
    for (let k = 0; k < sparse.count; k++) {
      const index =
        size === 1 ? data.getUint8(k) : size === 2 ? data.getUint16(2 * k, true) : data.getUint32(4 * k, true);
      if (index >= count) fail('index', `accessors[${n}]: a sparse index is ${index}, but there are ${count} elements`);
    }
  }
}
