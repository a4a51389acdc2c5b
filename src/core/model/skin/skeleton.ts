// SPDX-License-Identifier: MIT

import { makeIdentities } from '../../math/mat4.ts';
import { InputError } from '../errors.ts';

/** Bones with their rest pose. A parent comes before its children. */
export interface Skeleton {
  /** boneCount */
  names: string[];
  /** boneCount; -1 for a root, otherwise a smaller index */
  parents: Int32Array;
  /** boneCount x 16, column-major: bone space to model space, at rest */
  bindMatrices: Float64Array;
}

/**
 * Makes bones without a hierarchy, bound at the origin. Enough for models that are posed by matrices.
 * @param names default: bone 0, bone 1 …
 */
export function makeLooseSkeleton(boneCount: number, names?: string[]): Skeleton {
  return {
    names: names ?? Array.from({ length: boneCount }, (_, j) => `bone ${j}`),
    parents: new Int32Array(boneCount).fill(-1),
    bindMatrices: makeIdentities(boneCount),
  };
}

/** Some bones of a skeleton; the parent of a bone is its nearest ancestor among them. */
export function pickSkeleton({ names, parents, bindMatrices }: Skeleton, bones: ArrayLike<number>): Skeleton {
  const list = Array.from(bones);
  const placeOf = new Map(list.map((j, n) => [j, n]));
  const findParent = (j: number): number => {
    let parent = parents[j];
    while (parent >= 0 && !placeOf.has(parent)) parent = parents[parent];
    return placeOf.get(parent) ?? -1;
  };
  return {
    names: list.map((j) => names[j]),
    parents: Int32Array.from(list, findParent),
    bindMatrices: Float64Array.from(list.flatMap((j) => [...bindMatrices.subarray(16 * j, 16 * j + 16)])),
  };
}

export function boneCountOf(skeleton: Skeleton): number {
  return skeleton.names.length;
}

/** Throws an InputError if the sizes do not match or a parent does not come before its children. */
export function checkSkeleton(skeleton: Skeleton): void {
  const boneCount = skeleton.names.length;
  if (skeleton.parents.length !== boneCount || skeleton.bindMatrices.length !== boneCount * 16) {
    throw new InputError('skeleton', 'names, parents and bind matrices disagree in number');
  }
  for (let j = 0; j < boneCount; j++) {
    const p = skeleton.parents[j];
    if (p < -1 || p >= j)
      throw new InputError('skeleton', `the parent of bone ${j} ("${skeleton.names[j]}") must come before it`);
  }
}
