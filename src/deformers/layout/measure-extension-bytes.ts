// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';

const COMPONENT_BYTES: Record<number, number> = { 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const SIZES: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

/**
 * Bytes of the arrays of an extension of primitives, before any compression.
 * @param asset 0 if it was not read from a glTF
 * @param fields fields of the extension that are accessors
 */
export function measureExtensionBytes(asset: Asset, extension: string, fields: readonly string[]): number {
  if (!asset.source) return 0;
  const json = asset.source.json as {
    meshes: { primitives: { extensions?: Record<string, Record<string, unknown>> }[] }[];
    accessors: { count: number; type: string; componentType: number }[];
  };
  const seen = new Set<number>();
  for (const { primitives } of json.meshes)
    for (const { extensions } of primitives)
      for (const name of fields) {
        const index = extensions?.[extension]?.[name];
        if (typeof index === 'number') seen.add(index);
      }
  let bytes = 0;
  for (const index of seen) {
    const { count, type, componentType } = json.accessors[index];
    bytes += count * SIZES[type] * COMPONENT_BYTES[componentType];
  }
  return bytes;
}
