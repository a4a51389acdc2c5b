// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import { type LeastSquaresProblem, makeLevenbergMarquardt } from '../levenberg-marquardt.ts';

/** A problem in plain numbers, from residuals; derivatives by differences. Keeps every error it was moved to. */
function makeProblem(start: number[], residuals: (x: Float64Array) => number[]) {
  const x = Float64Array.from(start);
  let before = x.slice();
  const square = () => residuals(x).reduce((sum, r) => sum + r * r, 0);
  const errors: number[] = [];
  const problem: LeastSquaresProblem = {
    size: x.length,
    measure: square,
    linearizeInto(normal, gradient) {
      const r = residuals(x);
      const columns = Array.from(x, (value, c) => {
        const h = 1e-6 * (1 + Math.abs(value));
        x[c] = value + h;
        const up = residuals(x);
        x[c] = value - h;
        const down = residuals(x);
        x[c] = value;
        return up.map((u, n) => (u - down[n]) / (2 * h));
      });
      columns.forEach((a, i) => {
        gradient[i] = a.reduce((sum, v, n) => sum + v * r[n], 0);
        columns.forEach((b, j) => {
          normal[i * x.length + j] = a.reduce((sum, v, n) => sum + v * b[n], 0);
        });
      });
    },
    move(step) {
      before = x.slice();
      for (let c = 0; c < x.length; c++) x[c] += step[c];
      errors.push(square());
      return errors[errors.length - 1];
    },
    undo() {
      x.set(before);
      errors.pop();
    },
  };
  return { problem, x, errors };
}

describe('levenbergMarquardt', () => {
  it('minimizes the Rosenbrock function', () => {
    const { problem, x } = makeProblem([-1.2, 1], ([a, b]) => [10 * (b - a * a), 1 - a]);
    const { error, status } = makeLevenbergMarquardt(problem.size).solve(problem);
    expect(status).not.toBe('max-iterations');
    expect(error).toBeLessThan(1e-15);
    expect(x[0]).toBeCloseTo(1, 6);
    expect(x[1]).toBeCloseTo(1, 6);
  });

  it('agrees with the normal equations for linear least squares', () => {
    const random = makeRandom(2);
    const rows = Array.from({ length: 12 }, () => [random.normal(), random.normal(), random.normal()]);
    const right = rows.map(() => random.normal());
    const { problem, x } = makeProblem([5, -3, 8], (p) =>
      rows.map((row, n) => row[0] * p[0] + row[1] * p[1] + row[2] * p[2] - right[n]),
    );
    makeLevenbergMarquardt(problem.size).solve(problem);
    for (let c = 0; c < 3; c++) {
      const slope = rows.reduce(
        (sum, row, n) => sum + row[c] * (row[0] * x[0] + row[1] * x[1] + row[2] * x[2] - right[n]),
        0,
      );
      expect(slope).toBeCloseTo(0, 6);
    }
  });

  it.each([1, 2, 3])('finds the minimum of a grid search, seed %i', (seed) => {
    const random = makeRandom(seed);
    const [rate, phase] = [0.6 + 0.4 * random.next(), random.next()];
    const times = Array.from({ length: 20 }, (_, n) => 0.2 * n);
    const values = times.map((t) => Math.sin(rate * t + phase) + 0.05 * random.normal());
    const residuals = (x: ArrayLike<number>) => times.map((t, n) => Math.sin(x[0] * t + x[1]) - values[n]);
    const { problem, x } = makeProblem([0.8, 0.5], residuals);
    const { error } = makeLevenbergMarquardt(problem.size).solve(problem);
    let best = Number.POSITIVE_INFINITY;
    let found = [0, 0];
    for (let a = 0.4; a <= 1.2; a += 0.005) {
      for (let b = -0.5; b <= 1.5; b += 0.005) {
        const e = residuals([a, b]).reduce((sum, r) => sum + r * r, 0);
        if (e < best) {
          best = e;
          found = [a, b];
        }
      }
    }
    expect(error).toBeLessThanOrEqual(best);
    expect(x[0]).toBeCloseTo(found[0], 1);
    expect(x[1]).toBeCloseTo(found[1], 1);
  });

  it('never raises the error, keeps unknowns without effect, and stops on request', () => {
    const { problem, x, errors } = makeProblem([3, 7, 0.1], ([a, , c]) => [Math.exp(a * c) - 2, a - 3 * c]);
    const first = problem.measure();
    const { error, iterations } = makeLevenbergMarquardt(problem.size).solve(problem, { iterations: 30 });
    expect(iterations).toBeLessThanOrEqual(30);
    for (let n = 0; n < errors.length; n++) expect(errors[n]).toBeLessThan(n === 0 ? first : errors[n - 1]);
    expect(error).toBe(problem.measure());
    expect(x[1]).toBeCloseTo(7, 9);
    const other = makeProblem([3, 7, 0.1], ([a, , c]) => [Math.exp(a * c) - 2, a - 3 * c]);
    expect(makeLevenbergMarquardt(other.problem.size).solve(other.problem, { iterations: 1 }).status).toBe(
      'max-iterations',
    );
  });

  it('ends immediately at a minimum', () => {
    const { problem } = makeProblem([0], ([a]) => [1 + a * a * a]);
    expect(makeLevenbergMarquardt(problem.size).solve(problem)).toMatchObject({ error: 1, status: 'converged' });
  });
});
