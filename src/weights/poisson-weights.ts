// SPDX-License-Identifier: MIT
// E. Landreneau, S. Schaefer, "Poisson-based weight reduction of animated meshes", Computer Graphics Forum 29(6), 2010, doi:10.1111/j.1467-8659.2010.01661.x;
// Course 2014, §3.4, Eq. 42 and 43: on a given support, weights that reproduce the Laplacian of the poses:
//   min Σ_poses |L(Σⱼ wⱼMⱼu − v')|²,  w ≥ 0, Σⱼ wⱼ = 1
// by block descent, one point at a time: with e = Σⱼ wⱼMⱼu − v' (a row of 3 numbers per pose) and only point i variable, the objective is Sᵢ|e − tᵢ|² + const as in
// smooth-weights.ts, so the step is the usual small problem on its support, with v' + tᵢ instead of v'. L e is updated after each step, in single precision.
//
// L has constants in its null space, and whole regions drift with the number of sweeps: the error of positions rises while normals converge. `attachment` adds |e|²,
// times that number, to each Sᵢ|e − tᵢ|²; zero is the paper's method.
import { SolveMonitor, type SolveMonitorOptions } from '../fit/solve-monitor.ts';
import { makeSimplexSolver } from '../solve/simplex-least-squares.ts';
import type { RowLaplacian } from './row-laplacian.ts';
import { sortRows, type WeightProblem, type WeightRows } from './weight-problem.ts';

export interface PoissonWeightsOptions extends SolveMonitorOptions {
  /** Passes over all points. */
  sweeps?: number;
  /** Weight of positions relative to the Laplacian. */
  attachment?: number;
}

export const POISSON_WEIGHTS_DEFAULTS = { sweeps: 10, attachment: 0 } as const;

/**
 * Solves the weights of a support with poses.
 * @param start the support and its weights; those of geometricWeights in the paper
 * @param bones 3 frameCount x 4 boneCount, from normalizePoses
 * @param targets of a point: 3 frameCount numbers, in the units of the problem
 */
export async function poissonWeights(
  problem: Pick<WeightProblem, 'pointCount' | 'boneCount' | 'rest'>,
  start: WeightRows,
  bones: Float64Array,
  targets: (point: number, out: Float64Array) => void,
  laplacian: RowLaplacian,
  options: PoissonWeightsOptions = {},
): Promise<WeightRows> {
  const { pointCount: n, boneCount: m, rest } = problem;
  const rows = bones.length / (4 * m);
  const sweeps = options.sweeps ?? POISSON_WEIGHTS_DEFAULTS.sweeps;
  const attachment = options.attachment ?? POISSON_WEIGHTS_DEFAULTS.attachment;
  let width = 0;
  for (let i = 0; i < n; i++) width = Math.max(width, start.rowStart[i + 1] - start.rowStart[i]);
  /** bones by bone: boneCount x rows x 4, so that the images of a point are contiguous */
  const turned = new Float64Array(bones.length);
  for (let row = 0; row < rows; row++)
    for (let j = 0; j < m; j++)
      for (let c = 0; c < 4; c++) turned[(j * rows + row) * 4 + c] = bones[row * 4 * m + 4 * j + c];
  const values = start.values.slice();
  /** pointCount x rows each: e and Le */
  const off = new Float32Array(n * rows);
  const curved = new Float32Array(n * rows);
  const images = Array.from({ length: width }, () => new Float64Array(rows));
  const posed = new Float64Array(rows);
  const fillImages = (i: number): number => {
    const x = rest[3 * i],
      y = rest[3 * i + 1],
      z = rest[3 * i + 2];
    const count = start.rowStart[i + 1] - start.rowStart[i];
    for (let a = 0; a < count; a++) {
      const image = images[a];
      const o = start.columns[start.rowStart[i] + a] * rows * 4;
      for (let row = 0, p = o; row < rows; row++, p += 4)
        image[row] = turned[p] * x + turned[p + 1] * y + turned[p + 2] * z + turned[p + 3];
    }
    return count;
  };
  for (let i = 0; i < n; i++) {
    targets(i, posed);
    const count = fillImages(i);
    for (let row = 0; row < rows; row++) {
      let sum = -posed[row];
      for (let a = 0; a < count; a++) sum += values[start.rowStart[i] + a] * images[a][row];
      off[i * rows + row] = sum;
    }
  }
  for (let r = 0; r < n; r++) {
    for (let e = laplacian.rowStart[r]; e < laplacian.rowStart[r + 1]; e++) {
      const from = laplacian.columns[e] * rows;
      const l = laplacian.values[e];
      for (let row = 0; row < rows; row++) curved[r * rows + row] += l * off[from + row];
    }
  }
  const solver = makeSimplexSolver(width);
  const h = new Float64Array(width * width);
  const f = new Float64Array(width);
  const x = new Float64Array(width);
  const target = new Float64Array(rows);
  const monitor = new SolveMonitor(options);
  monitor.enter('Poisson', 0, 1);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    if (await monitor.tick(sweep / sweeps)) break;
    for (let i = 0; i < n; i++) {
      const scale = laplacian.scales[i];
      if (scale === 0 || start.rowStart[i + 1] - start.rowStart[i] < 2) continue;
      const o = i * rows;
      // the target of e: tᵢ, reduced by the attachment
      for (let row = 0; row < rows; row++) target[row] = scale * off[o + row];
      for (let e = laplacian.rowStart[i]; e < laplacian.rowStart[i + 1]; e++) {
        const l = laplacian.transposed[e];
        const r = laplacian.columns[e] * rows;
        for (let row = 0; row < rows; row++) target[row] -= l * curved[r + row];
      }
      const hold = 1 / (scale + attachment * attachment);
      const count = fillImages(i);
      // v' is the blended position minus e
      for (let row = 0; row < rows; row++) {
        let sum = -off[o + row];
        for (let a = 0; a < count; a++) sum += values[start.rowStart[i] + a] * images[a][row];
        posed[row] = sum;
        target[row] = hold * target[row] + sum;
      }
      for (let a = 0; a < count; a++) {
        const image = images[a];
        let dot = 0;
        for (let row = 0; row < rows; row++) dot += image[row] * target[row];
        f[a] = dot;
        x[a] = values[start.rowStart[i] + a];
        for (let b = 0; b <= a; b++) {
          let sum = 0;
          for (let row = 0; row < rows; row++) sum += image[row] * images[b][row];
          h[a * count + b] = h[b * count + a] = sum;
        }
      }
      solver.solveInto(h, f, x, count);
      for (let row = 0; row < rows; row++) {
        let sum = -posed[row];
        for (let a = 0; a < count; a++) sum += x[a] * images[a][row];
        target[row] = sum - off[o + row];
        off[o + row] = sum;
      }
      for (let a = 0; a < count; a++) values[start.rowStart[i] + a] = x[a];
      for (let e = laplacian.rowStart[i]; e < laplacian.rowStart[i + 1]; e++) {
        const l = laplacian.transposed[e];
        const r = laplacian.columns[e] * rows;
        for (let row = 0; row < rows; row++) curved[r + row] += l * target[row];
      }
    }
  }
  return sortRows({ rowStart: start.rowStart, columns: start.columns, values });
}
