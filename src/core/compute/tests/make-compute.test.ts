// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../make-compute.ts';
import { MemoryPool } from '../memory-pool.ts';

describe('makeCompute', () => {
  it('uses WebAssembly by default', async () => {
    const compute = await makeCompute();
    expect(compute.kind).toBe('wasm');
    compute.dispose();
  });

  it('throws on an invalid number of threads', async () => {
    await expect(makeCompute({ threads: -1 })).rejects.toThrow('compute: threads must be a whole number');
    await expect(makeCompute({ threads: 1.5 })).rejects.toThrow('compute: threads must be a whole number');
  });

  it('keeps arrays apart while memory grows', async () => {
    const compute = await makeCompute({ threads: 1 });
    const a = compute.float64(1000);
    a.view().fill(1);
    const b = compute.float64(1 << 20);
    b.view().fill(2);
    expect(a.view().every((x) => x === 1)).toBe(true);
    b.free();
    const c = compute.float32(10);
    expect([...c.view()]).toEqual(new Array(10).fill(0));
    expect(a.view().every((x) => x === 1)).toBe(true);
  });
});

describe('MemoryPool', () => {
  it('merges freed blocks, in any order', () => {
    const pool = new MemoryPool(new WebAssembly.Memory({ initial: 4, maximum: 8 }));
    const size = 40_000;
    const blocks = [0, 1, 2, 3].map(() => pool.allocate(size));
    expect(new Set(blocks).size).toBe(4);
    for (const n of [2, 0, 3, 1]) pool.release(blocks[n], size);
    const bytes = pool.memory.buffer.byteLength;
    expect(pool.allocate(4 * size)).toBe(blocks[0]);
    expect(pool.memory.buffer.byteLength).toBe(bytes);
  });

  it('fills with zeros what was used before, and nothing else', () => {
    const cleared: [number, number][] = [];
    const pool = new MemoryPool(new WebAssembly.Memory({ initial: 4, maximum: 8 }), (...block) => cleared.push(block));
    const first = pool.allocate(640);
    expect(cleared).toEqual([]);
    pool.release(first, 640);
    // the end of the block was never used
    expect(pool.allocate(1280)).toBe(first);
    expect(cleared).toEqual([[first, 640]]);
  });

  it('throws when memory is full', () => {
    const pool = new MemoryPool(new WebAssembly.Memory({ initial: 2, maximum: 4 }));
    expect(() => pool.allocate(1 << 20)).toThrow('do not fit in WebAssembly memory');
  });
});
