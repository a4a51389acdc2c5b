// SPDX-License-Identifier: MIT

import { checkMemory } from '../../deformers/playback/index.ts';
import { UNKNOWN_MACHINE_MEMORY } from '../engine/index.ts';

/** Bytes per vertex and frame: positions, and those of the written file. */
const BYTES = 24;

/** Throws an InputError if the frames of a sample need more memory than --max-memory. */
export function checkSampleMemory(resolution: number, frames: number, maxMemory = UNKNOWN_MACHINE_MEMORY): void {
  const work = `${frames} frames of about ${resolution} vertices`;
  checkMemory(work, BYTES * frames * resolution, maxMemory, 'use a smaller --resolution or fewer --frames');
}
