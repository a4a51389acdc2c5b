// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { readAsset } from '../../formats/assets/index.ts';

/** What was read of bytes that are still in use: a job measures its file, and the engine counts what is in it. */
const read = new WeakMap<Uint8Array, Promise<Asset>>();

/** Reads a written file, so that metrics are those of the file and not of the result in memory. */
export function readWritten(bytes: Uint8Array): Promise<Asset> {
  const asset = read.get(bytes) ?? readAsset([{ name: 'the written file', bytes }]);
  read.set(bytes, asset);
  return asset;
}
