// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDrivenSource } from '../../../deformers/shape-drivers/make-driven-source.ts';
import { readGltf } from '../../../formats/gltf/read-gltf.ts';
import { readMorphDrivers } from '../../../formats/shared/morph-driver-file.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const json = async (...argv: string[]) => {
  const { status, out, err } = await captureCli([...argv, '--json']);
  expect(status, err).toBe(0);
  return JSON.parse(out);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-rigs-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('sample rig-…', () => {
  it('writes the plain skin as a glTF, and what the deformer makes of it as a point cache', async () => {
    const skin = await json('sample', 'rig-pose-space-arm', at('arm.glb'), '--frames', '4');
    expect(skin.result).toMatchObject({ vertices: 622, bones: 3, frames: 4 });
    await json('sample', 'rig-pose-space-arm', at('arm.mdd'), '--frames', '4');
    const { clips } = (await json('compare', `${at('arm.obj')}+${at('arm.mdd')}`, at('arm.glb'))).result;
    expect(clips[0].metrics.rmsePercent).toBeGreaterThan(0.1);
    expect(clips[0].metrics.rmsePercent).toBeLessThan(10);
  });

  it('writes morph targets and the file that drives them for corrective shapes', async () => {
    const { files } = await json('sample', 'rig-corrective-body', at('body.glb'), '--frames', '2');
    expect(files.map(({ path }: { path: string }) => path)).toEqual([at('body.glb'), at('body.drivers.json')]);
    const bytes = await readFile(at('body.glb'));
    const { issues } = await validateBytes(bytes, { maxIssues: 100 });
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
    const asset = await readGltf(bytes);
    const source = makeDrivenSource(asset, readMorphDrivers(await readFile(at('body.drivers.json'))));
    expect(source.skeleton.names.length).toBe(42);
    expect(asset.morphs?.targets.length).toBe(114);
  });

  it('says which names there are', async () => {
    const { status, err } = await captureCli(['sample', 'rig-unicorn', at('x.glb')]);
    expect(status).toBe(2);
    expect(err).toContain('rig-muscle-arm');
  });
});
