// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readAsset } from '../../../formats/assets/index.ts';
import { glbOf, makeBiped, withoutMesh } from '../../../formats/takes/tests/make-rig.ts';
import { identifyJob } from '../../../hosts/batch/index.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function makeFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'takes-'));
  folders.push(folder);
  const at = (name: string): string => join(folder, name);
  await writeFile(at('hero.glb'), glbOf({ ...makeBiped(), animations: [] }));
  await writeFile(at('walk.glb'), glbOf(withoutMesh(makeBiped())));
  await writeFile(at('run.glb'), glbOf(withoutMesh(makeBiped({ clip: 'Take 001' }))));
  const read = async (name: string) => readAsset([{ name, bytes: new Uint8Array(await readFile(at(name))) }]);
  return { at, read, input: `${at('hero.glb')}+${at('walk.glb')},${at('run.glb')}` };
}

describe('animations of a character, in jobs', () => {
  it('are those of all files, in the formats of characters', async () => {
    const { at, read, input } = await makeFolder();
    for (const name of ['out.glb', 'out.fbx', 'out.usdz']) {
      const { status, err } = await captureCli(['bake', input, at(name)]);
      expect(status, err).toBe(0);
      const { animations } = await read(name);
      // a stage of USD has one timeline: the others are beside it
      expect(animations.map((one) => one.name)).toEqual(['walk', 'run']);
    }
  });

  it('are chosen and cut where a job writes characters, and their root motion is extracted', async () => {
    const { at, read, input } = await makeFolder();
    const words = ['--animation', 'run', '--frames', '0:30', '--root', 'extract'];
    const { status, err } = await captureCli(['bake', input, at('one.glb'), ...words]);
    expect(status, err).toBe(0);
    expect(err).toMatch(/the motion of "Hips" on the ground is in the new root "root" in 1 of 1 animations/);
    const { animations, nodes } = await read('one.glb');
    expect(animations.map((one) => [one.name, one.duration])).toEqual([['run', 1]]);
    expect(nodes.names).toContain('root');
  });

  it('count in the identity of a job', async () => {
    const { at, input } = await makeFolder();
    const job = { command: 'bake', inputs: [input], output: at('out.glb') };
    const before = await identifyJob(job);
    expect(await identifyJob(job)).toBe(before);
    await writeFile(at('run.glb'), glbOf(withoutMesh(makeBiped({ clip: 'other' }))));
    expect(await identifyJob(job)).not.toBe(before);
  });
});
