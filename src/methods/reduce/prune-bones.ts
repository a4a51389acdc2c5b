// SPDX-License-Identifier: MIT

import type { ErrorQuadratics } from './objective/error-quadratics.ts';
import { makeQuadraticSearch } from './objective/make-quadratic-search.ts';
import { measureQuadratics } from './per-vertex/optimal-weights.ts';
import { makeRows, type WeightRows } from './weight-problem.ts';

type QuadraticSearch = ReturnType<typeof makeQuadraticSearch>;

/**
 * Removes bones with a small effect, in the order of their removal cost (its points are solved again without the bone, with another bone
 * if that lowers the error), while the total error stays within the limit. Each cost is measured again before its bone is removed. The points of removed bones have new
 * weights; others keep theirs.
 * @param limit root mean square per coordinate, pose and point, in the units of the quadratics
 */
export function pruneBones(
  quadratics: ErrorQuadratics,
  rows: WeightRows,
  influences: number,
  limit: number,
): WeightRows {
  const pruned = new PrunedWeights(quadratics, rows, influences);
  const first = pruned.listUsed().map((bone) => ({ bone, cost: pruned.lose(bone, false) }));
  first.sort((a, b) => a.cost - b.cost || a.bone - b.bone);
  let left = limit * limit * quadratics.pointCount * quadratics.poseNumbers;
  for (let at = 0; at + 1 < first.length; at++) {
    const { bone, cost } = first[at];
    if (cost > left) break;
    const now = pruned.lose(bone, false);
    if (now > left) continue;
    left -= Math.max(0, pruned.lose(bone, true));
  }
  return pruned.rows();
}

/** The present weights. */
class PrunedWeights {
  readonly #search: QuadraticSearch['search'];
  readonly #enter: QuadraticSearch['enter'];
  readonly #width: number;
  /** pointCount x width */
  readonly #columns: Uint32Array;
  readonly #values: Float64Array;
  /** pointCount */
  readonly #errors: Float64Array;
  /** boneCount: bones that points may not get */
  readonly #isExcluded: Uint8Array;

  constructor(quadratics: ErrorQuadratics, rows: WeightRows, influences: number) {
    const { pointCount, boneCount } = quadratics;
    const { search, enter } = makeQuadraticSearch(quadratics, influences);
    const width = search.maxMembers;
    this.#search = search;
    this.#enter = enter;
    this.#width = width;
    this.#columns = new Uint32Array(pointCount * width);
    this.#values = new Float64Array(pointCount * width);
    this.#errors = measureQuadratics(quadratics, rows);
    this.#isExcluded = new Uint8Array(boneCount);
    for (let i = 0; i < pointCount; i++) {
      for (let e = rows.rowStart[i]; e < Math.min(rows.rowStart[i + 1], rows.rowStart[i] + width); e++) {
        this.#columns[i * width + e - rows.rowStart[i]] = rows.columns[e];
        this.#values[i * width + e - rows.rowStart[i]] = rows.values[e];
      }
    }
  }

  /** Bones with weights, in ascending order. */
  listUsed(): number[] {
    const isUsed = new Uint8Array(this.#isExcluded.length);
    for (let e = 0; e < this.#values.length; e++) if (this.#values[e] > 0) isUsed[this.#columns[e]] = 1;
    return Array.from(isUsed.keys()).filter((j) => isUsed[j] === 1);
  }

  /** The present removal cost of a bone; with keep, points get their new weights. */
  lose(bone: number, keep: boolean): number {
    let cost = 0;
    this.#isExcluded[bone] = 1;
    for (let i = 0; i < this.#errors.length; i++) {
      if (!this.#follows(i, bone)) continue;
      this.#solveWithout(i, bone);
      cost += this.#search.error - this.#errors[i];
      if (keep) this.#store(i);
    }
    if (!keep) this.#isExcluded[bone] = 0;
    return cost;
  }

  rows(): WeightRows {
    return makeRows(this.#columns, this.#values, this.#width);
  }

  #follows(i: number, bone: number): boolean {
    const width = this.#width;
    for (let e = i * width; e < (i + 1) * width; e++) if (this.#columns[e] === bone && this.#values[e] > 0) return true;
    return false;
  }

  #solveWithout(i: number, bone: number): void {
    const [search, width, columns, values] = [this.#search, this.#width, this.#columns, this.#values];
    this.#enter(i);
    for (let e = i * width; e < (i + 1) * width; e++) {
      if (!(values[e] > 0) || columns[e] === bone) continue;
      search.join(columns[e], values[e]);
    }
    if (search.size > 0) search.solve();
    search.grow(this.#isExcluded);
  }

  #store(i: number): void {
    const [search, width] = [this.#search, this.#width];
    this.#columns.fill(0, i * width, (i + 1) * width);
    this.#values.fill(0, i * width, (i + 1) * width);
    for (let a = 0; a < search.size; a++) {
      this.#columns[i * width + a] = search.members[a];
      this.#values[i * width + a] = search.weights[a];
    }
    this.#errors[i] = search.error;
  }
}
