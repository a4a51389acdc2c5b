// SPDX-License-Identifier: MIT
// Fewer bones of a result, at once: the order of removal is computed once, and every number of bones is a skin.
import { FrameBaker } from '../../../../src/entry/deform.ts';
import { type Asset, type BoneLadder, makeBoneLadder } from '../../../../src/entry/index.ts';
import type { VersionInfo } from '../../messages/views.ts';
import { BoneModel } from './bone-model.ts';

/** Maximum frames in which bones are compared. */
const FRAMES = 24;

export class Ladder {
  readonly #asset: Asset;
  readonly #ladder: BoneLadder;
  #shown: BoneModel | undefined;

  private constructor(asset: Asset, ladder: BoneLadder) {
    this.#asset = asset;
    this.#ladder = ladder;
  }

  /** Computes the order in which bones leave, by the error relative to another version with the same vertices. */
  static async make(
    { info, asset }: { info: VersionInfo; asset: Asset },
    reference: Asset,
    onProgress: (fraction: number) => void,
  ): Promise<Ladder> {
    const { rig, mesh } = asset;
    if (!rig || asset.ddm || asset.twoLayer || asset.linearTwoLayer)
      throw new Error('bones are removed from plain skins only; choose such a version as the result');
    const [motion] = info.motions;
    const count = Math.min(FRAMES, motion.times.length);
    const times = Float64Array.from({ length: count }, (_, k) => {
      const at = count > 1 ? Math.round((k * (motion.times.length - 1)) / (count - 1)) : 0;
      return motion.times[at];
    });
    const frames = { name: motion.name, times };
    const { bones } = new FrameBaker(asset).bake(frames, 0, 0, count);
    const targets = bakeAtTimes(reference, motion.times, frames);
    const boneCount = rig.skeleton.names.length;
    const ladder = await makeBoneLadder(mesh, rig.skin, boneCount, { matrices: bones, targets }, { onProgress });
    return new Ladder(asset, ladder);
  }

  /** By number of bones from 1 on: root mean square error, file units. */
  get errors(): Float64Array {
    return this.#ladder.errors;
  }

  /** The model with this many bones. Poses have all bones of the version. */
  at(count: number): BoneModel {
    if (this.#shown?.count === count) return this.#shown;
    const skin = this.#ladder.skinOf(count);
    const poseCount = this.#asset.rig!.skeleton.names.length;
    const content = { kind: 'weights', skin, pruneJoints: true } as const;
    this.#shown = new BoneModel(this.#asset, { count, skin, poseCount }, content);
    return this.#shown;
  }
}

/** Clips have frames, and no times between: the frame of each time is taken. */
function bakeAtTimes(asset: Asset, all: Float64Array, frames: { name: string; times: Float64Array }): Float32Array {
  const baker = new FrameBaker(asset);
  if (asset.clips.length === 0) return baker.bake(frames, 0, 0, frames.times.length).positions;
  const stride = asset.mesh.positions.length;
  const out = new Float32Array(stride * frames.times.length);
  frames.times.forEach((time, n) => {
    out.set(baker.bake({ name: frames.name, times: all }, 0, all.indexOf(time), 1).positions, n * stride);
  });
  return out;
}
