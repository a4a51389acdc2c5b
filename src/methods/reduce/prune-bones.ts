// SPDX-License-Identifier: MIT

import type { ErrorQuadratics } from './objective/error-quadratics.ts';
import { makeQuadraticSearch } from './objective/make-quadratic-search.ts';
import { measureQuadratics } from './per-vertex/optimal-weights.ts';
import { makeRows, type WeightRows } from './weight-problem.ts';

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
  const { pointCount: n, boneCount: m } = quadratics;
  const { search, enter } = makeQuadraticSearch(quadratics, influences);
  const width = search.maxMembers;
  const columns = new Uint32Array(n * width);
  const values = new Float64Array(n * width);
  const errors = measureQuadratics(quadratics, rows);
  for (let i = 0; i < n; i++) {
    for (let e = rows.rowStart[i]; e < Math.min(rows.rowStart[i + 1], rows.rowStart[i] + width); e++) {
      columns[i * width + e - rows.rowStart[i]] = rows.columns[e];
      values[i * width + e - rows.rowStart[i]] = rows.values[e];
    }
  }
  const isExcluded = new Uint8Array(m);
  /** The present removal cost of a bone; with keep, points get their new weights. */
  const lose = (bone: number, keep: boolean): number => {
    let cost = 0;
    isExcluded[bone] = 1;
    for (let i = 0; i < n; i++) {
      let follows = false;
      for (let e = i * width; e < (i + 1) * width; e++) if (columns[e] === bone && values[e] > 0) follows = true;
      if (!follows) continue;
      enter(i);
      for (let e = i * width; e < (i + 1) * width; e++) {
        if (!(values[e] > 0) || columns[e] === bone) continue;
        search.join(columns[e], values[e]);
      }
      if (search.size > 0) search.solve();
      search.grow(isExcluded);
      cost += search.error - errors[i];
      if (!keep) continue;
      columns.fill(0, i * width, (i + 1) * width);
      values.fill(0, i * width, (i + 1) * width);
      for (let a = 0; a < search.size; a++) {
        columns[i * width + a] = search.members[a];
        values[i * width + a] = search.weights[a];
      }
      errors[i] = search.error;
    }
    if (!keep) isExcluded[bone] = 0;
    return cost;
  };
  const isUsed = new Uint8Array(m);
  for (let e = 0; e < values.length; e++) if (values[e] > 0) isUsed[columns[e]] = 1;
  const first = Array.from(isUsed.keys())
    .filter((j) => isUsed[j] === 1)
    .map((bone) => ({ bone, cost: lose(bone, false) }));
  first.sort((a, b) => a.cost - b.cost || a.bone - b.bone);
  let left = limit * limit * n * quadratics.poseNumbers;
  for (let at = 0; at + 1 < first.length; at++) {
    const { bone, cost } = first[at];
    if (cost > left) break;
    const now = lose(bone, false);
    if (now > left) continue;
    left -= Math.max(0, lose(bone, true));
  }
  return makeRows(columns, values, width);
}
