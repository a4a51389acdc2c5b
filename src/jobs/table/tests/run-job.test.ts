// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputError, UsageError } from '../../../core/model/errors.ts';
import type { Json } from '../../../core/options/option.ts';
import { settleOptions } from '../../../core/options/settle-options.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import type { Job, JobIo, JobProgress } from '../../engine/job.ts';
import { assetOfSample } from '../../sample/sample-asset.ts';
import { findJob, JOBS } from '../jobs.ts';
import { checkJob, runJob } from '../run-job.ts';

const asset = assetOfSample(makeSample('bar-bend', { resolution: 200, frames: 6 }));
const io: JobIo = {
  version: '0.0.0',
  threads: 1,
  open: async (input) => {
    if (input !== 'bar') throw new InputError(input, 'no such file');
    return { input, asset, paths: [input] };
  },
  read: async (path) => {
    throw new InputError(path, 'no such file');
  },
};
const job: Job = {
  command: 'decompose',
  inputs: ['bar'],
  output: 'out.glb',
  options: { bones: 3, iterations: 2, threads: 1 },
};

describe('runJob', () => {
  it('returns files and a report, and stores nothing', async () => {
    const { files, report, gate } = await runJob(job, io);
    expect(files.map(({ path }) => path)).toEqual(['out.glb']);
    expect(report).toMatchObject({
      command: 'decompose',
      options: { bones: 3, iterations: 2, method: 'ssdr', influences: 4 },
      inputs: [{ name: 'bar', vertices: asset.mesh.positions.length / 3 }],
      result: { bones: 3 },
      files: [{ path: 'out.glb', bytes: files[0].bytes.length }],
      threads: 1,
      seed: 0,
    });
    expect(gate).toBeUndefined();
  });

  it('gives the same bytes from a job that went through JSON', async () => {
    const [a, b] = [await runJob(job, io), await runJob(JSON.parse(JSON.stringify(job)), io)];
    expect(a.files[0].bytes).toEqual(b.files[0].bytes);
  });

  it('takes numbers, text and lists for the same value', async () => {
    const settle = (options: Job['options']) => settleOptions(findJob('compress'), { options });
    expect(settle({ virtualBones: [20, 40], maxError: 0.5 }).values).toMatchObject({
      virtualBones: [20, 40],
      maxError: '0.5',
    });
    expect(settle({ virtualBones: '20,40', maxError: '1mm' }).values).toMatchObject({
      virtualBones: [20, 40],
      maxError: '1mm',
    });
    expect(settle({ quantize: true }).json).toMatchObject({ quantize: true, iterations: 16 });
    expect(settle({ quantize: null as unknown as Json }).values.quantize).toBeUndefined();
  });

  it('reports the gate of a limit', async () => {
    const { gate, report } = await runJob({ ...job, options: { ...job.options, maxError: '0.0001%' } }, io);
    expect(gate).toMatchObject({ isMet: false });
    expect(report.result.gate).toEqual(gate);
    expect(report.options.maxError).toBe('0.0001%');
  });

  it('shows progress, stops on its signal, and tells when it goes on to write', async () => {
    const controller = new AbortController();
    const seen: JobProgress[] = [];
    let interruptions = 0;
    const { report } = await runJob({ ...job, options: { bones: 8, threads: 1 } }, io, {
      signal: controller.signal,
      onProgress: (progress) => {
        seen.push(progress);
        if (progress.eRms !== undefined) controller.abort();
      },
      onInterrupted: () => interruptions++,
    });
    expect(report.result.status).toBe('stopped');
    expect(interruptions).toBe(1);
    expect(seen.map(({ phase }) => phase)).toEqual(
      expect.arrayContaining(['read', 'bake', 'solve', 'write', 'measure']),
    );
    await expect(runJob(job, io, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it.each<[Partial<Job>, RegExp]>([
    [{ command: 'dance' }, /there is no command "dance"; there are info, /],
    [{ inputs: [] }, /decompose: needs one input, got 0/],
    [{ output: undefined }, /decompose: needs an output/],
    [{ output: 'out.obj' }, /decompose: the output must end in \.glb, .*\.usdz, not "out\.obj"/],
    [{ options: { legs: 4 } }, /decompose: there is no option "legs"/],
    [{ options: { bones: 'many' } }, /--bones: the value "many" is invalid\. Give a whole number/],
    [{ options: { bones: { count: 4 } } }, /--bones: has an object as its value/],
    [{ options: { bones: 3, skeleton: 'rig.glb' } }, /--skeleton: cannot be used with --bones/],
    [{ command: 'info', options: {} }, /info: makes no file/],
  ])('refuses %j as wrong usage', async (change, message) => {
    const run = runJob({ ...job, ...change }, io);
    await expect(run).rejects.toThrow(message);
    await expect(run).rejects.toBeInstanceOf(UsageError);
  });

  it('says which file an error is about', async () => {
    await expect(runJob({ ...job, inputs: ['gone'] }, io)).rejects.toThrow('gone: no such file');
    const mush: Job = { command: 'mush', inputs: ['bar'], output: 'out.glb' };
    await expect(runJob(mush, io)).rejects.toThrow('bar: the file has no skin; bind its mesh to bones first');
    const ranges: Job = { command: 'compress', inputs: ['bar'], output: 'out.glb', options: { ranges: 'none.json' } };
    await expect(runJob(ranges, io)).rejects.toThrow('none.json: no such file');
  });
});

describe('the options of every job', () => {
  const value: fc.Arbitrary<Json> = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
    fc.constantFrom<Json>('1mm', '0.5%', '10:50', 'auto', 'none', -1, 1e300, '', ' ', '__proto__', 'toString'),
  );

  it.each(JOBS.map(({ name }) => name))('are refused in one sentence or settled: %s', (name) => {
    const spec = findJob(name);
    const keys = [...Object.keys(spec.options), '__proto__', 'constructor', 'nothing'];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 4 }), (options) => {
        const output = spec.output ? `out${spec.output.extensions[0]}` : undefined;
        const inputs = spec.inputs.map(() => 'input');
        try {
          const { json } = checkJob(spec, { command: name, inputs, output, options });
          expect(JSON.parse(JSON.stringify(json))).toEqual(JSON.parse(JSON.stringify(json)));
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          expect((error as Error).message).toMatch(/^[^\n]+$/);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each(JOBS.map(({ name }) => name))('settle to the same from their own report: %s', (name) => {
    const spec = findJob(name);
    const { json } = settleOptions(spec, { options: {} });
    const again = settleOptions(spec, { options: json });
    expect(again.json).toEqual(json);
  });
});

describe('lengths with a unit', () => {
  const check = (inputs: string[], options: Job['options']) =>
    checkJob(findJob('decompose'), { command: 'decompose', inputs, output: 'out.glb', options });

  it('are refused before anything is read if no format of the input has units', () => {
    const fault = /^--max-error: "2mm" needs a file that has units, and Alembic files have none; give --unit/;
    expect(() => check(['cloth.abc'], { maxError: '2mm' })).toThrow(fault);
    expect(() => check(['rest.obj+a.mdd,b.mdd'], { rms: '1cm' })).toThrow(/^--rms: .* OBJ and MDD files have none/);
    expect(() => check(['frames/*.obj'], { noise: '1mm' })).toThrow(/^--noise: .* OBJ files have none/);
  });

  it('are accepted with --unit, from files that have units, and where the name does not tell', () => {
    check(['cloth.abc'], { maxError: '2mm', unit: 'cm' });
    check(['cloth.abc'], { maxError: '2%', noise: 'auto' });
    check(['walk.fbx'], { maxError: '2mm' });
    check(['rest.glb+motion.pc2'], { maxError: '2mm' });
    check(['frames'], { maxError: '2mm' });
  });
});
