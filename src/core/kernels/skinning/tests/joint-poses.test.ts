// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../compute/make-compute.ts';
import { makeRandom } from '../../../math/random.ts';
import { nearestRotationInto } from '../../../math/rotation.ts';
import { uploadFloat64 } from '../../compute.ts';
import { callJointPoses } from '../joint-poses.ts';

const BONES = 5;
const FRAMES = 3;
const SIZE = 3 * BONES;
const POINTS = 40;

/** Points y (POINTS x SIZE) seen through rotations X, with noise: G = Σ yyᵀ, D = Σ v yᵀ. */
function makeProblem(noise: number, idle = -1) {
  const random = makeRandom(3);
  const y = Float64Array.from({ length: POINTS * SIZE }, (_, e) =>
    Math.floor((e % SIZE) / 3) === idle ? 0 : random.normal(),
  );
  const truth = new Float64Array(FRAMES * 3 * SIZE);
  const start = new Float64Array(FRAMES * 3 * SIZE);
  const m = new Float64Array(9);
  const n = new Float64Array(9);
  for (let k = 0; k < FRAMES; k++) {
    for (let b = 0; b < BONES; b++) {
      for (let c = 0; c < 9; c++) m[c] = (c % 4 === 0 ? 1 : 0) + 0.8 * random.normal();
      nearestRotationInto(m, m);
      for (let c = 0; c < 9; c++) n[c] = m[c] + 0.15 * random.normal();
      nearestRotationInto(n, n);
      for (let r = 0; r < 3; r++) {
        for (let c = 0; c < 3; c++) {
          truth[(3 * k + r) * SIZE + 3 * b + c] = m[3 * c + r];
          start[(3 * k + r) * SIZE + 3 * b + c] = n[3 * c + r];
        }
      }
    }
  }
  const seen = new Float64Array(FRAMES * 3 * POINTS);
  const gram = new Float64Array(SIZE * SIZE);
  const targets = new Float64Array(FRAMES * 3 * SIZE);
  for (let i = 0; i < POINTS; i++) {
    for (let e = 0; e < SIZE; e++)
      for (let f = 0; f < SIZE; f++) gram[e * SIZE + f] += y[i * SIZE + e] * y[i * SIZE + f];
    for (let row = 0; row < 3 * FRAMES; row++) {
      let v = noise * random.normal();
      for (let e = 0; e < SIZE; e++) v += truth[row * SIZE + e] * y[i * SIZE + e];
      seen[row * POINTS + i] = v;
      for (let e = 0; e < SIZE; e++) targets[row * SIZE + e] += v * y[i * SIZE + e];
    }
  }
  /** By plain loops over points. */
  const measure = (x: Float64Array): number => {
    let error = 0;
    for (let row = 0; row < 3 * FRAMES; row++) {
      for (let i = 0; i < POINTS; i++) {
        let v = -seen[row * POINTS + i];
        for (let e = 0; e < SIZE; e++) v += x[row * SIZE + e] * y[i * SIZE + e];
        error += v * v;
      }
    }
    return error;
  };
  return { gram, targets, truth, start, measure };
}

async function solve(kind: 'wasm' | 'typescript', problem: ReturnType<typeof makeProblem>, steps: number, threads = 1) {
  const compute = await makeCompute({ kind, threads });
  const rotations = uploadFloat64(compute, problem.start);
  const gram = uploadFloat64(compute, problem.gram);
  const targets = uploadFloat64(compute, problem.targets);
  await compute.runAll([callJointPoses(compute, { boneCount: BONES, rotations, gram, targets }, steps)]);
  const result = rotations.view().slice();
  compute.dispose();
  return result;
}

describe('joint poses', () => {
  it('find the rotations that generated the data', async () => {
    const problem = makeProblem(0);
    const found = await solve('wasm', problem, 12);
    for (let e = 0; e < found.length; e++) expect(found[e]).toBeCloseTo(problem.truth[e], 6);
  });

  it('lower the error in every step, and end where the gradient vanishes', async () => {
    const problem = makeProblem(0.3);
    let before = problem.measure(problem.start);
    for (const steps of [1, 2, 4, 8, 30]) {
      const error = problem.measure(await solve('wasm', problem, steps));
      expect(error).toBeLessThanOrEqual(before * (1 + 1e-12));
      before = error;
    }
    const best = await solve('wasm', problem, 60);
    // small turns about any axis of any bone only make it worse
    for (let b = 0; b < BONES; b++) {
      for (const angle of [1e-3, -1e-3]) {
        const turned = best.slice();
        for (let row = 0; row < 3 * FRAMES; row += 3) {
          for (let c = 3 * b; c < 3 * b + 3; c++) {
            const [p, q] = [best[row * SIZE + c], best[(row + 1) * SIZE + c]];
            turned[row * SIZE + c] = Math.cos(angle) * p - Math.sin(angle) * q;
            turned[(row + 1) * SIZE + c] = Math.sin(angle) * p + Math.cos(angle) * q;
          }
        }
        expect(problem.measure(turned)).toBeGreaterThan(problem.measure(best));
      }
    }
  });

  it('agree with their reference, stay rotations, and leave a bone without effect unchanged', async () => {
    const problem = makeProblem(0.2, 2);
    const [fast, slow, threads] = [
      await solve('wasm', problem, 5),
      await solve('typescript', problem, 5),
      await solve('wasm', problem, 5, 2),
    ];
    expect(threads).toEqual(fast);
    for (let e = 0; e < fast.length; e++) expect(fast[e]).toBeCloseTo(slow[e], 9);
    for (let row = 0; row < 3 * FRAMES; row += 3) {
      for (let b = 0; b < BONES; b++) {
        for (let c = 0; c < 3; c++) {
          for (let d = 0; d < 3; d++) {
            let sum = 0;
            for (let r = 0; r < 3; r++) sum += fast[(row + r) * SIZE + 3 * b + c] * fast[(row + r) * SIZE + 3 * b + d];
            expect(sum).toBeCloseTo(c === d ? 1 : 0, 12);
          }
        }
      }
    }
    for (let row = 0; row < 3 * FRAMES; row++)
      for (let c = 6; c < 9; c++) expect(fast[row * SIZE + c]).toBeCloseTo(problem.start[row * SIZE + c], 12);
  });
});
