// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import { reserveTrajectories, squareTrajectories } from '../../../../core/kernels/matrices/trajectories.ts';
import { labelParts } from '../../../../core/mesh/topology/label-parts.ts';
import { coarsenPoints } from '../coarsen-points.ts';

/** A flat grid that moves along x, point i at (column, row, 0), and a triangle apart. */
async function makeGrid(size: number) {
  const compute = await makeCompute({ threads: 1, kind: 'typescript' });
  const count = size * size + 3;
  const all = reserveTrajectories(compute, count, 2);
  for (let i = 0; i < count; i++) {
    const place = [i % size, Math.floor(i / size), 0];
    all.rest.view().set(place, 3 * i);
    all.posed.view().set(place, 6 * i);
    all.posed.view().set([place[0] + 1, place[1], 0], 6 * i + 3);
  }
  squareTrajectories(all);
  const triangles: number[] = [];
  for (let y = 0; y + 1 < size; y++) {
    for (let x = 0; x + 1 < size; x++) {
      const i = y * size + x;
      triangles.push(i, i + 1, i + size, i + 1, i + size + 1, i + size);
    }
  }
  triangles.push(count - 3, count - 2, count - 1);
  return { compute, all, triangles: Uint32Array.from(triangles) };
}

test('keeps about the wanted number of points, their trajectories, and a mesh of cells', async () => {
  const { compute, all, triangles } = await makeGrid(20);
  const coarse = coarsenPoints(compute, all, triangles, 50, false);
  expect(coarse.kept.length).toBeGreaterThanOrEqual(50);
  expect(coarse.kept.length).toBeLessThan(55);
  expect(coarse.noise).toBe(1);
  coarse.kept.forEach((i, n) => {
    expect(coarse.trajectories.posed.view().subarray(6 * n, 6 * n + 6)).toEqual(
      all.posed.view().subarray(6 * i, 6 * i + 6),
    );
  });
  expect(coarse.triangles.length).toBeGreaterThan(0);
  for (let c = 0; c < coarse.triangles.length; c += 3)
    expect(new Set(coarse.triangles.subarray(c, c + 3)).size).toBe(3);
  compute.dispose();
});

test('averages the points of a cell, which move as one, and lowers the variance of the noise', async () => {
  const { compute, all, triangles } = await makeGrid(20);
  const coarse = coarsenPoints(compute, all, triangles, 50, true);
  const posed = coarse.trajectories.posed.view();
  for (let n = 0; n < coarse.kept.length; n++) {
    expect(posed[6 * n + 3] - posed[6 * n]).toBeCloseTo(1, 12);
    expect(posed[6 * n + 4]).toBeCloseTo(posed[6 * n + 1], 12);
  }
  expect(coarse.noise).toBeGreaterThan(1 / 12);
  expect(coarse.noise).toBeLessThan(1 / 3);
  compute.dispose();
});

test('keeps several points of every part of the mesh', async () => {
  const { compute, all, triangles } = await makeGrid(20);
  all.parts = labelParts(all.vertexCount, triangles);
  const coarse = coarsenPoints(compute, all, triangles, 20, false);
  expect(coarse.kept.filter((i) => i >= 400)).toEqual(Uint32Array.of(400, 401, 402));
  expect(coarse.kept.length).toBeLessThan(30);
  expect([...coarse.trajectories.parts!].filter((part) => part === 1)).toHaveLength(3);
  compute.dispose();
});
