// SPDX-License-Identifier: MIT
// A pose that was made by hand, and the shapes of all shown versions in it.
import { makeLatest } from './latest.ts';
import type { Studio } from './studio.ts';

export class Posing {
  readonly #studio: Studio;
  /** boneCount x 16, for the bones of the shown rig; undefined while an animation plays */
  bones: Float64Array | undefined;
  /** Weights of morph targets; undefined for none. */
  morphs: Float32Array | undefined;
  /** Shapes of the pose, by version. */
  readonly shapes = new Map<number, Float32Array>();

  constructor(studio: Studio) {
    this.#studio = studio;
  }

  /** Applies a pose to all shown versions with the same bones. */
  set(bones: Float64Array, morphs = this.morphs): void {
    const studio = this.#studio;
    studio.history.mark('Pose');
    this.bones = bones;
    this.morphs = morphs;
    studio.state.isPlaying = false;
    this.#shape(bones);
    if (studio.live) studio.tuning.pose(bones);
    studio.emit('pose');
  }

  clear(): void {
    this.bones = undefined;
    this.morphs = undefined;
    this.shapes.clear();
  }

  readonly #shape = makeLatest(async (bones: Float64Array) => {
    const studio = this.#studio;
    for (const version of [studio.reference, studio.result]) {
      if (!version?.rig || version.rig.names.length * 16 !== bones.length) continue;
      const morphs = version.morphs?.length === this.morphs?.length ? this.morphs : undefined;
      const positions = await studio.assets.call('pose', { version: version.id, bones, morphs });
      if (this.bones) this.shapes.set(version.id, positions);
    }
    studio.emit('frame');
  });
}
