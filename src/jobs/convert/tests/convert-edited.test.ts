// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { composeEuler } from '../../../core/math/euler.ts';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { type Clip, makeTimes } from '../../../core/model/clip/clip.ts';
import { type Motion, poseOf } from '../../../core/model/clip/motion.ts';
import type { HelperBones } from '../../../core/model/deformed/helper-bones.ts';
import { LOCAL_SIZE } from '../../../core/model/skin/rest-local.ts';
import { type ControllersFile, listControllers } from '../../../deformers/helper-bones/list-controllers.ts';
import { makeHelperControllers } from '../../../deformers/helper-bones/make-helper-bones.ts';
import { makeLinearBlend } from '../../../deformers/linear-blend/make-linear-blend.ts';
import { addHelperMotion } from '../../../deformers/playback/bake/bake-helper-motions.ts';
import { makeDeformer } from '../../../deformers/playback/make-deformer.ts';
import { measureConversion } from '../../../methods/convert/measure/measure-conversion.ts';
import { makeJointPoser } from '../../../methods/convert/sample/joint-poser.ts';
import { SourceProbe } from '../../../methods/convert/sample/source-probe.ts';
import { makeRigSample } from '../../../samples/rigs/make-rig-sample.ts';
import { convert } from '../convert.ts';

const QUICK = { samples: 8, iterations: 3, order: 3, threads: 1 };
const rig = makeRigSample('helper-bone');
const source = { kind: 'rig', rig } as const;
const first = await convert(source, { ...QUICK, helpers: 1 });

/** A copy of the controllers, as if an artist had saved it. */
const fileOf = (model: HelperBones): ControllersFile => JSON.parse(JSON.stringify(listControllers(model)));

async function alphaOf(model: HelperBones): Promise<number> {
  const options = { poses: 60, seed: 0 };
  const [{ alpha }] = await measureConversion(new SourceProbe(rig), [makeDeformer(model)], first.rotations, options);
  return alpha;
}

describe('convert with edited controllers', () => {
  it('changes little without edits', async () => {
    const { model } = await convert(source, { ...QUICK, edit: fileOf(first.model) });
    expect(model.skeleton.names).toEqual(first.model.skeleton.names);
    expect(await alphaOf(model)).toBeLessThan(1.1 * (await alphaOf(first.model)));
  });

  it('keeps the joint and the range that were set', async () => {
    const file = fileOf(first.model);
    const [input] = file.helpers[0].inputs;
    const other = rig.skeleton.names.find((name, j) => j > 0 && name !== input.joint)!;
    file.helpers[0].inputs.push({ ...input, joint: other, reach: 1 });
    input.reach = 0.5;
    const { model, helpers } = await convert(source, { ...QUICK, edit: file });
    expect(helpers[0].joints).toEqual([input.joint, other]);
    expect([...model.controllers[0].reaches]).toEqual([0.5, 1]);
    // beyond its range the helper stops
    expect(await alphaOf(model)).toBeGreaterThan(2 * (await alphaOf(first.model)));
  });

  it('meets a key pose, and fits weights and the other poses again', async () => {
    const file = fileOf(first.model);
    const [helper] = file.helpers;
    const scale = helper.scale.map((s) => 1.4 * s);
    const keys = [{ pose: { [helper.inputs[0].joint]: [0, 0, 60] }, scale }];
    const { model } = await convert(source, { ...QUICK, edit: { ...file, helpers: [{ ...helper, keys }] } });
    const turns = new Float64Array(4 * rig.skeleton.names.length);
    for (let o = 3; o < turns.length; o += 4) turns[o] = 1;
    turns.set(composeEuler(0, 0, Math.PI / 3), 4 * rig.skeleton.names.indexOf(helper.inputs[0].joint));
    const bones = makeIdentities(model.skeleton.names.length);
    makeJointPoser(rig.skeleton).poseInto(turns, bones);
    const locals = new Float64Array(LOCAL_SIZE);
    makeHelperControllers(model).localsInto(bones, locals);
    for (let c = 0; c < 3; c++) expect(locals[7 + c]).toBeCloseTo(scale[c], 4);
    expect(await alphaOf(model)).toBeLessThan(2 * (await alphaOf(first.model)));
  });

  it('keeps the terms of a locked helper', async () => {
    const file = fileOf(first.model);
    const [helper] = file.helpers;
    const { model } = await convert(source, {
      ...QUICK,
      edit: { ...file, helpers: [{ ...helper, locked: true }] },
    });
    expect(fileOf(model).helpers[0].terms).toEqual(helper.terms);
  });

  it('writes plain bones where all helpers were removed', async () => {
    const { model, status } = await convert(source, { ...QUICK, edit: { ...fileOf(first.model), helpers: [] } });
    expect(model.controllers).toEqual([]);
    expect(model.skeleton.names).toEqual(rig.skeleton.names);
    expect(status).toBe('converged');
  });

  it('allows keys of one pose that give different components', async () => {
    const file = fileOf(first.model);
    const [helper] = file.helpers;
    const pose = { [helper.inputs[0].joint]: [0, 0, 60] };
    const keys = [
      { pose, scale: helper.scale },
      { pose, translation: helper.translation },
    ];
    const edit = { ...file, helpers: [{ ...helper, keys }] };
    expect((await convert(source, { ...QUICK, edit })).model.controllers).toHaveLength(1);
  });

  it.each<[string, (helper: ControllersFile['helpers'][number]) => object, string]>([
    ['joint', (helper) => ({ inputs: [{ ...helper.inputs[0], joint: 'tail' }] }), 'there is no joint "tail"'],
    ['reach', (helper) => ({ inputs: [{ ...helper.inputs[0], reach: 9 }] }), 'a reach above 0, at most π'],
    ['key', () => ({ keys: [{ pose: { joint0: [0, 0, 1] } }] }), 'not among its inputs'],
    [
      'pair of keys',
      ({ inputs: [{ joint }], scale }) => ({
        keys: [
          { pose: { [joint]: [0, 0, 60] }, scale },
          { pose: { [joint]: [0, 0, 30] }, scale },
          { pose: { [joint]: [0, 0, 420] }, scale: scale.map((s) => 2 * s) },
        ],
      }),
      'keys[0] and keys[2] both give the scale in one pose; keep one of them',
    ],
    ['locked', (helper) => ({ inputs: [...helper.inputs, helper.inputs[0]], locked: true }), 'remove "locked"'],
  ])('refuses a wrong %s', async (_, change, message) => {
    const file = fileOf(first.model);
    const helpers = [{ ...file.helpers[0], ...change(file.helpers[0]) }];
    await expect(convert(source, { ...QUICK, edit: { ...file, helpers } })).rejects.toThrow(message);
    await expect(convert(source, { ...QUICK, edit: { helpers } })).rejects.toThrow('convert --controllers wrote');
  });
});

describe('convert with delayed helpers', () => {
  const FRAMES = 72;
  const FPS = 24;

  /** The joints swing fast, and the helper of a known model follows late. */
  function makeLateClip(follow?: { delay: number; damping: number }): { clip: Clip; motion: Motion } {
    const { skeleton } = rig;
    const poser = makeJointPoser(skeleton);
    const stride = 16 * skeleton.names.length;
    const matrices = new Float64Array(FRAMES * stride);
    const turns = new Float64Array(4 * skeleton.names.length);
    for (let k = 0; k < FRAMES; k++) {
      turns.fill(0);
      for (let j = 0; j < skeleton.names.length; j++) {
        const t = (2 * Math.PI * k) / FPS;
        const angle = j === 0 ? 0 : Math.sin((j + 0.3) * t) + 0.4 * Math.sin(2.7 * j * t + 1);
        turns.set(composeEuler(0.2 * angle, 0.1 * Math.sin(t) * Math.min(j, 1), angle), 4 * j);
      }
      poser.poseInto(turns, matrices, k * stride);
    }
    const motion: Motion = { name: 'swing', times: makeTimes(FRAMES, FPS), matrices };
    const [controller] = first.model.controllers;
    const model = { ...first.model, controllers: [follow ? { ...controller, follow } : controller] };
    const whole = addHelperMotion(model, motion);
    const blend = makeLinearBlend(model.mesh, model.skin, model.skeleton.names.length);
    const size = model.mesh.positions.length;
    const positions = new Float32Array(FRAMES * size);
    for (let k = 0; k < FRAMES; k++)
      blend.deformInto({ bones: poseOf(whole, k) }, positions.subarray(k * size, (k + 1) * size));
    return { clip: { kind: 'clip', name: 'swing', mesh: model.mesh, positions, times: motion.times }, motion };
  }

  /** Root mean square distance of the converted motion from the clip. */
  async function rmseOf(clip: Clip, motion: Motion, delay: number | 'auto') {
    const { model } = await convert(
      { kind: 'clip', clip, skeleton: rig.skeleton, motion },
      { ...QUICK, helpers: 1, delay },
    );
    const whole = addHelperMotion(model, motion);
    const blend = makeLinearBlend(model.mesh, model.skin, model.skeleton.names.length);
    const out = new Float32Array(clip.mesh.positions.length);
    let sum = 0;
    for (let k = 0; k < FRAMES; k++) {
      blend.deformInto({ bones: poseOf(whole, k) }, out);
      for (let c = 0; c < out.length; c++) sum += (out[c] - clip.positions[k * out.length + c]) ** 2;
    }
    return { rmse: Math.sqrt((3 * sum) / clip.positions.length), follow: model.controllers[0]?.follow };
  }

  it('finds the delay and the damping of a clip', async () => {
    const follow = { delay: 0.11, damping: 0.4 };
    const { clip, motion } = makeLateClip(follow);
    const late = await rmseOf(clip, motion, 'auto');
    const atOnce = await rmseOf(clip, motion, 0);
    expect(late.rmse).toBeLessThan(0.1 * atOnce.rmse);
    expect(late.follow!.delay).toBeCloseTo(follow.delay, 1);
    expect(atOnce.follow).toBeUndefined();
  });

  it('finds none where there is none', async () => {
    const { clip, motion } = makeLateClip();
    expect((await rmseOf(clip, motion, 'auto')).follow).toBeUndefined();
  });

  it('gives the helpers of a rig the delay that is set, and refuses auto for a rig', async () => {
    const { model } = await convert(source, { ...QUICK, helpers: 1, delay: 0.2 });
    expect(model.controllers[0].follow).toEqual({ delay: 0.2, damping: 1 });
    await expect(convert(source, { ...QUICK, delay: 'auto' })).rejects.toThrow('requires a clip');
  });
});
