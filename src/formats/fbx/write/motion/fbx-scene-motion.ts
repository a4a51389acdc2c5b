// SPDX-License-Identifier: MIT

import type { Animation, Track } from '../../../../core/model/clip/animation.ts';
import { frameRateOf } from '../../../../core/model/clip/clip.ts';
import type { Scene } from '../../../gltf/index.ts';
import type { FbxSpan } from '../../syntax/fbx-header.ts';
import type { FbxPlan } from '../fbx-plan-models.ts';
import type { FbxWrittenTrack } from './fbx-add-animation.ts';
import { type FbxKeys, makeLinearKeys } from './fbx-linear-keys.ts';
import { makeRotationKeys } from './fbx-rotation-keys.ts';

/** What keys are written for. */
export interface FbxMotionTargets {
  plan: FbxPlan;
  /** By model: its identifier. */
  ids: readonly number[];
  /** By node: the channels of the blend shapes of its mesh. */
  channels: ReadonlyMap<number, readonly number[]>;
  /** Factor on lengths. */
  scale: number;
}

/** An animation as it is written. */
export interface FbxTake {
  span: FbxSpan;
  tracks: FbxWrittenTrack[];
}

const PROPERTIES = { translation: 'Lcl Translation', rotation: 'Lcl Rotation', scale: 'Lcl Scaling' } as const;

/** Frame rate of a file without motion. */
const PLAIN_RATE = 24;
/** Frame rates that engines accept. */
const [MIN_RATE, MAX_RATE] = [1, 240];

/**
 * Makes the takes of a scene. What another take moves and this one does not gets one key: editors leave properties without keys where the last
 * take put them.
 */
export function listFbxTakes(scene: Scene, targets: FbxMotionTargets): FbxTake[] {
  const { animations } = scene;
  const all = new Map<string, Track>();
  for (const { tracks } of animations)
    for (const track of tracks) if (track.times.length > 0) all.set(keyOf(track), track);
  const names = new Set<string>();
  return animations.map((animation, n) => {
    const own = new Set(animation.tracks.map(keyOf));
    const start = Math.min(0, ...animation.tracks.map(({ times }) => times[0] ?? 0));
    const still = [...all].filter(([key]) => !own.has(key)).map(([, track]) => restOf(scene, track, start));
    const tracks = [...animation.tracks, ...still].filter(({ times }) => times.length > 0);
    return {
      span: { ...spanOf(animation), start, name: nameOf(animation.name || `animation ${n}`, names) },
      tracks: tracks.flatMap((track) => writeTrack(scene, track, targets)),
    };
  });
}

const keyOf = ({ node, path }: Track): string => `${node} ${path}`;

function nameOf(name: string, taken: Set<string>): string {
  let own = name;
  for (let n = 2; taken.has(own); n++) own = `${name} ${n}`;
  taken.add(own);
  return own;
}

/** One key with the value of the file's pose. */
function restOf({ nodes, shapes }: Scene, { node, path }: Track, start: number): Track {
  const times = Float32Array.of(start);
  const rest = {
    translation: () => nodes.translations.subarray(3 * node, 3 * node + 3),
    rotation: () => nodes.rotations.subarray(4 * node, 4 * node + 4),
    scale: () => nodes.scales.subarray(3 * node, 3 * node + 3),
    weights: () => shapes.find((shape) => shape.node === node)?.targets.map(({ weight }) => weight) ?? [],
  };
  return { node, path, interpolation: 'LINEAR', times, values: Float32Array.from(rest[path]()) };
}

function writeTrack(scene: Scene, track: Track, targets: FbxMotionTargets): FbxWrittenTrack[] {
  const { plan, ids, channels, scale } = targets;
  const { node, path } = track;
  if (path === 'weights') return writeWeights(track, channels.get(node) ?? [], restOf(scene, track, 0).values);
  const model = plan.modelOfNode[node];
  // a skin ignores the node of its mesh
  if (model < 0) return [];
  const common = { target: ids[model], property: PROPERTIES[path] };
  if (path === 'rotation') return [{ ...common, ...makeRotationKeys(track, plan.frames[node]) }];
  const keys = makeLinearKeys(track);
  const factor = (c: number): number => (path === 'scale' ? plan.signs[node][c % 3] : scale);
  return [{ ...common, ...keys, values: keys.values.map((x, c) => x * factor(c)) }];
}

/** Percentages of channels. One that stays has one key. */
function writeWeights(track: Track, channels: readonly number[], rest: ArrayLike<number>): FbxWrittenTrack[] {
  const keys: FbxKeys = makeLinearKeys(track);
  const size = channels.length;
  return channels.flatMap((target, s): FbxWrittenTrack[] => {
    const values = keys.times.map((_, k) => 100 * keys.values[size * k + s]);
    const isStill = values.every((x) => x === values[0]);
    if (isStill && values[0] === 100 * rest[s] && values[0] === 0) return [oneKey(target, keys.times[0], 0)];
    if (isStill) return [oneKey(target, keys.times[0], values[0])];
    return [{ target, property: 'DeformPercent', times: keys.times, values, isStepped: keys.isStepped }];
  });
}

function oneKey(target: number, time: number, value: number): FbxWrittenTrack {
  return { target, property: 'DeformPercent', times: [time], values: [value] };
}

/** The span of an animation from zero, and the rate of its track with most keys. */
function spanOf({ name, tracks }: Animation): FbxSpan {
  let end = 0;
  let densest: Float32Array = new Float32Array(0);
  for (const { times } of tracks) {
    end = Math.max(end, times[times.length - 1] ?? 0);
    if (times.length > densest.length) densest = times;
  }
  const rate = frameRateOf(Float64Array.from(densest), PLAIN_RATE);
  const rounded = Math.round(rate);
  const near = Math.abs(rate - rounded) < 2e-4 * rate ? rounded : rate;
  return { name, start: 0, end, rate: near >= MIN_RATE && near <= MAX_RATE ? near : PLAIN_RATE };
}
