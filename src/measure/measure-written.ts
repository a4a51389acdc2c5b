// SPDX-License-Identifier: MIT
import type { Compute } from '../core/kernels/compute.ts';
import { weldClip } from '../core/mesh/topology/weld.ts';
import type { Asset, UpAxis } from '../core/model/asset.ts';
import type { Clip } from '../core/model/clip/clip.ts';
import { joinClips } from '../core/model/clip/join-clips.ts';
import { InputError } from '../core/model/errors.ts';
import { maxInfluencesOf } from '../core/model/skin/skin.ts';
import type { ClipSource } from '../deformers/playback/index.ts';
import { listBetweenTimes } from './between/list-between-times.ts';
import type { BetweenReport } from './between/measure-between.ts';
import { measureBetweenOn } from './between/measure-between-on.ts';
import { makeAnimationPlayer, makeSourcePlayer, shapesAt } from './error/frame-shapes.ts';
import type { ErrorReport } from './error/measure-error.ts';
import { measureErrorOn } from './error/measure-error-on.ts';
import { LOCAL_MEASURE_HOST, type MeasureRun } from './error/measure-host.ts';

export interface WrittenClip {
  name: string;
  error: ErrorReport;
  /** Between frames, as both files play. */
  between: BetweenReport;
}

/** Between frames, over all clips: rms of all, largest of all. */
export interface WrittenBetween {
  eRms: number;
  rmse: number;
  max: number;
  /** Where the largest error of all is, at or between frames: a clip, and seconds. Absent without error. */
  worst?: { clip: string; time: number };
}

export interface Written {
  /** The written file. */
  asset: Asset;
  /** Over all frames of all clips. */
  error: ErrorReport;
  between: WrittenBetween;
  clips: WrittenClip[];
  /** Number of joints, maximum influences of a vertex, and mean influences of a vertex. */
  bones: number;
  influences: number;
  blendsPerVertex: number;
}

/** The host evaluates models other than plain skins. */
export interface MeasureWrittenOptions extends MeasureRun {
  /** Axis of the height. */
  up: UpAxis;
  compute: Compute;
  /** By clip, what it was taken from, which is the reference between its frames. Default: vertices move straight from frame to frame. */
  sources?: readonly (ClipSource | undefined)[];
}

/**
 * Measures each animation or cache of a file against the clip of the same name, at its frames and between them.
 * @param asset the written file
 */
export async function measureWritten(
  asset: Asset,
  clips: readonly Clip[],
  { up, compute, sources = [], host = LOCAL_MEASURE_HOST, onProgress }: MeasureWrittenOptions,
): Promise<Written> {
  const { rig } = asset;
  checkVertices(asset, clips);
  const animations = matchMotions(clips, asset.animations);
  const caches = matchMotions(clips, asset.clips);
  return compute.scope(async (memory) => {
    const players = clips.map((_, n) => {
      const clip = caches[n];
      return clip
        ? makeSourcePlayer(memory, { clip }, host.bake)
        : makeAnimationPlayer(memory, asset, animations[n], host.bake);
    });
    const shapes = clips.map(({ times }, n) => shapesAt(players[n], times));
    const measured: WrittenClip[] = [];
    for (const [n, clip] of clips.entries()) {
      const played = { clip, source: sources[n] };
      const weld = weldClip(clip);
      const onFrame = (part: number) => onProgress?.((n + part / 2) / clips.length);
      const error = await measureErrorOn(memory, clip, [shapes[n]], { up, weld, onFrame });
      const between = await memory.scope((inner) =>
        measureBetweenOn(
          inner,
          clip,
          { source: makeSourcePlayer(inner, played, host.bake), result: players[n] },
          listBetweenTimes(played, animations[n]),
          { weld, atFrames: error.perFrame.max, onFrame: (part) => onFrame(1 + part) },
        ),
      );
      measured.push({ name: clip.name, error, between });
      onProgress?.((n + 1) / clips.length);
    }
    const error =
      clips.length === 1 ? measured[0].error : await measureErrorOn(memory, joinClips(clips), shapes, { up });
    return {
      asset,
      error,
      between: joinBetween(clips, measured),
      clips: measured,
      bones: rig?.isJoint.reduce((sum, is) => sum + is, 0) ?? 0,
      influences: rig ? maxInfluencesOf(rig.skin) : 0,
      blendsPerVertex: rig ? rig.skin.weights.length / (rig.skin.rowStart.length - 1) : 0,
    };
  });
}

function checkVertices({ mesh }: Asset, clips: readonly Clip[]): void {
  for (const clip of clips) {
    const [expected, found] = [clip, { mesh }].map((one) => one.mesh.positions.length / 3);
    if (found !== expected) throw new InputError('the written file', `has ${found} vertices instead of ${expected}`);
  }
}

/** By clip: the animation or cache of its name, each used once, in order. Undefined for a clip without motion, which files leave out. */
function matchMotions<T extends { name: string }>(clips: readonly Clip[], motions: readonly T[]): (T | undefined)[] {
  if (clips.length === 1) return [motions[0]];
  const left = [...motions];
  return clips.map(({ name }) => {
    const at = left.findIndex((animation) => animation.name === name);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  });
}

function joinBetween(references: readonly Clip[], clips: readonly WrittenClip[]): WrittenBetween {
  const count = clips.reduce((sum, { between }) => sum + between.frameCount, 0);
  const mean = (key: 'eRms' | 'rmse') =>
    count === 0
      ? 0
      : Math.sqrt(clips.reduce((sum, { between }) => sum + between[key] ** 2 * between.frameCount, 0) / count);
  return {
    eRms: mean('eRms'),
    rmse: mean('rmse'),
    max: clips.reduce((largest, { between }) => Math.max(largest, between.max), 0),
    worst: findWorst(references, clips),
  };
}

function findWorst(references: readonly Clip[], clips: readonly WrittenClip[]): WrittenBetween['worst'] {
  let worst: WrittenBetween['worst'];
  let largest = 0;
  clips.forEach(({ name, error, between }, n) => {
    const runs = [
      { times: references[n].times, max: error.perFrame.max },
      { times: between.perFrame.times, max: between.perFrame.max },
    ];
    for (const { times, max } of runs)
      max.forEach((distance, k) => {
        if (!(distance > largest)) return;
        largest = distance;
        worst = { clip: name, time: times[k] };
      });
  });
  return worst;
}
