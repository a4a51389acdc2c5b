// SPDX-License-Identifier: MIT
import { LIGHT_CHANNELS, type LightKind } from '../../core/model/deformed/skin-light.ts';
import type { Method } from '../../core/options/method.ts';
import { checkLightOptions, LIGHT_OPTIONS } from './options.ts';
import type { LightInput, LightResult } from './solve.ts';

/**
 * Bytes per vertex and frame, measured: the light of every frame, its normals, what the solver makes of both, factors and the bytes of the file. Frames of
 * positions are made one at a time.
 */
export function lightBytesOf(kind: LightKind): number {
  return 6 * LIGHT_CHANNELS[kind] + 12 + { occlusion: 12, transfer: 36, prelit: 28 }[kind];
}

/** Light on an animated skin as a few components. */
export const lightMethod: Method<typeof LIGHT_OPTIONS, LightInput, LightResult> = {
  name: 'light',
  summary: 'light on an animated skin as a few components',
  options: LIGHT_OPTIONS,
  capabilities: { goals: [], keeps: ['skeleton', 'weights'], noise: false, corrections: false },
  check: checkLightOptions,
  plan: ({ kind }, _, { vertexCount, frameCount }) => ({
    strategy: 'whole',
    reads: 'stream',
    bytes: frameCount * vertexCount * lightBytesOf(kind),
  }),
  load: () => import('./solve.ts'),
};
