// SPDX-License-Identifier: MIT
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { type Clip, frameOf } from '../../core/model/clip/clip.ts';
import { formatNumber } from '../engine/index.ts';

/** Step between two numbers of 32 bits, relative to their size. */
const STEP = 2 ** -23;
/** Step of coordinates, relative to the box diagonal of the rest pose, from which on a warning is due. */
const MAX_STEP = 1e-3;

/** Warns of frames so far from the origin that their coordinates, numbers of 32 bits, are rounded visibly. */
export function warnImprecise(clips: readonly Clip[], note: (text: string) => void): void {
  for (const clip of clips) {
    const { diagonal } = measureBounds(clip.mesh.positions);
    // most clips are near the origin in all frames
    if (!(diagonal > 0) || (STEP * findLargest(clip.positions)) / diagonal <= MAX_STEP) continue;
    const steps = Array.from(clip.times, (_, k) => {
      const { min, max } = measureBounds(frameOf(clip, k));
      return (STEP * Math.max(...min.map(Math.abs), ...max.map(Math.abs))) / diagonal;
    });
    const worst = steps.reduce((best, step, k) => (step > steps[best] ? k : best), 0);
    if (!(steps[worst] > MAX_STEP)) continue;
    const count = steps.filter((step) => step > MAX_STEP).length;
    const which = count === 1 ? `frame ${worst}` : `${count} frames, such as frame ${worst},`;
    note(
      `${which} of "${clip.name}" ${count === 1 ? 'is' : 'are'} so far from the origin that coordinates are rounded to ${formatNumber(100 * steps[worst], 2)} % of the size; move the model to the origin`,
    );
  }
}

/** The largest absolute value. */
function findLargest(values: Float32Array): number {
  let largest = 0;
  for (let c = 0; c < values.length; c++) {
    const size = Math.abs(values[c]);
    if (size > largest) largest = size;
  }
  return largest;
}
