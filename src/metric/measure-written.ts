// SPDX-License-Identifier: MIT
import { weldClip } from '../mesh/weld.ts';
import type { Animation } from '../model/animation.ts';
import type { Asset, UpAxis } from '../model/asset.ts';
import type { Clip } from '../model/clip.ts';
import { InputError } from '../model/errors.ts';
import { joinClips } from '../model/join-clips.ts';
import { maxInfluencesOf } from '../model/skin.ts';
import type { BetweenReport } from './measure-between.ts';
import type { ErrorReport } from './measure-error.ts';
import { LOCAL_MEASURE_HOST, type MeasureRun, shareProgress } from './measure-host.ts';

/** Cost of evaluating a frame, relative to measuring it. */
const BAKING = 0.3;

export interface WrittenClip {
  name: string;
  error: ErrorReport;
  /** Halfway between frames, as the file plays. */
  between: BetweenReport;
}

export interface Written {
  /** The written file. */
  asset: Asset;
  /** Over all frames of all clips. */
  error: ErrorReport;
  /** Halfway between frames, over all clips: rms of all, largest of all. */
  between: { eRms: number; rmse: number; max: number };
  clips: WrittenClip[];
  /** Number of joints, maximum influences of a vertex, and mean influences of a vertex. */
  bones: number;
  influences: number;
  blendsPerVertex: number;
}

/**
 * Measures each animation of a skinned file against the clip of the same name.
 * @param asset the written file
 */
export async function measureWritten(
  asset: Asset,
  clips: readonly Clip[],
  up: UpAxis,
  { host = LOCAL_MEASURE_HOST, onProgress }: MeasureRun = {},
): Promise<Written> {
  const { rig } = asset;
  if (!rig) throw new InputError('the written file', 'lost its bones');
  const animations = matchAnimations(clips, asset.animations);
  const lengths = clips.map(({ times }) => times.length);
  const [tellBake, tellJoined, ...tellClips] = shareProgress(onProgress, [
    ...[BAKING * sumOf(lengths), clips.length === 1 ? 0 : sumOf(lengths)],
    ...lengths,
    ...lengths,
  ]);
  const results: Clip[] = [];
  for (const [n, clip] of clips.entries()) {
    results.push(await host.bake(asset, animations[n], clip.times));
    tellBake((n + 1) / clips.length);
  }
  const join = (): Promise<ErrorReport> =>
    host.measure(joinClips(clips), joinClips(results), { up, onFrame: tellJoined });
  const [joined, ...measured] = await Promise.all([
    clips.length === 1 ? undefined : join(),
    ...clips.map(async (clip, n) => {
      const options = { up, weld: weldClip(clip) };
      const [error, between] = await Promise.all([
        host.measure(clip, results[n], { ...options, onFrame: tellClips[n] }),
        host.between(clip, asset, animations[n], {
          ...{ ...options, parts: rig.skin, onFrame: tellClips[clips.length + n] },
        }),
      ]);
      return { name: clip.name, error, between };
    }),
  ]);
  const error = joined ?? measured[0].error;
  return {
    asset,
    error,
    between: joinBetween(measured.map(({ between }) => between)),
    clips: measured,
    bones: rig.isJoint.reduce((sum, is) => sum + is, 0),
    influences: maxInfluencesOf(rig.skin),
    blendsPerVertex: rig.skin.weights.length / (rig.skin.rowStart.length - 1),
  };
}

/** By clip: the animation of its name, each used once, in order. Undefined for a clip without motion, which files leave out. */
function matchAnimations(clips: readonly Clip[], animations: readonly Animation[]): (Animation | undefined)[] {
  if (clips.length === 1) return [animations[0]];
  const left = [...animations];
  return clips.map(({ name }) => {
    const at = left.findIndex((animation) => animation.name === name);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  });
}

function joinBetween(reports: readonly BetweenReport[]): Written['between'] {
  const count = reports.reduce((sum, { frameCount }) => sum + frameCount, 0);
  const mean = (key: 'eRms' | 'rmse') =>
    count === 0 ? 0 : Math.sqrt(reports.reduce((sum, one) => sum + one[key] ** 2 * one.frameCount, 0) / count);
  return {
    eRms: mean('eRms'),
    rmse: mean('rmse'),
    max: reports.reduce((largest, { max }) => Math.max(largest, max), 0),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
