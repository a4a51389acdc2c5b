// SPDX-License-Identifier: MIT
// T. Mukai, I3D 2018, §7 (find-inert.ts): parts of a rig, or of a face of driven bones, without visible effect.

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import { UsageError } from '../../core/model/errors.ts';
import { lengthInFileUnits, parseLength } from '../../core/options/length.ts';
import { allRead } from '../../core/options/method.ts';
import { type EliminatedFace, eliminateDriven } from './eliminate-driven.ts';
import { findInert, type InertParts } from './find-inert.ts';
import type { EliminateOptions } from './options.ts';

/** A rig or a face, and the file whose units the length has. */
export interface EliminateInput {
  asset: Asset;
  measured: Pick<Asset, 'mesh' | 'metresPerUnit'>;
}

/** The parts of a rig to remove, or a face without them. */
export type Eliminated = { kind: 'rig'; parts: InertParts } | { kind: 'face'; face: EliminatedFace };

/** Finds what to remove. It starts no threads. */
export async function solve(
  _run: object,
  { asset, measured }: EliminateInput,
  { eliminate, ...rest }: EliminateOptions,
): Promise<Eliminated> {
  allRead(rest);
  if (eliminate === undefined) throw new UsageError('--eliminate', 'needs a length, such as 0.1%');
  const { diagonal } = measureBounds(measured.mesh.positions);
  const limit = lengthInFileUnits(parseLength(eliminate), { diagonal, metresPerUnit: measured.metresPerUnit });
  const ratio = limit / (measureBounds(asset.mesh.positions).diagonal || 1);
  if (!(ratio < 1)) throw new UsageError('--eliminate', 'must be less than the size of the model');
  const { mesh, rig, driven, morphs } = asset;
  if (!driven || !rig) return { kind: 'rig', parts: findInert(asset, ratio) };
  const { skeleton, skin } = rig;
  const { drivers, tracks } = driven;
  const kept = morphs ? { kept: morphs } : {};
  const model = { kind: 'shape-driven', mesh, skeleton, skin, drivers, ...kept } as const;
  return { kind: 'face', face: eliminateDriven(model, tracks, ratio) };
}
