// SPDX-License-Identifier: MIT
import type { Asset, GltfSource } from '../../../core/model/asset.ts';
import type { Remark } from '../../../core/model/remark.ts';
import { readGltfSource } from '../read-gltf.ts';

/** The asset of a glTF whose JSON was changed: names, nodes or extensions. Everything else is as in the asset. */
export async function changeSource(asset: Asset, source: GltfSource, log?: Remark): Promise<Asset> {
  const { name, byteLength, properties, codecs } = asset;
  const read = await readGltfSource(source, byteLength, { name, log });
  return { ...read, ...(properties ? { properties } : {}), ...(codecs ? { codecs } : {}) };
}
