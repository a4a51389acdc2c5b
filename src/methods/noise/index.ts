// SPDX-License-Identifier: MIT
export { buildRest } from './build-rest.ts';
export { estimateNoise, MIN_NOISE_FRAMES } from './estimate-noise.ts';
export { joinSeams } from './join-seams.ts';
export { limitJumps } from './limit-jumps.ts';
