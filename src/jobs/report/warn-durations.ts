// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import type { ClipPair } from '../../deformers/playback/index.ts';
import { formatNumber } from '../engine/index.ts';

/** Maximum difference of the durations of two animations, relative to the longer one. */
const MAX_DIFFERENCE = 0.02;

/** Warns if two files have different durations of a motion: formats without a frame rate are read at 24 frames per second. */
export function warnDurations(
  reference: Asset,
  result: Asset,
  pairs: readonly ClipPair[],
  note: (text: string) => void,
): void {
  const sides = [reference, result];
  const framed = sides.findIndex((asset) => asset.clips.length > 0);
  const keyed = sides.findIndex((asset) => asset.clips.length === 0 && asset.animations.length > 0);
  if (framed < 0) warnKeyed(reference, result, pairs, note);
  if (framed < 0 || keyed < 0) return;
  const indexOf = (pair: ClipPair, side: number) => (side === 0 ? pair.reference : pair.result);
  for (const pair of pairs) {
    const { times } = sides[framed].clips[indexOf(pair, framed)];
    const { duration } = sides[keyed].animations[indexOf(pair, keyed)];
    const length = times[times.length - 1] - times[0];
    if (times.length < 2 || Math.abs(length - duration) <= (0.5 * length) / (times.length - 1)) continue;
    const lasts = `the frames of "${pair.name}" last ${formatNumber(length)} s and the animation ${formatNumber(duration)} s`;
    note(`${lasts}; give --fps if the frames have another rate`);
  }
}

/** The same for two files with keys. */
function warnKeyed(reference: Asset, result: Asset, pairs: readonly ClipPair[], note: (text: string) => void): void {
  for (const pair of pairs) {
    const [own, other] = [reference.animations[pair.reference], result.animations[pair.result]];
    if (!own || !other) continue;
    const difference = Math.abs(own.duration - other.duration);
    if (difference <= MAX_DIFFERENCE * Math.max(own.duration, other.duration)) continue;
    const lasts = `"${pair.name}" lasts ${formatNumber(own.duration)} s in the first file and ${formatNumber(other.duration)} s in the second`;
    note(`${lasts}; both are evaluated at the same times`);
  }
}
