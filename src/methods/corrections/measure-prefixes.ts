// SPDX-License-Identifier: MIT
import type { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import type { CorrectionProblem } from './correction-problem.ts';
import type { LowRank } from './rest-basis.ts';

export interface PrefixErrors {
  /** rank + 1: root mean square distance with the first r components, file units */
  rms: Float64Array;
  /** rank + 1: largest distance with the first r components, file units */
  max: Float64Array;
}

/** Points between two calls of the monitor. */
const POINTS_PER_TICK = 512;

/** Measures the error of the posed shapes for each number of leading components. */
export async function measurePrefixes(
  problem: CorrectionProblem,
  { rank, basis, coefficients }: LowRank,
  monitor: SolveMonitor,
): Promise<PrefixErrors> {
  const { pointCount, frameCount, blends, residuals } = problem;
  const rms = new Float64Array(rank + 1);
  const max = new Float64Array(rank + 1);
  for (let i = 0; i < pointCount; i++) {
    problem.read(i);
    const u = 3 * rank * i;
    for (let k = 0; k < frameCount; k++) {
      const b = 9 * k;
      let x = residuals[3 * k],
        y = residuals[3 * k + 1],
        z = residuals[3 * k + 2];
      for (let r = 0; ; r++) {
        const square = x * x + y * y + z * z;
        rms[r] += square;
        if (square > max[r]) max[r] = square;
        if (r === rank) break;
        const c = coefficients[k * rank + r];
        const dx = c * basis[u + 3 * r],
          dy = c * basis[u + 3 * r + 1],
          dz = c * basis[u + 3 * r + 2];
        x -= blends[b] * dx + blends[b + 3] * dy + blends[b + 6] * dz;
        y -= blends[b + 1] * dx + blends[b + 4] * dy + blends[b + 7] * dz;
        z -= blends[b + 2] * dx + blends[b + 5] * dy + blends[b + 8] * dz;
      }
    }
    // a stop request is ignored here: the figures must include all points
    if ((i + 1) % POINTS_PER_TICK === 0) await monitor.tick((i + 1) / pointCount);
  }
  const count = Math.max(1, pointCount * frameCount);
  for (let r = 0; r <= rank; r++) {
    rms[r] = Math.sqrt(rms[r] / count);
    max[r] = Math.sqrt(max[r]);
  }
  return { rms, max };
}
