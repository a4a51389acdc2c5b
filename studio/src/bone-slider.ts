// SPDX-License-Identifier: MIT
// Any number of bones up to that of a result, shown at once.
import { makeLatest } from './latest.ts';
import type { Studio } from './studio.ts';

export class BoneSlider {
  readonly #studio: Studio;
  /** The version whose bones are removed, with its errors by number of bones. */
  version = -1;
  errors: Float64Array | undefined;
  count = 0;
  /** Fraction done of the computation; undefined if none runs. */
  progress: number | undefined;

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
      const errors = await studio.assets.call('ladder', { version: version.id, reference: studio.state.reference });
      this.version = version.id;
      this.errors = errors;
      this.count = errors.length;
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

  /** Shows the version with this many bones. */
  set(count: number): void {
    if (!this.errors) return;
    this.count = Math.max(1, Math.min(this.errors.length, Math.round(count)));
    this.#studio.emit('bone');
    this.refresh();
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
    const bones = studio.bonesOf(this.version);
    if (bones.length > 0) this.#pose({ count: this.count, bones: bones.slice() });
  }

  readonly #pose = makeLatest(async (give: { count: number; bones: Float64Array }) => {
    const positions = await this.#studio.assets.call('ladderPose', give);
    if (this.errors && this.count < this.errors.length) this.#studio.edited.set(this.version, positions);
    this.#studio.emit('edit');
  });

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
    this.#studio.emit('bone');
  }
}
