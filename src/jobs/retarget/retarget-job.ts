// SPDX-License-Identifier: MIT
import type { Animation } from '../../core/model/clip/animation.ts';
import { FormatError, InputError } from '../../core/model/errors.ts';
import { normalizeAxes } from '../../core/model/mesh/normalize-axes.ts';
import { choice, flag, group, type OptionsOf, option, text } from '../../core/options/option.ts';
import { schemaOf } from '../../core/options/step.ts';
import { listReferences } from '../../deformers/playback/index.ts';
import type { LabelOptions } from '../../fit/anatomy/index.ts';
import { readMotion } from '../../formats/assets/index.ts';
import { changeMotion } from '../../formats/gltf/index.ts';
import { type RetargetResult, retarget } from '../../methods/retarget/index.ts';
import { measureAsset } from '../bake/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  formatBytes,
  formatCount,
  formatNumber,
  type JobContext,
  type JobFacts,
  type OpenedInput,
  READ_OPTIONS,
  type Report,
  STORE_OPTIONS,
} from '../engine/index.ts';
import {
  CHARACTER_OUTPUT,
  encodingOf,
  FRONT_NAMES,
  frontOf,
  type LabelledRig,
  rigOfAsset,
  rigOfNodes,
  writeCharacter,
} from '../shared/index.ts';

const MOTION_OPTIONS = group('Animation options:', {
  animation: option(text('<name>'), 'animation of the first file to use, by name or index (default: all)'),
  freeFeet: option(flag, 'do not hold feet in place while they stand'),
  only: option(flag, 'leave out the animations that the character has'),
});
const FRONT_OPTIONS = group('Rig options:', {
  front: option(
    choice(FRONT_NAMES),
    'direction that the character faces, with y up (default: found from its names and its shape)',
  ),
  motionFront: option(choice(FRONT_NAMES), 'direction that the rig of the motion faces (default: found likewise)'),
});
const { shading: _shading, ...STORED } = STORE_OPTIONS;

const OPTIONS = schemaOf([
  { name: 'motion', options: MOTION_OPTIONS },
  { name: 'front', options: FRONT_OPTIONS },
  { name: 'store', options: STORED },
  { name: 'read', options: READ_OPTIONS },
  { name: 'common', options: COMMON_OPTIONS },
]);
type Context = JobContext<OptionsOf<typeof OPTIONS>>;

export const retargetJob = defineJob({
  name: 'retarget',
  title: 'Retarget',
  summary: 'play the motions of one rig on another',
  description:
    'Moves the animations of one file to the character of another: humanoids to humanoids, quadrupeds to quadrupeds, whatever their joints are called. Joints are matched by what they are, rest poses ' +
    'are made alike, the path is scaled by the length of the legs, and feet that stand stay in place. The motion may be a BVH, FBX, glTF or USD file with or without a mesh.',
  inputs: [
    { name: 'motion', description: 'a file with animations of joints: .bvh, .fbx, .glb …' },
    { name: 'character', description: 'a file with a mesh, bones and weights' },
  ],
  output: CHARACTER_OUTPUT,
  examples: [
    { line: 'retarget walk.fbx hero.glb out.glb', does: 'the walk on the hero, beside his own animations' },
    { line: 'retarget capture.bvh hero.fbx out.fbx --only', does: 'motion capture on a character, alone' },
    { line: 'retarget pack.glb hero.glb out.glb --animation Run', does: 'one animation of several' },
  ],
  options: OPTIONS,
  run: runRetarget,
  describe: describeRetarget,
});

/** A file with motions. */
interface MotionFile {
  labelled: LabelledRig;
  animations: readonly Animation[];
}

async function runRetarget(context: Context): Promise<JobFacts> {
  const { job, output, options } = context;
  const [motionPath, characterPath] = job.inputs;
  const motion = await openMotion(context, motionPath, { front: frontOf(options.motionFront) });
  const opened = await context.open(characterPath);
  const { asset } = opened;
  if (!asset.rig || !asset.source)
    throw new InputError(characterPath, 'has no skin; give a character with bones and weights');
  if (motion.animations.length === 0) throw new InputError(motionPath, 'has no animation');
  await context.claim([output]);
  const target = rigOfAsset(asset, { front: frontOf(options.front) });
  checkBodies(motion.labelled, target, motionPath, characterPath);
  const chosen = chooseAnimations(motion.animations, options.animation);
  const result = await context.phase('retarget', () =>
    retarget(motion.labelled.rig, chosen, target.rig, { holdFeet: !options.freeFeet }),
  );
  const animations = nameApart(options.only ? [] : asset.animations, result.animations);
  const changed = await changeMotion(asset, { animations }, { log: (text) => context.note(text) });
  const files = await context.phase('write', () =>
    writeCharacter(changed, { kind: 'clip' }, { ...encodingOf(context), path: output, storing: context.storing }),
  );
  return {
    inputs: [opened],
    files,
    result: factsOf(result, target, animations.length),
    bytes: { file: files.reduce((sum, { bytes }) => sum + bytes.length, 0) },
    measure: (file) => measureAsset(context, file, listReferences(changed)),
    expected: changed,
    ...(options.only ? { replaces: ['animations'] as const } : {}),
  };
}

/** Opens a file with motions: with its mesh if it has one, since the skin shows the rest pose. */
async function openMotion(context: Context, path: string, options: LabelOptions): Promise<MotionFile> {
  const opened = await openWithMesh(context, path);
  if (opened) {
    const asset = opened.asset.up === 'y' ? opened.asset : normalizeAxes(opened.asset);
    return { labelled: rigOfAsset(asset, options), animations: asset.animations };
  }
  const scene = await readMotion({ name: path, bytes: await context.read(path, 'motion') }, { log: () => undefined });
  return { labelled: rigOfNodes(scene.nodes, options), animations: scene.animations };
}

/** Undefined for a file without a mesh. */
async function openWithMesh(context: Context, path: string): Promise<OpenedInput | undefined> {
  try {
    return await context.open(path);
  } catch (error) {
    if (error instanceof FormatError && error.code === 'empty') return undefined;
    throw error;
  }
}

function chooseAnimations(animations: readonly Animation[], name: string | undefined): readonly Animation[] {
  if (name === undefined) return animations;
  const found = animations.findIndex((one, n) => one.name === name || String(n) === name);
  if (found < 0)
    throw new InputError(
      '--animation',
      `there is no animation "${name}"; there are ${animations.map((one) => one.name).join(', ')}`,
    );
  return [animations[found]];
}

/** Two humanoids, or two quadrupeds. What cannot be mapped is refused. */
function checkBodies(
  { anatomy: from }: LabelledRig,
  { anatomy: to }: LabelledRig,
  motion: string,
  character: string,
): void {
  const describe = ({ kind, missing }: LabelledRig['anatomy']): string =>
    kind === 'none'
      ? 'no legs found'
      : kind === 'biped' && missing.length > 0
        ? `no ${missing.join(' and no ')} found: not a humanoid`
        : `a ${kind}`;
  if (from.kind === 'none')
    throw new InputError(motion, `cannot be mapped (${describe(from)}); give a humanoid or a quadruped`);
  if (to.kind === 'none')
    throw new InputError(character, `cannot be mapped (${describe(to)}); give a humanoid or a quadruped`);
  if (from.kind !== to.kind)
    throw new InputError(character, `is ${describe(to)}, and ${motion} moves ${describe(from)}; the two must be alike`);
}

/** Animations with names of their own: those that are there already get a number. */
function nameApart(own: readonly Animation[], added: readonly Animation[]): Animation[] {
  const names = new Set(own.map(({ name }) => name));
  return [
    ...own,
    ...added.map((animation) => {
      let name = animation.name || 'motion';
      for (let n = 2; names.has(name); n++) name = `${animation.name || 'motion'} ${n}`;
      names.add(name);
      return { ...animation, name };
    }),
  ];
}

function factsOf({ pairs, scale, plantCount, slide }: RetargetResult, { rig }: LabelledRig, animations: number) {
  const joints = rig.labels.filter((one) => one !== undefined).length;
  return { animations, matchedJoints: pairs.length, joints, scale, plants: plantCount, slide };
}

function describeRetarget({ files, result }: Report) {
  const { animations, matchedJoints, joints, scale, plants, slide } = result as unknown as ReturnType<typeof factsOf>;
  return [
    `${matchedJoints} of ${joints} joints move; the path is scaled by ${formatNumber(scale, 3)}`,
    `${formatCount(plants, 'interval')} in which a foot stands${plants > 0 ? `; it moves by at most ${formatNumber(100 * slide, 2)} % of a leg` : ''}`,
    {
      rows: [
        ...files.slice(0, 2).map(({ path, bytes }) => ['wrote', path, formatBytes(bytes)]),
        ['animations', String(animations), ''],
      ],
    },
  ];
}
