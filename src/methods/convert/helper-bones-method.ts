// SPDX-License-Identifier: MIT
import type { Method } from '../../core/options/method.ts';
import type { ConvertRigResult, HelperInput } from './helper-input.ts';
import { checkHelperOptions, HELPER_OPTIONS, HELPERS } from './options.ts';

/** Bytes per frame, measured: of a vertex of a clip, and of a bone. A rig is evaluated pose by pose, so its vertices take none. */
export const CONVERT_FRAME_BYTES = { vertex: 60, bone: 400 } as const;

/** Linear blend skinning with helper bones and their controllers. */
export const helperBonesMethod: Method<typeof HELPER_OPTIONS, HelperInput, ConvertRigResult> = {
  name: 'convert',
  summary: 'helper bones and their controllers',
  options: HELPER_OPTIONS,
  capabilities: { goals: ['max'], keeps: ['skeleton'], noise: false, corrections: false },
  check: checkHelperOptions,
  plan: ({ helpers = HELPERS }, _, { vertexCount, frameCount }) => ({
    strategy: 'whole',
    reads: 'clip',
    bytes: frameCount * (vertexCount * CONVERT_FRAME_BYTES.vertex + helpers * CONVERT_FRAME_BYTES.bone),
  }),
  load: () => import('./solve.ts'),
};
