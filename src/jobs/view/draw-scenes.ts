// SPDX-License-Identifier: MIT
// What a picture of a file shows: shapes at frames, with colours for weights or errors and lines for bones.

import type { Asset } from '../../core/model/asset.ts';
import { type Clip, frameCountOf, frameOf } from '../../core/model/clip/clip.ts';
import { listFrames } from '../../core/model/clip/select-frames.ts';
import { needsNormals, type SkinLight } from '../../core/model/deformed/skin-light.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import { lightInto, sampleLightInto } from '../../deformers/light/index.ts';
import { bakePair, listClipPairs, makeAssetFrames, type PairOptions } from '../../deformers/playback/index.ts';
import {
  boneLines,
  type DrawnScenes,
  type HeatScale,
  heatColors,
  type Scene,
  type SceneLooks,
  spreadFrames,
  THEMES,
  virtualBonePoints,
  weightColors,
} from '../../draw/index.ts';
import { makeLitMotions } from '../light/index.ts';

export interface SceneOptions extends PairOptions {
  /** Frame to show; by default the rest pose. */
  frame?: number;
  /** Number of frames, evenly spread, instead of one. */
  framesSheet?: number;
  /** All bones in their colours (true), or one bone by name or index. */
  weights?: boolean | string;
  bones?: boolean;
  /** Virtual bones of two layers, as points. */
  virtualBones?: boolean;
  /** Colours of the file's light (OSSIFY_skin_light). */
  light?: boolean;
  /** Materials of the file, shown where nothing else has a colour. */
  looks?: SceneLooks;
}

/** Scenes of an asset: its rest pose, one frame, or several. */
export function makeScenes(asset: Asset, options: SceneOptions): DrawnScenes {
  const colors = makeWeightColors(asset, options.weights);
  if (options.bones && !asset.rig) throw new UsageError('--bones', 'requires a file with bones');
  // With weight colours, bones have the colours of their regions.
  const lineOptions = options.weights === true ? ({ color: 'palette' } as const) : {};
  const virtual = asset.twoLayer ?? asset.linearTwoLayer;
  if (options.virtualBones && !virtual)
    throw new UsageError(
      '--virtual-bones',
      'requires a file with two layers; run ossify compress or reduce --method twolayer',
    );
  if (options.light && !asset.light)
    throw new UsageError('--light', 'requires a file with light; run ossify light first');
  const light = options.light ? asset.light : undefined;
  const overlaysOf = (positions: Float32Array, pose: Float64Array | undefined): Partial<Scene> => {
    const bones = options.bones && asset.rig ? boneLines(asset.rig.skeleton, pose, lineOptions) : undefined;
    if (!options.virtualBones || !virtual) return bones ?? {};
    return { ...bones, points: [...(bones?.points ?? []), ...virtualBonePoints(virtual.skin, positions)] };
  };
  const make = (positions: Float32Array, pose: Float64Array | undefined, time?: number): Scene => ({
    positions,
    triangles: asset.mesh.triangles,
    ...(colors ? { colors } : {}),
    ...(options.looks ? { looks: options.looks } : {}),
    ...(light ? lightColors(asset, light, options.animation, time) : {}),
    ...overlaysOf(positions, pose),
  });
  const isMoving = [options.frame, options.frames, options.framesSheet, options.animation].some((o) => o !== undefined);
  if (!isMoving) {
    return { scenes: [{ scene: make(asset.mesh.positions, undefined), caption: asset.name }] };
  }
  const frames = makeAssetFrames(asset, options);
  const scenes = listShown(frames.times.length, options).map((k) => ({
    scene: make(frames.frameAt(k), frames.poseAt(k), frames.times[k]),
    caption: `frame ${k}`,
  }));
  return { scenes };
}

/** Scenes of a result coloured by its distance from a reference, all on one scale. */
export function makeErrorScenes(reference: Asset, result: Asset, options: SceneOptions): DrawnScenes {
  if (options.weights) throw new UsageError('--error', 'cannot be used with --weights');
  if (options.bones) throw new UsageError('--error', 'cannot be used with --bones');
  if (reference.mesh.positions.length !== result.mesh.positions.length) {
    const count = (asset: Asset) => asset.mesh.positions.length / 3;
    throw new InputError(
      'draw',
      `has ${count(result)} vertices and the reference ${count(reference)}; they must have the same number`,
    );
  }
  const [pair] = listClipPairs(reference, result, options);
  const baked = bakePair(reference, result, pair, { ...options, frames: undefined });
  const shown = listShown(frameCountOf(baked.reference), options);
  const distances = shown.map((k) => distancesAt(baked.reference, baked.result, k));
  const max = distances.reduce((largest, values) => values.reduce((a, b) => Math.max(a, b), largest), 0);
  const scenes: DrawnScenes['scenes'] = [];
  let scale: HeatScale | undefined;
  // Files that can be compared have the same unit; either may state it.
  const unit = (reference.metresPerUnit ?? result.metresPerUnit) === 1 ? 'm' : '';
  for (const [n, k] of shown.entries()) {
    const heat = heatColors(distances[n], { max: max > 0 ? max : undefined, unit, label: 'distance' });
    // If there is no error, no scale is drawn.
    if (max > 0) scale = heat.scale;
    const positions = frameOf(baked.result, k);
    scenes.push({ scene: { positions, triangles: result.mesh.triangles, heat }, caption: `frame ${k}` });
  }
  return { scenes, scale };
}

/** vertexCount distances at frame k. */
function distancesAt(reference: Clip, result: Clip, k: number): Float32Array {
  const a = frameOf(reference, k);
  const b = frameOf(result, k);
  const distances = new Float32Array(a.length / 3);
  for (let i = 0; i < distances.length; i++) {
    const c = i * 3;
    distances[i] = Math.hypot(a[c] - b[c], a[c + 1] - b[c + 1], a[c + 2] - b[c + 2]);
  }
  return distances;
}

/** Indices of the frames to show; --frames limits the range. */
function listShown(frameCount: number, { frame, frames, framesSheet }: SceneOptions): number[] {
  if (frame !== undefined) return listFrames(frameCount, { first: frame, last: frame }, '--frame');
  const all = listFrames(frameCount, frames);
  return spreadFrames(all.length, framesSheet ?? 1).map((n) => all[n]);
}

/** Clay, or the colours of the file, in the light of a time; the mean light without a time. */
function lightColors(
  asset: Asset,
  light: SkinLight,
  animation: string | undefined,
  time: number | undefined,
): Pick<Scene, 'colors' | 'bakedLight'> {
  const { mesh, animations } = asset;
  const index = animation === undefined ? 0 : animations.findIndex(({ name }, n) => [name, `${n}`].includes(animation));
  const coefficients = new Float32Array(light.rank);
  sampleLightInto(light, time === undefined ? undefined : light.tracks[index], time ?? 0, coefficients);
  const colors = new Float32Array(mesh.positions.length);
  let { normals } = mesh;
  if (time !== undefined && needsNormals(light)) {
    normals = new Float32Array(colors.length);
    const motions = makeLitMotions(
      asset,
      animations.map(() => Float64Array.of(time)),
    );
    motions[index].frameInto(0, new Float32Array(colors.length), normals);
  }
  lightInto(light, coefficients, colors, { normals });
  const { clay } = THEMES.light;
  // light is linear, and shown colours are its square roots
  const shown = colors.map((x, c) => Math.sqrt(Math.min(1, x)) * (light.colors ? 1 : clay[c % 3]));
  return { colors: shown, bakedLight: light.kind === 'occlusion' ? 'ambient' : 'all' };
}

function makeWeightColors({ rig }: Asset, weights: boolean | string | undefined): Float32Array | undefined {
  if (weights === undefined || weights === false) return undefined;
  if (!rig) throw new UsageError('--weights', 'requires a skinned file');
  if (weights === true) return weightColors(rig.skin);
  const { names } = rig.skeleton;
  const named = names.indexOf(weights);
  const bone = named >= 0 ? named : /^\d+$/.test(weights) ? Number(weights) : names.length;
  if (bone >= names.length) {
    const known = names.slice(0, 8).map((name) => `"${name}"`);
    throw new UsageError(
      '--weights',
      `there is no bone "${weights}"; there are ${known.join(', ')}${names.length > 8 ? ', …' : ''}`,
    );
  }
  return weightColors(rig.skin, { bone });
}
