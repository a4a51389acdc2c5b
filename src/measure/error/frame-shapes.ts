// SPDX-License-Identifier: MIT

import { type Compute, type Resident, uploadFloat32, uploadFloat64 } from '../../core/kernels/compute.ts';
import { callSkinFrames, uploadSkin } from '../../core/kernels/skinning/skin-frames.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import { checkFits } from '../../deformers/linear-blend/index.ts';
import {
  type BakeSide,
  bakeAt,
  modelOfAsset,
  type PlayedClip,
  sampleAnimation,
  sampleClipInto,
} from '../../deformers/playback/index.ts';

/** Shapes at a list of times, a few at a time, in the memory of a compute. */
export interface FrameShapes {
  /** Number of shapes. */
  count: number;
  /** Fills out with the positions of shapes first … first + count − 1. */
  fillInto(first: number, count: number, out: Resident<Float32Array>): Promise<void>;
}

/** Fills out with the shapes at some times. */
export type PlayShapes = (times: Float64Array, out: Resident<Float32Array>) => Promise<void>;

/** The shapes of a player at a list of times. */
export function shapesAt(play: PlayShapes, times: Float64Array): FrameShapes {
  return {
    count: times.length,
    fillInto: (first, count, out) => play(times.subarray(first, first + count), out),
  };
}

/**
 * Makes a player of an animation. A plain skin is evaluated by a kernel; anything else by `bake`.
 * @param memory keeps the skin
 */
export function makeAnimationPlayer(
  memory: Compute,
  asset: Asset,
  animation: Animation | undefined,
  bake: BakeSide,
): PlayShapes {
  const model = asset.morphs ? undefined : modelOfAsset(asset);
  if (model?.kind !== 'skin')
    return async (times, out) => {
      const { positions } = await bake(asset, animation, times.slice());
      out.view().set(positions);
    };
  const boneCount = model.skeleton.names.length;
  checkFits('measure error', model.skin, model.mesh.positions.length / 3, boneCount);
  const skin = uploadSkin(memory, model.skin);
  const rest = uploadFloat32(memory, model.mesh.positions);
  return (times, out) =>
    memory.scope(async (inner) => {
      const { motion } = sampleAnimation(asset, animation, times);
      const bones = uploadFloat64(inner, motion.matrices);
      await inner.runAll([callSkinFrames(bones, skin, rest, out, boneCount, times.length)]);
    });
}

/** Makes a player of what a clip was taken from: its source, or its frames, straight between them. */
export function makeSourcePlayer(memory: Compute, { clip, source }: PlayedClip, bake: BakeSide): PlayShapes {
  const stride = clip.mesh.positions.length;
  if (!source)
    return async (times, out) => {
      const view = out.view();
      times.forEach((time, k) => {
        sampleClipInto(clip, time, view.subarray(k * stride, (k + 1) * stride));
      });
    };
  const { asset, animation, shift, deformer, order } = source;
  const shifted = (times: Float64Array): Float64Array => times.map((time) => time + shift);
  if (!deformer && !order) {
    const play = makeAnimationPlayer(memory, asset, animation, bake);
    return (times, out) => play(shifted(times), out);
  }
  return async (times, out) => {
    const own = deformer
      ? bakeAt(asset, animation, shifted(times), deformer)
      : await bake(asset, animation, shifted(times));
    const view = out.view();
    if (!order) return view.set(own.positions);
    const from = asset.mesh.positions.length;
    for (let k = 0; k < times.length; k++)
      for (let i = 0; i < order.length; i++)
        for (let c = 0; c < 3; c++) view[k * stride + 3 * i + c] = own.positions[k * from + 3 * order[i] + c];
  };
}
