// SPDX-License-Identifier: MIT

/** Bones with their rest pose. A parent comes before its children. */
export interface Skeleton {
  /** boneCount */
  names: string[];
  /** boneCount; -1 for a root, otherwise a smaller index */
  parents: Int32Array;
  /** boneCount x 16, column-major: bone space to model space, at rest */
  bindMatrices: Float64Array;
}

export function boneCountOf(skeleton: Skeleton): number {
  return skeleton.names.length;
}

/** Throws when sizes disagree or a bone's parent does not come before it (so cycles cannot be said). */
export function checkSkeleton(skeleton: Skeleton): void {
  const boneCount = skeleton.names.length;
  if (skeleton.parents.length !== boneCount || skeleton.bindMatrices.length !== boneCount * 16) {
    throw new Error('skeleton: names, parents and bind matrices disagree in number');
  }
  for (let j = 0; j < boneCount; j++) {
    const p = skeleton.parents[j];
    if (p < -1 || p >= j)
      throw new Error(`skeleton: the parent of bone ${j} ("${skeleton.names[j]}") must come before it`);
  }
}
