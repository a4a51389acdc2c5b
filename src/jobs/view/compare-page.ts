// SPDX-License-Identifier: MIT

import { joinArrays } from '../../core/math/join-arrays.ts';
import { frameOf } from '../../core/model/clip/clip.ts';
import { reorderClip } from '../../core/model/clip/reorder-clip.ts';
import { shortName } from '../../core/model/plain-text.ts';
import { type LengthUnit, lengthUnit } from '../../core/options/length-unit.ts';
import { bakePair, type PairOptions } from '../../deformers/playback/index.ts';
import { makeErrorPage, renderComparison, type SceneLooks, writePng } from '../../draw/index.ts';
import { type ComparedClip, type CompareResult, type JointReport, METRICS } from '../../measure/index.ts';
import { formatCount, formatNumber, type OpenedInput } from '../engine/index.ts';

/** Maximum error, in box diagonals, up to which the camera includes the result. */
const FLUNG = 0.5;

export interface ComparePageOptions extends PairOptions {
  /** How many of the worst frames to draw. */
  pictures: number;
  /** Materials of the triangles that are drawn: those of shownOf. */
  looks?: SceneLooks;
}

/** The page of a comparison: metrics, error per frame, and the worst frames of the worst animation in colour. */
export function makeComparePage(
  reference: OpenedInput,
  result: OpenedInput,
  compared: CompareResult,
  options: ComparePageOptions,
): string {
  const worst = compared.clips[compared.worst];
  const metresPerUnit = reference.asset.metresPerUnit ?? result.asset.metresPerUnit;
  const unit = lengthUnit(worst.error.max, metresPerUnit);
  const scale = (values: Float64Array): Float64Array => values.map((value) => value * unit.perUnit);
  const { rms, median, q1, q3, max } = worst.error.perFrame;
  const of =
    compared.clips.length > 1 ? `: "${worst.pair.name}", the worst of ${compared.clips.length} animations` : '';
  return makeErrorPage({
    title: `Error of ${result.input}${of}`,
    referenceName: reference.input,
    resultName: result.input,
    metrics: [
      ...METRICS.map(({ key, label, unit: kind, note }) => ({
        label,
        value: worst.error[key] * (kind === 'length' ? unit.perUnit : 1),
        unit: kind === 'length' ? unit.name : kind,
        note,
      })),
      ...listJointMetrics(compared.joints),
    ],
    perFrame: { rms: scale(rms), median: scale(median), q1: scale(q1), q3: scale(q3), max: scale(max) },
    times: worst.times,
    pictures: drawWorstFrames(reference, result, { worst, order: compared.order }, unit, options),
    unit: unit.name,
  });
}

function listJointMetrics(joints: JointReport | undefined) {
  if (!joints) return [];
  const note = `${formatCount(joints.moving, 'moving joint')} to the nearest of the result, of the box diagonal`;
  return [
    { label: 'joints, median', value: joints.medianPercent, unit: '%', note },
    { label: 'joints, max', value: joints.maxPercent, unit: '%', note: `joint "${shortName(joints.worst)}"` },
  ];
}

/** The file whose triangles are drawn. */
export function shownOf(reference: OpenedInput, result: OpenedInput, order: Uint32Array | undefined): OpenedInput {
  return order ? result : reference;
}

function drawWorstFrames(
  reference: OpenedInput,
  result: OpenedInput,
  { worst, order }: { worst: ComparedClip; order?: Uint32Array },
  unit: LengthUnit,
  options: ComparePageOptions,
): { caption: string; png: Uint8Array }[] {
  // Without any error one picture is enough.
  const count = worst.error.max > 0 ? options.pictures : Math.min(1, options.pictures);
  const frames = listWorstFrames(worst.error.perFrame.max, count);
  if (frames.length === 0) return [];
  const pair = bakePair(reference.asset, result.asset, worst.pair, options);
  const baked = order ? { ...pair, reference: reorderClip(pair.reference, order) } : pair;
  const { triangles } = shownOf(reference, result, order).asset.mesh;
  const { looks } = options;
  const top = worst.error.max;
  // One camera for all pictures, so that sizes can be compared. It ignores results that are far away, which would make the others small.
  const isFlung = top > FLUNG * worst.error.diagonal;
  const shown = isFlung ? [baked.reference] : [baked.reference, baked.result];
  const fit = joinArrays(shown.flatMap((clip) => frames.map((k) => frameOf(clip, k))));
  return frames.map((k) => {
    const image = renderComparison(
      {
        ...{ reference: frameOf(baked.reference, k), result: frameOf(baked.result, k), triangles, looks },
        errors: listDistances(frameOf(baked.reference, k), frameOf(baked.result, k), unit.perUnit),
      },
      { max: top > 0 ? top * unit.perUnit : undefined, unit: unit.name, up: reference.asset.up, fit },
    );
    const caption = `frame ${k}, ${formatNumber(worst.times[k])} s: largest error ${formatNumber(worst.error.perFrame.max[k] * unit.perUnit)} ${unit.name}`;
    return { caption, png: writePng(image) };
  });
}

/** Distances of all vertices times a factor. */
function listDistances(a: Float32Array, b: Float32Array, factor: number): Float32Array {
  return Float32Array.from(
    { length: a.length / 3 },
    (_, i) => factor * Math.hypot(a[3 * i] - b[3 * i], a[3 * i + 1] - b[3 * i + 1], a[3 * i + 2] - b[3 * i + 2]),
  );
}

/**
 * Frames in descending order of their maximum error. Frames next to one that is already listed give about the same picture; they
 * come last.
 */
export function listWorstFrames(errors: ArrayLike<number>, count: number): number[] {
  const order = Array.from({ length: errors.length }, (_, k) => k).sort((a, b) => errors[b] - errors[a] || a - b);
  const apart = Math.floor(errors.length / (4 * Math.max(count, 1)));
  const taken: number[] = [];
  const waiting: number[] = [];
  for (const k of order) {
    if (taken.length >= count) break;
    (taken.some((other) => Math.abs(other - k) <= apart) ? waiting : taken).push(k);
  }
  return [...taken, ...waiting].slice(0, count);
}
