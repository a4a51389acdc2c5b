// SPDX-License-Identifier: MIT
import type { InputSize, Method, SolvePlan } from '../../core/options/method.ts';
import { TRACK_OPTIONS } from './options.ts';
import type { TrackInput, TrackResult } from './track-input.ts';

/** Memory per vertex of a frame and of the template, bytes: the dancer scan (21,000 vertices) needs 251 MB for two frames and 362 MB for ten, and the program itself 90 MB. */
const FRAME_BYTES = 660;
const TEMPLATE_BYTES = 6000;

/** The size of a sequence; its vertices are the mean of its frames. */
export interface TrackSize extends InputSize {
  readonly templateVertexCount: number;
}

function plan(
  _options: object,
  _goal: unknown,
  { vertexCount, frameCount, templateVertexCount }: TrackSize,
): SolvePlan {
  const bytes = FRAME_BYTES * vertexCount * frameCount + TEMPLATE_BYTES * templateVertexCount;
  return { strategy: 'whole', reads: 'clip', bytes };
}

/** Registration of a template to meshes with other vertices and triangles in every frame. */
export const trackMethod = {
  name: 'track',
  summary: 'one mesh in every frame of a scan',
  options: TRACK_OPTIONS,
  capabilities: { goals: [], keeps: [], noise: false, corrections: false },
  plan,
  load: () => import('./solve.ts'),
} satisfies Method<typeof TRACK_OPTIONS, TrackInput, TrackResult>;
