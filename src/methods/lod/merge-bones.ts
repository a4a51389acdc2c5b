// SPDX-License-Identifier: MIT
// Fewer bones for a level: bone b is merged into bone c by giving c the weights of b. In a pose the vertex u then moves by w_b (M_c - M_b) u. The merge
// with the smallest largest displacement, added to those of the merges before it, comes first, as long as that is within a limit.
import type { MeshLevel } from '../../core/model/mesh/mesh-level.ts';
import type { Skin } from '../../core/model/skin/skin.ts';

/** What mergeBones reads: the vertices of a level with their weights, and bones in some poses. */
export interface MergeInput {
  level: Pick<MeshLevel, 'positions' | 'vertices'>;
  /** Weights of the full mesh. */
  skin: Skin;
  boneCount: number;
  /** Rest-to-posed matrices per pose: boneCount x 16 */
  poses: readonly Float64Array[];
}

/**
 * Merges bones of a level while no vertex of it moves by more than a limit in the given poses.
 * @param limit file units
 * @returns boneCount: the bone that replaces each
 */
export function mergeBones({ level, skin, boneCount, poses }: MergeInput, limit: number): Uint32Array {
  const map = Uint32Array.from({ length: boneCount }, (_, b) => b);
  /** By vertex of the level: weights by bone, after the merges so far. */
  const rows = Array.from(level.vertices, (i) => readRow(skin, i));
  /** poseCount x vertexCount x 3 */
  const moved = poses.map(() => new Float64Array(level.positions.length));
  const verticesOf = Array.from({ length: boneCount }, () => new Set<number>());
  rows.forEach((row, n) => {
    for (const bone of row.keys()) verticesOf[bone].add(n);
  });
  for (;;) {
    let best: { from: number; to: number; most: number } | undefined;
    for (let from = 0; from < boneCount; from++) {
      for (const to of listPartners(rows, verticesOf[from], from)) {
        const most = measureMerge(from, to, best?.most ?? limit);
        if (most < (best?.most ?? limit)) best = { from, to, most };
      }
    }
    if (!best) return map;
    apply(best.from, best.to);
  }

  /** The largest displacement of a vertex of `from` if it is merged; stops at the bound. */
  function measureMerge(from: number, to: number, bound: number): number {
    let most = 0;
    for (const n of verticesOf[from]) {
      const weight = rows[n].get(from)!;
      for (const [k, bones] of poses.entries()) {
        const squared = [0, 1, 2].reduce(
          (sum, r) => sum + (moved[k][3 * n + r] + weight * shiftOf(bones, from, to, n, r)) ** 2,
          0,
        );
        most = Math.max(most, Math.sqrt(squared));
        if (most >= bound) return most;
      }
    }
    return most;
  }

  /** Row r of (M_to - M_from) u. */
  function shiftOf(bones: Float64Array, from: number, to: number, n: number, r: number): number {
    let sum = bones[16 * to + 12 + r] - bones[16 * from + 12 + r];
    for (let c = 0; c < 3; c++)
      sum += (bones[16 * to + 4 * c + r] - bones[16 * from + 4 * c + r]) * level.positions[3 * n + c];
    return sum;
  }

  function apply(from: number, to: number): void {
    for (const n of verticesOf[from]) {
      const weight = rows[n].get(from)!;
      poses.forEach((bones, k) => {
        for (let r = 0; r < 3; r++) moved[k][3 * n + r] += weight * shiftOf(bones, from, to, n, r);
      });
      rows[n].delete(from);
      rows[n].set(to, (rows[n].get(to) ?? 0) + weight);
      verticesOf[to].add(n);
    }
    verticesOf[from].clear();
    for (let b = 0; b < boneCount; b++) if (map[b] === from) map[b] = to;
  }
}

function readRow({ rowStart, boneIndices, weights }: Skin, i: number): Map<number, number> {
  const row = new Map<number, number>();
  for (let e = rowStart[i]; e < rowStart[i + 1]; e++)
    if (weights[e] > 0) row.set(boneIndices[e], (row.get(boneIndices[e]) ?? 0) + weights[e]);
  return row;
}

/** Bones that share a vertex with a bone. */
function listPartners(rows: readonly Map<number, number>[], vertices: ReadonlySet<number>, bone: number): Set<number> {
  const partners = new Set<number>();
  for (const n of vertices) for (const other of rows[n].keys()) if (other !== bone) partners.add(other);
  return partners;
}
