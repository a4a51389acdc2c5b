// SPDX-License-Identifier: MIT

import { UsageError } from '../../core/model/errors.ts';
import { count, flag, list, notNegative, type OptionsOf, option, ratio } from '../../core/options/option.ts';

/** Levels of the command if nothing is given: relative numbers of triangles. */
export const LEVEL_RATIOS = [0.5, 0.25, 0.1];

/** Options of levels of detail. */
export const LEVEL_OPTIONS = {
  /** Number of triangles of each level, falling. */
  triangles: option<readonly number[]>(
    list(count(1), '<n>'),
    'number of triangles, or several for several levels: 2100 or 8000,2000,500',
    { conflicts: ['levels'] },
  ),
  /** The same, relative to the full mesh. */
  ratios: option<readonly number[]>(
    list(ratio(), '<ratios>'),
    `triangles of each level, relative to the input (default: ${LEVEL_RATIOS.join(',')})`,
    {
      form: {
        label: 'Levels',
        note: 'Triangles of each level, relative to the input.',
        labels: { [LEVEL_RATIOS.join(',')]: '50, 25, 10 %', '0.5': '50 %', '0.25': '25 %', '0.1': '10 %' },
      },
    },
  ),
  /** Maximum poses in which the surface is preserved; 0: the rest pose alone, for comparison. Default 24. */
  poses: option(
    count(0, 256),
    'number of poses in which the surface is preserved, at most; 0: the rest pose alone, for comparison',
    {
      default: 24,
      form: {
        label: 'Poses',
        note: 'Maximum poses in which the surface is preserved.',
        range: [0, 64, 1],
        isFine: true,
      },
    },
  ),
  /** Weight of distances in UVs and colours, relative to distances in space. Default 0.5. */
  attributes: option(notNegative('<w>'), 'weight of distances in UVs and colours, relative to distances in space', {
    default: 0.5,
  }),
  /** Whether levels keep all bones. By default bones are merged that no vertex misses by more than a quarter of the level's own error. */
  keepBones: option(flag, 'keep all bones; without it, levels merge bones that they do not miss', {
    form: { label: 'Keep all bones', note: 'Without it, levels merge bones that they do not miss.', isFine: true },
  }),
};

/** All options of levels. */
export type LevelValues = OptionsOf<typeof LEVEL_OPTIONS>;

/** Throws a UsageError for ratios that are not between 0 and 1. Numbers of triangles are compared with those of the mesh (solve.ts). */
export function checkLevelOptions({ triangles, ratios }: LevelValues): void {
  if (!triangles && ratios && !ratios.every((one) => one > 0 && one < 1))
    throw new UsageError('levels', `ratios must be between 0 and 1, got ${ratios.join(', ')}`);
}
