// SPDX-License-Identifier: MIT
// Options that several verbs share.
import { SHADING_WORDS } from '../../core/mesh/geometry/shade-mesh.ts';
import { TOGETHER_WORDS } from '../../core/model/clip/join-animations.ts';
import { memorySize } from '../../core/options/memory-size.ts';
import {
  axis,
  choice,
  count,
  file,
  flag,
  folder,
  frameRange,
  group,
  length,
  option,
  optional,
  positive,
  text,
  unit,
} from '../../core/options/option.ts';
import { SEED } from '../../core/options/seed.ts';
import { defineStep } from '../../core/options/step.ts';

/** Inputs of jobs on anything that moves. */
export const MOVING_INPUT = {
  name: 'input',
  description:
    "an animated .glb, .gltf, .fbx, USD or .abc file, rest.obj+motion.pc2, 'frames/*.obj' or a folder of frames",
} as const;

/** Inputs of jobs on skinned models. */
export const SKINNED_INPUT = {
  name: 'input',
  description: 'a skinned .glb, .gltf, .fbx or USD file, or one with animations of other files (rig.glb+walk.glb)',
} as const;

/** Every job has these. Threads change the time that a job takes, never its result. */
export const COMMON_OPTIONS = group('Common options:', {
  threads: option(count(1, 256), 'number of threads (default: one per core)'),
  maxMemory: option(
    memorySize,
    'maximum memory for the frames of a job, such as 2GB (default: half of the memory of this machine, at most 16GB)',
  ),
  seed: SEED,
  strict: option(flag, 'fail if the result lacks anything that the input holds, or if the input had to be repaired'),
});

/** How to read formats without frame rate, unit or up axis. */
export const READ_OPTIONS = group('Input options:', {
  fps: option(positive('<n>'), 'frames per second of formats without a frame rate (default: 24)'),
  unit: option(unit, 'length of one file unit: mm, cm, m, in, … or a number of metres'),
  up: option(axis, 'up axis of formats without one: x, y, z (default: y)'),
  scale: option(positive('<factor>'), 'factor on all positions'),
  folder: option(
    folder,
    'folder above a USD file whose files it may refer to: layers, textures (default: the folder of the file)',
  ),
  rest: option(file, 'rest pose of a sequence (default: its first file)'),
});

/** Read options, and which frames to use. */
export const FRAME_OPTIONS = {
  ...READ_OPTIONS,
  ...group('Frame options:', {
    frames: option(frameRange, 'frames to use, from 0, both ends included: 10:50, 10:, :50, ::2'),
    animation: option(text('<name>'), 'animation to use, by name or index'),
    rate: option(
      positive('<n>'),
      'sampling rate of skinned and morphing files, in frames per second (default: that of their keys)',
    ),
  }),
};

/** Which animations are played as one. Not for jobs that keep the animations of a file. */
export const TOGETHER_OPTION = group('Frame options:', {
  together: option(
    choice(TOGETHER_WORDS),
    'play all animations as one: auto (those that move different nodes and have one name, or one range), yes, no',
    { default: 'auto' },
  ),
});

/** Frame options, and how skinned files are played. */
export const CLIP_OPTIONS = {
  ...FRAME_OPTIONS,
  ...TOGETHER_OPTION,
  ...group('Frame options:', {
    keys: option(flag, 'sample skinned and morphing files at the times of their keys', { conflicts: ['rate'] }),
    plain: option(flag, 'play files with OSSIFY extensions by their plain skin, as other viewers do'),
  }),
};

/** How a GLB is stored. */
export const STORE_OPTIONS = group('Output options:', {
  quantize: option(flag, 'store joints, weights, normals and UVs in fewer bytes', {
    form: { label: 'Quantize', note: 'Store joints, weights, normals and UVs in fewer bytes.', isFine: true },
  }),
  shading: option(
    choice(SHADING_WORDS),
    'normals of the mesh: smooth (if it has none), flat (none; viewers then draw flat triangles), keep',
    { default: 'smooth' },
  ),
  meshopt: option(flag, 'compress with EXT_meshopt_compression; viewers need its decoder', {
    form: { label: 'Meshopt', note: 'Compress the file; viewers need the decoder of meshopt.', isFine: true },
  }),
});

/** Storage options for animations whose keys are chosen here. */
export const KEY_OPTIONS = {
  ...group('Output options:', {
    keys: option(
      optional(length),
      'remove animation keys, within this length (default: a tenth of the RMSE, or 0.01% if that is more)',
    ),
  }),
  ...STORE_OPTIONS,
};

const { rest, ...readOptions } = READ_OPTIONS;
const { frames, animation, rate } = FRAME_OPTIONS;
const { keys, ...storeOptions } = KEY_OPTIONS;

/** How files are read. */
export const READ_STEP = defineStep({ name: 'reading', options: readOptions });
/** The rest pose of a sequence. */
export const REST_STEP = defineStep({ name: 'rest pose', options: { rest } });
/** Which frames are used. */
export const FRAMES_STEP = defineStep({ name: 'frames', options: { frames, animation, rate } });
/** Which animations are one. */
export const TOGETHER_STEP = defineStep({ name: 'together', options: TOGETHER_OPTION });
/** Which keys of animations are kept. */
export const KEYS_STEP = defineStep({ name: 'keys', options: { keys } });
/** How a GLB is stored. */
export const STORE_STEP = defineStep({ name: 'storing', options: storeOptions });
/** Threads, memory and seed. */
export const COMMON_STEP = defineStep({ name: 'common', options: COMMON_OPTIONS });
