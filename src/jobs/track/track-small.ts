// SPDX-License-Identifier: MIT
// track --for size: the smallest file of a tracked surface that meets an error.

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { InputError } from '../../core/model/errors.ts';
import { parseLength } from '../../core/options/length.ts';
import { bakeAt } from '../../deformers/playback/index.ts';
import type { ScanFrame } from '../../methods/track/index.ts';
import { type DecomposeResult, rmsOfErms } from '../decompose/index.ts';
import type { Gate, JobContext } from '../engine/index.ts';
import { readWritten } from '../report/index.ts';
import { goalOf, REORDERED_NOTE, ROUNDED, type SizeValues, shrinkModel } from '../shared/index.ts';
import { writeDisplaced } from './write-displaced.ts';

/** Error of a file with displacements if none is given, relative to the diagonal. */
const DEFAULT_ERROR = 3e-4;
/** Maximum memory of morph targets that a player makes of displacements, bytes. */
const MAX_TARGETS = 2 ** 28;
const TARGET_BYTES = 12;

/** A small file, read back. */
export interface SmallTracked {
  bytes: Uint8Array;
  gate?: Gate;
  /** The file at the frames; its mesh has the triangles of the file. */
  played: Clip;
  /** For the report: error, steps, and where bytes went. */
  facts: Record<string, unknown>;
}

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

/**
 * Writes the file. With the codec of ossify, the error is the distance of its vertices from the frames; with standard ones, the distance from the tracked vertices.
 * @param asset what is written beside the skin
 * @param unitScale unit of the file, of lengths without a unit, in units of the asset
 */
export async function trackSmall(
  context: JobContext<SizeValues & { threads?: number }>,
  asset: Asset,
  clip: Clip,
  frames: readonly ScanFrame[],
  { model, eRms }: Pick<DecomposeResult, 'model' | 'eRms'>,
  unitScale = 1,
): Promise<SmallTracked> {
  const { options, storing, signal } = context;
  const { codec } = options;
  const { diagonal } = measureBounds(clip.mesh.positions);
  const goal = goalOf(options, asset, [clip]);
  if (goal && options.rms !== undefined && parseLength(options.rms).of === 'file') goal.limit *= unitScale;
  const gateOf = (rms: number): Pick<SmallTracked, 'gate'> =>
    goal ? { gate: { maxError: goal.limit, max: rms, isMet: rms <= goal.limit, of: 'rms' } } : {};
  if (codec !== 'ossify') {
    const limit = goal?.limit ?? ROUNDED * rmsOfErms(eRms, clip);
    const small = await shrinkModel(context, asset, [clip], model, { goal: { kind: 'rms', limit }, codec });
    const back = await readWritten(small.bytes);
    const { rmse } = small.written.error;
    const { parts, precision, tried } = small;
    return {
      bytes: small.bytes,
      ...gateOf(rmse),
      played: bakeAt(back, back.animations[0], clip.times),
      facts: { rms: rmse, rmsPercent: (100 * rmse) / diagonal, size: { codec: small.codec, parts, precision, tried } },
    };
  }
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
    const size = { codec, parts, precision, ...(displacementStep === undefined ? {} : { displacementStep }), tried };
    return { bytes, ...gateOf(rms), played, facts: { ...errors, size } };
  } finally {
    compute.dispose();
  }
}
