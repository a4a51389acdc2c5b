// SPDX-License-Identifier: MIT
import { type Accessor, type Document, PropertyType } from '@gltf-transform/core';
import { KHRMeshQuantization } from '@gltf-transform/extensions';
import { mendGltfWeights } from '../read/mend-gltf-weights.ts';

/**
 * Stores attributes in fewer bytes without changing the shape: joints as 8 bits if possible, weights as 16 bits with a sum of one,
 * normals as 16 bits (half a thousandth of a degree), UVs in [0, 1] as 16 bits. Positions and morph targets are not changed.
 */
export function quantizeGltf(document: Document): void {
  mendGltfWeights(document, true);
  const root = document.getRoot();
  let extended = false;
  for (const accessor of root.listAccessors()) {
    const semantics = listSemantics(accessor);
    const array = accessor.getArray();
    if (!array || semantics.size === 0 || accessor.getSparse()) continue;
    const all = (pattern: RegExp): boolean => [...semantics].every((s) => pattern.test(s));
    if (all(/^JOINTS_/) && array instanceof Uint16Array && array.every((x) => x < 256)) {
      accessor.setArray(Uint8Array.from(array));
    } else if (all(/^NORMAL$/) && array instanceof Float32Array) {
      accessor
        .setArray(Int16Array.from(array, (x) => Math.round(Math.max(-1, Math.min(1, x)) * 32767)))
        .setNormalized(true);
      extended = true;
    } else if (all(/^TEXCOORD_/) && array instanceof Float32Array && array.every((x) => x >= 0 && x <= 1)) {
      accessor.setArray(Uint16Array.from(array, (x) => Math.round(x * 65535))).setNormalized(true);
    }
  }
  if (extended) document.createExtension(KHRMeshQuantization).setRequired(true);
}

/** The use of an accessor by primitives; empty if anything else uses it too. */
function listSemantics(accessor: Accessor): Set<string> {
  const semantics = new Set<string>();
  for (const edge of accessor.getGraph().listParentEdges(accessor)) {
    const parent = edge.getParent();
    if (parent.propertyType === PropertyType.ROOT) continue;
    if (parent.propertyType !== PropertyType.PRIMITIVE) return new Set();
    const { key } = edge.getAttributes() as { key?: string };
    if (key === undefined) return new Set();
    semantics.add(key);
  }
  return semantics;
}
