// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { FormatError, InputError, UsageError } from '../../../core/model/errors.ts';
import type { JobIo } from '../job.ts';
import { JobContext, WRITTEN_FILE } from '../job-context.ts';

const io: JobIo = {
  version: 'test',
  threads: 1,
  open: () => Promise.reject(new Error('nothing to open')),
  read: () => Promise.reject(new Error('nothing to read')),
};
const contextOf = (inputs: string[], output = 'out.glb') =>
  new JobContext({ command: 'decompose', inputs, output }, {}, {}, io, {});
const messageOf = (inputs: string[], error: Error) => (contextOf(inputs).nameError(error) as Error).message;

describe('errors of a job', () => {
  it('name the input instead of the function that found the fault', () => {
    expect(messageOf(['in.glb'], new InputError('writeGlb', 'the mesh has no triangles'))).toBe(
      'in.glb: the mesh has no triangles',
    );
    expect(messageOf(['in.glb'], new InputError('measure error', 'frame 3 is not finite'))).toBe(
      'in.glb: frame 3 is not finite',
    );
    expect(messageOf([], new InputError('writeGlb', 'the mesh has no triangles'))).toBe(
      'out.glb: the mesh has no triangles',
    );
    expect(messageOf(['in.glb'], new UsageError('--bones', 'is too large'))).toBe('--bones: is too large');
  });

  it('name the output where it cannot be read back', () => {
    const lost = new InputError(WRITTEN_FILE, 'lost its bones');
    expect(messageOf(['in.glb'], lost)).toMatch(/^out\.glb: could not be read back: lost its bones; this is a defect/);
    const broken = new FormatError('gltf', 'length', 'a view is too long', 12, WRITTEN_FILE);
    expect(messageOf(['in.glb'], broken)).toMatch(/^out\.glb: could not be read back: a view is too long/);
  });
});
