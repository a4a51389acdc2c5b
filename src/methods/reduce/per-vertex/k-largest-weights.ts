// SPDX-License-Identifier: MIT
// Course 2014, §3.1, Eq. 33 and 34: the k largest weights of each point, scaled to sum to one.
import { sortRows, type WeightRows } from '../weight-problem.ts';

/** The k largest weights of each point. Rows must be in descending order, as those of a WeightProblem; negative weights (of cages) are ordered by absolute value. */
export function kLargestWeights({ rowStart, columns, values }: WeightRows, influences: number): WeightRows {
  const count = rowStart.length - 1;
  const starts = new Uint32Array(count + 1);
  for (let i = 0; i < count; i++) starts[i + 1] = starts[i] + Math.min(influences, rowStart[i + 1] - rowStart[i]);
  const outColumns = new Uint32Array(starts[count]);
  const outValues = new Float64Array(starts[count]);
  for (let i = 0; i < count; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      outColumns[e] = columns[rowStart[i] + e - starts[i]];
      outValues[e] = values[rowStart[i] + e - starts[i]];
    }
  }
  return sortRows({ rowStart: starts, columns: outColumns, values: outValues });
}
