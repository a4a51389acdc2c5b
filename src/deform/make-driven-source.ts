// SPDX-License-Identifier: MIT

import type { Asset } from '../model/asset.ts';
import { InputError } from '../model/errors.ts';
import type { MorphDriver } from '../model/morph-drivers.ts';
import type { RigSource } from '../model/rig-source.ts';
import { makeCorrectiveShapes } from './corrective-shapes.ts';

/** A rig to convert of a skinned file with morph targets and the drivers of those. Throws, in one sentence, where the file has no skin or no targets. */
export function makeDrivenSource(asset: Asset, drivers: readonly MorphDriver[]): RigSource {
  const { name, mesh, rig, morphs } = asset;
  if (!rig) throw new InputError('morph drivers', `"${name}" has no skin, so no joints that could drive`);
  if (!morphs) throw new InputError('morph drivers', `"${name}" has no morph targets to drive`);
  const { skeleton, skin } = rig;
  return { name, mesh, skeleton, skin, deformer: makeCorrectiveShapes({ mesh, skeleton, skin, morphs }, drivers) };
}
