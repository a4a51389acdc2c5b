// SPDX-License-Identifier: MIT
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import type { TrainingSet } from '../sample/shape-set.ts';

/**
 * The bones that carry points: the joints of a training set, where inputs of controllers move like their parents, so that they bring nothing to a fit of weights.
 * @returns frameCount x jointCount x 16
 */
export function carryBones(
  { bones, inputs }: Pick<TrainingSet, 'bones' | 'inputs'>,
  { parents, names }: Skeleton,
): Float64Array {
  if (!inputs || inputs.length === 0) return bones;
  const carried = bones.slice();
  const size = 16 * names.length;
  for (let o = 0; o < carried.length; o += size)
    for (const j of inputs) carried.copyWithin(o + 16 * j, o + 16 * parents[j], o + 16 * parents[j] + 16);
  return carried;
}
