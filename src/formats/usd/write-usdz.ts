// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import { type WriteUsdOptions, writeUsdAsset } from './write-usda.ts';

/**
 * Writes an asset as a USDZ package.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { writeUsdz } from 'ossify';
 *
 * await writeFile('out.usdz', writeUsdz(asset));
 * ```
 */
export function writeUsdz(asset: Asset, options: WriteUsdOptions = {}): Uint8Array<ArrayBuffer> {
  return writeUsdAsset(asset, 'usdz', options);
}
