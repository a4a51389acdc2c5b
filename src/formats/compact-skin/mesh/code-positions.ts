// SPDX-License-Identifier: MIT
// Grid positions of vertices, predicted by parallelograms. The expected size of a residual is the mean of those around it.

import { type BitCoder, BitCounter, RangeDecoder } from '../entropy/range-coder.ts';
import { ScaledIntegerModel } from '../entropy/scaled-integer-model.ts';
import type { MeshWalk } from './mesh-walk.ts';

/** A prediction is this part of the mean of the neighbours, in eighths; the rest is by parallelograms. Smooth surfaces with irregular triangles need more of the mean (samba: 2, 6 % fewer bytes; pdance: 0). */
const MEAN_PARTS = 8;
const TRIED_PARTS = [0, 1, 2, 3];
const PART_BITS = 2;

/**
 * Codes numbers of vertices. A decoder fills them.
 * @param grid vertexCount x size
 */
export function codePositions(coder: BitCoder, walk: MeshWalk, grid: Int32Array, size = 3): void {
  const isDecoder = coder instanceof RangeDecoder;
  const part = coder.codeRaw(isDecoder ? 0 : choosePart(walk, grid, size), PART_BITS);
  codeResiduals(coder, walk, grid, size, part);
}

/** The part of the mean with the fewest bits. */
function choosePart(walk: MeshWalk, grid: Int32Array, size: number): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const part of TRIED_PARTS) {
    const counter = new BitCounter();
    codeResiduals(counter, walk, grid, size, part);
    if (counter.bits >= least) break;
    [best, least] = [part, counter.bits];
  }
  return best;
}

function codeResiduals(coder: BitCoder, walk: MeshWalk, grid: Int32Array, size: number, meanPart: number): void {
  const { order, start, sources, beforeStart, before } = walk;
  const models = Array.from({ length: size }, () => new ScaledIntegerModel());
  const residuals = new Float64Array(order.length);
  for (let place = 0; place < order.length; place++) {
    const v = order[place];
    const first = start[place];
    const end = start[place + 1];
    const firstBefore = beforeStart[place];
    const endBefore = beforeStart[place + 1];
    const around = endBefore - firstBefore;
    let activity = 0;
    for (let e = firstBefore; e < endBefore; e++) activity += residuals[before[e]];
    if (around > 0) activity /= around;
    let sum = 0;
    for (let r = 0; r < size; r++) {
      let predicted = 0;
      if (end > first) {
        for (let e = 3 * first; e < 3 * end; e += 3)
          predicted += grid[size * sources[e] + r] + grid[size * sources[e + 1] + r] - grid[size * sources[e + 2] + r];
        predicted /= end - first;
        if (meanPart > 0) {
          let mean = 0;
          for (let e = firstBefore; e < endBefore; e++) mean += grid[size * before[e] + r];
          predicted += (meanPart / MEAN_PARTS) * (mean / around - predicted);
        }
        predicted = Math.round(predicted);
      } else if (around > 0) {
        for (let e = firstBefore; e < endBefore; e++) predicted += grid[size * before[e] + r];
        predicted = Math.round(predicted / around);
      }
      const residual = models[r].code(coder, grid[size * v + r] - predicted, activity);
      grid[size * v + r] = predicted + residual;
      sum += Math.abs(residual);
    }
    residuals[v] = sum / size;
  }
}
