// SPDX-License-Identifier: MIT
// --corrections of decompose.

import { coefficientCountOf, NORMAL_RULES } from '../../core/model/deformed/skin-correction.ts';
import { UsageError } from '../../core/model/errors.ts';
import { parseLength } from '../../core/options/length.ts';
import { choice, count, group, length, type OptionsOf, option, orWord } from '../../core/options/option.ts';
import { defineStep } from '../../core/options/step.ts';
import type { SkinContent } from '../../formats/gltf/index.ts';
import type { CorrectOptions, CorrectResult } from '../../methods/corrections/index.ts';
import { formatCount } from '../engine/index.ts';

/** Above this rank, a file of all frames is smaller. */
const MAX_RANK = 10_000;

const CORRECTION_OPTIONS = group('Corrective shapes:', {
  corrections: option(
    orWord(['auto'], count(0, MAX_RANK, '<rank>')),
    'number of corrective shapes for the remaining error; auto: the fewest that meet --corrections-error or --max-error',
    {
      form: {
        label: 'Corrections',
        note: 'Corrective shapes for the error that bones leave; 0 for none.',
        range: [0, 50, 1],
      },
    },
  ),
  correctionsError: option(length, 'maximum vertex error after correction; implies --corrections auto'),
  correctionsAs: option(
    choice(['extension', 'morphs'], '<form>'),
    'how they are stored: the extension OSSIFY_skin_correction, or morph targets, which every viewer shows (default: "extension")',
  ),
  correctionsNormals: option(
    choice(NORMAL_RULES, '<rule>'),
    'also correct normals, for viewers that transform them by the inverse transpose of the blended matrix, or by the matrix (default: no)',
  ),
});

/** --corrections and what depends on it. checkCorrections has its rules, which concern --max-error too. */
export const CORRECTIONS_STEP = defineStep({ name: 'corrections', options: CORRECTION_OPTIONS });

type CorrectionValues = OptionsOf<typeof CORRECTION_OPTIONS>;

/** Whether the rank is determined by an error limit. */
export function isAutoRank({ corrections, correctionsError }: CorrectionValues): boolean {
  return corrections === 'auto' || (corrections === undefined && correctionsError !== undefined);
}

/** Throws a UsageError where options contradict one another. */
export function checkCorrections(options: CorrectionValues & { maxError?: string }): void {
  const { corrections, correctionsAs, correctionsError, correctionsNormals, maxError } = options;
  if (corrections === undefined && correctionsError === undefined) {
    if (correctionsAs !== undefined || correctionsNormals !== undefined)
      throw new UsageError('--corrections-as, --corrections-normals', 'require --corrections');
    return;
  }
  if (typeof corrections === 'number' && correctionsError !== undefined)
    throw new UsageError('--corrections-error', 'finds the rank; use it with --corrections auto, or give a rank alone');
  if (corrections === 'auto' && correctionsError === undefined && maxError === undefined)
    throw new UsageError('--corrections auto', 'requires --corrections-error or --max-error');
  if (correctionsError !== undefined && maxError !== undefined)
    throw new UsageError('--corrections-error', 'cannot be used with --max-error');
  if (correctionsError !== undefined && parseLength(correctionsError).value === 0)
    throw new UsageError('--corrections-error', 'must be above zero');
}

/**
 * Options of the solver; undefined without corrections.
 * @param maxError limit of the solver if it determines the rank, file units
 */
export function planCorrections(options: CorrectionValues, maxError: number | undefined): CorrectOptions | undefined {
  const { corrections, correctionsError, correctionsNormals } = options;
  if ((corrections === undefined && correctionsError === undefined) || corrections === 0) return undefined;
  return {
    ...(typeof corrections === 'number' ? { rank: corrections } : { maxError }),
    ...(correctionsNormals === undefined ? {} : { normals: correctionsNormals }),
    ...(options.correctionsAs === 'morphs' ? { normalCoefficients: 'shared' } : {}),
  };
}

/** The correction as content of a GLB. */
export function correctionContent(
  options: CorrectionValues,
  corrected: CorrectResult | undefined,
): SkinContent['correction'] {
  return corrected && { model: corrected.correction, as: options.correctionsAs ?? 'extension' };
}

export function noteCorrections(corrected: CorrectResult, note: (text: string) => void): void {
  const { singularCount, sampleCount, status } = corrected;
  const { rank } = corrected.correction;
  if (status === 'stalled')
    note(`no number of corrective shapes meets the error; writing ${formatCount(rank, 'shape')}`);
  if (singularCount > 0)
    note(
      `bones flatten ${singularCount} of ${sampleCount} vertex positions, where corrective shapes cannot remove all of the error`,
    );
}

/** Fields of the report. */
export function reportCorrections(options: CorrectionValues, corrected: CorrectResult | undefined) {
  if (!corrected) return {};
  const { correction, eRms, max, normalDegrees, singularCount, iterations, status } = corrected;
  return {
    corrections: {
      rank: correction.rank,
      as: options.correctionsAs ?? 'extension',
      eRms: [...eRms],
      max: [...max],
      ...(normalDegrees ? { normalRule: correction.normals!.rule, normalDegrees: [...normalDegrees] } : {}),
      coefficients: coefficientCountOf(correction),
      singular: singularCount,
      iterations,
      status,
    },
  };
}
