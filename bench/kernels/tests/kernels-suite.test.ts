// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../src/core/compute/make-compute.ts';
import { captureCli } from '../../../src/hosts/cli/index.ts';
import { timeVariants } from '../../shared/time-variants.ts';
import { BENCH_SUITES } from '../../suites.ts';
import { KERNEL_SIZES, makeKernelProblem } from '../kernel-problem.ts';
import { benchKernels } from '../kernels-suite.ts';
import { makeDdmCases } from '../smoothing-cases.ts';

const TINY = {
  matrices: 100,
  blendVertices: 120,
  blendBones: 6,
  influences: 3,
  vertices: 60,
  frames: 5,
  bones: 4,
  newBones: 4,
};
const NAMES = [
  'rotations',
  'linearBlend (positions)',
  'linearBlend (and normals)',
  'ddm v0 (and normals)',
  'ddm v1 (and normals)',
  'ddm v2 (and normals)',
  'ddm v3 (and normals)',
  'ddm v4 (and normals)',
  'ddm v5 (and normals)',
  'ddm in two layers (and normals)',
  'sparseSolve',
  'sparsePower',
  'boneProducts',
  'boneErrors',
  'convexWeights',
  'skinMoments',
  'boneSweep',
  'insertionGains',
];

describe('bench kernels', () => {
  it('times every kernel on each engine, and the engines agree', async () => {
    const rows = await benchKernels({ sizes: TINY, threads: 2, budget: 5 });
    expect(rows.map((row) => row.case)).toEqual(NAMES);
    for (const { case: name, timings, figures } of rows) {
      expect(Object.keys(timings)).toEqual(['twin', 'oneThread', 'allThreads']);
      for (const { least, mean, deviation, runs } of Object.values(timings)) {
        expect(least, name).toBeGreaterThan(0);
        expect(mean).toBeGreaterThanOrEqual(least);
        expect(deviation).toBeGreaterThanOrEqual(0);
        expect(runs).toBeGreaterThanOrEqual(3);
      }
      expect(figures?.ratioOneThread).toBe(timings.twin.least / timings.oneThread.least);
      expect(figures?.ratioAllThreads).toBe(timings.twin.least / timings.allThreads.least);
      expect(figures?.difference, name).toBeLessThan(
        name.startsWith('ddm') ? 5e-5 : name.startsWith('linearBlend') ? 1e-5 : 1e-9,
      );
      expect(figures?.nsPerVertex !== undefined, name).toBe(/^(linearBlend|ddm)/.test(name));
    }
  });

  it('poses vertices such that no variant is near a map without an inverse, at full size and from several seeds', async () => {
    const twin = await makeCompute({ kind: 'typescript' });
    const wasm = await makeCompute({ kind: 'wasm', threads: 1 });
    for (const seed of [0, 1, 2]) {
      const problem = makeKernelProblem({ ...KERNEL_SIZES, matrices: 1, blendVertices: 12_500, vertices: 1 }, seed);
      const expected = makeDdmCases(twin, problem)[1];
      const found = makeDdmCases(wasm, problem)[1];
      await expected.run();
      await found.run();
      const positions = found.read();
      let difference = 0;
      for (const [e, x] of expected.read().entries()) difference = Math.max(difference, Math.abs(x - positions[e]));
      // The box is 8 wide.
      expect(difference).toBeLessThan(1e-5);
    }
    for (const compute of [twin, wasm]) compute.dispose();
  });

  it('leaves out the third engine where there is one thread', async () => {
    const [row] = await benchKernels({ sizes: TINY, threads: 1, budget: 1 });
    expect(Object.keys(row.timings)).toEqual(['twin', 'oneThread']);
    expect(Object.keys(row.figures ?? {})).toEqual(['threads', 'ratioOneThread', 'difference']);
  });

  it('stops between kernels when interrupted', async () => {
    const controller = new AbortController();
    const work = benchKernels({
      sizes: TINY,
      budget: 1,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(work).rejects.toThrow(/abort/i);
  });

  it('is listed with what it measures', async () => {
    const { status, out } = await captureCli(['bench', '--list', '--json']);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual(BENCH_SUITES.map(({ name, description }) => ({ name, description })));
    expect(BENCH_SUITES.map(({ name }) => name)).toContain('kernels');
  });
});

describe('timeVariants', () => {
  it('runs variants equally often, in turns, prepared each time', async () => {
    const calls: string[] = [];
    const timings = await timeVariants(
      {
        a: { run: () => void calls.push('a') },
        b: { prepare: () => void calls.push('p'), run: async () => void calls.push('b') },
      },
      { budget: 0, leastRuns: 3, mostRuns: 3 },
    );
    // A round to warm up, then forwards, backwards, forwards.
    expect(calls.join('')).toBe('apb' + 'apb' + 'pba' + 'apb');
    expect(timings.a.runs).toBe(3);
    expect(timings.b.runs).toBe(3);
  });
});
