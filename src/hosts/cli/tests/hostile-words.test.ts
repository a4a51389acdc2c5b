// SPDX-License-Identifier: MIT
// Names, pipes and places that someone chose to do harm, or by mistake.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainLines, shortName } from '../../../core/model/plain-text.ts';
import { makeFolder } from '../../disk/make-folder.ts';
import { MAX_PIPE_BYTES, readBytes } from '../../disk/read-bytes.ts';
import { captureCli } from '../capture-cli.ts';

const EVIL = '\u001b[2J\u009b2J\u202eevil\n<b>';
/** Anything a terminal acts on but line breaks; nothing here is coloured. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const ACTIVE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

let folder = '';
const at = (name: string) => join(folder, name);

/** A .gltf of one triangle that an animation with the given name moves, its data in a file beside it or in the text. */
function makeGltf(name: string, uri?: string): string {
  const numbers = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0.5, 1);
  const bytes = new Uint8Array(numbers.buffer);
  return JSON.stringify({
    asset: { version: '2.0' },
    buffers: [{ byteLength: 48, uri: uri ?? `data:;base64,${btoa(String.fromCharCode(...bytes))}` }],
    bufferViews: [
      { buffer: 0, byteLength: 36 },
      { buffer: 0, byteOffset: 36, byteLength: 12 },
    ],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] },
      { bufferView: 1, componentType: 5126, count: 3, type: 'SCALAR', min: [0], max: [1] },
    ],
    materials: [{ name }],
    meshes: [{ name, primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
    nodes: [{ name, mesh: 0 }],
    scenes: [{ nodes: [0] }],
    animations: [
      {
        name,
        channels: [{ sampler: 0, target: { node: 0, path: 'translation' } }],
        samplers: [{ input: 1, output: 0 }],
      },
    ],
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-words-'));
  await writeFile(at('evil.gltf'), makeGltf(EVIL));
  await writeFile(at('long.gltf'), makeGltf('x'.repeat(200_000)));
  await writeFile(at('tri.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('names out of files', () => {
  it('reach a terminal with nothing it would act on, from every command that prints them', async () => {
    for (const argv of [
      ['info', at('evil.gltf')],
      ['info', at('evil.gltf'), '--json'],
      ['compare', at('evil.gltf'), at('evil.gltf')],
      ['compare', at('evil.gltf'), at('evil.gltf'), '--json'],
      ['compare', at('evil.gltf'), at('evil.gltf'), '--animation', 'none'],
      ['draw', at('evil.gltf'), at('evil.png'), '--animation', EVIL],
      ['draw', at('evil.gltf'), at('evil.png'), '--weights', 'none'],
      ['info', at(EVIL)],
    ]) {
      const { out, err } = await captureCli(argv);
      expect(out, argv.join(' ')).not.toMatch(ACTIVE);
      expect(err, argv.join(' ')).not.toMatch(ACTIVE);
    }
    expect(await readdir(folder)).toContain('evil.png');
  });

  it('are cut where they would fill the screen', async () => {
    for (const argv of [
      ['info', at('long.gltf')],
      ['compare', at('long.gltf'), at('long.gltf')],
      ['draw', at('long.gltf'), at('long.png'), '--animation', 'none'],
    ]) {
      const { out, err } = await captureCli(argv);
      expect(out.length + err.length, argv[0]).toBeLessThan(4000);
    }
  });

  it('keep colours and line breaks of our own, and whole characters', () => {
    expect(plainLines('\u001b[1mbold\u001b[22m\nnext\u001b[2J')).toBe('\u001b[1mbold\u001b[22m\nnext\ufffd[2J');
    expect(shortName('🦴'.repeat(61))).toBe(`${'🦴'.repeat(59)}…`);
  });
});

describe('pipes', () => {
  it('are read where the user names them, at once refused where their first bytes are of no format', async () => {
    execFileSync('mkfifo', [at('good.obj'), at('bad')]);
    const write = (name: string, text: string) => writeFile(at(name), text).catch(() => undefined);
    const [bytes] = await Promise.all([readBytes(at('good.obj')), write('good.obj', 'v 0 0 0\n')]);
    expect(new TextDecoder().decode(bytes)).toBe('v 0 0 0\n');
    const [fault] = await Promise.all([
      readBytes(at('bad')).then(String, (error: Error) => error.message),
      write('bad', '\0'.repeat(2 ** 22)),
    ]);
    expect(fault).toContain('is not read');
    expect(MAX_PIPE_BYTES).toBeLessThanOrEqual(2 ** 29);
  });

  it('are not opened for a file that names one: its author could let us wait for ever', async () => {
    execFileSync('mkfifo', [at('data.bin')]);
    await writeFile(at('pipe.gltf'), makeGltf('a', 'data.bin'));
    const { status, err } = await captureCli(['info', at('pipe.gltf')]);
    expect(status).toBe(1);
    expect(err).toContain('"data.bin" beside it, which could not be read: it is a device, not a file');
  });
});

describe('makeFolder', () => {
  it('makes folders above as well, and says what stands in the way', async () => {
    await makeFolder(at('a/b/c'));
    await makeFolder(at('a/b/c'));
    expect(await readdir(at('a/b'))).toEqual(['c']);
    await expect(makeFolder(at('tri.obj'))).rejects.toThrow('is a file, not a folder');
    await expect(makeFolder(at('tri.obj/x'))).rejects.toThrow('a part of its path is a file');
    await mkdir(at('d'));
    await makeFolder(`${at('d')}/`);
  });

  it.skipIf(process.platform !== 'linux')('comes back where the system lies about what exists', async () => {
    await expect(makeFolder('/proc/ossify')).rejects.toThrow('cannot be written');
  });
});
