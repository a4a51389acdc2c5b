// SPDX-License-Identifier: MIT
// More bones of a result: new ones start where the errors are largest, and everything is solved again from the present solution.
import { FrameBaker } from '../../../../src/entry/deform.ts';
import {
  type Asset,
  type BoneGrowth,
  type Clip,
  type Motion,
  makeBoneGrowth,
  poseOf,
} from '../../../../src/entry/index.ts';
import type { VersionInfo } from '../../messages/views.ts';
import { BoneModel } from './bone-model.ts';

/** Maximum numbers of a clip's positions: the solver needs about ten bytes for each. */
const MAX_NUMBERS = 6e7;

export class GrownBones {
  readonly #asset: Asset;
  readonly #growth: BoneGrowth;
  #shown: BoneModel | undefined;
  #motions: readonly Motion[] = [];

  private constructor(asset: Asset, growth: BoneGrowth) {
    this.#asset = asset;
    this.#growth = growth;
  }

  /** Prepares the growth towards another version with the same vertices; undefined if its frames need too much memory. */
  static async make(
    { info, asset }: { info: VersionInfo; asset: Asset },
    reference: Asset,
  ): Promise<GrownBones | undefined> {
    const frameCount = info.motions.reduce((sum, { times }) => sum + times.length, 0);
    if (!asset.rig || frameCount * asset.mesh.positions.length > MAX_NUMBERS) return undefined;
    const own = new FrameBaker(asset);
    const target = new FrameBaker(reference);
    const clips: Clip[] = [];
    const motions: Motion[] = [];
    for (const [n, motion] of info.motions.entries()) {
      const { name, times } = motion;
      const { positions } = target.bake(motion, n, 0, times.length);
      clips.push({ kind: 'clip', name, mesh: asset.mesh, positions, times });
      motions.push({ name, times, matrices: own.bake(motion, n, 0, times.length).bones });
    }
    return new GrownBones(asset, await makeBoneGrowth(clips, { skin: asset.rig.skin, motions }));
  }

  get maxBones(): number {
    return this.#growth.maxBones;
  }

  /** Grows to a number of bones, or continues with it; returns the root mean square error, file units. */
  async grow(count: number, iterations: number): Promise<number> {
    const { model, error } = await this.#growth.grow(count, iterations);
    this.#shown = new BoneModel(this.#asset, { count, skin: model.skin }, { kind: 'skin', model });
    this.#motions = model.motions;
    return error;
  }

  pose(count: number, motion: number, frame: number): Float32Array {
    return this.at(count).pose(poseOf(this.#motions[motion], frame));
  }

  /** The model that was grown last. */
  at(count: number): BoneModel {
    if (this.#shown?.count !== count) throw new Error(`the model was not grown to ${count} bones`);
    return this.#shown;
  }

  dispose(): void {
    this.#growth.dispose();
  }
}
