// SPDX-License-Identifier: MIT
// --corrections of decompose: what its options mean, and what is said of the result.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CORRECT_DEFAULTS, type CorrectOptions, type CorrectResult } from '../correct/correct-model.ts';
import type { SkinContent } from '../gltf/write-glb.ts';
import { coefficientCountOf, NORMAL_RULES, type NormalRule } from '../model/skin-correction.ts';
import { UsageError } from './exit-status.ts';
import { formatCount } from './format-number.ts';
import { readValue, wholeNumber } from './option-values.ts';
import { type Length, parseLength } from './parse-length.ts';

export interface CorrectionsOptions {
  corrections?: number | 'auto';
  correctionsAs?: 'extension' | 'morphs';
  correctionsError?: Length;
  correctionsNormals?: NormalRule;
}

/** Beyond this a file of frames is smaller. */
const MOST_RANK = 10_000;

export function addCorrectionsOptions(command: Command): void {
  command
    .optionsGroup('Corrections:')
    .addOption(
      new Option(
        '--corrections <rank>',
        'add this many corrections of the rest shape, animated, to what the bones do; auto: as few as hold --corrections-error or --max-error',
      ).argParser((text) => (text.trim() === 'auto' ? 'auto' : readRank(text))),
    )
    .addOption(
      new Option(
        '--corrections-error <length>',
        'with or without --corrections auto: farthest that any vertex may be off, once corrected',
      ).argParser(readValue(parseLength)),
    )
    .addOption(
      new Option(
        '--corrections-as <form>',
        'how the file holds them: the extension OSSIFY_skin_correction, or morph targets, which any player shows (default: "extension")',
      ).choices(['extension', 'morphs']),
    )
    .addOption(
      new Option(
        '--corrections-normals <rule>',
        'correct normals too, for players that turn them by the inverse transpose of blended bones, or as they are (default: not)',
      ).choices(NORMAL_RULES),
    );
}

function readRank(text: string): number {
  try {
    return wholeNumber(0, MOST_RANK)(text);
  } catch {
    throw new InvalidArgumentError(`Give a whole number from 0 to ${MOST_RANK}, or auto.`);
  }
}

/** Whether the rank is to be found. */
export function isAutoRank({ corrections, correctionsError }: CorrectionsOptions): boolean {
  return corrections === 'auto' || (corrections === undefined && correctionsError !== undefined);
}

/** Throws a usage error where options do not go together. */
export function checkCorrections(options: CorrectionsOptions & { maxError?: Length }): void {
  const { corrections, correctionsAs, correctionsError, correctionsNormals, maxError } = options;
  if (corrections === undefined && correctionsError === undefined) {
    if (correctionsAs !== undefined || correctionsNormals !== undefined)
      throw new UsageError('--corrections-as and --corrections-normals go with --corrections; give a rank, or auto');
    return;
  }
  if (typeof corrections === 'number' && correctionsError !== undefined)
    throw new UsageError('--corrections-error finds the rank; give it with --corrections auto, or a rank alone');
  if (corrections === 'auto' && correctionsError === undefined && maxError === undefined)
    throw new UsageError('--corrections auto needs --corrections-error or --max-error to know how close to come');
  if (correctionsError !== undefined && maxError !== undefined)
    throw new UsageError('--max-error and --corrections-error both say how close to come; give one of them');
  if (correctionsError?.value === 0) throw new UsageError('--corrections-error: give a length above zero');
}

/**
 * What the solver is asked for; undefined without corrections.
 * @param maxError where the rank is to be found: what the file must hold, less what keys and rounding take, file units
 */
export function planCorrections(options: CorrectionsOptions, maxError: number | undefined): CorrectOptions | undefined {
  const { corrections, correctionsError, correctionsNormals } = options;
  if (corrections === undefined && correctionsError === undefined) return undefined;
  const normals = correctionsNormals ?? CORRECT_DEFAULTS.normals;
  const normalCoefficients = options.correctionsAs === 'morphs' ? 'shared' : CORRECT_DEFAULTS.normalCoefficients;
  const isAuto = isAutoRank(options);
  return { ...(isAuto ? { maxError } : { rank: corrections as number }), normals, normalCoefficients };
}

export function writtenCorrection(
  options: CorrectionsOptions,
  corrected: CorrectResult | undefined,
): SkinContent['correction'] {
  return corrected && { model: corrected.correction, as: options.correctionsAs ?? 'extension' };
}

/** What a user should know of it. */
export function noteCorrections(corrected: CorrectResult, note: (remark: string) => void): void {
  const { singularCount, sampleCount, status } = corrected;
  const { rank } = corrected.correction;
  if (status === 'stalled')
    note(`no number of corrections keeps every vertex that close; this is with ${formatCount(rank, 'of them')}`);
  if (singularCount > 0)
    note(
      `bones fold ${singularCount} of ${sampleCount} vertices of frames flat, where corrections cannot reach all of the error`,
    );
}

/** Fields of the report. */
export function reportCorrections(options: CorrectionsOptions, corrected: CorrectResult | undefined) {
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
