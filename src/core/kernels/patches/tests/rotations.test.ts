// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../compute/make-compute.ts';
import { makeRandom } from '../../../math/random.ts';
import { nearestRotationInto } from '../../../math/rotation.ts';
import { type Compute, uploadFloat64 } from '../../compute.ts';
import { rotationsKernel } from '../rotations.ts';

/** Matrices per chunk; even. */
const CHUNK = 2048;

async function rotationsInto(compute: Compute, matrices: Float64Array, out: Float64Array): Promise<void> {
  const buffer = uploadFloat64(compute, matrices);
  const count = matrices.length / 9;
  await compute.run(
    rotationsKernel,
    { matrices: buffer, out: buffer, count, chunkSize: CHUNK },
    Math.ceil(count / CHUNK),
  );
  out.set(buffer.view());
}

function determinant(m: ArrayLike<number>, o: number): number {
  return (
    m[o] * (m[o + 4] * m[o + 8] - m[o + 7] * m[o + 5]) -
    m[o + 3] * (m[o + 1] * m[o + 8] - m[o + 7] * m[o + 2]) +
    m[o + 6] * (m[o + 1] * m[o + 5] - m[o + 4] * m[o + 2])
  );
}

function trace(r: ArrayLike<number>, m: ArrayLike<number>, o: number): number {
  let sum = 0;
  for (let c = 0; c < 9; c++) sum += r[o + c] * m[o + c];
  return sum;
}

/** Random matrices of rank 0 to 3, reflections and half turns among them, of very different sizes. */
function makeMatrices(count: number): Float64Array {
  const random = makeRandom(5);
  const matrices = new Float64Array(count * 9);
  for (let i = 0; i < count; i++) {
    const rank = i % 4;
    const size = 10 ** (random.next() * 60 - 30);
    for (let n = 0; n < rank; n++) {
      const u = [random.normal(), random.normal(), random.normal()];
      const v = [random.normal(), random.normal(), random.normal()];
      for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) matrices[9 * i + 3 * c + r] += size * u[r] * v[c];
    }
  }
  matrices.set([-1, 0, 0, 0, -1, 0, 0, 0, 1], 9 * 3); // a half turn
  matrices.set([-1, 0, 0, 0, -1, 0, 0, 0, -1], 9 * 7); // the point reflection
  matrices.set([Number.NaN, 0, 0, 0, 1, 0, 0, 0, 1], 9 * 11);
  return matrices;
}

describe('the rotation kernel', () => {
  let compute: Compute;
  const matrices = makeMatrices(4003);
  const rotations = new Float64Array(matrices.length);
  beforeAll(async () => {
    compute = await makeCompute({ kind: 'wasm', threads: 1 });
    await rotationsInto(compute, matrices, rotations);
  });
  afterAll(() => compute.dispose());

  it('gives proper rotations for any input', () => {
    for (let o = 0; o < rotations.length; o += 9) {
      expect(Math.abs(determinant(rotations, o) - 1), `matrix ${o / 9}`).toBeLessThan(1e-12);
      for (let a = 0; a < 3; a++) {
        for (let b = 0; b <= a; b++) {
          let dot = 0;
          for (let r = 0; r < 3; r++) dot += rotations[o + 3 * a + r] * rotations[o + 3 * b + r];
          expect(Math.abs(dot - (a === b ? 1 : 0))).toBeLessThan(1e-12);
        }
      }
    }
  });

  it('reaches the same maximum as its reference, and the same rotation where it is unique', () => {
    const expected = new Float64Array(9);
    for (let o = 0; o < rotations.length; o += 9) {
      const i = o / 9;
      if (i === 11) continue; // not finite
      nearestRotationInto(matrices, expected, o, 0);
      const size = Math.sqrt(trace(matrices, matrices, o)) || 1;
      let best = 0;
      for (let c = 0; c < 9; c++) best += expected[c] * matrices[o + c];
      expect(Math.abs(trace(rotations, matrices, o) - best) / size).toBeLessThan(1e-9);
      if (i % 4 === 3 && i !== 7 && determinant(matrices, o) > 0.01 * size ** 3) {
        for (let c = 0; c < 9; c++) expect(Math.abs(rotations[o + c] - expected[c])).toBeLessThan(1e-11);
      }
    }
  });

  it('returns the identity for zero and for non-finite input', () => {
    for (const i of [0, 11]) {
      expect([...rotations.subarray(9 * i, 9 * i + 9)]).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    }
  });

  it('gives the same bytes on two threads', async () => {
    const two = await makeCompute({ kind: 'wasm', threads: 2 });
    expect(two.threads).toBe(2);
    const again = new Float64Array(matrices.length);
    for (let n = 0; n < 20; n++) {
      again.fill(0);
      await rotationsInto(two, matrices, again);
      expect(Buffer.from(again.buffer).equals(Buffer.from(rotations.buffer))).toBe(true);
    }
    two.dispose();
  });
});
