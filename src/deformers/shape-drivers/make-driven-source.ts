// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import type { MorphDriver } from '../../core/model/deformed/morph-drivers.ts';
import { InputError } from '../../core/model/errors.ts';
import type { RigSource } from '../../core/model/skin/rig-source.ts';
import { makeCorrectiveShapes } from '../rig-sources/index.ts';

/**
 * Makes the rig conversion source of a skinned file with driven morph targets. Throws if the file has no skin or no targets.
 * @example
 * ```ts
 * import { convert, readMorphDrivers } from 'ossify';
 * import { makeDrivenSource } from 'ossify/deform';
 *
 * const rig = makeDrivenSource(asset, readMorphDrivers(bytes));
 * const converted = await convert({ kind: 'rig', rig }, { helpers: 8 });
 * ```
 */
export function makeDrivenSource(asset: Asset, drivers: readonly MorphDriver[]): RigSource {
  const { name, mesh, rig, morphs } = asset;
  if (!rig) throw new InputError('morph drivers', `"${name}" has no skin, so it has no joints to drive morph targets`);
  if (!morphs) throw new InputError('morph drivers', `"${name}" has no morph targets to drive`);
  const { skeleton, skin } = rig;
  return { name, mesh, skeleton, skin, deformer: makeCorrectiveShapes({ mesh, skeleton, skin, morphs }, drivers) };
}
