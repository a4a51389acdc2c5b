// SPDX-License-Identifier: MIT
import { bakeAt } from '../deform/bake-at.ts';
import { weldClip } from '../mesh/weld.ts';
import type { Animation } from '../model/animation.ts';
import type { Asset, UpAxis } from '../model/asset.ts';
import type { Clip } from '../model/clip.ts';
import { InputError } from '../model/errors.ts';
import { joinClips } from '../model/join-clips.ts';
import { maxInfluencesOf } from '../model/skin.ts';
import { type BetweenReport, measureBetween } from './measure-between.ts';
import { type ErrorReport, measureError } from './measure-error.ts';

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
export function measureWritten(asset: Asset, clips: readonly Clip[], up: UpAxis): Written {
  const animations = matchAnimations(clips, asset.animations);
  const results = clips.map((clip, n) => bakeAt(asset, animations[n], clip.times));
  const measured = clips.map((clip, n) => {
    const options = { up, weld: weldClip(clip), parts: asset.rig?.skin };
    return {
      name: clip.name,
      error: measureError(clip, results[n], options),
      between: measureBetween(clip, (times) => bakeAt(asset, animations[n], times), options),
    };
  });
  const error = clips.length === 1 ? measured[0].error : measureError(joinClips(clips), joinClips(results), { up });
  const { rig } = asset;
  if (!rig) throw new InputError('the written file', 'lost its bones');
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
