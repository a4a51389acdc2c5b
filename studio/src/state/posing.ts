// SPDX-License-Identifier: MIT
// A pose that was made by hand, and the shapes of all shown versions in it.
import type { VersionInfo } from '../messages/views.ts';
import type { Shape } from './frame-store.ts';
import { makeLatest } from './latest.ts';
import { driveBones, listShapes, type ShapeWeights } from './shape-weights.ts';
import type { Studio } from './studio.ts';

export class Posing {
  readonly #studio: Studio;
  /** boneCount x 16, for the bones of the result; empty if it has none; undefined while an animation plays */
  bones: Float64Array | undefined;
  /** Weights of shapes; empty if none was set. */
  weights: ShapeWeights = new Map();
  /** The pose, by version. */
  readonly shapes = new Map<number, Pick<Shape, 'positions' | 'bones'>>();

  constructor(studio: Studio) {
    this.#studio = studio;
  }

  /** Applies a pose to all shown versions with the same bones or shapes. */
  set(bones: Float64Array, weights = this.weights): void {
    const studio = this.#studio;
    studio.history.mark('Pose');
    this.bones = bones;
    this.weights = weights;
    studio.state.isPlaying = false;
    this.#shape(bones);
    if (studio.live) studio.tuning.pose(bones);
    studio.emit('pose');
  }

  /** Applies weights of shapes to all shown versions. Drivers pose their bones; other bones stay. */
  setWeights(weights: ShapeWeights): void {
    const main = this.#main;
    const bones = main && (driveBones(main, weights) ?? this.bones ?? this.#framed(main));
    if (bones) this.set(bones, weights);
  }

  clear(): void {
    this.bones = undefined;
    this.weights = new Map();
    this.shapes.clear();
  }

  /** The version whose bones are posed; others follow. */
  get #main(): VersionInfo | undefined {
    return this.#studio.result ?? this.#studio.reference;
  }

  /** The bones of a version in the frame; undefined if it has not arrived. */
  #framed({ id, rig }: VersionInfo): Float64Array | undefined {
    if (!rig) return new Float64Array(0);
    const { motion, frame } = this.#studio.state;
    return this.#studio.frames.get(id, motion, frame)?.bones;
  }

  /** The bones of a version in the pose; undefined if the version does not follow it. */
  #bonesOf(version: VersionInfo, bones: Float64Array): Float64Array | undefined {
    const names = listShapes(version);
    const isSame =
      bones.length === 16 * (version.rig?.names.length ?? 0) && (version.rig !== undefined || names.length > 0);
    if (version !== this.#main && names.some((name) => this.weights.has(name)))
      return driveBones(version, this.weights) ?? (isSame ? bones : this.#framed(version));
    return isSame ? bones : undefined;
  }

  readonly #shape = makeLatest(async (bones: Float64Array) => {
    const studio = this.#studio;
    for (const version of [studio.reference, studio.result]) {
      const own = version && this.#bonesOf(version, bones);
      if (!own) {
        if (version) this.shapes.delete(version.id);
        continue;
      }
      const morphs = version.morphs && Float32Array.from(version.morphs, (name) => this.weights.get(name) ?? 0);
      const positions = await studio.assets.call('pose', { version: version.id, bones: own, morphs });
      if (this.bones) this.shapes.set(version.id, { positions, bones: own });
    }
    studio.emit('frame');
  });
}
