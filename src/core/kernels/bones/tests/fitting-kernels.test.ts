// SPDX-License-Identifier: MIT
// The fitting kernels against their references and against plain arithmetic on a small random problem.
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../compute/make-compute.ts';
import { makeRandom } from '../../../math/random.ts';
import { nearestRotationInto } from '../../../math/rotation.ts';
import { uploadFloat64 } from '../../compute.ts';
import { multiplyInto } from '../../matrices/multiply.ts';
import { reserveTrajectories, squareTrajectories } from '../../matrices/trajectories.ts';
import { PatchBones } from '../../patches/patch-bones.ts';
import { convexWeights, type FitWeights, reserveFitWeights } from '../../weights/convex-weights.ts';
import { insertionGains } from '../../weights/insertion-gains.ts';
import { boneErrorsInto } from '../bone-errors.ts';
import { boneProductsInto, reserveBoneProducts, widthOf } from '../bone-products.ts';
import { boneSweep, type TransformKind } from '../bone-sweep.ts';
import { callExtrapolateBones } from '../extrapolate-bones.ts';
import { reserveSkinMoments, skinMomentsInto } from '../skin-moments.ts';

const BONES = 7;
const FRAMES = 9;
const VERTICES = 203;
const ROWS = 3 * FRAMES;

/** Rigid bones and vertices that follow blends of them, with noise. */
function makeProblem() {
  const random = makeRandom(8);
  const bones = new Float64Array(ROWS * 4 * BONES);
  const m = new Float64Array(9);
  for (let k = 0; k < FRAMES; k++) {
    for (let j = 0; j < BONES; j++) {
      for (let c = 0; c < 9; c++) m[c] = (c % 4 === 0 ? 1 : 0) + 0.6 * random.normal();
      nearestRotationInto(m, m);
      for (let r = 0; r < 3; r++) {
        const o = (3 * k + r) * 4 * BONES + 4 * j;
        for (let c = 0; c < 3; c++) bones[o + c] = m[3 * c + r];
        bones[o + 3] = 0.3 * random.normal();
      }
    }
  }
  const rest = Float64Array.from({ length: VERTICES * 3 }, () => random.normal());
  const posed = new Float64Array(VERTICES * ROWS);
  for (let i = 0; i < VERTICES; i++) {
    const a = random.below(BONES);
    const b = random.below(BONES);
    const w = random.next();
    for (let row = 0; row < ROWS; row++) {
      let sum = 0.05 * random.normal();
      for (let c = 0; c < 4; c++) {
        const x = c < 3 ? rest[3 * i + c] : 1;
        sum += x * (w * bones[row * 4 * BONES + 4 * a + c] + (1 - w) * bones[row * 4 * BONES + 4 * b + c]);
      }
      posed[i * ROWS + row] = sum;
    }
  }
  return { bones, rest, posed };
}

const problem = makeProblem();

/** What bones and weights leave, by plain loops. */
function measure(bones: Float64Array, ids: Uint32Array, weights: Float64Array, i: number, influences: number): number {
  let error = 0;
  for (let row = 0; row < ROWS; row++) {
    let sum = -problem.posed[i * ROWS + row];
    for (let a = i * influences; a < (i + 1) * influences; a++) {
      for (let c = 0; c < 4; c++)
        sum += weights[a] * bones[row * 4 * BONES + 4 * ids[a] + c] * (c < 3 ? problem.rest[3 * i + c] : 1);
    }
    error += sum * sum;
  }
  return error;
}

async function setUp(kind: 'wasm' | 'typescript', threads = 1) {
  const compute = await makeCompute({ kind, threads });
  const trajectories = reserveTrajectories(compute, VERTICES, FRAMES);
  trajectories.rest.view().set(problem.rest);
  trajectories.posed.view().set(problem.posed);
  squareTrajectories(trajectories);
  const bones = uploadFloat64(compute, problem.bones);
  const products = reserveBoneProducts(compute, BONES);
  await boneProductsInto(compute, bones, BONES, products);
  return { compute, trajectories, bones, products };
}

async function solveWeights(
  kind: 'wasm' | 'typescript',
  influences: number,
  start: 'cold' | 'both' | 'warm',
  threads = 1,
) {
  const s = await setUp(kind, threads);
  const fit = reserveFitWeights(s.compute, VERTICES, influences);
  const removal = s.compute.float64(VERTICES * influences);
  await convexWeights(s.compute, s.trajectories, s.bones, s.products, fit, {
    start: 'cold',
    ridge: 1e-9,
    removal,
  });
  if (start !== 'cold')
    await convexWeights(s.compute, s.trajectories, s.bones, s.products, fit, { start, ridge: 1e-9, removal });
  return { ...s, fit, removal };
}

function read(fit: FitWeights) {
  return { ids: fit.bones.view().slice(), weights: fit.weights.view().slice(), errors: fit.errors.view().slice() };
}

describe('boneErrors', () => {
  it.each(['wasm', 'typescript'] as const)('equals plain arithmetic (%s)', async (kind) => {
    const { compute, trajectories, bones, products } = await setUp(kind);
    const errors = compute.float64(VERTICES * widthOf(BONES));
    await boneErrorsInto(compute, trajectories, bones, BONES, products, errors);
    for (let i = 0; i < VERTICES; i += 11) {
      for (let j = 0; j < BONES; j++) {
        const expected = measure(
          problem.bones,
          Uint32Array.from({ length: VERTICES }, () => j),
          new Float64Array(VERTICES).fill(1),
          i,
          1,
        );
        expect(errors.view()[i * widthOf(BONES) + j]).toBeCloseTo(expected, 9);
      }
    }
  });
});

describe('convexWeights', () => {
  it.each([1, 3, 7])('gives convex weights of at most %i bones, and their error', async (influences) => {
    const { fit } = await solveWeights('wasm', influences, 'both');
    const { ids, weights, errors } = read(fit);
    for (let i = 0; i < VERTICES; i++) {
      const row = weights.subarray(i * influences, (i + 1) * influences);
      expect(row.every((w) => w >= 0)).toBe(true);
      expect(row.reduce((s, w) => s + w, 0)).toBeCloseTo(1, 12);
      expect(errors[i]).toBeCloseTo(measure(problem.bones, ids, weights, i, influences), 9);
    }
  });

  it.each([1, 2, 4, 7])('agrees with its reference at K = %i', async (influences) => {
    const fast = await solveWeights('wasm', influences, 'both');
    const slow = await solveWeights('typescript', influences, 'both');
    const a = read(fast.fit);
    const b = read(slow.fit);
    for (let i = 0; i < VERTICES; i++) expect(a.errors[i]).toBeCloseTo(b.errors[i], 9);
    for (let e = 0; e < VERTICES * influences; e++)
      expect(fast.removal.view()[e]).toBeCloseTo(slow.removal.view()[e], 7);
  });

  it('finds the best pair of bones for nearly every vertex, by brute force', async () => {
    const { ids, weights, errors } = read((await solveWeights('wasm', 2, 'both')).fit);
    let missed = 0;
    for (let i = 0; i < VERTICES; i++) {
      expect(errors[i]).toBeCloseTo(measure(problem.bones, ids, weights, i, 2), 9);
      let best = Number.POSITIVE_INFINITY;
      const pair = new Uint32Array(2 * VERTICES);
      const w = new Float64Array(2 * VERTICES);
      for (let j = 0; j < BONES; j++) {
        for (let l = j + 1; l < BONES; l++) {
          // the error along the segment is a parabola: three values give its minimum
          const at = (x: number) => {
            pair.set([j, l], 2 * i);
            w.set([x, 1 - x], 2 * i);
            return measure(problem.bones, pair, w, i, 2);
          };
          const [e0, e5, e1] = [at(0), at(0.5), at(1)];
          const curve = 2 * (e0 + e1 - 2 * e5);
          const x = curve > 0 ? Math.min(1, Math.max(0, 0.5 - (e1 - e0) / (2 * curve))) : 0;
          best = Math.min(best, at(x));
        }
      }
      expect(errors[i]).toBeGreaterThan(best - 1e-9);
      if (errors[i] > best + 1e-9) missed++;
    }
    expect(missed).toBeLessThan(VERTICES * 0.05);
  });

  it('never raises the error, and gives the same bytes on two threads', async () => {
    const cold = read((await solveWeights('wasm', 3, 'cold')).fit);
    const warm = read((await solveWeights('wasm', 3, 'warm')).fit);
    const two = read((await solveWeights('wasm', 3, 'warm', 2)).fit);
    for (let i = 0; i < VERTICES; i++) expect(warm.errors[i]).toBeLessThanOrEqual(cold.errors[i]);
    expect(two).toEqual(warm);
  });

  it('does not change locked vertices', async () => {
    const { compute, trajectories, bones, products } = await setUp('wasm');
    const fit = reserveFitWeights(compute, VERTICES, 2);
    const locked = compute.uint32(VERTICES);
    for (let i = 0; i < VERTICES; i += 2) {
      locked.view()[i] = 1;
      fit.bones.view().set([5, 6], 2 * i);
      fit.weights.view().set([0.25, 0.75], 2 * i);
    }
    await convexWeights(compute, trajectories, bones, products, fit, { start: 'cold', ridge: 1e-9, locked });
    for (let i = 0; i < VERTICES; i += 2) {
      expect([...fit.bones.view().subarray(2 * i, 2 * i + 2)]).toEqual([5, 6]);
      expect([...fit.weights.view().subarray(2 * i, 2 * i + 2)]).toEqual([0.25, 0.75]);
    }
  });
});

describe('boneSweep', () => {
  const fitBones = async (kind: TransformKind, engine: 'wasm' | 'typescript', sweeps: number) => {
    const s = await solveWeights(engine, 3, 'cold');
    const moments = reserveSkinMoments(s.compute, BONES, FRAMES);
    await skinMomentsInto(s.compute, s.trajectories, s.fit.bones, s.fit.weights, BONES, moments);
    const axes = uploadFloat64(
      s.compute,
      Float64Array.from({ length: 9 * BONES }, (_, e) => ((e % 9) % 4 === 0 ? 1 : 0)),
    );
    await boneSweep(s.compute, s.bones, BONES, moments, { sweeps, kind, axes });
    const { ids, weights, errors } = read(s.fit);
    let after = 0;
    for (let i = 0; i < VERTICES; i++) after += measure(s.bones.view(), ids, weights, i, 3);
    return { bones: s.bones.view().slice(), before: errors.reduce((a, b) => a + b, 0), after };
  };

  it.each(['rigid', 'similarity', 'affine'] as const)(
    'lowers the error (%s) and agrees with its reference',
    async (kind) => {
      const one = await fitBones(kind, 'wasm', 1);
      const three = await fitBones(kind, 'wasm', 3);
      const reference = await fitBones(kind, 'typescript', 3);
      expect(one.after).toBeLessThan(one.before);
      expect(three.after).toBeLessThanOrEqual(one.after * (1 + 1e-9));
      for (let e = 0; e < reference.bones.length; e++) expect(three.bones[e]).toBeCloseTo(reference.bones[e], 6);
    },
  );

  it('keeps rigid bones rigid, and richer bones at least as close', async () => {
    const rigid = await fitBones('rigid', 'wasm', 3);
    for (let k = 0; k < FRAMES; k++) {
      for (let j = 0; j < BONES; j++) {
        for (let a = 0; a < 3; a++) {
          for (let b = 0; b < 3; b++) {
            let dot = 0;
            for (let r = 0; r < 3; r++)
              dot +=
                rigid.bones[(3 * k + r) * 4 * BONES + 4 * j + a] * rigid.bones[(3 * k + r) * 4 * BONES + 4 * j + b];
            expect(dot).toBeCloseTo(a === b ? 1 : 0, 10);
          }
        }
      }
    }
    const similarity = await fitBones('similarity', 'wasm', 3);
    const affine = await fitBones('affine', 'wasm', 3);
    expect(similarity.after).toBeLessThan(rigid.after);
    expect(affine.after).toBeLessThan(similarity.after);
  });
});

describe('insertionGains', () => {
  it('agrees with its reference, and predicts no gain for a bone that exists already', async () => {
    const random = makeRandom(2);
    const fresh = Float64Array.from({ length: ROWS * 4 * 4 }, () => random.normal());
    const gains: Float64Array[] = [];
    for (const kind of ['wasm', 'typescript'] as const) {
      const s = await solveWeights(kind, 7, 'cold');
      // the first new bone is bone 2, the second a zero matrix
      for (let row = 0; row < ROWS; row++) {
        for (let c = 0; c < 4; c++) {
          fresh[(row * 4 + c) * 4] = problem.bones[row * 4 * BONES + 8 + c];
          fresh[(row * 4 + c) * 4 + 1] = 0;
        }
      }
      gains.push(await insertionGains(s.compute, s.trajectories, s.bones, s.fit, fresh, 4));
    }
    for (let p = 0; p < 4; p++) expect(gains[0][p]).toBeCloseTo(gains[1][p], 7);
    expect(gains[0][0]).toBeLessThan(1e-6);
    expect(gains[0][2]).toBeGreaterThan(0);
  });
});

describe('multiplyInto', () => {
  it.each(['wasm', 'typescript'] as const)('multiplies (%s)', async (kind) => {
    const compute = await makeCompute({ kind, threads: 2 });
    const random = makeRandom(4);
    const a = uploadFloat64(
      compute,
      Float64Array.from({ length: 13 * 5 }, () => random.normal()),
    );
    const b = uploadFloat64(
      compute,
      Float64Array.from({ length: 5 * 8 }, () => random.normal()),
    );
    const out = compute.float64(13 * 8);
    await multiplyInto(compute, a, b, out, 8);
    for (let r = 0; r < 13; r++) {
      for (let c = 0; c < 8; c++) {
        let sum = 0;
        for (let n = 0; n < 5; n++) sum += a.view()[5 * r + n] * b.view()[8 * n + c];
        expect(out.view()[8 * r + c]).toBeCloseTo(sum, 12);
      }
    }
    compute.dispose();
  });
});

describe('extrapolateBones', () => {
  it.each([true, false])('equals its reference and keeps the plain bones (rigid: %s)', async (isRigid) => {
    const results: Float64Array[] = [];
    for (const kind of ['wasm', 'typescript'] as const) {
      const compute = await makeCompute({ kind, threads: 1 });
      const bones = uploadFloat64(compute, problem.bones);
      const before = uploadFloat64(
        compute,
        problem.bones.map((x, e) => x + 0.1 * Math.sin(e)),
      );
      const arrays = { bones, before, plain: compute.float64(bones.length), scratch: compute.float64(9) };
      await compute.runAll([callExtrapolateBones(arrays, { boneCount: BONES, width: 4, beta: 0.7, isRigid })]);
      expect([...arrays.plain.view()]).toEqual([...problem.bones]);
      results.push(bones.view().slice());
    }
    for (let e = 0; e < results[0].length; e++) expect(results[0][e]).toBeCloseTo(results[1][e], 12);
    const translation = problem.bones[3];
    expect(results[0][3]).toBeCloseTo(translation - 0.07 * Math.sin(3), 12);
  });
});

describe('patchBones', () => {
  it('lists the nearest points and fits a bone to them, as its reference', async () => {
    const results: { lists: number[][]; bones: Float64Array }[] = [];
    for (const kind of ['wasm', 'typescript'] as const) {
      const { compute, trajectories } = await setUp(kind);
      const patches = new PatchBones(compute, trajectories, 4);
      const out = compute.float64(ROWS * 4 * 4);
      const strides = { row: 16, number: 4, bone: 1 };
      await compute.runAll([patches.call([0, 50, 202, 7], [1, 12, 40, 1000], out, strides)]);
      results.push({ lists: [0, 1, 2, 3].map((p) => [...patches.listOf(p)]), bones: out.view().slice() });
    }
    const [fast, reference] = results;
    expect(fast.lists.map((list) => list.length)).toEqual([1, 12, 40, VERTICES]);
    expect(fast.lists[0]).toEqual([0]);
    expect(fast.lists[1]).toContain(50);
    expect(fast.lists).toEqual(reference.lists);
    for (let e = 0; e < fast.bones.length; e++) expect(fast.bones[e]).toBeCloseTo(reference.bones[e], 9);
  });

  it('takes points of equal distance by index', async () => {
    const compute = await makeCompute({ kind: 'wasm', threads: 1 });
    const trajectories = reserveTrajectories(compute, 30, 2);
    const patches = new PatchBones(compute, trajectories, 1);
    const out = compute.float64(6 * 4);
    await compute.runAll([patches.call([20], [5], out, { row: 4, number: 1, bone: 4 })]);
    expect([...patches.listOf(0)]).toEqual([0, 1, 2, 3, 4]);
  });
});
