// SPDX-License-Identifier: MIT
import { readAsset } from '../io/read-asset.ts';
import type { Asset } from '../model/asset.ts';

/** Reads a file back that was written here: metrics are those of the file, not of the solver's memory. */
export function readWritten(bytes: Uint8Array): Promise<Asset> {
  return readAsset([{ name: 'the written file', bytes }]);
}
