// SPDX-License-Identifier: MIT
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { listKernels } from '../../../../scripts/build/list-kernels.mjs';
import { makeCompute } from '../../compute/make-compute.ts';
import { callOf, type Kernel, type KernelViews, kernel } from '../kernel.ts';

const SLOTS = { numbers: 'f64', places: 'u32', extra: 'f32?', count: 'int', scale: 'float', isOn: 'bool' } as const;

const compute = await makeCompute({ kind: 'typescript' });
const seen: KernelViews<typeof SLOTS>[] = [];
const probe = kernel('probe', SLOTS, (views) => seen.push(views));
const args = {
  isOn: true,
  scale: 0.5,
  count: 3,
  extra: compute.float32(1),
  places: compute.uint32(2),
  numbers: compute.float64(3),
};

describe('callOf', () => {
  it('puts the arguments into the order of the slots', () => {
    const { numbers, places, extra } = args;
    expect(callOf(probe, args, 1).values).toEqual([numbers, places, extra, 3, 0.5, 1]);
  });

  it('puts 0 for an array that is absent, and for false', () => {
    const { values } = callOf(probe, { ...args, extra: undefined, isOn: false }, 1);
    expect(values.slice(2)).toEqual([0, 3, 0.5, 0]);
  });

  it('does not compile with a missing, a wrong or an unknown argument', () => {
    const { numbers, places, extra, count, scale } = args;
    // @ts-expect-error isOn is missing
    callOf(probe, { numbers, places, extra, count, scale }, 1);
    // @ts-expect-error an absent array must be stated
    callOf(probe, { numbers, places, count, scale, isOn: true }, 1);
    // @ts-expect-error places are whole numbers
    callOf(probe, { numbers, places: numbers, extra, count, scale, isOn: true }, 1);
    // @ts-expect-error numbers are doubles
    callOf(probe, { numbers: extra, places, extra, count, scale, isOn: true }, 1);
    // @ts-expect-error count is a number
    callOf(probe, { numbers, places, extra, count: numbers, scale, isOn: true }, 1);
    // @ts-expect-error no slot has this name
    const { values } = callOf(probe, { numbers, places, extra, count, scale, isOn: true, other: 1 }, 1);
    expect(values).toHaveLength(6);
  });
});

describe('the reference implementation', () => {
  it('receives views, and undefined for an array that is absent', async () => {
    await compute.run(probe, args, 2);
    await compute.run(probe, { ...args, extra: undefined, isOn: false }, 1);
    const numbers = args.numbers.view();
    expect(seen).toHaveLength(3);
    expect(seen[1]).toEqual({ ...args, numbers, places: args.places.view(), extra: args.extra.view() });
    expect(seen[1].numbers).toBe(numbers);
    expect(seen[2]).toMatchObject({ extra: undefined, isOn: false, count: 3, scale: 0.5 });
  });
});

/** All kernels that a file of core/kernels exports, by name. */
async function importKernels(): Promise<Kernel[]> {
  const folder = fileURLToPath(new URL('../', import.meta.url));
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  const sources = paths.filter((path) => /^(?!.*tests\/).*(?<!\.as)\.ts$/.test(path));
  const modules: Record<string, unknown>[] = await Promise.all(sources.map((path) => import(`${folder}${path}`)));
  const isKernel = (value: unknown): value is Kernel =>
    typeof value === 'object' && value !== null && 'slotNames' in value;
  const found = modules.flatMap((module) => Object.values(module).filter(isKernel));
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

describe('the tables of the kernels', async () => {
  const kernels = await importKernels();

  it('are those from which the offsets in AssemblyScript are made', () => {
    const tables = kernels.map(({ name, slotNames }) => ({ name, slots: slotNames }));
    expect(tables.length).toBeGreaterThan(30);
    expect(listKernels(fileURLToPath(new URL('../../../../', import.meta.url)))).toEqual(tables);
  });

  it('are the exports of both modules', async () => {
    for (const file of ['kernels.wasm', 'kernels-shared.wasm']) {
      const module = await WebAssembly.compile(readFileSync(new URL(`../../compute/${file}`, import.meta.url)));
      const exported = WebAssembly.Module.exports(module).filter(({ kind }) => kind === 'function');
      const names = exported.map(({ name }) => name).filter((name) => name !== 'clearBytes');
      expect(names.sort()).toEqual(kernels.map(({ name }) => name));
    }
  });

  it('have at most as many slots as the memory of a call', () => {
    for (const { name, slotNames } of kernels) expect(slotNames.length, name).toBeLessThanOrEqual(32);
  });
});

describe('the WebAssembly engine', () => {
  it('names a kernel that its module does not have', async () => {
    const engine = await makeCompute({ kind: 'wasm', threads: 1 });
    const call = engine.run(
      kernel('missing', { count: 'int' }, () => {}),
      { count: 1 },
      1,
    );
    await expect(call).rejects.toThrow('the module has no kernel "missing"');
    engine.dispose();
  });
});
