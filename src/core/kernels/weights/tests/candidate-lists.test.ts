// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../compute/make-compute.ts';
import { makeRandom } from '../../../math/random.ts';
import { boneProductsInto, reserveBoneProducts } from '../../bones/bone-products.ts';
import { uploadFloat64 } from '../../compute.ts';
import { reserveTrajectories, squareTrajectories } from '../../matrices/trajectories.ts';
import { MAX_CANDIDATES } from '../candidate-lists.ts';
import { convexWeights, reserveFitWeights, reserveLists } from '../convex-weights.ts';

const BONES = 70;
const FRAMES = 6;
const VERTICES = 300;
const INFLUENCES = 3;
const ROWS = 3 * FRAMES;

/** Bones of a chain along x that rotate about z, and vertices along it that blend two neighbours. */
function makeChain() {
  const random = makeRandom(3);
  const bones = new Float64Array(ROWS * 4 * BONES);
  for (let k = 0; k < FRAMES; k++) {
    for (let j = 0; j < BONES; j++) {
      const angle = 0.4 * random.normal();
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const x = j / BONES;
      [c, -s, 0, x - c * x, s, c, 0, -s * x, 0, 0, 1, 0].forEach((value, e) => {
        bones[(3 * k + Math.floor(e / 4)) * 4 * BONES + 4 * j + (e % 4)] = value;
      });
    }
  }
  const rest = new Float64Array(3 * VERTICES);
  const posed = new Float64Array(VERTICES * ROWS);
  for (let i = 0; i < VERTICES; i++) {
    const along = (i / VERTICES) * (BONES - 1);
    const j = Math.floor(along);
    rest.set([(along + 0.5) / BONES, 0.1 * random.normal(), 0.1 * random.normal()], 3 * i);
    for (let row = 0; row < ROWS; row++) {
      for (let c = 0; c < 4; c++) {
        const o = row * 4 * BONES + 4 * j + c;
        const value = (1 - along + j) * bones[o] + (along - j) * bones[o + 4];
        posed[i * ROWS + row] += value * (c < 3 ? rest[3 * i + c] : 1);
      }
      posed[i * ROWS + row] += 0.002 * random.normal();
    }
  }
  return { bones, rest, posed };
}

const chain = makeChain();

/** A solve over all bones, then one over the candidates, or over all bones again, with bones that have moved a little. */
async function solveTwice(kind: 'wasm' | 'typescript', isListed: boolean, threads = 1) {
  const compute = await makeCompute({ kind, threads });
  const trajectories = reserveTrajectories(compute, VERTICES, FRAMES);
  trajectories.rest.view().set(chain.rest);
  trajectories.posed.view().set(chain.posed);
  squareTrajectories(trajectories);
  const bones = uploadFloat64(compute, chain.bones);
  const products = reserveBoneProducts(compute, BONES);
  await boneProductsInto(compute, bones, BONES, products);
  const fit = reserveFitWeights(compute, VERTICES, INFLUENCES);
  const lists = reserveLists(compute, VERTICES);
  await convexWeights(compute, trajectories, bones, products, fit, { start: 'cold', ridge: 1e-9, lists });
  const random = makeRandom(4);
  for (const rows = bones.view(), e = { at: 3 }; e.at < rows.length; e.at += 4) rows[e.at] += 0.001 * random.normal();
  await boneProductsInto(compute, bones, BONES, products);
  const options = { start: 'warm', ridge: 1e-9, lists, isListed } as const;
  await convexWeights(compute, trajectories, bones, products, fit, options);
  const result = {
    ids: fit.bones.view().slice(),
    weights: fit.weights.view().slice(),
    errors: fit.errors.view().slice(),
    lists: lists.view().slice(),
  };
  compute.dispose();
  return result;
}

describe('candidate lists', () => {
  it('give the weights of a solve over all bones where lists contain the neighbours', async () => {
    const all = await solveTwice('wasm', false);
    const listed = await solveTwice('wasm', true);
    const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);
    expect(sum(listed.errors)).toBeLessThan(1.01 * sum(all.errors));
    let same = 0;
    for (let e = 0; e < all.ids.length; e++) same += Number(all.ids[e] === listed.ids[e]);
    expect(same).toBeGreaterThan(0.9 * all.ids.length);
  });

  it('have at most MAX_CANDIDATES bones, and contain the bones of their vertices', async () => {
    const { lists, ids, weights } = await solveTwice('wasm', false);
    for (let chunk = 0; 16 * chunk < VERTICES; chunk++) {
      const list = lists.subarray(chunk * (1 + MAX_CANDIDATES), (chunk + 1) * (1 + MAX_CANDIDATES));
      const members = new Set(list.subarray(1, 1 + list[0]));
      expect(list[0]).toBeLessThanOrEqual(MAX_CANDIDATES);
      for (let e = 16 * chunk * INFLUENCES; e < Math.min(VERTICES, 16 * (chunk + 1)) * INFLUENCES; e++)
        if (weights[e] > 0) expect(members.has(ids[e])).toBe(true);
    }
  });

  it('agree with the reference implementation, and give the same bytes on two threads', async () => {
    const fast = await solveTwice('wasm', true);
    const slow = await solveTwice('typescript', true);
    expect(fast.lists).toEqual(slow.lists);
    for (let i = 0; i < VERTICES; i++) expect(fast.errors[i]).toBeCloseTo(slow.errors[i], 9);
    expect(await solveTwice('wasm', true, 2)).toEqual(fast);
  });
});
