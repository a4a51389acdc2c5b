// SPDX-License-Identifier: MIT
// track --for size: the smallest file of a tracked surface that meets an error.

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { InputError } from '../../core/model/errors.ts';
import { parseLength } from '../../core/options/length.ts';
import type { ErrorGoal } from '../../core/progress/error-goal.ts';
import { bakeAt } from '../../deformers/playback/index.ts';
import type { ScanFrame } from '../../methods/track/index.ts';
import { type DecomposeResult, rmsOfErms } from '../decompose/index.ts';
import { readWritten } from '../report/index.ts';
import { goalOf, REORDERED_NOTE, ROUNDED, type SizeValues, shrinkModel } from '../shared/index.ts';
import type { SkinProblem, WrittenSkin } from './skin-problem.ts';
import type { TrackContext } from './track-steps.ts';
import { writeDisplaced } from './write-displaced.ts';

/** Error of a file with displacements if none is given, relative to the diagonal. */
const DEFAULT_ERROR = 3e-4;
/** Maximum memory of morph targets that a player makes of displacements, bytes. */
const MAX_TARGETS = 2 ** 28;
const TARGET_BYTES = 12;

/** Throws an InputError if a player would need too much memory for displacements. */
export function checkSmall({ codec }: SizeValues, frames: readonly ScanFrame[], template?: ScanFrame): void {
  if (codec !== 'ossify') return;
  const vertexCount = Math.max(...(template ? [template] : frames).map(({ positions }) => positions.length / 3));
  if (frames.length * vertexCount * TARGET_BYTES > MAX_TARGETS)
    throw new InputError(
      '--codec ossify',
      `${frames.length} frames of ${vertexCount} vertices are too many for displacements in one file; track fewer frames at a time, or use --codec auto`,
    );
}

/** Writes the file. With the codec of ossify, the error is the distance of its vertices from the frames; with standard ones, the distance from the tracked vertices. */
export async function trackSmall(
  context: TrackContext,
  problem: SkinProblem,
  solved: Pick<DecomposeResult, 'model' | 'eRms'>,
): Promise<WrittenSkin> {
  const { options } = context;
  const goal = goalOf(options, problem.asset, [problem.clip]);
  if (goal && options.rms !== undefined && parseLength(options.rms).of === 'file') goal.limit *= problem.unitScale;
  const { rms, ...made } =
    options.codec === 'ossify'
      ? await writeWithDisplacements(context, problem, solved, goal)
      : await writeStandard(context, problem, solved, goal);
  return goal ? { ...made, gate: { maxError: goal.limit, max: rms, isMet: rms <= goal.limit, of: 'rms' } } : made;
}

/** A file, and its error in file units. */
type MeasuredSkin = WrittenSkin & { rms: number };

async function writeStandard(
  context: TrackContext,
  { asset, clip }: SkinProblem,
  { model, eRms }: Pick<DecomposeResult, 'model' | 'eRms'>,
  goal: ErrorGoal | undefined,
): Promise<MeasuredSkin> {
  const { codec } = context.options;
  const limit = goal?.limit ?? ROUNDED * rmsOfErms(eRms, clip);
  const small = await shrinkModel(context, asset, [{ clip }], model, { goal: { kind: 'rms', limit }, codec });
  const back = await readWritten(small.bytes);
  const { rmse: rms } = small.written.error;
  const { parts, precision, tried } = small;
  const rmsPercent = (100 * rms) / measureBounds(clip.mesh.positions).diagonal;
  return {
    ...{ bytes: small.bytes, rms, played: bakeAt(back, back.animations[0], clip.times) },
    facts: { rms, rmsPercent, size: { codec: small.codec, parts, precision, tried } },
  };
}

async function writeWithDisplacements(
  context: TrackContext,
  { asset, clip, meshes: frames }: SkinProblem,
  { model }: Pick<DecomposeResult, 'model'>,
  goal: ErrorGoal | undefined,
): Promise<MeasuredSkin> {
  const { options, storing, signal } = context;
  const { diagonal } = measureBounds(clip.mesh.positions);
  const compute = (await context.compute()).child();
  try {
    const limit = goal?.limit ?? DEFAULT_ERROR * diagonal;
    const small = await context.finish('shrink', () =>
      writeDisplaced(compute, {
        ...{ asset, clip, frames, model, limit, storing, signal },
        onTrial: (text, fraction) => context.progress({ phase: text, fraction }),
      }),
    );
    context.note(REORDERED_NOTE);
    const { bytes, rms, vertexRms, played, parts, precision, displacementStep, tried } = small;
    const percent = 100 / diagonal;
    const errors = { rms, rmsPercent: percent * rms, vertexRmsPercent: percent * vertexRms };
    const step = displacementStep === undefined ? {} : { displacementStep };
    return {
      bytes,
      rms,
      played,
      facts: { ...errors, size: { codec: options.codec, parts, precision, ...step, tried } },
    };
  } finally {
    compute.dispose();
  }
}
