// SPDX-License-Identifier: MIT

import type { Asset } from '../core/model/asset.ts';
import type { Clip } from '../core/model/clip/clip.ts';
import { joinClips } from '../core/model/clip/join-clips.ts';
import { listPoseTimes } from '../deformers/playback/index.ts';
import type { ErrorReport } from './error/measure-error.ts';
import { LOCAL_MEASURE_HOST, type MeasureRun, shareProgress } from './error/measure-host.ts';

/** Maximum frames to measure, over all animations. */
const MAX_FRAMES = 300;

/** Cost of evaluating a frame of both assets, relative to measuring it. */
const BAKING = 0.6;

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
export async function measureReduced(
  input: Asset,
  result: Asset,
  target?: Clip,
  { host = LOCAL_MEASURE_HOST, onProgress }: MeasureRun = {},
): Promise<ReducedErrors> {
  const { up } = input;
  const poses = target
    ? [{ animation: input.animations[0], times: target.times }]
    : listPoseTimes(input, MAX_FRAMES).filter(({ times }) => times.length > 0);
  const lengths = poses.map(({ times }) => times.length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const [tellBake, tellJoined, ...tellClips] = shareProgress(onProgress, [
    ...[BAKING * total, poses.length === 1 ? 0 : total],
    ...lengths,
  ]);
  const references: Clip[] = target ? [target] : [];
  const results: Clip[] = [];
  for (const [n, { animation, times }] of poses.entries()) {
    if (!target) references.push(await host.bake(input, animation, times));
    tellBake((n + 0.5) / poses.length);
    const played = animation && result.animations[input.animations.indexOf(animation)];
    results.push(await host.bake(result, played, times));
    tellBake((n + 1) / poses.length);
  }
  const join = (): Promise<ErrorReport> =>
    host.measure(joinClips(references), joinClips(results), { up, onFrame: tellJoined });
  const [joined, ...clips] = await Promise.all([
    references.length === 1 ? undefined : join(),
    ...references.map(async (reference, n) => ({
      name: reference.name,
      error: await host.measure(reference, results[n], { up, onFrame: tellClips[n] }),
    })),
  ]);
  return { error: joined ?? clips[0].error, clips };
}
