// SPDX-License-Identifier: MIT
import { beforeAll, describe, expect, it } from 'vitest';
import { InputError } from '../../../core/model/errors.ts';
import { readAsset } from '../../../formats/assets/index.ts';
import { packGlb, splitGlb } from '../../../formats/gltf/index.ts';
import { makeSample } from '../../../samples/index.ts';
import type { Job, JobIo } from '../../engine/index.ts';
import { assetOfSample } from '../../sample/index.ts';
import { runJob } from '../../table/index.ts';

/** Reads one input from memory. */
const ioOf = (files: Record<string, Awaited<ReturnType<typeof readAsset>>>): JobIo => ({
  version: '0.0.0',
  threads: 1,
  open: async (input) => {
    if (!files[input]) throw new InputError(input, 'no such file');
    return { input, asset: files[input], paths: [input] };
  },
  read: async (path) => {
    throw new InputError(path, 'no such file');
  },
});

/** A skinned bar with a camera, a custom property and an extension that nothing knows. */
async function makeRichBar(): Promise<Uint8Array> {
  const clip = assetOfSample(makeSample('bar-bend', { resolution: 100, frames: 4 }));
  const job = { command: 'decompose', inputs: ['bar'], output: 'bar.glb', options: { bones: 2, iterations: 1 } };
  const { files } = await runJob(job, ioOf({ bar: clip }));
  const { json, binary } = splitGlb(files[0].bytes as Uint8Array<ArrayBuffer>);
  const gltf = json as {
    nodes: object[];
    scenes: { nodes: number[] }[];
    extensionsUsed?: string[];
    [key: string]: unknown;
  };
  gltf.cameras = [{ type: 'perspective', perspective: { yfov: 1, znear: 0.1 } }];
  gltf.scenes[0].nodes.push(
    gltf.nodes.push({ name: 'view', camera: 0, extras: { shot: 3 }, extensions: { ACME_mood: { calm: 1 } } }) - 1,
  );
  gltf.extensionsUsed = [...(gltf.extensionsUsed ?? []), 'ACME_mood'];
  gltf.extensions = { ACME_mood: { mood: 'calm' } };
  return packGlb(gltf, binary);
}

describe('the outputs of a job', () => {
  let io: JobIo;
  beforeAll(async () => {
    const bytes = await makeRichBar();
    io = ioOf({ 'rich.glb': await readAsset([{ name: 'rich.glb', bytes }]) });
  });
  const run = async (output: string, options = {}) => {
    const notes: string[] = [];
    const job = { command: 'bake', inputs: ['rich.glb'], output, options };
    const { report, files } = await runJob(job, io, { onNote: (note) => notes.push(note) });
    return { losses: report.losses ?? [], notes, files, output: report.output };
  };

  it('are read back, and what they lack is listed and told', async () => {
    const { losses, notes } = await run('out.pc2');
    expect(losses.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['cameras', 'extras', 'extensions']));
    expect(losses.map(({ kind }) => kind)).not.toContain('joints');
    expect(notes.join('\n')).toContain('1 camera');
    expect(notes.join('\n')).toContain('PC2 holds the positions of vertices only');
  });

  it.each(['out.glb', 'out.fbx', 'out.usda', 'out.pc2'])('are counted as their reader shows them: %s', async (name) => {
    const { files, output } = await run(name);
    const written = await readAsset(
      [...files].reverse().map(({ path, bytes }) => ({
        name: path,
        bytes: typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes,
      })),
    );
    const isFrames = name.endsWith('.pc2');
    expect(output).toMatchObject({
      triangles: written.mesh.triangles.length / 3,
      joints: isFrames ? 0 : 2,
      influences: isFrames ? 0 : 2,
      animations: 1,
    });
    expect(output?.vertices).toBe(written.mesh.positions.length / 3);
  });

  it('have the extension that nothing knows in no other format', async () => {
    const { losses } = await run('out.fbx');
    expect(losses).toContainEqual({
      ...{
        kind: 'extensions',
        what: '1 extension',
        names: ['ACME_mood'],
        reason: 'FBX has no place for data of glTF extensions',
      },
    });
  });

  it('are not written with --strict if something is lost', async () => {
    await expect(run('out.fbx', { strict: true })).rejects.toThrow(
      /out\.fbx: was not written, because --strict is given.*ACME_mood dropped/,
    );
    await expect(run('out.fbx', { strict: true })).rejects.toBeInstanceOf(InputError);
  });

  it('are not made with --strict of an input that had to be repaired', async () => {
    const repaired: JobIo = {
      ...io,
      open: async (input, options, remark) => {
        remark('2 weights were set to zero', 'repair');
        return io.open(input, options, remark);
      },
    };
    const job = (options: Job['options']) => ({ command: 'bake', inputs: ['rich.glb'], output: 'out.glb', options });
    await expect(runJob(job({}), repaired)).resolves.toBeDefined();
    await expect(runJob(job({ strict: true }), repaired)).rejects.toThrow(
      'rich.glb: has faults, and --strict is given: 2 weights were set to zero',
    );
  });
});
