// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import { makeCompute } from '../../../compute/make-compute.ts';
import { makeRandom } from '../../../math/random.ts';
import { nearestRotationInto } from '../../../math/rotation.ts';
import { type Compute, uploadFloat64, uploadUint32 } from '../../compute.ts';
import { measurePatchScratch, patchMeans, rowLengthOf } from '../patch-means.ts';

const POINTS = 300;
const WIDTH = 8;
const NOISE = 0.01;

/** A cloud of points that moves rigidly, with noise; patches are runs of points, and some are short. */
function makeProblem(frameCount: number) {
  const random = makeRandom(3);
  const truth = Float64Array.from({ length: 3 * POINTS }, () => random.normal());
  const row = rowLengthOf(frameCount);
  const posed = new Float64Array(3 * row * POINTS);
  const m = new Float64Array(9);
  for (let k = 0; k < frameCount; k++) {
    for (let e = 0; e < 9; e++) m[e] = random.normal();
    nearestRotationInto(m, m);
    for (let i = 0; i < POINTS; i++) {
      for (let r = 0; r < 3; r++) {
        let x = 5 * k + NOISE * random.normal();
        for (let c = 0; c < 3; c++) x += m[3 * c + r] * truth[3 * i + c];
        // a point that jumps
        if (i === 7 && k === 1) x += 4;
        for (let n = k; n < row && (n === k || k === frameCount - 1); n++) posed[(3 * i + r) * row + n] = x;
      }
    }
  }
  const rest = truth.map((x) => x + NOISE * random.normal());
  const sizes = Uint32Array.from({ length: POINTS }, (_, i) => (i % 10 === 0 ? 3 : WIDTH));
  const patches = Uint32Array.from(
    { length: POINTS * WIDTH },
    (_, e) => (Math.floor(e / WIDTH) + (e % WIDTH)) % POINTS,
  );
  return { truth, rest, posed, sizes, patches };
}

async function average(compute: Compute, frameCount: number, isFirst: boolean): Promise<Float64Array> {
  const { rest, posed, sizes, patches } = makeProblem(frameCount);
  const arrays = {
    rest: uploadFloat64(compute, rest),
    posed: uploadFloat64(compute, posed),
    patches: uploadUint32(compute, patches),
    sizes: uploadUint32(compute, sizes),
    means: compute.float64(3 * POINTS),
    scratch: compute.float64(compute.threads * measurePatchScratch(WIDTH, frameCount)),
    frameCount,
  };
  await patchMeans(compute, arrays, 3 * NOISE ** 2, isFirst);
  const means = arrays.means.view().slice();
  compute.dispose();
  return means;
}

it.each([
  [9, true],
  [9, false],
  [16, true],
  [1, false],
])('the kernel and its reference agree for %i frames', async (frameCount, isFirst) => {
  const expected = await average(await makeCompute({ kind: 'typescript' }), frameCount, isFirst);
  for (const threads of [1, 2]) {
    const means = await average(await makeCompute({ kind: 'wasm', threads }), frameCount, isFirst);
    for (let e = 0; e < means.length; e++) expect(Math.abs(means[e] - expected[e])).toBeLessThan(1e-12);
  }
});

it('averages the noise of the frames, without a frame in which a point jumps', async () => {
  const { truth, rest } = makeProblem(9);
  const means = await average(await makeCompute({ kind: 'typescript' }), 9, false);
  const apart = (a: Float64Array): number =>
    Math.sqrt(a.reduce((sum, x, e) => sum + (x - truth[e]) ** 2, 0) / a.length) / NOISE;
  expect(apart(rest)).toBeGreaterThan(0.9);
  expect(apart(means)).toBeLessThan(0.8);
  for (let e = 21; e < 24; e++) expect(Math.abs(means[e] - truth[e])).toBeLessThan(4 * NOISE);
});
