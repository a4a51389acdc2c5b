// SPDX-License-Identifier: MIT
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

let folder = '';
const run = (words: readonly string[]) => captureCli(words.map((word) => word.replaceAll('@', `${folder}/`)));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-unread-'));
  const { status, err } = await run(['sample', 'bar-bend', '@bar.pc2', '--resolution', '150', '--frames', '4']);
  expect(status, err).toBe(0);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('options without effect on a path are refused', () => {
  it.each<[string, string, RegExp]>([
    ['lod', 'a.glb b.glb --shading flat', /--shading/],
    ['edit', 'a.glb b.glb --edited c.obj --shading flat', /--shading/],
    ['edit', 'a.glb b.glb --edited c.obj --animation walk', /--animation: selects frames, and this output keeps all/],
    ['edit', 'a.glb b.abc --edited c.obj --quantize', /--quantize: has no effect on frames/],
    ['draw', 'a.glb b.png --rate 5', /--rate: samples frames, and only the rest pose is drawn/],
    ['draw', 'a.glb b.png --frame 1 --frames 2:3', /--frame: cannot be used with --frames/],
    ['compare', 'a.glb b.glb --pictures 5', /--pictures: requires --page/],
    ['compare', '@bar.obj+@bar.pc2 @bar.obj+@bar.pc2 --keys', /--keys: is for animations, and .* has frames/],
    ['compare', '@bar.obj+@bar.pc2 @bar.obj+@bar.pc2 --rate 5', /--rate: is for animations, and .* has frames/],
    ['decompose', '@bar.obj+@bar.pc2 @x.glb --rate 5', /--rate: is for animations, and .* has frames/],
    ['reduce', 'a.glb b.glb --cage c.glb --normals 0', /--normals: has no effect with --cage/],
    ['reduce', 'a.glb b.glb --cage c.glb --poses ranges', /--poses: has no effect with --cage/],
    ['reduce', 'a.glb b.glb --poses none --method klargest --ranges r.json', /--ranges: has no effect on poses of/],
    ['sample', '--list --frames 5', /--frames: has no effect with --list/],
    ['track', 'scan b.abc --bones 5', /--bones: is for a skin, and the output has frames/],
    ['track', 'scan b.abc --quantize', /--quantize: is for a skin/],
    ['skeleton', 'a.glb b.glb --bones 5 --prune weights', /--prune: has no effect with --bones/],
    ['skeleton', 'a.glb b.glb --hierarchy c.glb --starts 3', /--starts: has no effect with --hierarchy/],
    ['skeleton', 'a.glb b.glb --method hasler --passes 3', /--passes: has no effect with --method hasler/],
  ])('%s %s', async (command, words, message) => {
    const { status, err } = await run([command, ...words.split(' ')]);
    expect([status, err]).toEqual([2, expect.stringMatching(message)]);
  });
});
