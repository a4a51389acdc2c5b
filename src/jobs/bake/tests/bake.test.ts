// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const bake = (...words: string[]) => captureCli(['bake', ...words.map((word) => word.replaceAll('@', `${folder}/`))]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-bake-'));
  for (const output of ['bar.glb', 'bar.pc2']) {
    const { status, err } = await captureCli([
      ...['sample', 'bar-bend', at(output), '--resolution', '150', '--frames', '8'],
    ]);
    expect(status, err).toBe(0);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('ossify bake, of a character', () => {
  it('selects frames of positions', async () => {
    const { status, err } = await bake('@bar.obj+@bar.pc2', '@some.glb', '--frames', '2:4', '--animation', '0');
    expect(status, err).toBe(0);
    const bytes = new Uint8Array(await readFile(at('some.glb')));
    const { animations } = await readAsset([{ name: 'some.glb', bytes }]);
    expect(animations.map(({ tracks }) => tracks[0].times.length)).toEqual([3]);
  });

  it.each<[string[], RegExp]>([
    [['@bar.glb', '@x.glb', '--animation', 'nosuch'], /--animation: there is no animation "nosuch"; the file has/],
    [['@bar.obj+@bar.pc2', '@x.glb', '--animation', 'nosuch'], /--animation: there is no animation "nosuch"/],
    [['@bar.glb', '@x.fbx', '--frames', '1:9:2'], /--frames: keeps keys, so it has no step here/],
    [['@bar.glb', '@x.glb', '--rate', '5'], /--rate: is for frames, and this output keeps the keys/],
    [['@bar.obj+@bar.pc2', '@x.abc', '--rate', '5'], /--rate: is for animations, and .* has frames of positions/],
    [['@bar.glb', '@x.abc', '--quantize'], /--quantize: has no effect on frames/],
    [['@bar.glb', '@x.fbx', '--quantize'], /--quantize: applies to \.glb only/],
    [['@bar.glb', '@x.glb', '--texture', 'exr'], /--texture: requires --as/],
    [['@bar.glb', '@x', '--as', 'vertex-texture', '--bones', '4'], /--bones: requires --as bone-texture/],
    [['@bar.glb', '@x', '--as', 'bone-texture', '--bones', '4'], /--bones: is for inputs without bones/],
  ])('refuses %s', async (words, message) => {
    const { status, err } = await bake(...words);
    expect([status, err]).toEqual([2, expect.stringMatching(message)]);
  });
});

it('samples frames at one rate for PC2 where those of the rate do not end with the animation, and measures what is then shown', async () => {
  const { status, err } = await bake('@bar.glb', '@even.pc2', '--rate', '23', '--report', '@even.json');
  expect(status, err).toBe(0);
  expect(err).toContain('PC2 holds frames at one rate, and those of the input are uneven');
  const bytes = new Uint8Array(await readFile(at('even.pc2')));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // 7 / 30 s are 5.4 steps: the last frame is after the end
  expect(view.getInt32(28, true)).toBe(7);
  const { result } = JSON.parse(await readFile(at('even.json'), 'utf8'));
  expect(result.between.max).toBeGreaterThan(0);
});

it('--meshopt is refused for formats other than GLB', async () => {
  const { status, err } = await captureCli(['mush', at('bar.glb'), at('x.fbx'), '--meshopt']);
  expect([status, err]).toEqual([2, expect.stringContaining('--meshopt: applies to .glb only; remove it')]);
});
