// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { DECOMPOSE_METHOD_NAMES, decomposeMethodOf, listMethodsWith } from '../decompose-methods.ts';

describe.each(DECOMPOSE_METHOD_NAMES)('the method %s', (name) => {
  const method = decomposeMethodOf(name);

  it('has its name, and solves with its defaults', async () => {
    expect(method.name).toBe(name);
    const { clip } = makeSample('quadruped', { resolution: 150, frames: 6 });
    const compute = await makeCompute({ threads: 1 });
    try {
      const { model } = await method.run({ compute }, { frames: clip, deviation: 0 }, { bones: 3 });
      expect(model.skeleton.names.length).toBeGreaterThan(0);
    } finally {
      compute.dispose();
    }
  });

  it('needs more memory for more frames', () => {
    const bytesOf = (frameCount: number) => method.planFor({}, undefined, { vertexCount: 1000, frameCount }).bytes;
    expect(bytesOf(100)).toBeGreaterThan(bytesOf(10));
  });

  it('refuses coordinates whose bones could exceed the range of files', async () => {
    const { clip } = makeSample('quadruped', { resolution: 150, frames: 2 });
    const large = { ...clip, positions: clip.positions.map((x) => 4e17 * x) };
    const compute = await makeCompute({ threads: 1 });
    try {
      const run = method.run({ compute }, { frames: large, deviation: 0 }, { bones: 3 });
      await expect(run).rejects.toThrow(/^clip: has a coordinate of \d\.\de\+17; bones are solved up to 1e\+16/);
    } finally {
      compute.dispose();
    }
  });

  it('refuses values that its options exclude, before it solves', async () => {
    const { clip } = makeSample('quadruped', { resolution: 150, frames: 2 });
    const compute = await makeCompute({ threads: 1 });
    try {
      const run = method.run({ compute }, { frames: clip, deviation: 0 }, { bones: -1 });
      await expect(run).rejects.toThrow(`${name}: bones must be a whole number`);
    } finally {
      compute.dispose();
    }
  });
});

describe('listMethodsWith', () => {
  it('lists the methods that have an option', () => {
    expect(listMethodsWith('penalty')).toEqual(['lssp']);
    expect(listMethodsWith('keepRest')).toEqual(['ssdr', 'fsd', 'auto']);
    expect(listMethodsWith('nosuch')).toEqual([]);
  });
});
