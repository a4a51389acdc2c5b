// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import {
  reserveTrajectories,
  squareTrajectories,
  type Trajectories,
} from '../../../core/kernels/matrices/trajectories.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { mutualDistanceClusters } from '../../../methods/skeleton/published/mutual-distance-clusters.ts';
import { edgeCollapseClusters } from '../edge-collapse-clusters.ts';
import { spectralClusters } from '../spectral-clusters.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ kind: 'typescript' });
});
afterAll(() => {
  compute.dispose();
});

const WIDE = 19;
const FRAMES = 8;

/** A strip of 19 x 3 points in the plane; its thirds turn about the two lines between them, like a folding screen. */
function makeScreen(): { trajectories: Trajectories; triangles: Uint32Array; truth: number[] } {
  const trajectories = reserveTrajectories(compute, 3 * WIDE, FRAMES);
  const rest = trajectories.rest.view();
  const posed = trajectories.posed.view();
  const triangles: number[] = [];
  const truth: number[] = [];
  for (let n = 0; n < WIDE; n++) {
    for (let m = 0; m < 3; m++) {
      const i = 3 * n + m;
      truth.push(Math.min(2, Math.floor(n / 6.5)));
      rest.set([n, m, 0], 3 * i);
      for (let k = 0; k < FRAMES; k++) {
        const a = 0.15 * k;
        let [x, z] = [Math.min(n, 6), 0];
        const middle = Math.max(0, Math.min(n, 12) - 6);
        x += middle * Math.cos(a);
        z += middle * Math.sin(a);
        x += Math.max(0, n - 12) * Math.cos(-a);
        z += Math.max(0, n - 12) * Math.sin(-a);
        posed.set([x, m, z], (i * FRAMES + k) * 3);
      }
      if (n + 1 < WIDE && m < 2) triangles.push(i, i + 3, i + 4, i, i + 4, i + 1);
    }
  }
  squareTrajectories(trajectories);
  return { trajectories, triangles: Uint32Array.from(triangles), truth };
}

/** Whether labels and truth agree but for names, away from the lines where either is right. */
function expectSame(labels: Uint32Array, truth: number[]): void {
  const names = new Map<number, number>();
  truth.forEach((wanted, i) => {
    const column = Math.floor(i / 3);
    if ([5, 6, 7, 11, 12, 13].includes(column)) return;
    if (!names.has(wanted)) names.set(wanted, labels[i]);
    expect(labels[i], `column ${column}`).toBe(names.get(wanted));
  });
  expect(new Set(names.values()).size).toBe(3);
}

describe('clusters by edge collapse', () => {
  it('are the panels of a folding screen', () => {
    const { trajectories, triangles, truth } = makeScreen();
    const labels = edgeCollapseClusters(trajectories, triangles, 3);
    expect(new Set(labels).size).toBe(3);
    expectSame(labels, truth);
    expect(edgeCollapseClusters(trajectories, triangles, 3)).toEqual(labels);
  });

  it('have the given number, numbered from zero, and never fewer than the parts', () => {
    const { trajectories, triangles } = makeScreen();
    for (const count of [1, 2, 5, 20]) {
      const labels = edgeCollapseClusters(trajectories, triangles, count);
      expect(Math.max(...labels) + 1).toBe(new Set(labels).size);
      expect(new Set(labels).size).toBeLessThanOrEqual(count);
    }
    // without the triangles in the middle there are two parts
    const cut = triangles.filter((_, c) => Math.floor(c / 12) !== 9);
    expect(new Set(edgeCollapseClusters(trajectories, cut, 1)).size).toBe(2);
  });

  it('give points without triangles the nearest cluster', () => {
    const { trajectories, triangles } = makeScreen();
    const labels = edgeCollapseClusters(trajectories, triangles.slice(12), 3);
    expect(labels[0]).toBe(labels[3]);
    expect(edgeCollapseClusters(trajectories, new Uint32Array(0), 3)).toEqual(new Uint32Array(3 * WIDE));
  });
});

describe('clusters by mutual distances', () => {
  it('are the panels of a folding screen', () => {
    const { trajectories, triangles, truth } = makeScreen();
    expectSame(mutualDistanceClusters(trajectories, triangles, 3, makeRandom(0)), truth);
  });
});

describe('spectral clusters', () => {
  it('separate blocks of similar items in any order', () => {
    const block = [0, 1, 2, 0, 1, 2, 0, 0, 1, 2, 2, 1];
    const size = block.length;
    const random = makeRandom(7);
    const similarity = new Float64Array(size * size);
    for (let i = 0; i < size; i++) {
      for (let j = 0; j <= i; j++) {
        const value = (block[i] === block[j] ? 1 : 0.05) * (0.8 + 0.2 * random.next());
        similarity[i * size + j] = similarity[j * size + i] = value;
      }
    }
    const labels = spectralClusters(similarity, size, 3, makeRandom(0));
    for (let i = 0; i < size; i++)
      for (let j = 0; j < size; j++) expect(labels[i] === labels[j]).toBe(block[i] === block[j]);
  });

  it('give every item its own cluster if there are enough, and valid labels otherwise', () => {
    expect([...spectralClusters(new Float64Array(9), 3, 5, makeRandom(0))]).toEqual([0, 1, 2]);
    const labels = spectralClusters(new Float64Array(36), 6, 2, makeRandom(0));
    expect(Math.max(...labels)).toBeLessThan(2);
  });
});
