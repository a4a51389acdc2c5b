// SPDX-License-Identifier: MIT
import type { Clip } from '../model/clip.ts';
import type { MorphDriver } from '../model/morph-drivers.ts';
import type { Morphs } from '../model/morphs.ts';
import type { Motion } from '../model/motion.ts';
import type { Skeleton } from '../model/skeleton.ts';
import type { Skin } from '../model/skin.ts';

/** Options of makeSample. */
export interface SampleOptions {
  /** Vertices to aim for; the mesh comes within some ten percent of it. Rigs have their own number. */
  resolution?: number;
  frames?: number;
  /** Samples with an element of chance (creature) differ by seed; the others ignore it. */
  seed?: number;
}

export const SAMPLE_DEFAULTS: Required<SampleOptions> = { resolution: 6000, frames: 60, seed: 0 };

/** Frames per second of every sample. */
export const SAMPLE_FPS = 30;

/** Morph targets that joints drive. */
export interface SampleMorphs {
  morphs: Morphs;
  drivers: MorphDriver[];
  /** frameCount x targetCount */
  weights: Float32Array;
}

/** A mesh in motion, and its truth where there is one. Metres, y up, facing +z. */
export interface SampleBody {
  clip: Clip;
  /** The bones the clip was made with, where it was. */
  skeleton?: Skeleton;
  skin?: Skin;
  /** One pose per frame of the clip. */
  motion?: Motion;
  /** Morph targets under the skin, where the sample has some. */
  morphs?: SampleMorphs;
  /** Whether linear blend of the truth is the clip, bit for bit; not so where something soft was added on top. */
  isExact: boolean;
}

/** A generated example. */
export interface Sample extends SampleBody {
  name: string;
  /** One line for people. */
  description: string;
}

/** The phase of frame k of a loop, in radians: the frame after the last would be the first again. */
export function phaseOf(k: number, frames: number): number {
  return (2 * Math.PI * k) / frames;
}
