// SPDX-License-Identifier: MIT
// Options of jobs that solve clips with noise: --noise, and --denoise, which writes the frames that the skin explains.

import { UsageError } from '../../../core/model/errors.ts';
import { group, length, option, orWord, outputFile } from '../../../core/options/option.ts';
import { defineStep } from '../../../core/options/step.ts';
import { FRAMES_EXTENSIONS, listExtensions } from '../output/output-formats.ts';

/** Noise that a solve takes into account. */
export const NOISE_STEP = defineStep({
  name: 'noise',
  options: group('Solver options:', {
    noise: option(
      orWord(['auto'], length),
      'standard deviation of the noise of every coordinate: auto (estimated; below 0.05% it is ignored), or 0.01, 1mm or 0.5%; 0: none',
      { default: 'auto' },
    ),
  }),
});

/** The frames that a skin explains. */
export const DENOISE_STEP = defineStep({
  name: 'denoised frames',
  options: group('Output options:', {
    denoise: option(
      outputFile,
      `also write the frames that the skin explains, without their noise: ${listExtensions(FRAMES_EXTENSIONS)}, one file per clip`,
    ),
  }),
  check: ({ denoise }) => checkDenoise(denoise),
});

/** Options of jobs that make a skin from frames. */
export const NOISE_OPTIONS = { ...NOISE_STEP.options, ...DENOISE_STEP.options };

/** Throws a UsageError if the frames of --denoise cannot be written to a file of that name. */
export function checkDenoise(path: string | undefined): void {
  if (path === undefined) return;
  if (!FRAMES_EXTENSIONS.some((extension) => path.toLowerCase().endsWith(extension)))
    throw new UsageError('--denoise', `the file must end in ${listExtensions(FRAMES_EXTENSIONS)}, not "${path}"`);
}
