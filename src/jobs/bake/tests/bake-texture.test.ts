// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBytes } from 'gltf-validator';
import { EXRLoader } from 'three/addons/loaders/EXRLoader.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';
import { readPng16 } from '../../../runtimes/three/textures/read-png-16.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const bytesOf = async (name: string) => new Uint8Array(await readFile(at(name)));
const factsOf = async (name: string) => JSON.parse(await readFile(at(name), 'utf8'));
const bake = async (...words: string[]) => {
  const { status, out, err } = await captureCli(['bake', ...words, '--json', '--threads', '1']);
  expect(status, err).toBe(0);
  return JSON.parse(out);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-bake-texture-'));
  const small = ['--frames', '6', '--resolution', '900', '--quiet'];
  await captureCli(['sample', 'bar-bend', at('bar.glb'), ...small]);
  await captureCli(['sample', 'sheet', at('sheet.abc'), ...small]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('bake --as bone-texture', () => {
  it('stores the bones of a skinned file, and measures what shaders decode', async () => {
    const { result, metrics, files } = await bake(at('bar.glb'), at('bones'), '--as', 'bone-texture');
    expect(files.map((file: { path: string }) => file.path)).toEqual(
      ['json', 'glb', 'png'].map((end) => at(`bones.${end}`)),
    );
    expect(metrics.maxPercent).toBeLessThan(0.01);
    expect(result.textureBytes).toBeLessThan(result.vertexTextureBytes / 20);
    const facts = await factsOf('bones.json');
    expect(facts).toMatchObject({ version: 1, encoding: 'rotation', bones: 6, width: 12, height: 6 });
    const { width, height, texels } = await readPng16(await bytesOf('bones.png'));
    expect([width, height, texels.length]).toEqual([12, 6, 12 * 6 * 4]);
    const mesh = await bytesOf('bones.glb');
    const { issues } = await validateBytes(mesh);
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
  });

  it('decomposes a clip into as many bones as a twentieth of a vertex texture holds', async () => {
    const { result, metrics } = await bake(at('sheet.abc'), at('cloth.json'), '--as', 'bone-texture');
    expect(result.bones).toBe(Math.floor(result.vertexTextureBytes / 6 / 8 / 60));
    expect(result.textureBytes).toBeLessThanOrEqual(result.vertexTextureBytes / 20);
    expect(metrics.maxPercent).toBeLessThan(3);
    expect((await factsOf('cloth.json')).encoding).toBe('matrix');
  });

  it('writes OpenEXR with the same values, without ranges', async () => {
    await bake(at('bar.glb'), at('exr'), '--as', 'bone-texture', '--texture', 'exr');
    await bake(at('bar.glb'), at('png'), '--as', 'bone-texture');
    const { min, max } = await factsOf('png.json');
    expect(await factsOf('exr.json')).not.toHaveProperty('min');
    const { texels } = await readPng16(await bytesOf('png.png'));
    const loader = new EXRLoader().setDataType(1015);
    const { data, width, height } = loader.parse((await bytesOf('exr.exr')).buffer) as unknown as {
      data: Float32Array;
      width: number;
      height: number;
    };
    expect([width, height]).toEqual([12, 6]);
    // three.js turns the rows of OpenEXR files upside down
    for (let y = 0; y < height; y++)
      for (let c = 0; c < 4 * width; c++) {
        const value = min[c % 8] + ((max[c % 8] - min[c % 8]) * texels[4 * y * width + c]) / 65535;
        expect(data[4 * (height - 1 - y) * width + c]).toBeCloseTo(value, 5);
      }
  });
});

describe('bake --as vertex-texture', () => {
  it('stores offsets and normals of all vertices in all frames', async () => {
    const { result, metrics } = await bake(at('sheet.abc'), at('all'), '--as', 'vertex-texture');
    expect(metrics.maxPercent).toBeLessThan(0.01);
    expect(result.textureBytes).toBe(2 * result.vertexTextureBytes);
    const facts = await factsOf('all.json');
    expect(facts).toMatchObject({
      layout: 'vertex-texture',
      rowsPerFrame: 1,
      texel: 'TEXCOORD_1',
      normals: 'all.normals.png',
    });
    const { texels } = await readPng16(await bytesOf('all.normals.png'));
    for (let n = 0; n < texels.length; n += 4)
      expect(Math.hypot(...[0, 1, 2].map((c) => (2 * texels[n + c]) / 65535 - 1))).toBeCloseTo(1, 3);
  });

  it.each([
    [['--as', 'bone-texture', '--rest-pose'], /--rest-pose/],
    [['--as', 'sprites'], /bone-texture, vertex-texture/],
    [[], /must end in/],
  ])('refuses %j', async (words, message) => {
    const { status, err } = await captureCli(['bake', at('bar.glb'), at('no'), ...words]);
    expect([status, err]).toEqual([2, expect.stringMatching(message)]);
  });
});
