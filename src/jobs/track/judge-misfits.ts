// SPDX-License-Identifier: MIT
// Whether a tracked sequence can be used: refuses frames of another object, and describes frames that were not followed.
import { InputError } from '../../core/model/errors.ts';
import type { Misfit } from '../../methods/track/index.ts';

/**
 * A frame is of another object if the median stretch is above MIN_STRETCH, and stretch + UNEXPLAINED_COST × unexplained area is above MAX_MISFIT. Chosen on, and measured with, 32 registrations of animals to other animals (fox, bird, snake,
 * spider, and the generated creature and quadruped): stretch 0.16 to 0.56, unexplained 0.4 to 29 %, all above. 801 frames of the track suite and of its creatures with holes, noise (0.2 and 0.5 %), 200 to 1,200 vertices and 3
 * to 30 frames per second have a stretch of at most 0.1, except one with 76 % of its vertices far off, and three of a snake that slid. Figures that are registered to other figures have 0.13 to 0.21, with at most 0.7 %
 * unexplained: they are allowed.
 */
const MIN_STRETCH = 0.12;
const UNEXPLAINED_COST = 5;
const MAX_MISFIT = 0.25;

/**
 * A frame is named in a warning if a connected patch with more than this part of its area is far from the result, or if more than MAX_TORN of the lengths of the result changed by more than a factor of two. Chosen on the same 801
 * frames: of these, 67 have more than 3 % of the vertices farther than 5 % of the box diagonal from their true place. The warning is right for 24 of them and wrong for 4 others; a coverage below 92 %, as used before, was right
 * for 29 and wrong for 93. Limbs that are exchanged, and surfaces that slide along themselves, cannot be seen.
 */
const MAX_LOST = 0.002;
const MAX_TORN = 0.02;
/** Part of the result from which on the holes of a frame are named. Scans by three cameras have 5 to 14 %. */
const MAX_MISSING = 0.35;

/** Whether a frame shows another object than the template. */
export function isOtherObject({ stretch, unexplained }: Misfit): boolean {
  return stretch > MIN_STRETCH && stretch + UNEXPLAINED_COST * unexplained > MAX_MISFIT;
}

/**
 * Throws an InputError that names the first frame of another object, or the template if that is the one that fits none.
 * @param names of the frames, and of the template if it is no frame
 * @param remedy how to go on anyway
 */
export function checkMisfits(
  misfits: readonly Misfit[],
  names: readonly string[],
  templateName: string | undefined,
  remedy: string,
): void {
  const others = [...misfits.keys()].filter((k) => isOtherObject(misfits[k]));
  if (others.length === 0) return;
  const [k] = others;
  const { stretch, unexplained } = misfits[k];
  const figures = `lengths would change by ${percent(2 ** stretch - 1)} (median), and ${percent(unexplained)} of the surface would not fit`;
  if (templateName !== undefined && 2 * others.length > misfits.length)
    throw new InputError(
      templateName,
      `does not fit these frames: ${figures}; use a mesh of the same object, or ${remedy}`,
    );
  throw new InputError(
    names[k],
    `shows another object or another pose than the template can take: ${figures}; leave it out, give frames closer in time, or ${remedy}`,
  );
}

/**
 * Describes the frames that were not followed well: sentences that start with a name.
 * @param templateName of a template that is no frame. It may be of another body, which is stretched alike in all frames: one sentence.
 */
export function listMisfitWarnings(
  misfits: readonly Misfit[],
  names: readonly string[],
  templateName: string | undefined,
): string[] {
  const torn = misfits.filter((misfit) => misfit.torn > MAX_TORN);
  const isOther = templateName !== undefined && 2 * torn.length > misfits.length;
  const warnings = misfits.flatMap((misfit, k) => warnMisfit(names[k], misfit, isOther) ?? []);
  if (!isOther) return warnings;
  const largest = Math.max(...torn.map((misfit) => misfit.torn));
  return [
    `${templateName}: differs from the frames in its proportions: up to ${percent(largest)} of its lengths change by more than a factor of two`,
    ...warnings,
  ];
}

function warnMisfit(
  name: string,
  { lost, distance, torn, missing }: Misfit,
  isOtherTemplate: boolean,
): string | undefined {
  const remedy =
    'it may move too fast, or be missing in other frames; give frames closer in time, or leave the frame out';
  if (lost > MAX_LOST)
    return `${name}: a part of the surface was not followed (${percent(lost)} of its area, up to ${percent(distance)} of the box diagonal away); ${remedy}`;
  if (torn > MAX_TORN && !isOtherTemplate)
    return `${name}: parts of the result are stretched or squeezed by more than a factor of two (${percent(torn)} of the lengths); ${remedy}`;
  if (missing > MAX_MISSING)
    return `${name}: shows only ${percent(1 - missing)} of the surface; the rest follows from what it shows`;
  return undefined;
}

function percent(part: number): string {
  return `${(100 * part).toPrecision(part < 0.095 ? 1 : 2)} %`;
}
