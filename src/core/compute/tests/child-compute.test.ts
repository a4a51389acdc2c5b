// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { Compute, Resident } from '../../kernels/compute.ts';
import { makeCompute } from '../make-compute.ts';

describe.each(['wasm', 'typescript'] as const)('a scope of the %s engine', (kind) => {
  const withCompute = async (test: (compute: Compute) => Promise<void>): Promise<void> => {
    const compute = await makeCompute({ kind, threads: 1 });
    try {
      await test(compute);
    } finally {
      compute.dispose();
    }
  };

  it('frees its arrays when it ends, and keeps those of the enclosing compute', () =>
    withCompute(async (compute) => {
      const outer = compute.float64(10);
      let inner: Resident | undefined;
      const sum = await compute.scope(async (memory) => {
        inner = memory.float64(10);
        memory.uint32(3);
        return inner.view().length + outer.view().length;
      });
      expect(sum).toBe(20);
      expect(() => inner?.view()).toThrow('after its scope ended');
      expect(outer.view().length).toBe(10);
    }));

  it('frees its arrays when it throws', () =>
    withCompute(async (compute) => {
      let inner: Resident | undefined;
      const failing = compute.scope(async (memory) => {
        inner = memory.float32(10);
        throw new Error('half-way');
      });
      await expect(failing).rejects.toThrow('half-way');
      expect(() => inner?.view()).toThrow('after its scope ended');
    }));

  it('frees the arrays of scopes within it, and lets kernels free an array early', () =>
    withCompute(async (compute) => {
      const memory = compute.child();
      const early = memory.float64(10);
      early.free();
      const nested = memory.child().float64(10);
      memory.dispose();
      expect(() => early.view()).toThrow('after its scope ended');
      expect(() => nested.view()).toThrow('after its scope ended');
    }));
});

describe('memory of a scope', () => {
  it('is used again', async () => {
    const compute = await makeCompute({ kind: 'wasm', threads: 1 });
    const byteLengths = new Set<number>();
    for (let n = 0; n < 5; n++)
      await compute.scope(async (memory) => {
        byteLengths.add(memory.float64(1 << 18).view().buffer.byteLength);
      });
    compute.dispose();
    expect(byteLengths.size).toBe(1);
  });
});
