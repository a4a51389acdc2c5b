// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { eigenSymmetric } from '../../../core/algebra/eigen-symmetric.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import type { CorrectionProblem } from '../correction-problem.ts';
import { posedBasis } from '../posed-basis.ts';
import { type LowRank, type PointRows, restBasis } from '../rest-basis.ts';
import { restDisplacementsInto } from '../rest-displacement.ts';

const POINTS = 12;
const FRAMES = 7;
const EXACT = { iterations: 3000, tolerance: 1e-9 };

/** Random blends, some of them much flatter than others, and random residuals. */
function makeProblem(seed: number, flat = 0.3, points = POINTS, frames = FRAMES): CorrectionProblem {
  const random = makeRandom(seed);
  const all = Float64Array.from({ length: points * frames * 9 }, (_, c) => (c % 9 < 6 ? 1 : flat) * random.normal());
  const wanted = Float64Array.from({ length: points * frames * 3 }, () => random.normal());
  const blends = new Float64Array(9 * frames);
  const residuals = new Float64Array(3 * frames);
  return {
    ...{ pointCount: points, frameCount: frames, blends, residuals },
    weld: { pointCount: points, pointOfVertex: new Uint32Array(0), vertexOfPoint: new Uint32Array(0) },
    read(i) {
      blends.set(all.subarray(9 * frames * i, 9 * frames * (i + 1)));
      residuals.set(wanted.subarray(3 * frames * i, 3 * frames * (i + 1)));
    },
  };
}

const rowsOf = (problem: CorrectionProblem): PointRows => ({
  ...problem,
  readInto(i, out) {
    problem.read(i);
    restDisplacementsInto(problem.blends, problem.residuals, out);
  },
});

/** Σ|r − F U c|², the plain way. */
function measure(problem: CorrectionProblem, { rank, basis, coefficients }: LowRank): number {
  let squares = 0;
  for (let i = 0; i < problem.pointCount; i++) {
    problem.read(i);
    for (let k = 0; k < problem.frameCount; k++) {
      const d = [0, 0, 0];
      for (let r = 0; r < rank; r++)
        for (let a = 0; a < 3; a++) d[a] += basis[3 * (i * rank + r) + a] * coefficients[k * rank + r];
      for (let a = 0; a < 3; a++) {
        let moved = 0;
        for (let b = 0; b < 3; b++) moved += problem.blends[9 * k + 3 * b + a] * d[b];
        squares += (problem.residuals[3 * k + a] - moved) ** 2;
      }
    }
  }
  return squares;
}

const monitor = () => new SolveMonitor({});

describe('posedBasis', () => {
  it('lowers the posed error in every iteration', async () => {
    const problem = makeProblem(1);
    const start = await restBasis(rowsOf(problem), 2, monitor());
    let before = measure(problem, start);
    for (let iterations = 1; iterations < 8; iterations++) {
      const error = measure(problem, await posedBasis(problem, start, { iterations, tolerance: 0 }, monitor()));
      expect(error).toBeLessThan(before * (1 + 1e-9));
      before = error;
    }
  });

  it('converges to a local minimum', async () => {
    const problem = makeProblem(2);
    const fit = await posedBasis(problem, await restBasis(rowsOf(problem), 2, monitor()), EXACT, monitor());
    const minimum = measure(problem, fit);
    const random = makeRandom(3);
    for (let n = 0; n < 200; n++) {
      const size = 10 ** (-1 - (n % 3));
      const nudge = (values: Float64Array) => values.map((x) => x + size * random.normal() * Math.abs(x));
      const other = { ...fit, basis: nudge(fit.basis), coefficients: nudge(fit.coefficients) };
      expect(measure(problem, other)).toBeGreaterThan(minimum * (1 - 1e-6));
    }
  });

  it('recovers a low-rank ground truth from any start', async () => {
    const problem = makeProblem(4, 1);
    const random = makeRandom(5);
    const truth: LowRank = {
      rank: 1,
      basis: Float64Array.from({ length: 3 * POINTS }, () => random.normal()),
      coefficients: Float64Array.from({ length: FRAMES }, () => random.normal()),
    };
    const planted: CorrectionProblem = {
      ...problem,
      read(i) {
        problem.read(i);
        for (let k = 0; k < FRAMES; k++)
          for (let a = 0; a < 3; a++) {
            problem.residuals[3 * k + a] = 0;
            for (let b = 0; b < 3; b++)
              problem.residuals[3 * k + a] +=
                problem.blends[9 * k + 3 * b + a] * truth.basis[3 * i + b] * truth.coefficients[k];
          }
      },
    };
    const random6 = makeRandom(6);
    const start: LowRank = {
      rank: 1,
      basis: new Float64Array(3 * POINTS),
      coefficients: Float64Array.from({ length: FRAMES }, () => random6.normal()),
    };
    const fit = await posedBasis(planted, start, EXACT, monitor());
    expect(measure(planted, fit)).toBeLessThan(1e-5);
  });

  it('equals the truncated SVD for rigid blends', async () => {
    const plain = makeProblem(7);
    const turned: CorrectionProblem = {
      ...plain,
      read(i) {
        plain.read(i);
        for (let k = 0; k < FRAMES; k++) {
          const [c, s] = [Math.cos(i + k), Math.sin(i + k)];
          plain.blends.set([c, s, 0, -s, c, 0, 0, 0, 1], 9 * k);
        }
      },
    };
    const start = await restBasis(rowsOf(turned), 3, monitor());
    const fit = await posedBasis(turned, start, EXACT, monitor());
    expect(measure(turned, fit) / measure(turned, start)).toBeCloseTo(1, 6);
  });

  it('is bounded if a point collapses in every frame', async () => {
    const fit = await posedBasis(
      makeProblem(8, 0),
      await restBasis(rowsOf(makeProblem(8, 0)), 2, monitor()),
      EXACT,
      monitor(),
    );
    expect(fit.basis.every((x) => Math.abs(x) < 1e3)).toBe(true);
  });
});

describe('restBasis', () => {
  const gramOf = (rows: PointRows): Float64Array => {
    const { pointCount, frameCount } = rows;
    const own = new Float64Array(3 * frameCount);
    const gram = new Float64Array(frameCount * frameCount);
    for (let i = 0; i < pointCount; i++) {
      rows.readInto(i, own);
      for (let k = 0; k < frameCount; k++)
        for (let l = 0; l < frameCount; l++)
          for (let a = 0; a < 3; a++) gram[k * frameCount + l] += own[3 * k + a] * own[3 * l + a];
    }
    return gram;
  };
  const squaresLeft = (rows: PointRows, { rank, basis, coefficients }: LowRank): number => {
    const own = new Float64Array(3 * rows.frameCount);
    let left = 0;
    for (let i = 0; i < rows.pointCount; i++) {
      rows.readInto(i, own);
      for (let k = 0; k < rows.frameCount; k++)
        for (let a = 0; a < 3; a++) {
          let x = own[3 * k + a];
          for (let r = 0; r < rank; r++) x -= basis[3 * (i * rank + r) + a] * coefficients[k * rank + r];
          left += x * x;
        }
    }
    return left;
  };

  it('has the error of the singular values beyond its rank, which is the minimum', async () => {
    const rows = rowsOf(makeProblem(9));
    const { values } = eigenSymmetric(gramOf(rows), FRAMES);
    for (let rank = 0; rank <= FRAMES; rank++) {
      const tail = values.slice(rank).reduce((sum, x) => sum + x, 0);
      expect(squaresLeft(rows, await restBasis(rows, rank, monitor()))).toBeCloseTo(tail, 6);
    }
  });

  it('is equally accurate on long clips, with the randomized range finder', async () => {
    // more frames than DᵀD is made for; a few strong directions and noise
    const [points, frames] = [20, 600];
    const random = makeRandom(10);
    const shapes = Float64Array.from({ length: points * 3 * 4 }, () => random.normal());
    const noise = Float64Array.from({ length: points * frames * 3 }, () => 0.02 * random.normal());
    const rows: PointRows = {
      pointCount: points,
      frameCount: frames,
      readInto(i, out) {
        for (let k = 0; k < frames; k++)
          for (let a = 0; a < 3; a++) {
            out[3 * k + a] = noise[3 * (i * frames + k) + a];
            for (let n = 0; n < 4; n++)
              out[3 * k + a] += (Math.sin((n + 1) * k) / (n + 1)) * shapes[(3 * i + a) * 4 + n];
          }
      },
    };
    const fit = await restBasis(rows, 4, monitor());
    expect(fit.rank).toBe(4);
    // the best of rank 4 leaves no more than the noise, without its part in four directions
    const energy = noise.reduce((sum, x) => sum + x * x, 0);
    expect(squaresLeft(rows, fit)).toBeLessThan(energy);
  });
});
