// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import { addNoise } from '../../../../bench/noise/add-noise.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { makeTimes } from '../../../core/model/clip/clip.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { estimateNoise } from '../estimate-noise.ts';

const { clip } = makeSample('creature', { frames: 16, resolution: 900, seed: 1 });
const { diagonal } = measureBounds(clip.mesh.positions);

it.each([0.001, 0.005])('estimates noise of %f of the size within a tenth', (ratio) => {
  expect(Math.abs(estimateNoise(addNoise(clip, { ratio })) / (ratio * diagonal) - 1)).toBeLessThan(0.1);
});

it('finds almost none in smooth motions, with bones or without', () => {
  for (const name of ['creature', 'sheet', 'quadruped'] as const) {
    const clean = makeSample(name, { frames: 16, resolution: 900 }).clip;
    expect(estimateNoise(clean) / measureBounds(clean.mesh.positions).diagonal, name).toBeLessThan(2e-4);
  }
});

it('is not misled by vertices that jump', () => {
  const found = estimateNoise(addNoise(clip, { jumps: 0.002 })) / diagonal;
  expect(found).toBeGreaterThan(0.004);
  expect(found).toBeLessThan(0.008);
});

it('does not take fast waves of a coarse mesh for noise', () => {
  const size = 10;
  const grid = Array.from({ length: size * size }, (_, i) => [i % size, Math.floor(i / size)]);
  const triangles = grid.flatMap(([x, y], i) =>
    x + 1 < size && y + 1 < size ? [i, i + 1, i + size, i + 1, i + size + 1, i + size] : [],
  );
  const mesh = makeMesh(Float32Array.from(grid.flatMap(([x, y]) => [x, y, 0])), Uint32Array.from(triangles));
  const times = makeTimes(60, 24);
  // twelve short waves: patches of twelve points bend in all directions
  const waves = Array.from({ length: 12 }, (_, w) => [1 + 0.37 * w, 2.9 - 0.41 * w, 0.2 + 0.03 * w]);
  const height = (x: number, y: number, k: number) =>
    waves.reduce((sum, [a, b, c]) => sum + Math.sin(a * x + b * y + c * k), 0);
  const positions = Float32Array.from(
    Array.from(times, (_, k) => grid.flatMap(([x, y]) => [x, y, 0.1 * height(x, y, k)])).flat(),
  );
  expect(estimateNoise({ kind: 'clip', name: 'waves', mesh, positions, times })).toBe(0);
});

it('is zero with fewer than six frames', () => {
  expect(estimateNoise(addNoise(makeSample('bar-bend', { frames: 5, resolution: 200 }).clip))).toBe(0);
});
