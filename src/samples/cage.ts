// SPDX-License-Identifier: MIT
import { makeCreature } from './creatures/creature.ts';
import { makeQuadruped } from './creatures/quadruped.ts';
import { makeCageClip } from './make-cage.ts';
import type { SampleBody, SampleOptions } from './sample.ts';

/** Cells along the longest side. */
const CELLS = 10;

/** The cage of the creature of the same options, moving with it. */
export function makeCreatureCage(options: Required<SampleOptions>): SampleBody {
  return { clip: makeCageClip(makeCreature(options).clip, CELLS), isExact: false };
}

/** The cage of the quadruped of the same options. */
export function makeQuadrupedCage(options: Required<SampleOptions>): SampleBody {
  return { clip: makeCageClip(makeQuadruped(options).clip, CELLS), isExact: false };
}
