// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../core/options/option.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import type { Job, JobIo } from '../../engine/job.ts';
import { limitFiles } from '../../engine/limit-files.ts';
import { assetOfSample } from '../../sample/sample-asset.ts';
import { findJob, JOBS } from '../jobs.ts';
import { runJob } from '../run-job.ts';

const asset = assetOfSample(makeSample('bar-bend', { resolution: 100, frames: 3 }));
const SECRET = '/secret/a.obj';

/** Gives the same model for every name, and records names. */
function makeRecorder(): { io: JobIo; read: Set<string>; written: Set<string> } {
  const [read, written] = [new Set<string>(), new Set<string>()];
  const io: JobIo = {
    ...{ version: '0.0.0', threads: 1 },
    async open(input, { rest }) {
      read.add(input);
      if (rest !== undefined) read.add(rest);
      return { input, asset, paths: [input] };
    },
    async read(path) {
      read.add(path);
      return new TextEncoder().encode('{}');
    },
    async checkOutputs(outputs) {
      for (const path of outputs) written.add(path);
      throw new Error('far enough');
    },
  };
  return { io, read, written };
}

/** Options that accept the name of a file as their value. */
function listTexts(command: string): [string, boolean][] {
  return Object.entries(findJob(command).options).flatMap(([key, { type }]) => {
    try {
      type.parse(SECRET);
      return [[key, type.names !== undefined]];
    } catch {
      return [];
    }
  });
}

describe('a job', () => {
  it.each(JOBS.map(({ name }) => name))('%s opens nothing but its inputs and files of its options', async (command) => {
    const { inputs, output } = findJob(command);
    for (const [key, isFile] of listTexts(command)) {
      const { io, read, written } = makeRecorder();
      const options: Record<string, Json> = { [key]: SECRET };
      if (command === 'edit' && key !== 'edited') options.edited = 'edited.obj';
      const job: Job = {
        ...{ command, inputs: inputs.map((_, n) => `in${n}.glb`), options },
        output: output && `out${output.extensions[0]}`,
      };
      await runJob(job, io).catch(() => undefined);
      const allowed = [...job.inputs, 'edited.obj', ...(isFile ? [SECRET] : [])];
      expect([...read].filter((path) => !allowed.includes(path))).toEqual([]);
      if (!isFile) expect([...read, ...written]).not.toContain(SECRET);
    }
  });

  it('cannot open or write what no input and no option names, whatever it tries', async () => {
    const { io, read } = makeRecorder();
    const job: Job = { command: 'decompose', inputs: ['a.glb'], output: 'out/a.glb', options: {} };
    const values = { skeleton: 'bones.glb', denoise: 'clean/a.abc', animation: 'walk' };
    const files = limitFiles({ ...io, list: async () => ['frames/1.obj'] }, job, {
      schema: findJob('decompose').options,
      values,
    });
    const open = (path: string, rest?: string) => files.io.open(path, { rest }, () => undefined);
    await expect(open('walk')).rejects.toThrow('neither an input nor an option names');
    await expect(open('a.glb', 'other.obj')).rejects.toThrow('neither an input nor an option names');
    await expect(files.io.read('clean/a.abc')).rejects.toThrow('neither an input nor an option names');
    await expect(files.io.list?.('walk')).rejects.toThrow('neither an input nor an option names');
    await expect(open('frames/1.obj')).rejects.toThrow();
    expect([...read]).toEqual([]);
    await open('a.glb');
    await open('bones.glb');
    await files.io.list?.('a.glb');
    await open('frames/1.obj');
    expect([...read]).toEqual(['a.glb', 'bones.glb', 'frames/1.obj']);
    files.checkWritten(['out/a.glb', 'out/a.blender.py', 'clean/a-walk.abc']);
    for (const path of ['a.glb', 'out/deep/a.glb', '/etc/passwd', 'out/../x.glb'])
      expect(() => files.checkWritten([path])).toThrow('writes a file where neither its output nor an option is');
  });
});
