// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const decompose = (...words: string[]) =>
  captureCli(['decompose', at('parts.glb'), at('out.glb'), '--threads', '1', ...words]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-methods-'));
  const { status, err } = await captureCli([
    ...['sample', 'parts', at('parts.glb'), '--resolution', '400', '--frames', '10'],
  ]);
  expect(status, err).toBe(0);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('decompose by other methods', () => {
  it.each([
    ['fsd', 'affine', ['--bones', '6']],
    ['lssp', 'rigid', ['--bones', '6', '--influences', '3', '--penalty', '0.01']],
    ['auto', undefined, ['--bones', '6']],
  ] as const)('%s writes what the validator accepts, as close as solved', async (method, transforms, more) => {
    const { status, out, err } = await decompose('--method', method, ...more, '--json');
    expect(status, err).toBe(0);
    const { result, metrics, options } = JSON.parse(out);
    expect(options.method).toBe(method);
    expect(result.bones).toBe(6);
    expect(['rigid', 'affine']).toContain(result.transforms);
    if (transforms) expect(result.transforms).toBe(transforms);
    expect(Math.abs(metrics.eRms - result.eRmsSolved)).toBeLessThan(0.01);
    if (method === 'lssp') {
      expect(result.influences).toBeLessThanOrEqual(3);
      expect(result.eRmsSoft).toBeLessThanOrEqual(result.eRmsSolved);
    }
    if (method === 'auto') expect(result.why).toMatch(/ bones: /);
    const { issues } = await validateBytes(new Uint8Array(await readFile(at('out.glb'))));
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
  });

  it('says which method an option belongs to', async () => {
    for (const words of [
      ['--method', 'fsd', '--penalty', '0.1'],
      ['--method', 'lssp', '--penalty', '1'],
      ['--method', 'fsd', '--transforms', 'rigid'],
      ['--method', 'lssp', '--keep-rest'],
      ['--method', 'lssp', '--max-error', '1%'],
      ['--method', 'auto', '--transforms', 'rigid'],
    ])
      expect((await decompose(...words)).status, words.join(' ')).toBe(2);
  });
});
