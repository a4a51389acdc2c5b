// SPDX-License-Identifier: MIT
// Vertices in groups of four, one per SIMD lane, with the bones of all four: a bone is read once per group, and lanes that do not use it have weight zero.
// Bones that are not shared by all four cost extra work, so vertices are first sorted by their bones.

/** Vertices per group. */
export const LANES = 4;

export interface VertexGroups {
  groupCount: number;
  /** groupCount x 4 vertices, ascending within a group; the last one repeated in a group that is not full */
  vertices: Uint32Array;
  /** groupCount + 1: bones of group g are groupStart[g] up to groupStart[g + 1] */
  groupStart: Uint32Array;
  /** ascending within a group */
  groupBones: Uint32Array;
}

/**
 * Makes groups, deterministically. Vertices are sorted by the bones of their rows, strongest first, and then by index.
 * @param rowStart vertexCount + 1
 * @param boneIndices entries, strongest first within a row
 */
export function groupVertices(rowStart: Uint32Array, boneIndices: Uint32Array): VertexGroups {
  const vertexCount = rowStart.length - 1;
  const order = Array.from({ length: vertexCount }, (_, i) => i);
  order.sort((a, b) => {
    const countA = rowStart[a + 1] - rowStart[a];
    const countB = rowStart[b + 1] - rowStart[b];
    const count = Math.min(countA, countB);
    for (let e = 0; e < count; e++) {
      const difference = boneIndices[rowStart[a] + e] - boneIndices[rowStart[b] + e];
      if (difference !== 0) return difference;
    }
    return countA - countB || a - b;
  });
  const groupCount = Math.ceil(vertexCount / LANES);
  // Groups in the order of their first vertex, so that consecutive writes are close in memory.
  const sorted = Array.from({ length: groupCount }, (_, g) => order.slice(g * LANES, (g + 1) * LANES));
  for (const group of sorted) group.sort((a, b) => a - b);
  sorted.sort((a, b) => a[0] - b[0]);
  const vertices = new Uint32Array(groupCount * LANES);
  for (let n = 0; n < vertices.length; n++) {
    const group = sorted[Math.floor(n / LANES)];
    vertices[n] = group[Math.min(n % LANES, group.length - 1)];
  }
  const groupStart = new Uint32Array(groupCount + 1);
  const groupBones: number[] = [];
  const bones = new Set<number>();
  for (let g = 0; g < groupCount; g++) {
    bones.clear();
    for (let n = g * LANES; n < (g + 1) * LANES; n++) {
      const i = vertices[n];
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) bones.add(boneIndices[e]);
    }
    for (const j of [...bones].sort((a, b) => a - b)) groupBones.push(j);
    groupStart[g + 1] = groupBones.length;
  }
  return { groupCount, vertices, groupStart, groupBones: Uint32Array.from(groupBones) };
}
