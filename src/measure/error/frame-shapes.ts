// SPDX-License-Identifier: MIT

import { type Compute, type Resident, uploadFloat32, uploadFloat64 } from '../../core/kernels/compute.ts';
import { callSkinFrames, uploadSkin } from '../../core/kernels/skinning/skin-frames.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import { checkFits } from '../../deformers/linear-blend/index.ts';
import { type BakeSide, modelOfAsset, sampleAnimation } from '../../deformers/playback/index.ts';

/** Shapes of an asset at a list of times, a few at a time, in the memory of a compute. */
export interface FrameShapes {
  /** Number of shapes. */
  count: number;
  /** Fills out with the positions of shapes first … first + count − 1. */
  fillInto(first: number, count: number, out: Resident<Float32Array>): Promise<void>;
}

/**
 * Makes the shapes of an animation. A plain skin is evaluated by a kernel; anything else by `bake`.
 * @param memory keeps the skin
 */
export function makeFrameShapes(
  memory: Compute,
  asset: Asset,
  animation: Animation | undefined,
  times: Float64Array,
  bake: BakeSide,
): FrameShapes {
  const model = asset.morphs ? undefined : modelOfAsset(asset);
  if (model?.kind !== 'skin')
    return {
      count: times.length,
      async fillInto(first, count, out) {
        const { positions } = await bake(asset, animation, times.slice(first, first + count));
        out.view().set(positions);
      },
    };
  const boneCount = model.skeleton.names.length;
  checkFits('measure error', model.skin, model.mesh.positions.length / 3, boneCount);
  const skin = uploadSkin(memory, model.skin);
  const rest = uploadFloat32(memory, model.mesh.positions);
  return {
    count: times.length,
    fillInto: (first, count, out) =>
      memory.scope(async (inner) => {
        const { motion } = sampleAnimation(asset, animation, times.subarray(first, first + count));
        const bones = uploadFloat64(inner, motion.matrices);
        await inner.runAll([callSkinFrames(bones, skin, rest, out, boneCount, count)]);
      }),
  };
}
