// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import { uploadFloat32 } from '../../../../core/kernels/compute.ts';
import { l1Distance } from '../../../../core/kernels/errors/l1-distance.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { groupNear } from '../group-near.ts';

const STRIDE = 32;
const COUNT = 400;
const RADIUS = 3;

const random = makeRandom(2);
const centers = Array.from({ length: 12 * STRIDE }, () => random.next());
const rows = Float32Array.from({ length: COUNT * STRIDE }, (_, e) => {
  const center = Math.floor(e / STRIDE) % 12;
  return centers[center * STRIDE + (e % STRIDE)] + 0.09 * random.normal();
});
const columns = Uint32Array.from({ length: STRIDE }, (_, c) => c);
const order = Uint32Array.from({ length: COUNT }, (_, n) => COUNT - 1 - n);

describe('groupNear', () => {
  it('groups like a sequential loop over the rows, across blocks', async () => {
    const compute = await makeCompute({ threads: 1 });
    const leaderOf = order.slice().sort();
    const options = { radius: RADIUS, tables: 64, columns, seed: 1 };
    const onJoin = (row: number, leader: number) => {
      leaderOf[row] = leader;
    };
    const leaders = await groupNear(compute, uploadFloat32(compute, rows), STRIDE, order, { ...options, onJoin });
    compute.dispose();
    const expected: number[] = [];
    for (const row of order) {
      const far = (other: number) => l1Distance(rows, row * STRIDE, rows, other * STRIDE, STRIDE, 1e9);
      const nearest = expected.filter((other) => far(other) < RADIUS).sort((p, q) => far(p) - far(q))[0];
      expect(leaderOf[row]).toBe(nearest ?? row);
      if (nearest === undefined) expected.push(row);
    }
    expect(leaders).toEqual(expected);
    expect(expected.length).toBeGreaterThan(12);
    expect(expected.length).toBeLessThan(COUNT / 2);
  });

  it('stops on request', async () => {
    const compute = await makeCompute({ kind: 'typescript' });
    const options = { radius: RADIUS, tables: 2, columns, seed: 1, onJoin: () => {}, onBlock: () => true };
    expect(await groupNear(compute, uploadFloat32(compute, rows), STRIDE, order, options)).toBeUndefined();
  });
});
