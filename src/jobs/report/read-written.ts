// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { readAsset } from '../../formats/assets/index.ts';

/** Reads a written file, so that metrics are those of the file and not of the result in memory. */
export function readWritten(bytes: Uint8Array): Promise<Asset> {
  return readAsset([{ name: 'the written file', bytes }]);
}
