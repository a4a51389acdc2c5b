// SPDX-License-Identifier: MIT
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const run = async (words: string[]) => captureCli(['decompose', ...words]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-refuse-'));
  for (const [sample, file] of [
    ['bar-bend', 'bar.pc2'],
    ['bar-bend', 'bar.glb'],
    ['parts', 'parts.glb'],
  ]) {
    const { status, err } = await captureCli(['sample', sample, at(file), '--resolution', '300', '--frames', '4']);
    expect(status, err).toBe(0);
  }
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('decompose refuses', () => {
  it.each([
    [['bar.obj', 'no.glb'], 1, /bar\.obj: does not move; give a clip/],
    [['bar.glb', 'no.obj'], 2, /must end in \.glb/],
    [['bar.glb', 'no.glb', '--bones', '0'], 2, /--bones.*whole number, from 1/],
    [['bar.glb', 'no.glb', '--influences', '0'], 2, /--influences/],
    [['bar.glb', 'no.glb', '--transforms', 'floppy'], 2, /rigid, similarity, affine/],
    [['bar.glb', 'no.glb', '--support', 'luck'], 2, /exchange, effect/],
    [['bar.glb', 'no.glb', '--method', 'magic'], 2, /choices are ssdr/],
    [['bar.glb', 'no.glb', '--method', 'sma', '--epsilon', '0'], 2, /--epsilon.*above zero/],
    [
      ['bar.glb', 'no.glb', '--method', 'sma', '--iterations', '3'],
      2,
      /--iterations: not supported by sma; it is an option of ssdr/,
    ],
    [
      ['bar.glb', 'no.glb', '--method', 'sma', '--transforms', 'similarity'],
      2,
      /not supported by sma, whose bones are rigid or affine/,
    ],
    [['bar.glb', 'no.glb', '--method', 'sma', '--weights', 'bar.glb'], 2, /--weights: not supported by sma/],
    [['bar.glb', 'no.glb', '--method', 'fsd', '--skeleton', 'bar.glb'], 2, /--skeleton: not supported by fsd/],
    [['bar.glb', 'no.glb', '--epsilon', '0.1'], 2, /--epsilon: not supported by ssdr; it is an option of sma/],
    [['bar.glb', 'no.glb', '--weights-by', 'tsvd'], 2, /--weights-by: not supported by ssdr/],
    [['bar.glb', 'no.glb', '--tolerance', '-1'], 2, /zero or above/],
    [['bar.glb', 'no.glb', '--time', '0'], 2, /above zero/],
    [['bar.glb', 'no.glb', '--max-error', '0'], 2, /above zero/],
    [['bar.glb', 'no.glb', '--max-error', '1mm', '--keys', '1cm'], 2, /--keys: must be a smaller length/],
    [['bar.glb', 'no.glb', '--keys', 'few'], 2, /not a length/],
    [['bar.glb', 'no.glb', '--animation', 'fly'], 2, /there is no animation "fly"; the file has "/],
    [['bar.glb', 'no.glb', '--frames', '99'], 2, /--frames: frame 99 does not exist/],
    [['bar.glb', 'no.glb', '--locked', 'A'], 2, /--locked: requires --weights/],
    [['bar.glb', 'no.glb', '--weights', 'bar.glb', '--bones', '3'], 2, /cannot be used with/],
    [['bar.glb', 'no.glb', '--skeleton', 'bar.glb', '--noise', '1%'], 2, /--noise: has no effect on given bones/],
    [['bar.glb', 'no.glb', '--weights', 'bar.obj'], 1, /bar\.obj: has no bones; --weights needs a skinned glTF/],
    [['bar.glb', 'no.glb', '--weights', 'parts.glb'], 1, /parts\.glb: has \d+ vertices and .*bar\.glb has \d+/],
    [['bar.glb', 'no.glb', '--weights', 'bar.glb', '--locked', 'A'], 2, /neither file has a vertex attribute "A"/],
    [['bar.glb', 'no.glb', '--skeleton', 'bar.obj'], 1, /bar\.obj: has no bones; --skeleton/],
    [['bar.glb', 'bar.glb'], 1, /is an input of this command/],
    [['gone.glb', 'no.glb'], 1, /gone\.glb: no such file/],
    [['bar.glb', 'nowhere/no.glb'], 1, /does not exist/],
  ])('%j in one sentence, and writes nothing', async (words, expected, sentence) => {
    const isFile = /\.(glb|gltf|obj)$/;
    const { status, out, err } = await run(words.map((word) => (isFile.test(word) ? at(word) : word)));
    expect([status, out], err).toEqual([expected, '']);
    expect(err).toMatch(sentence);
    expect(err).toMatch(/^ossify: [^\n]+\n$/);
    expect(existsSync(at('no.glb'))).toBe(false);
  });

  it('a length with a unit where the file has none', async () => {
    const { status, err } = await run([`${at('bar.obj')}+${at('bar.pc2')}`, at('no.glb'), '--max-error', '1mm']);
    expect(status).toBe(2);
    expect(err).toMatch(/--unit/);
  });
});
