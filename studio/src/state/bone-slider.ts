// SPDX-License-Identifier: MIT
// Any number of bones of a result: fewer at once, more within a second and refined afterwards.
import { makeLatest } from './latest.ts';
import type { Studio } from './studio.ts';

/** Calls that refine a grown number of bones, and iterations of each. */
const REFINEMENTS = 8;
const ITERATIONS = 2;
/** Bones that can be added at least; otherwise the number can be doubled. */
const MIN_ADDED = 8;

export class BoneSlider {
  readonly #studio: Studio;
  /** The version whose bones are removed or added, with its errors by number of bones. */
  version = -1;
  errors: Float64Array | undefined;
  /** Errors of numbers above those. */
  readonly grown = new Map<number, number>();
  maxBones = 0;
  count = 0;
  /** Fraction done of the computation; undefined if none runs. */
  progress: number | undefined;
  /** Whether bones are being added, and whether they are being refined. */
  isGrowing = false;
  isRefining = false;
  /** From the release of the handle to the new shape. */
  growMilliseconds = 0;

  constructor(studio: Studio) {
    this.#studio = studio;
  }

  /** Computes the order of removal for the shown result, or the reference if it is the only version. */
  async start(): Promise<void> {
    const studio = this.#studio;
    const version = studio.result ?? studio.reference;
    if (!version?.rig || this.progress !== undefined) return;
    this.progress = 0;
    studio.emit('bone');
    try {
      const give = { version: version.id, reference: studio.state.reference };
      const { errors, maxBones } = await studio.assets.call('ladder', give);
      this.version = version.id;
      this.errors = errors;
      this.grown.clear();
      this.count = errors.length;
      const wanted = Math.max(2 * errors.length, errors.length + MIN_ADDED);
      this.maxBones = Math.max(errors.length, Math.min(maxBones, wanted));
    } catch (error) {
      studio.complain((error as Error).message);
    }
    this.progress = undefined;
    studio.emit('bone');
  }

  receive(fraction: number): void {
    if (this.progress === undefined) return;
    this.progress = fraction;
    this.#studio.emit('bone');
  }

  /** Shows the version with this many bones. More bones than it has are computed when the handle is released. */
  set(count: number): void {
    if (!this.errors) return;
    this.count = Math.max(1, Math.min(this.maxBones, Math.round(count)));
    this.#studio.emit('bone');
    this.refresh();
  }

  /** Grows to the chosen number, if it is larger than that of the version and not known. */
  release(): void {
    if (this.errors && this.count > this.errors.length) this.#grow({ count: this.count, at: performance.now() });
  }

  /** The error with a number of bones; undefined if it was not computed. */
  errorOf(count: number): number | undefined {
    return this.errors && count <= this.errors.length ? this.errors[count - 1] : this.grown.get(count);
  }

  /** Shows the present frame with the chosen bones. */
  refresh(): void {
    const studio = this.#studio;
    if (!this.errors || this.version < 0) return;
    if (this.count === this.errors.length) {
      studio.edited.delete(this.version);
      studio.emit('frame');
      return;
    }
    if (this.count > this.errors.length) {
      if (this.#grownTo === this.count) this.#poseGrown(this.count);
      return;
    }
    const bones = studio.bonesOf(this.version);
    if (bones.length > 0) this.#pose({ count: this.count, bones: bones.slice(), frame: studio.state.frame });
  }

  /** The number of bones of the model that the worker has. */
  #grownTo = -1;

  readonly #pose = makeLatest(async (give: { count: number; bones: Float64Array; frame: number }) => {
    const { count, bones, frame } = give;
    const positions = await this.#studio.assets.call('ladderPose', { count, bones });
    if (this.errors && this.count < this.errors.length) this.#studio.edited.set(this.version, { positions, frame });
    this.#studio.emit('edit');
  });

  readonly #poseGrown = makeLatest((count: number) => this.#showGrown(count));

  async #showGrown(count: number): Promise<void> {
    const { motion, frame } = this.#studio.state;
    const positions = await this.#studio.assets.call('growPose', { count, motion, frame });
    if (this.errors && this.count === count) this.#studio.edited.set(this.version, { positions, frame });
    this.#studio.emit('edit');
  }

  readonly #grow = makeLatest(async ({ count, at }: { count: number; at: number }) => {
    const { version } = this;
    const isWanted = (): boolean => this.version === version && this.count === count;
    if (!isWanted()) return;
    this.isGrowing = true;
    this.#studio.emit('bone');
    try {
      await this.#growOnce(count, 0);
      this.growMilliseconds = performance.now() - at;
      this.isGrowing = false;
      this.isRefining = true;
      this.#studio.emit('bone');
      for (let n = 0; n < REFINEMENTS && isWanted(); n++) await this.#growOnce(count, ITERATIONS);
    } catch (error) {
      if (isWanted()) this.#studio.complain((error as Error).message);
    }
    this.isGrowing = false;
    this.isRefining = false;
    this.#studio.emit('bone');
  });

  async #growOnce(count: number, iterations: number): Promise<void> {
    const error = await this.#studio.assets.call('grow', { count, iterations });
    this.#grownTo = count;
    this.grown.set(count, error);
    await this.#showGrown(count);
    this.#studio.emit('bone');
  }

  /** Makes a version of it. */
  async keep(): Promise<void> {
    const studio = this.#studio;
    const { count } = this;
    const made = await studio.attempt(`Writing ${count} bones`, () => studio.assets.call('ladderKeep', { count }));
    if (!made) return;
    const { reference } = studio.state;
    studio.history.mark(`Keep ${made.title}`);
    studio.versions.set(made.id, made);
    studio.unsaved.add(made.id);
    studio.show({ reference, result: made.id });
    studio.emit('versions');
  }

  end(): void {
    this.version = -1;
    this.errors = undefined;
    this.#grownTo = -1;
    void this.#studio.assets.call('ladderEnd', {});
    this.#studio.emit('bone');
  }
}
