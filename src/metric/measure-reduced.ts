// SPDX-License-Identifier: MIT
import { bakeAt } from '../deform/bake-at.ts';
import { listPoseTimes } from '../deform/list-pose-times.ts';
import type { Asset } from '../model/asset.ts';
import type { Clip } from '../model/clip.ts';
import { joinClips } from '../model/join-clips.ts';
import { type ErrorReport, measureError } from './measure-error.ts';

/** Maximum frames to measure, over all animations. */
const MAX_FRAMES = 300;

export interface ReducedClip {
  name: string;
  error: ErrorReport;
}

export interface ReducedErrors {
  /** Over all frames of all clips. */
  error: ErrorReport;
  clips: ReducedClip[];
}

/**
 * Measures a reduced asset against the input, per clip: in the animations of the input, or against a clip.
 * @param result with the vertices and animations of the input
 * @param target measured against instead, in the first animation
 */
export function measureReduced(input: Asset, result: Asset, target?: Clip): ReducedErrors {
  const up = { up: input.up };
  const poses = target
    ? [{ animation: input.animations[0], times: target.times }]
    : listPoseTimes(input, MAX_FRAMES).filter(({ times }) => times.length > 0);
  const references = target ? [target] : poses.map(({ animation, times }) => bakeAt(input, animation, times));
  const results = poses.map(({ animation, times }) =>
    bakeAt(result, animation && result.animations[input.animations.indexOf(animation)], times),
  );
  const clips = references.map((reference, n) => ({
    name: reference.name,
    error: measureError(reference, results[n], up),
  }));
  const error = clips.length === 1 ? clips[0].error : measureError(joinClips(references), joinClips(results), up);
  return { error, clips };
}
