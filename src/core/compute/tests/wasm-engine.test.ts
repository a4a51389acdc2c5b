// SPDX-License-Identifier: MIT
// What happens on threads when something goes wrong: no run waits for ever, and events are handled during every run.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Compute, uploadFloat64 } from '../../kernels/compute.ts';
import { callOf, type KernelCall, type Resident } from '../../kernels/kernel.ts';
import { multiplyKernel } from '../../kernels/matrices/multiply.ts';
import { rotationsKernel } from '../../kernels/patches/rotations.ts';
import { makeRandom } from '../../math/random.ts';
import { makeCompute } from '../make-compute.ts';
import { makeThreads } from '../threads.ts';
import { makeWasmEngine } from '../wasm-engine.ts';
import { CONTROL_WORDS } from '../worker-source.ts';

/** Body of a kernel of which the calling thread waits until another thread has taken a chunk, which then runs the given instructions. */
const kernelBody = (other: number[]): number[] => [
  ...[0, 0x20, 2, 0x04, 0x40], // if (thread)
  ...[0x41, 0, 0x41, 1, 0xfe, 0x17, 2, 0, ...other], // { atomicStore(0, 1); other }
  ...[0x05, 0x03, 0x40, 0x41, 0, 0xfe, 0x10, 2, 0, 0x45, 0x0d, 0, 0x0b, 0x0b, 0x0b], // else while (atomicLoad(0) == 0);
];
const UNREACHABLE = [0x00];
const ENDLESS_LOOP = [0x03, 0x40, 0x0c, 0, 0x0b];

/** A module with shared memory that exports the kernel as "rotations". */
function makeModule(other: number[]): WebAssembly.Module {
  const section = (id: number, bytes: number[]): number[] => [id, bytes.length, ...bytes];
  const name = (text: string): number[] => [text.length, ...new TextEncoder().encode(text)];
  const body = kernelBody(other);
  return new WebAssembly.Module(
    Uint8Array.of(
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, [1, 0x60, 3, 0x7f, 0x7f, 0x7f, 0]),
      ...section(2, [1, ...name('env'), ...name('memory'), 2, 3, 2, 0x80, 0x80, 4]),
      ...section(3, [1, 0]),
      ...section(7, [1, ...name('rotations'), 0, 0]),
      ...section(10, [1, body.length, ...body]),
    ),
  );
}

type Doubles = Resident<Float64Array>;

let compute: Compute;

/** Arguments for the kernel of makeModel, which reads none. */
const noMatrices = () => ({ matrices: compute.float64(0), out: compute.float64(0), count: 0, chunkSize: 2 });

afterEach(() => {
  vi.restoreAllMocks();
  compute.dispose();
});

const startEngine = async (other: number[], maxSilence?: number): Promise<void> => {
  compute = await makeWasmEngine(makeModule(other), true, 2, maxSilence);
};

describe('a run on threads', () => {
  it('throws the error of a thread, and leaves the engine usable', async () => {
    await startEngine(UNREACHABLE);
    await expect(compute.run(rotationsKernel, noMatrices(), 100)).rejects.toThrow('compute: unreachable');
    await expect(compute.run(rotationsKernel, noMatrices(), 1)).resolves.toBeUndefined();
  });

  it('throws when a thread makes no progress', async () => {
    await startEngine(ENDLESS_LOOP, 200);
    await expect(compute.run(rotationsKernel, noMatrices(), 2)).rejects.toThrow('a thread has not finished its work');
    await expect(compute.run(rotationsKernel, noMatrices(), 2)).rejects.toThrow('a thread has not finished its work');
  });

  it('handles events while it waits, so that Ctrl-C works', async () => {
    await startEngine(ENDLESS_LOOP);
    setTimeout(() => compute.dispose(), 100);
    await expect(compute.run(rotationsKernel, noMatrices(), 2)).rejects.toThrow('disposed during a run');
  });

  it('throws the error of the calling thread after the other threads have ended', async () => {
    compute = await makeCompute({ kind: 'wasm', threads: 2 });
    const size = 20_000;
    const array = uploadFloat64(compute, new Float64Array(9 * size));
    // The second chunk and later ones are outside of the memory; which thread takes them varies.
    for (let n = 0; n < 10; n++)
      await expect(
        compute.run(rotationsKernel, { matrices: array, out: array, count: 1e9, chunkSize: size }, 50),
      ).rejects.toThrow('out of bounds');
    await compute.run(rotationsKernel, { matrices: array, out: array, count: size, chunkSize: 100 }, size / 100);
  });
});

describe('a loop of runs', () => {
  it.each([
    { kind: 'wasm', threads: 2 },
    { kind: 'wasm', threads: 1 },
    { kind: 'typescript', threads: 1 },
  ] as const)('lets events be handled ($kind, threads: $threads)', async ({ kind, threads }) => {
    compute = await makeCompute({ kind, threads });
    const array = uploadFloat64(compute, new Float64Array(9 * 1000).fill(1));
    let isOver = false;
    setTimeout(() => {
      isOver = true;
    }, 0);
    // each look at the clock is later than the last one; a thread that a busy machine starts late is not taken for a lost one
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 10));
    for (let n = 0; n < 200 && !isOver; n++)
      await compute.run(rotationsKernel, { matrices: array, out: array, count: 1000, chunkSize: 500 }, 2);
    expect(isOver).toBe(true);
  });
});

describe('many small runs', () => {
  it('give the numbers of one thread, also when they overlap and more threads than cores take part', async () => {
    compute = await makeCompute({ kind: 'wasm', threads: 1 });
    const random = makeRandom(5);
    const given = Float64Array.from({ length: 9 * 64 }, () => random.normal());
    const source = uploadFloat64(compute, given);
    const expected = compute.float64(given.length);
    await compute.run(rotationsKernel, { matrices: source, out: expected, count: 64, chunkSize: 2 }, 32);
    const numbers = Array.from(expected.view());
    compute.dispose();

    compute = await makeCompute({ kind: 'wasm', threads: 6 });
    const shared = uploadFloat64(compute, given);
    const outs = Array.from({ length: 4 }, () => compute.float64(given.length));
    for (let n = 0; n < 1500; n++) {
      for (const out of outs) out.view().fill(0);
      // Different numbers of chunks at once: a chunk of one run must never be taken for one of another.
      await Promise.all(
        outs.map((out, k) =>
          compute.run(rotationsKernel, { matrices: shared, out: out, count: 64, chunkSize: 2 << k }, 32 >> k),
        ),
      );
      for (const out of outs) expect(out.view().every((x, c) => x === numbers[c])).toBe(true);
    }
  });
});

describe('runAll', () => {
  it.each([1, 2, 6])('starts a call when the one before it has ended (%i threads)', async (threads) => {
    compute = await makeCompute({ kind: 'wasm', threads });
    const size = 64;
    const random = makeRandom(3);
    const chain = Array.from({ length: 40 }, () => compute.float64(size * size));
    const turn = uploadFloat64(
      compute,
      Float64Array.from({ length: size * size }, () => random.normal() / 8),
    );
    const given = Float64Array.from({ length: size * size }, () => random.normal());
    const expected = given.slice();
    const reference = await makeCompute({ kind: 'typescript' });
    const [a, b, out] = [expected, turn.view(), given].map((values) => uploadFloat64(reference, values));
    const multiply = (a: Doubles, b: Doubles, out: Doubles, chunkSize: number): KernelCall =>
      callOf(multiplyKernel, { a, b, out, rows: size, inner: size, columns: size, chunkSize }, size / chunkSize);
    for (let n = 1; n < chain.length; n++) {
      await reference.runAll([multiply(a, b, out, size)]);
      a.view().set(out.view());
    }
    for (let repeat = 0; repeat < 30; repeat++) {
      for (const array of chain) array.view().fill(0);
      chain[0].view().set(given);
      await compute.runAll(chain.slice(1).map((to, n) => multiply(chain[n], turn, to, 4 << (n % 3))));
      const result = chain[chain.length - 1].view();
      expect(result.every((x, e) => x === a.view()[e])).toBe(true);
    }
  });

  it('does not start the calls after one that failed', async () => {
    compute = await makeCompute({ kind: 'wasm', threads: 3 });
    const matrices = uploadFloat64(compute, new Float64Array(9 * 8).fill(1));
    const out = compute.float64(9 * 8);
    const next = callOf(rotationsKernel, { matrices, out, count: 8, chunkSize: 2 }, 4);
    const outside: KernelCall = { ...next, values: [2 ** 31, out, 8, 2] };
    await expect(compute.runAll([outside, next])).rejects.toThrow('out of bounds');
    expect(out.view().every((x) => x === 0)).toBe(true);
    await compute.runAll([next]);
    expect(out.view().every((x) => x === 0)).toBe(false);
  });
});

describe('makeThreads', () => {
  it('treats a thread that fails to start as absent', async () => {
    const control = new Int32Array(new SharedArrayBuffer(4 * CONTROL_WORDS));
    const memory = new WebAssembly.Memory({ initial: 2, maximum: 4, shared: true });
    const threads = await makeThreads(1, { module: {} as WebAssembly.Module, memory, control, names: [] });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(threads.findLoss()).toBeUndefined();
    threads.end();
  });
});
