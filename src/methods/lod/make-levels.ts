// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import type { MeshLevel } from '../../core/model/mesh/mesh-level.ts';
import { defaultsOf, fillDefaults } from '../../core/options/fill-defaults.ts';
import { levelsMethod } from './levels-method.ts';
import { LEVEL_OPTIONS, type LevelValues } from './options.ts';

/** Options of makeLevels. One of triangles, ratios and maxError is needed. */
export interface LevelOptions extends Partial<LevelValues> {
  /** One level with the fewest triangles whose surface is within this distance in all poses, file units. */
  maxError?: number;
  /** Called with a ratio from 0 to 1. */
  onProgress?(ratio: number): void;
  /** Ends the work; levels that were reached are kept. */
  signal?: AbortSignal;
}

/** Defaults of LevelOptions. */
export const LEVEL_DEFAULTS = { ...defaultsOf(LEVEL_OPTIONS), keepBones: false } as const;

/**
 * Makes levels of detail of a skinned, morphing or still asset: fewer triangles, chosen by the motion of the surface in its animations, and fewer
 * bones. Vertices of a level are some of the asset's, so weights, UVs, colours, morph targets and corrections stay valid. Throws an InputError
 * if the asset has no triangles, frames of positions instead of bones, or Direct Delta Mush, of which levels would have the plain skin only.
 * @example
 * ```ts
 * import { makeLevels, writeGlb } from 'ossify';
 *
 * const levels = await makeLevels(asset, { ratios: [0.5, 0.25, 0.1] });
 * const glb = await writeGlb(asset, { kind: 'levels', levels, coverage: [0.5, 0.2, 0.08, 0.01] });
 * ```
 */
export async function makeLevels(asset: Asset, options: LevelOptions): Promise<MeshLevel[]> {
  const { maxError, onProgress, signal } = options;
  const own = fillDefaults(LEVEL_OPTIONS, options);
  levelsMethod.check(own);
  const { solve } = await levelsMethod.load();
  return solve({ signal, onProgress: ({ fraction }) => onProgress?.(fraction) }, { asset, maxError }, own);
}
