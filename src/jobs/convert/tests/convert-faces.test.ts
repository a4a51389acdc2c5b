// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebIO } from '@gltf-transform/core';
import { validateBytes } from 'gltf-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeFace } from '../../../../scripts/write-face.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import { bakeAt } from '../../../deformers/playback/bake/bake-at.ts';
import { sampleAnimation } from '../../../deformers/playback/sample-animation.ts';
import { makeShapeDriven } from '../../../deformers/shape-drivers/make-shape-driven.ts';
import { makeShapeDriver } from '../../../deformers/shape-drivers/make-shape-driver.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const run = async (...words: string[]) => captureCli(['convert', ...words, '--threads', '1']);
const json = async (...words: string[]) => {
  const { status, out, err } = await run(...words, '--poses', '20', '--json', '--quiet');
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out);
};
const open = async (path: string) => readAsset([{ name: path, bytes: new Uint8Array(await readFile(path)) }]);
const faultsOf = async (path: string) =>
  (await validateBytes(new Uint8Array(await readFile(path)))).issues.messages.filter(({ severity }) => severity < 2);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-faces-'));
  await writeFile(at('face.glb'), await writeFace());
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('convert, for morph targets', () => {
  it('writes driven bones, keys and a report, as a valid file', async () => {
    const report = await json(at('face.glb'), at('out.glb'), '--bones', '12', '--nonzeros', '600');
    const { result, metrics } = report;
    expect(result).toMatchObject({ bones: 12, shapes: 15, transforms: 'affine', keptShapes: [] });
    expect(result.nonzeros).toBeLessThanOrEqual(600);
    expect(metrics.alpha).toBeLessThan(30);
    expect(result.morphBytes).toBe(12 * 312 * 15);
    expect(await faultsOf(at('out.glb'))).toEqual([]);
    const asset = await open(at('out.glb'));
    expect(asset.morphs).toBeUndefined();
    expect(asset.driven!.drivers.shapes[0]).toBe('jawOpen');
    // a key per frame, and more where interpolated keys stray from interpolated weights
    expect(asset.driven!.tracks[0].times.length).toBeGreaterThanOrEqual(60);
    // the stored drivers and the stored keys agree
    expect(result.baked).toBeLessThan(result.animation.max + 1e-4);
  });

  it('keeps the rest shape at weight zero', async () => {
    const { drivers } = (await open(at('out.glb'))).driven!;
    const { skeleton } = (await open(at('out.glb'))).rig!;
    const bones = new Float64Array(16 * skeleton.names.length);
    makeShapeDriver(drivers, skeleton).driveInto(new Float32Array(15), bones);
    for (let e = 0; e < bones.length; e++) expect(bones[e]).toBeCloseTo((e % 16) % 5 === 0 ? 1 : 0, 6);
  });

  it('keeps the shapes that bones follow worst as morph targets', async () => {
    const { result } = await json(at('face.glb'), at('kept.glb'), '--bones', '8', '--keep-shapes', '2');
    expect(result.keptShapes.length).toBe(2);
    expect(result.perShape[result.keptShapes[0]].max).toBeLessThan(1e-6);
    const asset = await open(at('kept.glb'));
    expect(asset.morphs!.targets.map(({ name }) => name)).toEqual(result.keptShapes);
    expect(await faultsOf(at('kept.glb'))).toEqual([]);
  });

  it('drives rigid bones by rotation vectors, and lowers the error of the animation with pairs', async () => {
    const plain = await json(at('face.glb'), at('rigid.glb'), '--bones', '12', '--transforms', 'rigid');
    expect((await open(at('rigid.glb'))).driven!.drivers.form).toBe('rotation');
    expect(plain.result.drivenToFree).toBeCloseTo(1, 2);
    const paired = await json(
      ...[at('face.glb'), at('rigid.glb'), '--bones', '12', '--transforms', 'rigid', '--pairs', '20'],
    );
    expect(paired.result.animation.rmse).toBeLessThanOrEqual(plain.result.animation.rmse);
  });

  it('finds the number of bones for a maximum error, and fails the gate with too few', async () => {
    const { result } = await json(at('face.glb'), at('max.glb'), '--max-error', '4mm');
    expect(result.tried.at(-1).max).toBeLessThanOrEqual(0.004);
    const few = await run(at('face.glb'), at('max.glb'), '--bones', '2', '--max-error', '0.1mm', '--poses', '5');
    expect(few.status).toBe(3);
  });

  it('joins the targets of several primitives', async () => {
    await writeFile(at('two.glb'), await writeFace(undefined, 2));
    const { result } = await json(at('two.glb'), at('two-out.glb'), '--bones', '12');
    expect(result.shapes).toBe(15);
    expect(await faultsOf(at('two-out.glb'))).toEqual([]);
  });

  it('writes a script for Blender', async () => {
    await json(at('face.glb'), at('scripted.glb'), '--bones', '4', '--drivers', 'blender');
    const script = await readFile(at('scripted.blender.py'), 'utf8');
    expect(script).toContain('jawOpen');
    expect(script).toContain('"scripted.glb"');
  });

  it('explains inputs and options that it cannot use in one sentence', async () => {
    await writeFile(at('bad.glb'), await writeFace((deltas) => deltas[0].fill(Number.NaN, 0, 1)));
    await writeFile(at('two-rings.glb'), await writeFace(undefined, 1, 2));
    await writeFile(at('open.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
    const cases: [string[], number, RegExp][] = [
      [
        [at('bad.glb'), at('x.glb'), '--strict'],
        1,
        /--strict is given: 1 displacement of a morph target that is not finite/,
      ],
      [[at('face.glb'), at('x.glb'), '--bones', '0'], 2, /bones/],
      [[at('face.glb'), at('x.glb'), '--keep-shapes', '0.5'], 2, /whole number of shapes, or a length with a unit/],
      [[at('face.glb'), at('x.glb'), '--keep-shapes', '5e-1'], 2, /whole number of shapes, or a length with a unit/],
      [[at('face.glb'), at('x.glb'), '--keep-shapes', '15'], 2, /nothing is left/],
      [[at('two-rings.glb'), at('x.glb'), '--keep-shapes', '2'], 2, /the other shapes move no vertex/],
      [[at('face.glb'), at('x.glb'), '--examples', 'none'], 2, /shapes, animation, both/],
      [
        [at('face.glb'), at('x.glb'), '--bones', '2', '--animation', 'nosuch'],
        2,
        /no animation "nosuch"; the file has/,
      ],
      [[at('face.glb'), at('x.glb'), '--bones', '2', '--frames', '900:950'], 2, /--frames: frame 900 does not exist/],
      [[at('face.glb'), at('x.glb'), '--bones', '2', '--rate', '5'], 2, /--rate: applies to clips; morph/],
      [[at('face.glb'), at('x.glb'), '--around', 'head'], 2, /--around: applies to rigs/],
      [[at('face.glb'), at('x.glb'), '--pairs', '5'], 2, /--pairs: requires --transforms rigid or similarity/],
      [
        [at('face.glb'), at('x.glb'), '--transforms', 'rigid', '--examples', 'both'],
        2,
        /--examples: requires --transforms affine/,
      ],
      [[at('face.glb'), at('x.glb'), '--cage', at('open.obj')], 1, /open\.obj: it is not closed/],
    ];
    for (const [words, status, pattern] of cases) {
      const { status: own, err } = await run(...words);
      expect([own, err.trim().split('\n').length], err).toEqual([status, 1]);
      expect(err).toMatch(pattern);
    }
  });

  it('uses fewer bones than requested for a mesh of few vertices', async () => {
    await writeFile(at('tiny.glb'), await writeFace(undefined, 1, 4));
    const { status, err, out } = await run(at('tiny.glb'), at('many.glb'), '--bones', '100', '--json', '--poses', '5');
    expect(status, err).toBe(0);
    expect(JSON.parse(out).result.bones).toBeLessThanOrEqual(40);
    expect(err).toContain('100 were requested');
  });

  it('gives finite scales to bones of a single vertex', async () => {
    await writeFile(at('few.glb'), await writeFace(undefined, 1, 3));
    const words = ['--bones', '12', '--keep-shapes', '2', '--transforms', 'similarity'];
    const { result } = await json(at('few.glb'), at('few-out.glb'), ...words);
    expect(result.keptShapes.length).toBe(2);
    expect(result.atShapes.max).toBeLessThan(0.01);
  });
});

describe('convert --bones, for a skin with morph targets', () => {
  /** The face on a neck and a head that nods while it talks. */
  async function writeNodding(): Promise<Uint8Array> {
    const io = new WebIO();
    const document = await io.readBinary(await writeFace());
    const root = document.getRoot();
    const [buffer] = root.listBuffers();
    const accessor = (type: 'VEC4' | 'MAT4', array: Float32Array | Uint8Array) =>
      document
        .createAccessor()
        .setType(type)
        .setArray(array as Float32Array<ArrayBuffer>)
        .setBuffer(buffer);
    const neck = document.createNode('neck').setTranslation([0, -0.1, 0]);
    const head = document.createNode('head').setTranslation([0, 0.05, 0]);
    neck.addChild(head);
    root.listScenes()[0].addChild(neck);
    const binds = [0.1, 0.05].map((y) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, y, 0, 1]);
    const skin = document.createSkin().addJoint(neck).addJoint(head);
    skin.setInverseBindMatrices(accessor('MAT4', Float32Array.from(binds.flat())));
    const [primitive] = root.listMeshes()[0].listPrimitives();
    const count = primitive.getAttribute('POSITION')!.getCount();
    const at: number[] = [];
    const shares = Array.from({ length: count }, (_, i) =>
      Math.min(1, Math.max(0, 10 * (primitive.getAttribute('POSITION')!.getElement(i, at)[1] + 0.08))),
    );
    primitive.setAttribute('JOINTS_0', accessor('VEC4', Uint8Array.from(shares.flatMap(() => [0, 1, 0, 0]))));
    primitive.setAttribute('WEIGHTS_0', accessor('VEC4', Float32Array.from(shares.flatMap((w) => [1 - w, w, 0, 0]))));
    root
      .listNodes()
      .find((node) => node.getMesh())!
      .setSkin(skin);
    const [animation] = root.listAnimations();
    const times = animation.listSamplers()[0].getInput()!;
    const turns = Array.from({ length: times.getCount() }, (_, k) => {
      const half = 0.2 * Math.sin(k / 7);
      return [Math.sin(half), 0, 0, Math.cos(half)];
    });
    const sampler = document.createAnimationSampler().setInput(times);
    sampler.setOutput(accessor('VEC4', Float32Array.from(turns.flat())));
    const channel = document.createAnimationChannel().setTargetNode(head).setTargetPath('rotation').setSampler(sampler);
    animation.addSampler(sampler).addChannel(channel);
    return io.writeBinary(document);
  }

  it('puts driven bones under the joints', async () => {
    await writeFile(at('nodding.glb'), await writeNodding());
    const { result } = await json(at('nodding.glb'), at('nodding-out.glb'), '--bones', '12');
    expect(await faultsOf(at('nodding-out.glb'))).toEqual([]);
    expect(result.transforms).toBe('similarity');
    const [source, written] = [await open(at('nodding.glb')), await open(at('nodding-out.glb'))];
    const { skeleton, skin } = written.rig!;
    expect(written.morphs).toBeUndefined();
    // the head has bones below it, and they play with it
    const head = skeleton.names.indexOf('head');
    expect(skeleton.parents.filter((parent) => parent === head).length).toBeGreaterThan(2);
    expect(result.baked).toBeLessThan(0.006);
    const times = Float64Array.of(0.3, 0.9, 1.6);
    const expected = bakeAt(source, source.animations[0], times).positions;
    const { drivers, tracks } = written.driven!;
    const driven = makeShapeDriven({ kind: 'shape-driven', mesh: written.mesh, skeleton, skin, drivers });
    const { motion } = sampleAnimation(written, written.animations[0], times);
    const positions = new Float32Array(written.mesh.positions.length);
    let [worst, moved] = [0, 0];
    times.forEach((time, k) => {
      const frame = tracks[0].times.findIndex((t) => Math.abs(t - time) < 1e-4);
      const morphs = tracks[0].weights.subarray(frame * drivers.shapes.length, (frame + 1) * drivers.shapes.length);
      // driven bones are computed: only the joints are given
      const bones = poseOf(motion, k).slice();
      skeleton.parents.forEach((parent, j) => {
        if (parent === head || (parent >= 0 && j !== head)) bones.fill(0, 16 * j, 16 * j + 16);
      });
      driven.deformInto({ bones, morphs }, positions);
      for (let c = 0; c < positions.length; c++) {
        worst = Math.max(worst, Math.abs(positions[c] - expected[k * positions.length + c]));
        moved = Math.max(moved, Math.abs(expected[k * positions.length + c] - written.mesh.positions[c]));
      }
    });
    expect(moved).toBeGreaterThan(0.02);
    expect(worst).toBeLessThan(0.006);
    const affine = await run(at('nodding.glb'), at('x.glb'), '--bones', '4', '--transforms', 'affine');
    expect([affine.status, affine.err]).toEqual([2, expect.stringContaining('rigid or similarity')]);
  });
});

describe('convert, for cages and clips without a skeleton', () => {
  it('converts the motion space of a cage', async () => {
    const quick = ['--resolution', '300', '--frames', '12'];
    await captureCli(['sample', 'creature', at('creature.glb'), ...quick]);
    await captureCli(['sample', 'cage-creature', at('cage.glb'), ...quick]);
    const { result } = await json(at('creature.glb'), at('caged.glb'), '--cage', at('cage.glb'), '--bones', '12');
    expect(result.shapes).toBeGreaterThan(3);
    expect(result.random.poses).toBe(20);
    expect(result.random.alpha).toBeLessThan(20);
  });

  it('finds the skeleton of a clip first', async () => {
    await captureCli(['sample', 'bar-bend', at('bar.abc'), '--resolution', '150', '--frames', '10']);
    const { status, err, out } = await run(at('bar.abc'), at('bar.glb'), '--helpers', '1', '--json');
    expect(status, err).toBe(0);
    expect(err).toContain('found a skeleton');
    expect(JSON.parse(out).result.bones).toBeGreaterThan(1);
  });
});
