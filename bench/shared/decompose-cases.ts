// SPDX-License-Identifier: MIT
// What the decompose suite solves: captured motion where the data folder is present, and generated animals always.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TransformKind } from '../../src/core/kernels/bones/bone-sweep.ts';
import type { Clip } from '../../src/core/model/clip/clip.ts';
import { listClips } from '../../src/deformers/playback/index.ts';
import type { OpenedInput } from '../../src/entry/index.ts';
import { makeSample, type SampleOptions } from '../../src/entry/sample.ts';
import { openFiles } from '../../src/hosts/disk/index.ts';
import { assetOfSample } from '../../src/jobs/sample/index.ts';

export interface DecomposeCase {
  name: string;
  transforms: TransformKind;
  /** Absent: as many as the sample was made with. */
  bones?: number;
  /** E_RMS that a solve must reach; absent where there is no such promise. */
  atMost?: number;
  /** Times to pass these are measured, where there are any. */
  passing?: readonly number[];
  /** Runs with --quick too. */
  isQuick?: boolean;
  /** The case whose time this one's is compared with. */
  twiceOf?: string;
  open(): Promise<OpenedCase>;
}

export interface OpenedCase {
  input: OpenedInput;
  clips: Clip[];
  bones: number;
}

/** Data, transforms, and by number of bones the largest E_RMS allowed. */
const CAPTURED: [string, TransformKind, Record<number, number>][] = [
  ['horse-gallop', 'rigid', { 10: 6.4, 20: 2.2, 33: 1.0 }],
  ['horse-collapse', 'rigid', { 10: 5.9, 20: 3.6 }],
  ['cat-poses', 'rigid', { 10: 8.4, 15: 5.2, 20: 3.45, 25: 2.6 }],
  ['pdance', 'rigid', { 10: 4.2, 24: 0.9 }],
  ['samba', 'rigid', { 10: 8.2, 20: 4.35 }],
  ['horse-gallop', 'affine', { 10: 4.7, 20: 1.75, 30: 1.0 }],
  ['cat-poses', 'affine', { 15: 3.9, 25: 1.95 }],
];
const PASSING = [5.59, 3.6];
const CREATURE_SEEDS = [1, 2, 3, 4, 5];
const CREATURE_ERROR = 0.1;
const QUADRUPED_BONES = 24;

/** The folder of captured data: OSSIFY_DATA, or `shared` beside the repository; undefined where there is none. */
export function findDataFolder(environment: Record<string, string | undefined>): string | undefined {
  // this file is in bench/shared/ of a checkout, or in dist/bench/shared/
  const root = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../' : '../../../', import.meta.url));
  const folder = join(resolve(root, environment.OSSIFY_DATA ?? '../shared'), 'datasets');
  return existsSync(folder) ? folder : undefined;
}

/** The input word of a captured motion. */
export function capturedInput(folder: string, name: string): string {
  return `${join(folder, name, 'rest.obj')}+${join(folder, name, 'motion.pc2')}`;
}

export function listDecomposeCases(dataFolder: string | undefined): DecomposeCase[] {
  return [...(dataFolder === undefined ? [] : listCaptured(dataFolder)), ...listGenerated()];
}

function listCaptured(folder: string): DecomposeCase[] {
  return CAPTURED.filter(([name]) => existsSync(join(folder, name))).flatMap(([name, transforms, limits]) =>
    Object.entries(limits).map(([count, atMost]): DecomposeCase => {
      const bones = Number(count);
      const isHorse = name === 'horse-gallop' && bones === 20;
      return {
        ...{ name, transforms, bones, atMost },
        passing: isHorse && transforms === 'rigid' ? PASSING : undefined,
        isQuick: isHorse,
        async open() {
          const input = await openFiles(capturedInput(folder, name), {});
          return { input, clips: listClips(input), bones };
        },
      };
    }),
  );
}

function listGenerated(): DecomposeCase[] {
  const quadruped = { sample: 'quadruped', bones: QUADRUPED_BONES };
  return [
    makeGenerated('quadruped', { ...quadruped, isQuick: true }),
    makeGenerated('quadruped, 2 x vertices', { ...quadruped, resolution: 12_000, twiceOf: 'quadruped' }),
    makeGenerated('quadruped, 2 x frames', { ...quadruped, frames: 120, twiceOf: 'quadruped' }),
    ...CREATURE_SEEDS.map((seed) =>
      makeGenerated(`creature ${seed}`, { sample: 'creature', seed, atMost: CREATURE_ERROR, isQuick: seed === 1 }),
    ),
  ];
}

interface Generated extends SampleOptions {
  sample: string;
  bones?: number;
  atMost?: number;
  isQuick?: boolean;
  twiceOf?: string;
}

function makeGenerated(
  name: string,
  { sample, bones, atMost, isQuick, twiceOf, ...options }: Generated,
): DecomposeCase {
  return {
    ...{ name, transforms: 'rigid', bones, atMost, isQuick, twiceOf },
    async open() {
      const made = makeSample(sample, options);
      const asset = assetOfSample(made);
      return {
        input: { input: name, asset, paths: [] },
        clips: asset.clips,
        bones: bones ?? made.skeleton?.names.length ?? QUADRUPED_BONES,
      };
    },
  };
}
