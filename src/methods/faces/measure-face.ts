// SPDX-License-Identifier: MIT
// A written face against its morph targets.

import type { Asset } from '../../core/model/asset.ts';
import type { ShapeDrivenSkin, ShapeTrack } from '../../core/model/deformed/shape-drivers.ts';
import { InputError } from '../../core/model/errors.ts';
import { measureExtensionBytes } from '../../deformers/layout/index.ts';
import { bakeAt } from '../../deformers/playback/index.ts';
import { makeShapeDriven, SHAPE_EXTENSION, SHAPE_FIELDS } from '../../deformers/shape-drivers/index.ts';
import { drawWeights } from './draw-weights.ts';
import type { DrivenFace } from './face-input.ts';
import { type DrivenError, listSingles, measureDriven } from './measure-driven.ts';
import type { FaceShapes } from './shape-examples.ts';

/** Errors of a written face. */
export interface MeasuredFace {
  /** The model of the file. */
  model: ShapeDrivenSkin;
  /** Its drivers at every shape alone, at random weights, and in the animations. */
  shapes: DrivenError;
  random: DrivenError;
  animation?: DrivenError;
  /** The maximum error of its keys, as a plain player shows them; undefined without animations. */
  baked?: number;
  /** Bytes of weights, drivers and remaining morph targets. */
  modelBytes: number;
}

/** Frames of an animation to measure. */
const MAX_FRAMES = 500;
/** Frames of an animation whose keys are played. */
const MAX_PLAYED = 25;

/** The tracks with weights in the order of the drivers. */
export function orderTracks({
  model,
  tracks,
  shapes,
}: Pick<DrivenFace, 'model'> & { tracks: readonly ShapeTrack[]; shapes: FaceShapes }): ShapeTrack[] {
  const count = shapes.names.length;
  const places = model.drivers.shapes.map((name) => shapes.names.indexOf(name));
  return tracks.map((track) => ({
    ...track,
    weights: track.weights.map((_, e) => track.weights[e - (e % count) + places[e % count]]),
  }));
}

/**
 * Measures a written face: its drivers at every shape, at random weights and in the animations, and its keys.
 * @param asset the asset that was converted
 * @param solved tracks: in the order of the drivers (orderTracks)
 * @param options poses: number of random poses
 */
export function measureFace(
  written: Asset,
  asset: Asset,
  { shapes, model: solved, tracks }: Pick<DrivenFace, 'model'> & { tracks: readonly ShapeTrack[]; shapes: FaceShapes },
  { poses, seed }: { poses: number; seed: number },
): MeasuredFace {
  const { rig, driven, mesh } = written;
  if (!rig || !driven) throw new InputError('the written file', 'lost its drivers');
  const model: ShapeDrivenSkin = { ...solved, mesh, skeleton: rig.skeleton, skin: rig.skin, drivers: driven.drivers };
  const deformer = makeShapeDriven(model);
  const order = model.drivers.shapes.map((name) => shapes.names.indexOf(name));
  const ordered = { ...shapes, names: model.drivers.shapes, deltas: order.map((s) => shapes.deltas[s]) };
  const count = order.length;
  const frames = tracks.flatMap(({ times, weights }) =>
    thinFrames(times.length, MAX_FRAMES).map((k) => weights.subarray(k * count, (k + 1) * count)),
  );
  const played = Float32Array.from(frames.flatMap((weights) => [...weights]));
  const baked = shapes.rig ? measurePosed(written, asset, tracks) : measureKeys(written, ordered, tracks);
  const weightBytes = 3 * model.skin.weights.length;
  const driverBytes = measureExtensionBytes(written, SHAPE_EXTENSION, SHAPE_FIELDS);
  const keptBytes = 12 * (mesh.positions.length / 3) * (model.kept?.targets.length ?? 0);
  return {
    model,
    shapes: measureDriven(ordered, deformer, listSingles(count)),
    random: measureDriven(ordered, deformer, drawWeights(count, poses, seed + 1)),
    animation: played.length > 0 ? measureDriven(ordered, deformer, played) : undefined,
    baked,
    modelBytes: weightBytes + driverBytes + keptBytes,
  };
}

/** The maximum error of the keys of the bones, as a plain player shows them; undefined without animations. */
function measureKeys(
  written: Asset,
  { mesh, names, deltas }: FaceShapes,
  tracks: readonly ShapeTrack[],
): number | undefined {
  let max: number | undefined;
  for (const { name, times, weights } of tracks) {
    const animation = written.animations.find((one) => one.name === name);
    const chosen = thinFrames(times.length, MAX_PLAYED);
    const played = bakeAt(
      written,
      animation,
      Float64Array.from(chosen, (k) => times[k]),
    ).positions;
    const stride = mesh.positions.length;
    for (const [n, k] of chosen.entries())
      for (let c = 0; c < stride; c += 3) {
        let square = 0;
        for (let r = c; r < c + 3; r++) {
          let expected = mesh.positions[r];
          for (let s = 0; s < names.length; s++) expected += weights[k * names.length + s] * deltas[s][r];
          square += (played[n * stride + r] - expected) ** 2;
        }
        max = Math.max(max ?? 0, Math.sqrt(square));
      }
  }
  return max;
}

/** The maximum error of the keys of joints and bones together, against the skinned morph targets. */
function measurePosed(written: Asset, asset: Asset, tracks: readonly ShapeTrack[]): number | undefined {
  let max: number | undefined;
  for (const { name, times } of tracks) {
    const chosen = Float64Array.from(thinFrames(times.length, MAX_PLAYED), (k) => times[k]);
    const [a, b] = [asset, written].map(
      (one) =>
        bakeAt(
          one,
          one.animations.find((animation) => animation.name === name),
          chosen,
        ).positions,
    );
    for (let c = 0; c < a.length; c += 3)
      max = Math.max(max ?? 0, Math.hypot(a[c] - b[c], a[c + 1] - b[c + 1], a[c + 2] - b[c + 2]));
  }
  return max;
}

/** At most `limit` indices, evenly spaced. */
function thinFrames(count: number, limit: number): number[] {
  const step = Math.max(1, Math.ceil(count / limit));
  return Array.from({ length: Math.ceil(count / step) }, (_, n) => n * step);
}
