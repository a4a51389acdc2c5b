// SPDX-License-Identifier: MIT
// --for size, and the means that a file may be judged by.

import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../../core/model/asset.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { joinClips } from '../../../core/model/clip/join-clips.ts';
import { UsageError } from '../../../core/model/errors.ts';
import { lengthInFileUnits, parseLength } from '../../../core/options/length.ts';
import {
  choice,
  group,
  length,
  type OptionsOf,
  type OptionType,
  option,
  positive,
} from '../../../core/options/option.ts';
import { defineStep } from '../../../core/options/step.ts';
import type { ErrorGoal } from '../../../core/progress/error-goal.ts';
import { measureSpread } from '../../../measure/index.ts';
import { SIZE_CODECS } from './size-codecs.ts';

export const SIZE_OPTIONS = group('Size options:', {
  for: option(
    choice(['size'], '<aim>'),
    'size: write the smallest file that meets the error: compressed meshes and animations, rounded weights that are fitted again',
  ),
  codec: option(
    choice(SIZE_CODECS, '<codec>'),
    'with --for size: draco or meshopt for meshes, auto for the smaller of both, or ossify: half of the size, read by ossify and ossify/three only (default: auto)',
  ),
});

/** The smallest file that meets an error. checkSizeOptions has its rules, which concern how files are stored too. */
export const SIZE_STEP = defineStep({ name: 'size', options: SIZE_OPTIONS });

/** Percent, with or without the sign: a still shape has a distortion of about 100. */
const percent: OptionType<number> = {
  ...positive('<percent>'),
  parse(text) {
    const value = positive('<percent>').parse(text.trim().replace(/\s*%$/, ''));
    if (value > 100) throw new UsageError('', 'must be at most 100: a shape that does not move has about 100');
    return value;
  },
};

/**
 * Limits of the mean error.
 * @param effect what a job does with them
 */
const meanOptions = (effect: string) => ({
  rms: option(length, `root mean square error: 0.01, 1mm or 0.5%${effect}`, { conflicts: ['maxError', 'kg'] }),
  kg: option(
    percent,
    'root mean square error relative to the motion (Karni-Gotsman), in percent: 1 is 1 % of the distance of points from their mean over time',
    { conflicts: ['maxError', 'rms'] },
  ),
});

/** For jobs that search for a number of bones. */
export const MEAN_OPTIONS = group(
  'Model options:',
  meanOptions('. Without --bones: find the fewest bones that meet it'),
);

/** For jobs that check what they wrote. */
export const MEAN_GATES = group('Model options:', meanOptions('; exit with status 3 if it is exceeded'));

/** Options that the size of a file depends on. */
export type SizeValues = OptionsOf<typeof SIZE_OPTIONS> &
  Partial<OptionsOf<typeof MEAN_OPTIONS>> & {
    maxError?: string;
    quantize?: boolean;
    meshopt?: boolean;
    keys?: unknown;
  };

/** The error that the file must meet; undefined if none is given. */
export function goalOf(
  { maxError, rms, kg }: Omit<SizeValues, 'for'>,
  { mesh, metresPerUnit }: Asset,
  clips: readonly Clip[],
): ErrorGoal | undefined {
  const { diagonal } = measureBounds(mesh.positions);
  const inUnits = (text: string) => lengthInFileUnits(parseLength(text), { diagonal, metresPerUnit });
  if (kg !== undefined) {
    const limit = (kg / 100) * measureSpread(joinClips(clips));
    if (!(limit > 0)) throw new UsageError('--kg', 'is relative to the motion, and nothing moves; give --rms');
    return { kind: 'rms', limit };
  }
  if (rms !== undefined) return { kind: 'rms', limit: inUnits(rms) };
  return maxError === undefined ? undefined : { kind: 'max', limit: inUnits(maxError) };
}

/** --for size with the errors that it may be given, for jobs that have no other use for means. */
export const SMALL_OPTIONS = { ...SIZE_OPTIONS, ...group('Size options:', meanOptions(', with --for size')) };

/** Throws a UsageError for means without --for size. */
export function checkSmallOptions(options: SizeValues, output?: string): void {
  checkSizeOptions(options, output);
  for (const key of ['rms', 'kg'] as const)
    if (options.for === undefined && options[key] !== undefined)
      throw new UsageError(`--${key}`, 'requires --for size');
}

/**
 * Throws a UsageError for the codec of ossify, which does not store every model. Called before solving.
 * @param extension what the file would use
 */
export function refuseCompact({ codec }: SizeValues, extension: string, remedy = ''): void {
  if (codec === 'ossify')
    throw new UsageError(
      '--codec ossify',
      `the file uses the extension ${extension}, which it cannot store; use --codec auto${remedy}`,
    );
}

/** Throws a UsageError for options that --for size chooses by itself. */
export function checkSizeOptions(options: SizeValues, output = ''): void {
  if (options.rms !== undefined && parseLength(options.rms).value === 0)
    throw new UsageError('--rms', 'must be above zero: no skin is exact');
  if (options.for === undefined) {
    if (options.codec !== undefined) throw new UsageError('--codec', 'requires --for size');
    return;
  }
  if (!output.toLowerCase().endsWith('.glb')) throw new UsageError('--for size', `writes .glb only, not "${output}"`);
  for (const key of ['quantize', 'meshopt', 'keys'] as const)
    if (options[key] !== undefined && options[key] !== false)
      throw new UsageError(`--${key}`, 'cannot be used with --for size, which chooses how numbers are stored');
}
