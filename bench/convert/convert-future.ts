// SPDX-License-Identifier: MIT
// What Mukai 2018 leaves to future work (§7), measured: weights for normals, ε by the size of body parts, dual quaternions as the target, edited controllers, helpers that follow late.

import { composeEuler } from '../../src/core/math/euler.ts';
import { type Clip, makeTimes } from '../../src/core/model/clip/clip.ts';
import { type Motion, poseOf } from '../../src/core/model/clip/motion.ts';
import type { HelperBones } from '../../src/core/model/deformed/helper-bones.ts';
import type { RigSource } from '../../src/core/model/skin/rig-source.ts';
import {
  makeCentersOfRotation,
  makeDeformer,
  makeDualQuaternion,
  makeLinearBlend,
  solveCentersOfRotation,
} from '../../src/entry/deform.ts';
import { addHelperMotion, type ConvertOptions, convert, listControllers } from '../../src/entry/index.ts';
import { makeRigSample, makeSample } from '../../src/entry/sample.ts';
import { makeJointPoser, measureConversion, SourceProbe } from '../../src/methods/convert/index.ts';
import type { BenchContext, BenchRow } from '../shared/bench-suite.ts';
import { isRowWanted } from '../shared/is-row-wanted.ts';
import { ResultStore } from '../shared/result-store.ts';

const POSES = 500;
const FRAMES = 72;
const FPS = 24;
/** The delay of the clip that a helper follows late. */
const FOLLOW = { delay: 0.11, damping: 0.4 };

type Measured = Record<string, number>;
interface Case {
  row: string;
  measure(context: BenchContext): Promise<Measured>;
}

/** The table of §7; with quick, its first row. */
export async function runFuture(context: BenchContext): Promise<BenchRow[]> {
  const store = await ResultStore.open(context);
  const rows: BenchRow[] = [];
  const cases = listCases();
  for (const [n, { row, measure }] of (context.quick ? cases.slice(0, 1) : cases).entries()) {
    context.signal.throwIfAborted();
    if (!isRowWanted(context, row)) continue;
    context.onProgress({ phase: row, fraction: n / cases.length });
    const found = await store.take(`future, ${row}`, (signal) => measure({ ...context, signal }));
    if (!found) continue;
    const { value, milliseconds, measured } = found;
    rows.push({
      case: `§7, ${row}`,
      timings: { solve: { least: milliseconds, mean: milliseconds, deviation: 0, runs: 1 } },
      figures: value,
      paper: {
        table: 'Helper, §7: future work',
        caption: `α in percent and the mean angle between normals over ${POSES} random poses; of the clip, α over its frames. The document has no numbers.`,
        row,
        cells: ['α', 'normals, degrees'].map((column) => ({ column, ours: value[column] })),
        commands: [],
      },
      measured: [measured],
    });
  }
  return rows;
}

function listCases(): Case[] {
  const sample = (name: string, label: string, options: ConvertOptions): Case => ({
    row: `${name}, ${label}`,
    measure: async (context) => measureRig(context, makeRigSample(name), options),
  });
  const bar = (kind: 'dual quaternions' | 'centers of rotation', label: string, options: ConvertOptions): Case => ({
    row: `bar by ${kind}, ${label}`,
    measure: async (context) => measureRig(context, makeBar(kind), { transforms: 'rigid', ...options }),
  });
  const dual = { target: 'dual-quaternion' } as const;
  const clip = (label: string, delay: number | 'auto'): Case => ({
    row: `clip of a helper that follows late, ${label}`,
    measure: (context) => measureLate(context, delay),
  });
  return [
    sample('delta-mush-pole', 'one set of weights', { helpers: 0 }),
    sample('delta-mush-pole', 'one set, --normals 10', { helpers: 0, normals: 10 }),
    sample('delta-mush-pole', 'weights for normals', { helpers: 0, normalWeights: true }),
    sample('muscle-leg', 'one set of weights', { helpers: 2 }),
    sample('muscle-leg', 'weights for normals', { helpers: 2, normalWeights: true }),
    sample('corrective-body', 'ε of the region', { helpers: 0 }),
    sample('corrective-body', 'ε of the model', { helpers: 0, epsilonOf: 'model' }),
    sample('corrective-body', 'ε of the model, 0.05', { helpers: 0, epsilonOf: 'model', epsilon: 0.05 }),
    ...(['dual quaternions', 'centers of rotation'] as const).flatMap((kind) => [
      bar(kind, 'linear', { helpers: 0 }),
      bar(kind, 'linear, 2 helpers', { helpers: 2 }),
      bar(kind, 'dual quaternions', { helpers: 0, ...dual }),
      bar(kind, 'dual quaternions, 2 helpers', { helpers: 2, ...dual }),
    ]),
    sample('delta-mush-pole', 'dual quaternions', { helpers: 0, transforms: 'rigid', ...dual }),
    ...['not edited', 'range of 30°', 'another joint', 'key pose'].map(
      (edit): Case => ({ row: `helper-bone, ${edit}`, measure: (context) => measureEdited(context, edit) }),
    ),
    clip('at once', 0),
    clip('--delay auto', 'auto'),
  ];
}

async function measureRig(context: BenchContext, rig: RigSource, options: ConvertOptions): Promise<Measured> {
  const { threads, seed, signal } = context;
  const { model, rotations } = await convert({ kind: 'rig', rig }, { ...options, threads, seed, signal });
  signal.throwIfAborted();
  return measureModel(rig, model, rotations);
}

async function measureModel(rig: RigSource, model: HelperBones, rotations: readonly Float64Array[]): Promise<Measured> {
  const options = { poses: POSES, seed: 0, normals: true };
  const [error] = await measureConversion(new SourceProbe(rig), [makeDeformer(model)], rotations, options);
  return { α: error.alpha, 'normals, degrees': error.normalDegrees! };
}

/** The bar on two bones, which twists and bends without losing volume. */
function makeBar(kind: 'dual quaternions' | 'centers of rotation'): RigSource {
  const { clip, skeleton, skin } = makeSample('bar-joint', { resolution: 1000, frames: 2 });
  const boneCount = skeleton!.names.length;
  const deformer =
    kind === 'dual quaternions'
      ? makeDualQuaternion(clip.mesh, skin!, boneCount)
      : makeCentersOfRotation(clip.mesh, skin!, boneCount, solveCentersOfRotation(clip.mesh, skin!));
  return { name: 'bar', mesh: clip.mesh, skeleton: skeleton!, deformer };
}

/** The sample helper-bone, converted with one helper, and again with an edit of its controller. */
async function measureEdited({ threads, seed, signal }: BenchContext, edit: string): Promise<Measured> {
  const rig = makeRigSample('helper-bone');
  const common = { threads, seed, signal };
  const { model } = await convert({ kind: 'rig', rig }, { ...common, helpers: 1 });
  const file = structuredClone(listControllers(model));
  const [helper] = file.helpers;
  const [input] = helper.inputs;
  const joint = rig.skeleton.names.find((name, j) => j > 0 && name !== input.joint)!;
  const edits: Record<string, object> = {
    'not edited': {},
    'range of 30°': { inputs: [{ ...input, reach: Math.PI / 6 }] },
    'another joint': { inputs: [{ ...input, joint }] },
    // the swelling at 60° is set to 1.4 times the size at rest
    'key pose': { keys: [{ pose: { [input.joint]: [0, 0, 60] }, scale: helper.scale.map((s) => 1.4 * s) }] },
  };
  const edited = { ...file, helpers: [{ ...helper, ...edits[edit] }] };
  const again = await convert({ kind: 'rig', rig }, { ...common, edit: edited });
  signal.throwIfAborted();
  return measureModel(rig, again.model, again.rotations);
}

/** A clip whose only helper follows late, converted with its skeleton. */
async function measureLate({ threads, seed, signal }: BenchContext, delay: number | 'auto'): Promise<Measured> {
  const rig = makeRigSample('helper-bone');
  const { model: truth } = await convert({ kind: 'rig', rig }, { helpers: 1, threads, seed, signal });
  const motion = makeSwing(rig);
  const late = { ...truth, controllers: truth.controllers.map((one) => ({ ...one, follow: FOLLOW })) };
  const clip: Clip = {
    kind: 'clip',
    name: 'swing',
    mesh: rig.mesh,
    positions: play(late, motion),
    times: motion.times,
  };
  const { model } = await convert(
    { kind: 'clip', clip, skeleton: rig.skeleton, motion },
    { helpers: 1, delay, threads, seed, signal },
  );
  signal.throwIfAborted();
  const found = play(model, motion);
  let [off, moved] = [0, 0];
  clip.positions.forEach((x, c) => {
    off += (x - found[c]) ** 2;
    moved += (x - rig.mesh.positions[c % rig.mesh.positions.length]) ** 2;
  });
  return { α: 100 * Math.sqrt(off / moved) };
}

/** The joints swing faster than the helper follows. */
function makeSwing({ skeleton }: RigSource): Motion {
  const jointCount = skeleton.names.length;
  const poser = makeJointPoser(skeleton);
  const matrices = new Float64Array(FRAMES * 16 * jointCount);
  const turns = new Float64Array(4 * jointCount);
  for (let k = 0; k < FRAMES; k++) {
    const t = (2 * Math.PI * k) / FPS;
    for (let j = 0; j < jointCount; j++) {
      const angle = j === 0 ? 0 : Math.sin((j + 0.3) * t) + 0.4 * Math.sin(2.7 * j * t + 1);
      turns.set(composeEuler(0.2 * angle, j === 0 ? 0 : 0.1 * Math.sin(t), angle), 4 * j);
    }
    poser.poseInto(turns, matrices, k * 16 * jointCount);
  }
  return { name: 'swing', times: makeTimes(FRAMES, FPS), matrices };
}

function play(model: HelperBones, motion: Motion): Float32Array {
  const whole = addHelperMotion(model, motion);
  const blend = makeLinearBlend(model.mesh, model.skin, model.skeleton.names.length);
  const size = model.mesh.positions.length;
  const positions = new Float32Array(FRAMES * size);
  for (let k = 0; k < FRAMES; k++)
    blend.deformInto({ bones: poseOf(whole, k) }, positions.subarray(k * size, (k + 1) * size));
  return positions;
}
