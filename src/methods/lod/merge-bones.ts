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
export function mergeBones(input: MergeInput, limit: number): Uint32Array {
  return new BoneMerger(input).run(limit);
}

class BoneMerger {
  readonly #positions: Float32Array;
  readonly #poses: readonly Float64Array[];
  readonly #boneCount: number;
  /** By vertex of the level: weights by bone, after the merges so far. */
  readonly #rows: Map<number, number>[];
  /** poseCount x vertexCount x 3: displacements by the merges so far */
  readonly #moved: Float64Array[];
  /** By bone, the vertices that it moves. */
  readonly #verticesOf: Set<number>[];

  constructor({ level, skin, boneCount, poses }: MergeInput) {
    this.#positions = level.positions;
    this.#poses = poses;
    this.#boneCount = boneCount;
    this.#rows = Array.from(level.vertices, (i) => readRow(skin, i));
    this.#moved = poses.map(() => new Float64Array(level.positions.length));
    this.#verticesOf = Array.from({ length: boneCount }, () => new Set<number>());
    this.#rows.forEach((row, n) => {
      for (const bone of row.keys()) this.#verticesOf[bone].add(n);
    });
  }

  run(limit: number): Uint32Array {
    const map = Uint32Array.from({ length: this.#boneCount }, (_, b) => b);
    for (let best = this.#findBest(limit); best; best = this.#findBest(limit)) {
      const { from, to } = best;
      this.#apply(from, to);
      for (let b = 0; b < map.length; b++) if (map[b] === from) map[b] = to;
    }
    return map;
  }

  /** The merge with the smallest largest displacement below the limit. */
  #findBest(limit: number): { from: number; to: number } | undefined {
    let best: { from: number; to: number; most: number } | undefined;
    for (let from = 0; from < this.#boneCount; from++) {
      for (const to of listPartners(this.#rows, this.#verticesOf[from], from)) {
        const bound = best?.most ?? limit;
        const most = this.#measure(from, to, bound);
        if (most < bound) best = { from, to, most };
      }
    }
    return best;
  }

  /** The largest displacement of a vertex of `from` if it is merged; stops at the bound. */
  #measure(from: number, to: number, bound: number): number {
    let most = 0;
    for (const n of this.#verticesOf[from]) {
      const weight = this.#rows[n].get(from) ?? 0;
      for (const [k, bones] of this.#poses.entries()) {
        const moved = this.#moved[k];
        const squared = [0, 1, 2].reduce(
          (sum, r) => sum + (moved[3 * n + r] + weight * this.#shiftOf(bones, from, to, n, r)) ** 2,
          0,
        );
        most = Math.max(most, Math.sqrt(squared));
        if (most >= bound) return most;
      }
    }
    return most;
  }

  /** Row r of (M_to - M_from) u. */
  #shiftOf(bones: Float64Array, from: number, to: number, n: number, r: number): number {
    let sum = bones[16 * to + 12 + r] - bones[16 * from + 12 + r];
    for (let c = 0; c < 3; c++)
      sum += (bones[16 * to + 4 * c + r] - bones[16 * from + 4 * c + r]) * this.#positions[3 * n + c];
    return sum;
  }

  #apply(from: number, to: number): void {
    for (const n of this.#verticesOf[from]) {
      const row = this.#rows[n];
      const weight = row.get(from) ?? 0;
      this.#poses.forEach((bones, k) => {
        for (let r = 0; r < 3; r++) this.#moved[k][3 * n + r] += weight * this.#shiftOf(bones, from, to, n, r);
      });
      row.delete(from);
      row.set(to, (row.get(to) ?? 0) + weight);
      this.#verticesOf[to].add(n);
    }
    this.#verticesOf[from].clear();
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
