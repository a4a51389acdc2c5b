// SPDX-License-Identifier: MIT
// E. Landreneau, S. Schaefer, "Poisson-based weight reduction of animated meshes", Computer Graphics Forum 29(6), 2010, doi:10.1111/j.1467-8659.2010.01661.x;
// Course 2014, §3.2. On the k largest weights of each point, weights ρ with the Laplacian of the input weights ρ̄:
//   min Σⱼ |L(ρⱼ − ρ̄ⱼ)|²,  ρ = 0 outside the support, ρ ≥ 0, Σⱼ ρⱼ = 1                                       (Eq. 35a, 35b)
// by the incremental solver: one point at a time, with fixed neighbours. With e = ρ − ρ̄ and only point i variable, the objective is
//   Σᵣ |(Le)ᵣ − Lᵣᵢeᵢ + Lᵣᵢe|² = Sᵢ|e − tᵢ|² + const,  Sᵢ = Σᵣ Lᵣᵢ²,  tᵢ = eᵢ − Σᵣ Lᵣᵢ(Le)ᵣ / Sᵢ
// so the step is the projection of ρ̄ᵢ + tᵢ, on the support, onto the simplex. Le is updated after each step. Cages keep the position of the point instead of signs
// (Eq. 35c): the projection is then onto Σρ = 1, Σρc = v. For skins Eq. 36 has no effect at rest, so it is not used.
import { SolveMonitor, type SolveMonitorOptions } from '../../../core/progress/solve-monitor.ts';
import type { RowLaplacian } from '../objective/row-laplacian.ts';
import { makeProjection, projectSimplex } from '../project-weights.ts';
import { sortRows, type WeightRows } from '../weight-problem.ts';
import { kLargestWeights } from './k-largest-weights.ts';

export interface SmoothWeightsOptions extends SolveMonitorOptions {
  /** Passes over all points. */
  sweeps?: number;
  /** For cages: boneCount x 3 positions of the cage's vertices and pointCount x 3 positions of the points, relative to one origin. */
  cage?: { vertices: Float64Array; points: Float64Array };
}

export const SMOOTH_WEIGHTS_DEFAULTS = { sweeps: 60 } as const;

/** Reduces weights to at most `influences` per point, without poses. */
export async function smoothWeights(
  rows: WeightRows,
  boneCount: number,
  laplacian: RowLaplacian,
  influences: number,
  options: SmoothWeightsOptions = {},
): Promise<WeightRows> {
  const n = rows.rowStart.length - 1;
  const m = boneCount;
  const kept = kLargestWeights(rows, influences);
  const sweeps = options.sweeps ?? SMOOTH_WEIGHTS_DEFAULTS.sweeps;
  const { rowStart, columns, values, scales } = laplacian;
  const project = options.cage && makeProjection(options.cage, influences);
  /** pointCount x boneCount each: ρ̄, e and Le */
  const given = new Float64Array(n * m);
  const off = new Float64Array(n * m);
  const curved = new Float64Array(n * m);
  for (let i = 0; i < n; i++) {
    for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++) given[i * m + rows.columns[e]] = rows.values[e];
    for (let e = kept.rowStart[i]; e < kept.rowStart[i + 1]; e++) off[i * m + kept.columns[e]] = kept.values[e];
    for (let j = i * m; j < (i + 1) * m; j++) off[j] -= given[j];
  }
  for (let r = 0; r < n; r++) {
    for (let e = rowStart[r]; e < rowStart[r + 1]; e++) {
      const from = columns[e] * m;
      for (let j = 0; j < m; j++) curved[r * m + j] += values[e] * off[from + j];
    }
  }
  const out = kept.values.slice();
  const target = new Float64Array(m);
  const change = new Float64Array(m);
  const monitor = new SolveMonitor(options);
  monitor.enter('smooth', 0, 1);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    if (await monitor.tick(sweep / sweeps)) break;
    for (let i = 0; i < n; i++) {
      if (scales[i] === 0) continue;
      const o = i * m;
      for (let j = 0; j < m; j++) target[j] = off[o + j];
      // L is not symmetric: Lᵣᵢ is entry e of row i only by way of its transposed value
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
        const part = laplacian.transposed[e] / scales[i];
        const r = columns[e] * m;
        for (let j = 0; j < m; j++) target[j] -= part * curved[r + j];
      }
      const [from, to] = [kept.rowStart[i], kept.rowStart[i + 1]];
      for (let e = from; e < to; e++) out[e] = given[o + kept.columns[e]] + target[kept.columns[e]];
      const isPlaced = project?.(out, kept.columns, from, to, i);
      if (!isPlaced) projectSimplex(out, from, to);
      for (let j = 0; j < m; j++) change[j] = -given[o + j] - off[o + j];
      for (let e = from; e < to; e++) change[kept.columns[e]] += out[e];
      for (let j = 0; j < m; j++) off[o + j] += change[j];
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
        const r = columns[e] * m;
        for (let j = 0; j < m; j++) curved[r + j] += laplacian.transposed[e] * change[j];
      }
    }
  }
  return sortRows({ rowStart: kept.rowStart, columns: kept.columns, values: out });
}
