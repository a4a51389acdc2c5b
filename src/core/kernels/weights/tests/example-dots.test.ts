// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../compute/make-compute.ts';
import { makeRandom } from '../../../math/random.ts';
import { dotSym4, productsSym4Into, SYM4_SIZE } from '../../../math/sym4.ts';
import { type DotBone, type DotPoints, makeExampleDots } from '../example-dots.ts';

const POINTS = 600;
const BONES = 9;
const GROUPS = 5;
const ROWS = 7;
const WIDTH = 4;

/** Points and bones that stand to every group in one of three ways, by chance. */
function makeProblem() {
  const random = makeRandom(8);
  const numbers = (count: number) => Float64Array.from({ length: count }, () => random.normal());
  const points: DotPoints & { values: Float64Array } = {
    start: new Uint32Array(POINTS + 1),
    joints: new Uint32Array(0),
    offsets: new Int32Array(0),
    values: new Float64Array(0),
    fullDots: new Float64Array(0),
    products: new Float64Array(SYM4_SIZE * POINTS),
  };
  const [joints, offsets]: number[][] = [[], []];
  let valueCount = 0;
  for (let i = 0; i < POINTS; i++) {
    for (let g = 0; g < GROUPS; g++) {
      const state = Math.floor(3 * random.next());
      if (state === 0) continue;
      joints.push(g);
      offsets.push(state === 1 ? -1 : valueCount);
      if (state === 2) valueCount += ROWS;
    }
    points.start[i + 1] = joints.length;
    const [x, y, z] = numbers(3);
    productsSym4Into(x, y, z, points.products, SYM4_SIZE * i);
  }
  points.joints = Uint32Array.from(joints);
  points.offsets = Int32Array.from(offsets);
  points.values = numbers(valueCount);
  points.fullDots = numbers(joints.length);
  const bones: DotBone[] = Array.from({ length: BONES }, () => ({
    states: Uint8Array.from({ length: GROUPS }, () => Math.floor(3 * random.next())),
    blocks: numbers(4 * ROWS * GROUPS),
    withFull: numbers(SYM4_SIZE * GROUPS),
  }));
  const counts = Uint32Array.from({ length: POINTS }, () => Math.floor((WIDTH + 1) * random.next()));
  const ids = Uint32Array.from({ length: POINTS * WIDTH }, () => Math.floor(BONES * random.next()));
  return { points, bones, ids, counts };
}

/** By plain loops. */
function dotOf({ points, bones, ids }: ReturnType<typeof makeProblem>, i: number, a: number): number {
  const bone = bones[ids[i * WIDTH + a]];
  const products = points.products.subarray(SYM4_SIZE * i, SYM4_SIZE * (i + 1));
  const u = [products[3] / 2, products[6] / 2, products[8] / 2, 1];
  let sum = 0;
  for (let e = points.start[i]; e < points.start[i + 1]; e++) {
    const g = points.joints[e];
    if (bone.states[g] === 0) continue;
    if (bone.states[g] === 1) sum += points.fullDots[e];
    else if (points.offsets[e] < 0) sum += dotSym4(bone.withFull, SYM4_SIZE * g, products);
    else
      for (let r = 0; r < ROWS; r++)
        for (let c = 0; c < 4; c++)
          sum += points.values[points.offsets[e] + r] * bone.blocks[4 * (ROWS * g + r) + c] * u[c];
  }
  return sum;
}

describe('products of responses', () => {
  it.each([
    ['typescript', 1],
    ['wasm', 1],
    ['wasm', 2],
  ] as const)('are the sums that plain loops find: %s, %i threads', async (kind, threads) => {
    const problem = makeProblem();
    const compute = await makeCompute({ kind, threads });
    const dots = makeExampleDots(compute, problem.points, ROWS, GROUPS, WIDTH);
    const out = new Float64Array(POINTS * WIDTH);
    // twice, with more bones that are partial the second time: the room grows
    await dots.fill(problem.bones.slice(0, 1), new Uint32Array(POINTS * WIDTH), problem.counts, out);
    await dots.fill(problem.bones, problem.ids, problem.counts, out);
    for (let i = 0; i < POINTS; i++)
      for (let a = 0; a < problem.counts[i]; a++) expect(out[i * WIDTH + a]).toBeCloseTo(dotOf(problem, i, a), 9);
    compute.dispose();
  });

  it('are the same bits in WebAssembly, on any number of threads, as in the reference', async () => {
    const { points, bones, ids, counts } = makeProblem();
    const results: Float64Array[] = [];
    for (const [kind, threads] of [
      ['typescript', 1],
      ['wasm', 1],
      ['wasm', 2],
    ] as const) {
      const compute = await makeCompute({ kind, threads });
      const dots = makeExampleDots(compute, points, ROWS, GROUPS, WIDTH);
      const out = new Float64Array(POINTS * WIDTH);
      await dots.fill(bones, ids, counts, out);
      results.push(out);
      compute.dispose();
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });
});
