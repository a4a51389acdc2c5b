// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HORSE, HUMAN } from '../../../fit/anatomy/tests/make-body.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { checkVrm } from '../../../formats/vrm/index.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';
import { makeBodyGlb } from './make-body-glb.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const run = async (...words: string[]) => captureCli([...words, '--threads', '1']);
const pass = async (...words: string[]) => {
  const { status, out, err } = await run(...words);
  expect([status, err.replace(/^note:.*\n?/gm, '')]).toEqual([0, '']);
  return out;
};
const open = async (name: string) => readAsset([{ name, bytes: new Uint8Array(await readFile(at(name))) }]);

const BVH = `HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  ${limb('Spine', '0 20 0', limb('Head', '0 40 0', ''))}
  ${['Left', 'Right']
    .map((side) => {
      const sign = side === 'Left' ? '' : '-';
      const leg = limb(
        `${side}UpLeg`,
        `${sign}10 -5 0`,
        limb(`${side}Leg`, '0 -45 1', limb(`${side}Foot`, '0 -42 -1', '')),
      );
      return (
        leg +
        limb(
          `${side}Arm`,
          `${sign}20 40 0`,
          limb(`${side}ForeArm`, `${sign}30 0 0`, limb(`${side}Hand`, `${sign}25 0 0`, '')),
        )
      );
    })
    .join('\n')}
}
MOTION
Frames: 2
Frame Time: 0.1
0 100 0 ${'0 '.repeat(45)}
0 100 50 ${'0 '.repeat(45)}
`;
function limb(name: string, offset: string, inside: string): string {
  return `JOINT ${name} {\n OFFSET ${offset} CHANNELS 3 Zrotation Xrotation Yrotation\n ${inside} }\n`;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-retarget-'));
  await writeFile(at('human.glb'), await makeBodyGlb(HUMAN, 'bL'));
  await writeFile(at('horse.glb'), await makeBodyGlb(HORSE, 'f1L'));
  await writeFile(at('walk.bvh'), BVH);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe('retarget', () => {
  it('plays a motion on another character beside its own', async () => {
    const out = await pass('retarget', at('human.glb'), at('human.glb'), at('out.glb'));
    expect(out).toMatch(/joints move; the path is scaled by 1/);
    const { animations } = await open('out.glb');
    expect(animations.map(({ name }) => name)).toEqual(['move', 'move 2']);
    const report = await pass('compare', at('human.glb'), at('out.glb'), '--animation', 'move', '--json');
    expect(JSON.parse(report).metrics.maxPercent ?? 0).toBeLessThan(0.001);
  });

  it('reads motion without a mesh', async () => {
    await pass('retarget', at('walk.bvh'), at('human.glb'), at('walk.glb'), '--only');
    const { animations, nodes } = await open('walk.glb');
    expect(animations).toHaveLength(1);
    const way = animations[0].tracks.find(({ path, node }) => path === 'translation' && nodes.names[node] === 'p');
    const [first, last] = [way?.values.subarray(0, 3) ?? [], way?.values.subarray(-3) ?? []];
    // the way of 50 cm of a leg of 92 cm, on a leg of 95 cm
    expect(last[2] - first[2]).toBeGreaterThan(0.45);
    expect(last[2] - first[2]).toBeLessThan(0.6);
  });

  it('refuses bodies that are not alike, and says why', async () => {
    const { status, err } = await run('retarget', at('horse.glb'), at('human.glb'), at('no.glb'));
    expect([status, err]).toEqual([1, expect.stringMatching(/is a biped, and .*horse.glb moves a quadruped/)]);
  });
});

describe('bake --names and --pose', () => {
  it('names joints for a program, and leaves the motion as it is', async () => {
    await pass('bake', at('human.glb'), at('mixamo.glb'), '--names', 'mixamo');
    const { nodes } = await open('mixamo.glb');
    expect(nodes.names).toEqual(
      expect.arrayContaining(['Hips', 'Spine', 'LeftArm', 'RightForeArm', 'LeftUpLeg', 'Head']),
    );
    expect(await pass('info', at('mixamo.glb'))).toMatch(/a humanoid with fingers, Mixamo names, T pose/);
  });

  it('writes an avatar that is valid', async () => {
    await pass('bake', at('human.glb'), at('avatar.vrm'), '--names', 'vrm');
    const { source } = await open('avatar.vrm');
    expect(checkVrm(source?.json ?? {})).toEqual([]);
    const { issues } = await validateBytes(new Uint8Array(await readFile(at('avatar.vrm'))));
    expect(issues.messages.filter(({ severity }) => severity === 0)).toEqual([]);
    await pass('retarget', at('walk.bvh'), at('avatar.vrm'), at('played.vrm'));
  });

  it('refuses names of humanoids for a horse', async () => {
    const { status, err } = await run('bake', at('horse.glb'), at('no.glb'), '--names', 'mixamo');
    expect([status, err]).toEqual([1, expect.stringMatching(/has no names of mixamo \(a quadruped\)/)]);
    await pass('bake', at('horse.glb'), at('named.glb'), '--names', 'generic');
  });

  it.each(['t', 'a'])('sets the nodes in a pose (%s) and keeps every frame', async (pose) => {
    const report = JSON.parse(await pass('bake', at('human.glb'), at('posed.glb'), '--pose', pose, '--json'));
    expect(report.metrics.max / report.result.diagonal).toBeLessThan(1e-5);
    await pass('bake', at('posed.glb'), at('again.glb'), '--pose', 't');
    expect(await pass('info', at('again.glb'))).toMatch(/humanoid/);
  });
});
