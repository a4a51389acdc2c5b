// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../compute/make-compute.ts';
import { makeRandom } from '../../../math/random.ts';
import { type Compute, uploadFloat64, uploadUint32 } from '../../compute.ts';
import { reserveTrajectories } from '../../matrices/trajectories.ts';
import { callNormSquares, callNormVertices, NormFrames } from '../norm-vertices.ts';
import type { NormRule } from '../norm-vertices-reference.ts';

const VERTICES = 75;
const FRAMES = 11;
const BONES = 6;
const INFLUENCES = 3;

/** Points near a blend of bones with noise; some entries have no weight. */
function makeFit(compute: Compute) {
  const random = makeRandom(4);
  const bones = Float64Array.from(
    { length: 3 * FRAMES * 4 * BONES },
    (_, e) => 0.3 * random.normal() + (e % 4 === Math.floor(e / (4 * BONES)) % 3 ? 1 : 0),
  );
  const trajectories = reserveTrajectories(compute, VERTICES, FRAMES);
  const rest = trajectories.rest.view();
  for (let c = 0; c < rest.length; c++) rest[c] = random.normal();
  const ids = Uint32Array.from({ length: VERTICES * INFLUENCES }, (_, e) => (e + Math.floor(e / 7)) % BONES);
  const weights = new Float64Array(ids.length);
  for (let i = 0; i < VERTICES; i++) {
    weights.set(i % 5 === 0 ? [0, 0.4, 0.6] : [0.5, 0.3, 0.2], i * INFLUENCES);
    for (let row = 0; row < 3 * FRAMES; row++) {
      const b = 4 * (row * BONES + ids[i * INFLUENCES + 1]);
      const place = bones[b] * rest[3 * i] + bones[b + 1] * rest[3 * i + 1] + bones[b + 2] * rest[3 * i + 2];
      trajectories.posed.view()[3 * FRAMES * i + row] = place + bones[b + 3] + 0.1 * random.normal();
    }
  }
  const locked = uploadUint32(
    compute,
    Uint32Array.from({ length: VERTICES }, (_, i) => (i === 9 ? 1 : 0)),
  );
  return {
    trajectories,
    bones: uploadFloat64(compute, bones),
    boneCount: BONES,
    weights: { influences: INFLUENCES, bones: uploadUint32(compute, ids), weights: uploadFloat64(compute, weights) },
    locked,
  };
}

async function solve(kind: 'wasm' | 'typescript', rule: NormRule, keepRest: boolean, threads = 1) {
  const compute = await makeCompute({ kind, threads });
  const fit = makeFit(compute);
  const squares = compute.float64(VERTICES * FRAMES);
  const importance = compute.float64(squares.length);
  const frames = new NormFrames(compute, squares, FRAMES);
  await compute.runAll([callNormSquares(compute, fit, squares), frames.call(rule, importance)]);
  const before = { squares: squares.view().slice(), objectives: frames.sum(), importance: importance.view().slice() };
  await compute.runAll([
    callNormVertices(compute, fit, squares, importance, rule, { keepRest, above: 0.2 }),
    frames.call(rule),
  ]);
  const after = { squares: squares.view().slice(), objectives: frames.sum() };
  await compute.runAll([callNormSquares(compute, fit, squares)]);
  const result = {
    ...{ before, after, measured: squares.view().slice() },
    rest: fit.trajectories.rest.view().slice(),
    weights: fit.weights.weights.view().slice(),
    ids: [...fit.weights.bones.view()],
  };
  compute.dispose();
  return result;
}

function expectClose(a: Float64Array, b: Float64Array): void {
  for (let e = 0; e < a.length; e++) expect(a[e]).toBeCloseTo(b[e], 10);
}

const sum = (values: Float64Array) => values.reduce((total, x) => total + x, 0);

describe('normVertices', () => {
  it.each([
    { rule: { p: 6, scale: 1.2, floor: 2e-3 }, keepRest: false },
    { rule: { p: 6, scale: 1.2, floor: 2e-3 }, keepRest: true },
    { rule: { p: 1, scale: 1.2, floor: 0 }, keepRest: false },
  ])('equals its reference ($rule.p, keep rest: $keepRest)', async ({ rule, keepRest }) => {
    const [fast, reference] = [await solve('wasm', rule, keepRest), await solve('typescript', rule, keepRest)];
    expectClose(fast.before.squares, reference.before.squares);
    expectClose(fast.before.importance, reference.before.importance);
    expectClose(fast.before.objectives, reference.before.objectives);
    expectClose(fast.after.squares, reference.after.squares);
    expectClose(fast.weights, reference.weights);
    expectClose(fast.rest, reference.rest);
    expect(fast.ids).toEqual(reference.ids);
  });

  it('lowers the objective, keeps weights convex, and updates the squared distances', async () => {
    const { before, after, measured, weights } = await solve('wasm', { p: 4, scale: 1.2, floor: 0 }, false);
    expect(sum(after.objectives)).toBeLessThan(0.8 * sum(before.objectives));
    expectClose(after.squares, measured);
    expect(weights.every((w) => w >= 0)).toBe(true);
    for (let o = 0; o < weights.length; o += INFLUENCES)
      expect(sum(weights.slice(o, o + INFLUENCES))).toBeCloseTo(1, 12);
  });

  it('leaves locked vertices unchanged, and gives the same bytes on three threads', async () => {
    const rule = { p: 4, scale: 1.2, floor: 0 };
    const [one, three] = [await solve('wasm', rule, false), await solve('wasm', rule, false, 3)];
    expect([...one.weights.slice(27, 30)]).toEqual([0.5, 0.3, 0.2]);
    expect([...three.weights]).toEqual([...one.weights]);
    expect([...three.rest]).toEqual([...one.rest]);
    expect([...three.after.objectives]).toEqual([...one.after.objectives]);
  });
});
