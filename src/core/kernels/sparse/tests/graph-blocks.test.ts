// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../compute/make-compute.ts';
import { makeRandom } from '../../../math/random.ts';
import { type Compute, uploadFloat64, uploadUint32 } from '../../compute.ts';
import { GRADIENT_BIT, graphBlocksKernel } from '../graph-blocks.ts';

const POINTS = 40;
const random = makeRandom(4);
const list = (length: number): number[] => Array.from({ length }, () => random.normal());
const rest = list(3 * POINTS);
/** Every third point is without a match. */
const sums = list(9 * POINTS).map((x, n) => (Math.floor(n / 9) % 3 === 0 ? 0 : x));
const rotations = list(18);
const points = [3, 17];
const pairs = [0, 0, 1, 1, 1, 0];
const all = Array.from({ length: POINTS }, (_, i) => i);
const own = all.map((i) => (i | GRADIENT_BIT) >>> 0);
const entries = [...own, ...own, ...all];
const weights = list(2 * entries.length).map((w, n, array) => (n < 4 * POINTS ? array[n - (n % 2)] : w));

async function fill(compute: Compute) {
  const blocks = compute.float64(3 * 36);
  const gradient = compute.float64(12);
  const args = {
    rest: uploadFloat64(compute, rest),
    sums: uploadFloat64(compute, sums),
    rotations: uploadFloat64(compute, rotations),
    points: uploadUint32(compute, points),
    pairs: uploadUint32(compute, pairs),
    starts: uploadUint32(compute, [0, POINTS, 2 * POINTS, 3 * POINTS]),
    entries: uploadUint32(compute, entries),
    weights: uploadFloat64(compute, weights),
    blocks,
    gradient,
    chunks: uploadUint32(compute, [0, 1, 3]),
    nodeCount: 2,
  };
  await compute.run(graphBlocksKernel, args, 2);
  return { blocks: [...blocks.view()], gradient: [...gradient.view()] };
}

/** J = [−[r]ₓ, I] of a point and a node: ω × r + d. */
function jacobian(i: number, j: number): number[][] {
  const d = [0, 1, 2].map((a) => rest[3 * i + a] - rest[3 * points[j] + a]);
  const [x, y, z] = [0, 1, 2].map((a) => d.reduce((sum, v, c) => sum + rotations[9 * j + 3 * c + a] * v, 0));
  return [
    [0, z, -y, 1, 0, 0],
    [-z, 0, x, 0, 1, 0],
    [y, -x, 0, 0, 0, 1],
  ];
}

describe('graphBlocks', () => {
  it('sums w w Jᵀ M J over the points of each block, and −w Jᵀ g', async () => {
    const { blocks, gradient } = await fill(await makeCompute({ kind: 'typescript' }));
    for (let block = 0; block < 3; block++) {
      const [j, k] = pairs.slice(2 * block, 2 * block + 2);
      const expected = new Float64Array(36);
      const pull = new Float64Array(6);
      for (let i = 0; i < POINTS; i++) {
        const e = block * POINTS + i;
        const [jj, jk] = [jacobian(i, j), jacobian(i, k)];
        const m = sums.slice(9 * i, 9 * i + 9);
        const full = [m.slice(0, 3), [m[1], m[3], m[4]], [m[2], m[4], m[5]]];
        for (let r = 0; r < 6; r++)
          for (let s = 0; s < 3; s++) {
            pull[r] -= weights[2 * e] * jj[s][r] * m[6 + s];
            for (let c = 0; c < 6; c++)
              for (let t = 0; t < 3; t++)
                expected[6 * r + c] += weights[2 * e] * weights[2 * e + 1] * jj[s][r] * full[s][t] * jk[t][c];
          }
      }
      for (let n = 0; n < 36; n++) expect(blocks[36 * block + n]).toBeCloseTo(expected[n], 8);
      if (block < 2) for (let n = 0; n < 6; n++) expect(gradient[6 * block + n]).toBeCloseTo(pull[n], 8);
    }
  });

  it('gives the same bits in TypeScript, in WebAssembly and on threads', async () => {
    const expected = await fill(await makeCompute({ kind: 'typescript' }));
    for (const threads of [1, 2]) {
      const compute = await makeCompute({ kind: 'wasm', threads });
      try {
        expect(await fill(compute)).toEqual(expected);
      } finally {
        compute.dispose();
      }
    }
  });
});
