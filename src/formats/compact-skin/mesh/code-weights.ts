// SPDX-License-Identifier: MIT
// Weights in steps, predicted by those of the neighbours: the bones of the neighbours by falling mean weight, a residual each until the sum is one; then bones that no neighbour has.
import { IntegerModel } from '../entropy/integer-model.ts';
import type { BitCoder } from '../entropy/range-coder.ts';
import type { MeshWalk } from './mesh-walk.ts';

/** Contexts: the rank of a bone, and how sure the neighbours are. */
const RANKS = 5;
const SURENESS = 6;

/** Weights of vertices in steps. */
export interface SteppedWeights {
  boneCount: number;
  /** Steps in a weight of one. */
  steps: number;
  /** Places per vertex. */
  width: number;
  /** vertexCount x width; entries with zero steps are last */
  bones: Uint16Array;
  counts: Uint16Array;
}

/** Codes weights. A decoder fills bones and counts. Coder and decoder run the same steps on one state, so they are one function. */
export function codeWeights(coder: BitCoder, walk: MeshWalk, rows: SteppedWeights): void {
  const { order, beforeStart, before } = walk;
  const { boneCount, steps, width, bones, counts } = rows;
  const boneBits = 32 - Math.clz32(boneCount - 1);
  const model = new IntegerModel(RANKS * SURENESS);
  const newModel = new IntegerModel(2);
  const sums = new Float64Array(boneCount);
  const own = new Int32Array(boneCount);
  const candidates = new Uint16Array(boneCount);
  for (let place = 0; place < order.length; place++) {
    const row = width * order[place];
    const first = beforeStart[place];
    const end = beforeStart[place + 1];
    const around = end - first;
    let count = 0;
    for (let e = first; e < end; e++) {
      const other = width * before[e];
      for (let n = other; n < other + width && counts[n] > 0; n++) {
        if (sums[bones[n]] === 0) candidates[count++] = bones[n];
        sums[bones[n]] += counts[n];
      }
    }
    sortBySums(candidates, count, sums);
    for (let n = row; n < row + width && counts[n] > 0; n++) own[bones[n]] = counts[n];
    let left = steps;
    let expectedLeft = steps * around;
    let used = 0;
    for (let n = 0; n < count; n++) {
      const bone = candidates[n];
      const sum = sums[bone];
      sums[bone] = 0;
      if (left === 0 || used === width) continue;
      const predicted = Math.min(left, Math.round((sum * left) / Math.max(sum, expectedLeft)));
      const context = Math.min(RANKS - 1, n) * SURENESS + (predicted === 0 ? 0 : predicted === left ? 1 : 2);
      const coded = predicted + model.code(coder, own[bone] - predicted, context + (sum < around ? 3 : 0));
      const weight = Math.max(0, Math.min(left, coded));
      own[bone] = 0;
      expectedLeft -= sum;
      left -= weight;
      if (weight > 0) {
        bones[row + used] = bone;
        counts[row + used++] = weight;
      }
    }
    // an encoder has the other bones of the row behind those that were coded
    while (left > 0 && used < width) {
      let bone = 0;
      while (bone < boneCount - 1 && own[bone] === 0) bone++;
      bone = Math.min(boneCount - 1, coder.codeRaw(bone, boneBits));
      const least = Math.max(1, own[bone]);
      const weight = Math.min(left, 1 + newModel.codeCount(coder, least - 1, left === steps ? 0 : 1));
      own[bone] = 0;
      left -= weight;
      bones[row + used] = bone;
      counts[row + used++] = weight;
    }
    // a row of a damaged stream may lack some steps
    if (left > 0) counts[row] += left;
    for (let n = used; n < width; n++) {
      bones[row + n] = 0;
      counts[row + n] = 0;
    }
  }
}

/** Sorts bones by falling sums, equal ones by rising number. */
function sortBySums(bones: Uint16Array, count: number, sums: Float64Array): void {
  for (let n = 1; n < count; n++) {
    const bone = bones[n];
    let at = n;
    while (at > 0 && (sums[bones[at - 1]] < sums[bone] || (sums[bones[at - 1]] === sums[bone] && bones[at - 1] > bone)))
      bones[at] = bones[--at];
    bones[at] = bone;
  }
}
