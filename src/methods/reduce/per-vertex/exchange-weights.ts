// SPDX-License-Identifier: MIT
import { SolveMonitor, type SolveMonitorOptions } from '../../../core/progress/solve-monitor.ts';
import type { ErrorQuadratics } from '../objective/error-quadratics.ts';
import { makeQuadraticSearch } from '../objective/make-quadratic-search.ts';
import { makeRows, type WeightRows } from '../weight-problem.ts';

/** Points between two progress calls. */
const STEP = 512;

/**
 * The best `influences` bones of every point and their convex weights: forward selection and exchange by exact gains, from two starts, the best bone and the largest
 * input weights; the lower error wins. If the search is stopped, the remaining points keep their largest weights, solved again.
 */
export async function exchangeWeights(
  quadratics: ErrorQuadratics,
  rows: WeightRows,
  influences: number,
  options: SolveMonitorOptions = {},
): Promise<{ rows: WeightRows; errors: Float64Array }> {
  const n = quadratics.pointCount;
  const { search, enter } = makeQuadraticSearch(quadratics, influences);
  const width = search.maxMembers;
  const columns = new Uint32Array(n * width);
  const values = new Float64Array(n * width);
  const errors = new Float64Array(n);
  const monitor = new SolveMonitor(options);
  monitor.enter('exchange', 0, 1);
  const put = (i: number): void => {
    errors[i] = Math.max(0, search.error);
    columns.fill(0, i * width, (i + 1) * width);
    values.fill(0, i * width, (i + 1) * width);
    for (let a = 0; a < search.size; a++) {
      columns[i * width + a] = search.members[a];
      values[i * width + a] = search.weights[a];
    }
  };
  for (let i = 0; i < n; i++) {
    const isStopped = i % STEP === 0 ? await monitor.tick(i / n) : monitor.isStopped;
    enter(i);
    const end = Math.min(rows.rowStart[i + 1], rows.rowStart[i] + width);
    for (let e = rows.rowStart[i]; e < end; e++) search.join(rows.columns[e], rows.values[e]);
    search.solve();
    if (!isStopped) {
      search.grow();
      search.exchange();
    }
    put(i);
    if (isStopped) continue;
    search.clear();
    search.grow();
    search.exchange();
    if (search.error < errors[i]) put(i);
  }
  return { rows: makeRows(columns, values, width), errors };
}
