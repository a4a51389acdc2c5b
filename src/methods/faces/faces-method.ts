// SPDX-License-Identifier: MIT
import type { Method } from '../../core/options/method.ts';
import type { DrivenFace, FaceInput } from './face-input.ts';
import { checkFaceOptions, FACE_BONES, FACE_OPTIONS } from './options.ts';

/** Bytes per example of a vertex (its positions, and the copies of the solver) and of a bone. */
const EXAMPLE_BYTES = { vertex: 84, bone: 400 } as const;

/** Bones that are driven by the weights of morph targets. The examples of the fit are as many as the shapes. */
export const facesMethod: Method<typeof FACE_OPTIONS, FaceInput, DrivenFace> = {
  name: 'faces',
  summary: 'bones driven by the weights of morph targets',
  options: FACE_OPTIONS,
  capabilities: { goals: ['max'], keeps: ['skeleton'], noise: false, corrections: false },
  check: checkFaceOptions,
  plan: ({ bones = FACE_BONES }, _, { vertexCount, frameCount }) => ({
    strategy: 'whole',
    reads: 'clip',
    bytes: frameCount * (vertexCount * EXAMPLE_BYTES.vertex + bones * EXAMPLE_BYTES.bone),
  }),
  load: () => import('./solve.ts'),
};
