// SPDX-License-Identifier: MIT
// The assignment of rows to columns with the smallest sum of costs.
//
// H. W. Kuhn, "The Hungarian method for the assignment problem", Naval Research Logistics Quarterly 2, 1955, in the form of shortest augmenting paths: rows are added one at a time, and potentials u, v keep all reduced costs
// c_ij − u_i − v_j at zero or more, and at zero for assigned pairs. O(rows² x columns).

/**
 * Assigns every row to a column of its own.
 * @param costs rowCount x columnCount, finite; not more rows than columns
 * @returns rowCount: the column of each row
 */
export function assignPairs(costs: Float64Array, rowCount: number, columnCount: number): Uint32Array {
  // column 0 is the row that is being added; rows and columns count from one
  const u = new Float64Array(rowCount + 1);
  const v = new Float64Array(columnCount + 1);
  const rowOf = new Uint32Array(columnCount + 1);
  const before = new Uint32Array(columnCount + 1);
  for (let row = 1; row <= rowCount; row++) {
    const shortest = new Float64Array(columnCount + 1).fill(Number.POSITIVE_INFINITY);
    const isDone = new Uint8Array(columnCount + 1);
    rowOf[0] = row;
    let column = 0;
    do {
      isDone[column] = 1;
      const i = rowOf[column];
      let [delta, next] = [Number.POSITIVE_INFINITY, 0];
      for (let j = 1; j <= columnCount; j++) {
        if (isDone[j]) continue;
        const reduced = costs[(i - 1) * columnCount + j - 1] - u[i] - v[j];
        if (reduced < shortest[j]) {
          shortest[j] = reduced;
          before[j] = column;
        }
        if (shortest[j] < delta) [delta, next] = [shortest[j], j];
      }
      for (let j = 0; j <= columnCount; j++)
        if (isDone[j]) {
          u[rowOf[j]] += delta;
          v[j] -= delta;
        } else shortest[j] -= delta;
      if (next === 0) throw new Error('assignPairs: costs must be finite, and rows not more than columns');
      column = next;
    } while (rowOf[column] !== 0);
    for (; column !== 0; column = before[column]) rowOf[column] = rowOf[before[column]];
  }
  const columns = new Uint32Array(rowCount);
  for (let j = 1; j <= columnCount; j++) if (rowOf[j] > 0) columns[rowOf[j] - 1] = j - 1;
  return columns;
}
