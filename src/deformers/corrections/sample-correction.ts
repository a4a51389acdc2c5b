// SPDX-License-Identifier: MIT
import type { CorrectionTrack } from '../../core/model/deformed/skin-correction.ts';

/**
 * Coefficients of a track at a time, linear between frames and clamped outside them: those of displacements, then those of normals. A track without
 * frames gives zeros.
 */
export function sampleCorrectionInto(track: CorrectionTrack, time: number, out: Float32Array, outOffset = 0): void {
  const { times, values, normalValues } = track;
  const frameCount = times.length;
  if (frameCount === 0) return;
  let low = 0,
    high = frameCount - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle - 1;
  }
  const next = Math.min(low + 1, frameCount - 1);
  const span = times[next] - times[low];
  const ratio = span > 0 ? Math.min(1, Math.max(0, (time - times[low]) / span)) : 0;
  let to = outOffset;
  for (const list of [values, normalValues]) {
    const size = list.length / frameCount;
    for (let c = 0; c < size; c++) {
      const from = list[low * size + c];
      out[to++] = ratio === 0 ? from : from + ratio * (list[next * size + c] - from);
    }
  }
}
