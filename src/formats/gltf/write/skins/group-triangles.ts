// SPDX-License-Identifier: MIT
import { InputError } from '../../../../core/model/errors.ts';

/** Triangles that follow few bones. */
export interface TriangleGroup {
  /** triangleCount x 3 vertices */
  corners: number[];
  /** Rising. */
  bones: number[];
}

/**
 * Groups triangles so that no group follows more bones than a maximum. Each triangle, in order, goes to the group that needs the fewest new bones and has
 * room for them. Throws an InputError if one triangle follows more bones.
 * @param triangles triangleCount x 3
 * @param bonesOf by vertex
 */
export function groupTriangles(
  triangles: ArrayLike<number>,
  bonesOf: readonly (readonly number[])[],
  maxBones: number,
): TriangleGroup[] {
  const groups: { bones: Set<number>; corners: number[] }[] = [];
  for (let c = 0; c + 2 < triangles.length; c += 3) {
    const corners = [triangles[c], triangles[c + 1], triangles[c + 2]];
    const needed = new Set(corners.flatMap((i) => bonesOf[i]));
    if (needed.size > maxBones)
      throw new InputError(
        'writeGlb',
        `a triangle follows ${needed.size} bones, more than ${maxBones}; ask for fewer weights per vertex`,
      );
    let best = -1;
    let fewest = Number.POSITIVE_INFINITY;
    groups.forEach(({ bones }, g) => {
      let added = 0;
      for (const bone of needed) if (!bones.has(bone)) added++;
      if (bones.size + added <= maxBones && added < fewest) {
        fewest = added;
        best = g;
      }
    });
    if (best < 0) best = groups.push({ bones: new Set(), corners: [] }) - 1;
    for (const bone of needed) groups[best].bones.add(bone);
    groups[best].corners.push(...corners);
  }
  return groups.map(({ bones, corners }) => ({ corners, bones: [...bones].sort((a, b) => a - b) }));
}
