// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../compute/make-compute.ts';
import { makeRandom } from '../../../math/random.ts';
import { uploadFloat32, uploadUint32 } from '../../compute.ts';
import { callPoseDistances, POSE_SUMS } from '../pose-distances.ts';

const VERTICES = 37;
const POSES = 5;

async function measure(kind: 'wasm' | 'typescript', threads: number, isOne: boolean, bad = false) {
  const random = makeRandom(8);
  const draw = (count: number) => Float32Array.from({ length: 3 * count * VERTICES }, () => random.normal());
  const [truth, shapes] = [draw(POSES), draw(isOne ? 1 : POSES)];
  if (bad) truth[4] = Number.NaN;
  const points = Uint32Array.from({ length: 20 }, (_, p) => (5 * p + 1) % VERTICES);
  const compute = await makeCompute({ kind, threads });
  const sums = compute.float64(POSE_SUMS * POSES);
  const pair = { truth: uploadFloat32(compute, truth), shapes: uploadFloat32(compute, shapes), isOne };
  await compute.runAll([callPoseDistances(pair, uploadUint32(compute, points), sums, VERTICES, POSES)]);
  const found = sums.view().slice();
  compute.dispose();
  return { found, truth, shapes, points };
}

describe('pose distances', () => {
  it.each([false, true])('are those of plain loops (one shape for all: %s)', async (isOne) => {
    const { found, truth, shapes, points } = await measure('wasm', 3, isOne);
    for (let k = 0; k < POSES; k++) {
      const squares = Array.from(points, (i) =>
        [0, 1, 2].reduce((sum, c) => {
          const at = 3 * (k * VERTICES + i) + c;
          return sum + (truth[at] - shapes[isOne ? 3 * i + c : at]) ** 2;
        }, 0),
      );
      expect(found[POSE_SUMS * k]).toBeCloseTo(
        squares.reduce((sum, square) => sum + square, 0),
        10,
      );
      expect(found[POSE_SUMS * k + 1]).toBeCloseTo(Math.max(...squares), 12);
    }
  });

  it('are the same bytes as the reference, on any number of threads', async () => {
    for (const isOne of [false, true]) {
      const [one, three, plain] = [
        await measure('wasm', 1, isOne),
        await measure('wasm', 3, isOne),
        await measure('typescript', 1, isOne),
      ];
      expect(three.found).toEqual(one.found);
      expect(plain.found).toEqual(one.found);
    }
  });

  it('have no number where a shape has none', async () => {
    for (const kind of ['wasm', 'typescript'] as const) {
      const { found } = await measure(kind, 1, false, true);
      expect(found[0]).toBeNaN();
      expect(found[POSE_SUMS]).toBeGreaterThan(0);
    }
  });
});
