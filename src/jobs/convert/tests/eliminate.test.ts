// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebIO } from '@gltf-transform/core';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeFace } from '../../../../scripts/write-face.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { GltfHelperExtension } from '../../../formats/gltf/extensions/gltf-helper-extension.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';
import { findInert } from '../../../methods/eliminate/find-inert.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const run = async (...words: string[]) => captureCli(['convert', ...words, '--threads', '1']);
const json = async (...words: string[]) => {
  const { status, out, err } = await run(...words, '--json', '--quiet');
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out);
};
const open = async (path: string) => readAsset([{ name: path, bytes: new Uint8Array(await readFile(path)) }]);
const faultsOf = async (path: string) =>
  (await validateBytes(new Uint8Array(await readFile(path)))).issues.messages.filter(({ severity }) => severity < 2);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-eliminate-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('convert --eliminate', () => {
  it.each([
    ['--controllers', 'c.json'],
    ['--drivers', 'blender'],
    ['--poses', '20'],
    ['--ranges', 'auto'],
    ['--animation', 'walk'],
    ['--for', 'size'],
  ])('refuses %s, which it does not read', async (flag, value) => {
    const { status, err } = await run('none.glb', at('x.glb'), '--eliminate', '0.1%', flag, value);
    expect([status, err]).toEqual([2, expect.stringContaining(`${flag}: has no effect with --eliminate`)]);
  });

  it('removes exactly the ten inert joints and five inert shapes of a rig', async () => {
    await captureCli(['sample', 'bar-bend', at('rig.glb'), '--resolution', '150', '--frames', '8']);
    const io = new WebIO();
    const document = await io.readBinary(new Uint8Array(await readFile(at('rig.glb'))));
    const root = document.getRoot();
    const [skin] = root.listSkins();
    const [buffer] = root.listBuffers();
    const before = skin.listJoints().map((joint) => joint.getName());
    const inverse = skin.getInverseBindMatrices()!;
    const matrices = [...inverse.getArray()!];
    for (let n = 0; n < 10; n++) {
      const joint = document.createNode(`inert ${n}`).setTranslation([0.01 * n, 0, 0]);
      skin.listJoints()[n % 2].addChild(joint);
      skin.addJoint(joint);
      matrices.push(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
    }
    inverse.setArray(Float32Array.from(matrices));
    const [mesh] = root.listMeshes();
    const [primitive] = mesh.listPrimitives();
    const size = primitive.getAttribute('POSITION')!.getCount() * 3;
    const names: string[] = [];
    for (let n = 0; n < 7; n++) {
      // shapes 2 and 4 move vertices, the others by almost nothing
      const amount = n === 2 || n === 4 ? 0.1 : n * 1e-6;
      const delta = document
        .createAccessor()
        .setType('VEC3')
        .setArray(new Float32Array(size).fill(amount))
        .setBuffer(buffer);
      primitive.addTarget(document.createPrimitiveTarget(`shape ${n}`).setAttribute('POSITION', delta));
      names.push(`shape ${n}`);
    }
    mesh.setWeights(names.map(() => 0)).setExtras({ targetNames: names });
    await writeFile(at('inert.glb'), await io.writeBinary(document));

    const { result, metrics } = await json(at('inert.glb'), at('lean.glb'), '--eliminate', '0.1%');
    expect(result.removedJoints.sort()).toEqual(Array.from({ length: 10 }, (_, n) => `inert ${n}`));
    expect(result.removedShapes).toEqual([0, 1, 3, 5, 6].map((n) => `shape ${n}`));
    expect(metrics.max).toBeLessThan(1e-5);
    expect(await faultsOf(at('lean.glb'))).toEqual([]);
    const lean = await io.readBinary(new Uint8Array(await readFile(at('lean.glb'))));
    expect(
      lean
        .getRoot()
        .listSkins()[0]
        .listJoints()
        .map((joint) => joint.getName()),
    ).toEqual(before);
    expect(
      lean
        .getRoot()
        .listNodes()
        .some((node) => node.getName().startsWith('inert')),
    ).toBe(false);
    expect((await open(at('lean.glb'))).morphs!.targets.map(({ name }) => name)).toEqual(['shape 2', 'shape 4']);
  });

  it('removes inert helpers, and the joints that only they read', async () => {
    await captureCli([
      'convert',
      'sample:muscle-arm',
      at('helped.glb'),
      '--helpers',
      '2',
      '--samples',
      '4',
      '--poses',
      '5',
      '--iterations',
      '2',
    ]);
    const before = await open(at('helped.glb'));
    expect(before.helpers!.length).toBe(2);
    // weights of the first helper go to its parent: it has no effect any more
    const io = new WebIO().registerExtensions([GltfHelperExtension]);
    const document = await io.readBinary(new Uint8Array(await readFile(at('helped.glb'))));
    const skin = document.getRoot().listSkins()[0];
    const name = before.rig!.skeleton.names[before.helpers![0].bone];
    const joints = skin.listJoints();
    const helper = joints.findIndex((joint) => joint.getName() === name);
    const parent = joints.indexOf(joints[helper].getParentNode()!);
    for (const primitive of document.getRoot().listMeshes()[0].listPrimitives())
      for (let set = 0; primitive.getAttribute(`JOINTS_${set}`); set++) {
        const ids = primitive.getAttribute(`JOINTS_${set}`)!;
        ids.setArray(
          ids.getArray()!.map((joint: number) => (joint === helper ? parent : joint)) as Uint8Array<ArrayBuffer>,
        );
      }
    await writeFile(at('idle.glb'), await io.writeBinary(document));
    const { result, metrics } = await json(at('idle.glb'), at('lean-helped.glb'), '--eliminate', '0.01%');
    expect(result.removedHelpers).toEqual([name]);
    expect(result.removedJoints).toEqual([]);
    expect(metrics.max).toBeLessThan(1e-5);
    expect(await faultsOf(at('lean-helped.glb'))).toEqual([]);
    const lean = await open(at('lean-helped.glb'));
    expect(lean.helpers!.length).toBe(1);
    expect(lean.helpers![0].coefficients).toEqual(before.helpers![1].coefficients);
  });

  it('removes bones and shapes of a driven face', async () => {
    await writeFile(at('weak.glb'), await writeFace((deltas) => deltas.slice(3, 6).map((delta) => delta.fill(1e-7))));
    await json(at('weak.glb'), at('weak-driven.glb'), '--bones', '8', '--keep-shapes', '1', '--poses', '20');
    const before = await open(at('weak-driven.glb'));
    const { result, metrics } = await json(at('weak-driven.glb'), at('weak-lean.glb'), '--eliminate', '0.1%');
    const lean = await open(at('weak-lean.glb'));
    expect(result.removedShapes.length).toBe(3);
    expect(lean.driven!.drivers.shapes).toEqual(
      before.driven!.drivers.shapes.filter((name) => !result.removedShapes.includes(name)),
    );
    expect(lean.morphs!.targets.map(({ name }) => name)).toEqual(before.morphs!.targets.map(({ name }) => name));
    expect(metrics.max).toBeLessThan(2.5e-4 + 1e-6);
    expect(await faultsOf(at('weak-lean.glb'))).toEqual([]);
  });

  it('removes repeated triangles and triangles without area, and explains inputs that it cannot use', async () => {
    const text = [
      'v 0 0 0',
      'v 1 0 0',
      'v 0 1 0',
      'v 2 0 0',
      'v 0 0 1',
      'f 1 2 3',
      'f 2 3 1',
      'f 3 2 1',
      'f 1 2 4',
      'f 1 2 5',
    ];
    await writeFile(at('plate.obj'), `${text.join('\n')}\n`);
    const refused = await run(at('plate.obj'), at('x.glb'), '--eliminate', '0.1%');
    expect([refused.status, refused.err]).toEqual([1, expect.stringContaining('no joints and no morph targets')]);
    const mesh = makeMesh(
      Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 1),
      Uint32Array.of(0, 1, 2, 1, 2, 0, 2, 1, 0, 0, 1, 3, 0, 1, 4),
    );
    expect(findInert({ ...(await open(at('plate.obj'))), mesh }, 0.001).triangles).toEqual([1, 3]);
    await captureCli(['sample', 'creature', at('creature.glb'), '--resolution', '150', '--frames', '4']);
    await captureCli(['mush', at('creature.glb'), at('mushed.glb')]);
    const mushed = await run(at('mushed.glb'), at('x.glb'), '--eliminate', '0.1%');
    expect([mushed.status, mushed.err]).toEqual([1, expect.stringContaining('then run mush')]);
  });
});
