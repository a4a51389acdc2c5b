// SPDX-License-Identifier: MIT
import { InputError, UsageError } from '../core/model/errors.ts';
import { makeBarBend, makeBarJoint, makeBarTwist } from './bar.ts';
import { makeCreatureCage, makeQuadrupedCage } from './cage.ts';
import { makeCreature } from './creatures/creature.ts';
import { makeCreatureSoft } from './creatures/creature-soft.ts';
import { makeParts } from './creatures/parts.ts';
import { makeQuadruped } from './creatures/quadruped.ts';
import { makeRigClip, RIG_SAMPLES } from './rigs/make-rig-sample.ts';
import { SAMPLE_DEFAULTS, type Sample, type SampleBody, type SampleOptions } from './sample.ts';
import { makeSheet } from './sheet.ts';
import { makeTubeSwell } from './tube-swell.ts';

export type { Sample, SampleOptions } from './sample.ts';

/** Minimum number of vertices for all limbs, and maximum number for the lattice. */
const FEWEST = 100;
const MOST = 1_000_000;

/** Maximum size of positions: files of more than 2 GiB cannot be read. */
const MAX_BYTES = 2 ** 31;

/** Rigs are samples too, baked over an animation loop. */
export const RIG_PREFIX = 'rig-';

/** Samples with morph targets that joints drive. */
export const DRIVEN_SAMPLES: readonly string[] = [`${RIG_PREFIX}corrective-body`];

type Maker = (options: Required<SampleOptions>) => SampleBody;

const MAKERS: [string, string, Maker][] = [
  ['bar-bend', 'a bar that bends to 120 degrees, to either side, on six known bones', makeBarBend],
  ['bar-twist', 'a bar whose top turns by half a turn, to either side', makeBarTwist],
  [
    'bar-joint',
    'a bar on two known bones that bends by 90 degrees, twists by 120 degrees, and does both',
    makeBarJoint,
  ],
  ['tube-swell', 'a closed tube through which a swelling travels', makeTubeSwell],
  ['creature', 'a branching animal of known bones and weights, another one for every seed', makeCreature],
  ['creature-soft', 'the creature with weights that melt into one another, up to twelve per vertex', makeCreatureSoft],
  ['quadruped', 'a four-legged animal that walks, with soft tissue on top of its known bones', makeQuadruped],
  ['sheet', 'a flag of cloth in the wind, held along one edge, with UVs', makeSheet],
  ['parts', 'a marching robot of many pieces, with UV seams, hard edges, materials and a bit apart', makeParts],
];

/** Cages around samples with the same options; the number of their vertices does not depend on the resolution. */
export const CAGE_PREFIX = 'cage-';
const CAGES: [string, string, Maker][] = [
  ['cage-creature', 'a coarse closed cage around the creature, which moves with it', makeCreatureCage],
  ['cage-quadruped', 'the same around the quadruped', makeQuadrupedCage],
];

/** All samples with a description: clips, then rigs with a looped animation, which have a fixed size. */
export const SAMPLES: readonly { name: string; description: string }[] = [
  ...[...MAKERS, ...CAGES].map(([name, description]) => ({ name, description })),
  ...RIG_SAMPLES.map(({ name, description }) => ({ name: RIG_PREFIX + name, description })),
];

/**
 * Makes a generated example by name. The same name and options give the same bytes.
 * @example
 * ```ts
 * import { decompose } from 'ossify';
 * import { makeSample } from 'ossify/sample';
 *
 * const sample = makeSample('quadruped', { frames: 48 });
 * const { eRms } = await decompose(sample.clip, { bones: sample.skeleton?.names.length });
 * ```
 */
export function makeSample(name: string, options: SampleOptions = {}): Sample {
  const [, description, make] = findMaker(name);
  const resolution = options.resolution ?? SAMPLE_DEFAULTS.resolution;
  const frames = options.frames ?? SAMPLE_DEFAULTS.frames;
  const seed = options.seed ?? SAMPLE_DEFAULTS.seed;
  if (!(resolution >= FEWEST && resolution <= MOST)) {
    throw new UsageError('sample', `resolution must be from ${FEWEST} to ${MOST} vertices, got ${resolution}`);
  }
  if (!(Number.isInteger(frames) && frames >= 1)) {
    throw new UsageError('sample', `frames must be a whole number of at least 1, got ${frames}`);
  }
  if (resolution * frames * 12 > MAX_BYTES) {
    throw new InputError(
      'sample',
      `${frames} frames of ${resolution} vertices take more than 2 GiB; use fewer frames or a lower resolution`,
    );
  }
  if (!Number.isInteger(seed)) throw new UsageError('sample', `seed must be a whole number, got ${seed}`);
  return { name, description, ...make({ resolution, frames, seed }) };
}

function findMaker(name: string): (typeof MAKERS)[number] {
  const rig = RIG_SAMPLES.find((known) => RIG_PREFIX + known.name === name);
  if (rig) return [name, rig.description, ({ frames }) => makeRigClip(rig.name, frames)];
  const found = [...MAKERS, ...CAGES].find(([known]) => known === name);
  if (!found)
    throw new InputError(
      'sample',
      `there is no sample named "${name}"; choose one of ${SAMPLES.map((s) => s.name).join(', ')}`,
    );
  return found;
}
