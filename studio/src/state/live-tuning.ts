// SPDX-License-Identifier: MIT
// Direct Delta Mush while its sliders move, shown in place of the result.
import type { TuneOptions, TuneReply } from '../messages/protocol.ts';
import { makeLatest } from './latest.ts';
import type { Studio } from './studio.ts';

export interface Live {
  version: number;
  options: TuneOptions;
  reply?: TuneReply;
  positions?: Float32Array;
  /** The frame that the shape belongs to. */
  frame?: number;
  /** Whether the shape is of older values. */
  isBusy: boolean;
}

/** Milliseconds after the last change until a preview is replaced by the full result. */
const SETTLE = 350;

export class LiveTuning {
  readonly #studio: Studio;
  #settle = 0;
  current: Live | undefined;

  constructor(studio: Studio) {
    this.#studio = studio;
  }

  /** Previews options on a version. A draft is followed by the full result once the values stay. */
  start(version: number, options: TuneOptions): void {
    const live = this.current;
    const isSmoothing =
      live !== undefined && (live.options.lambda !== options.lambda || live.options.iterations !== options.iterations);
    this.current = { ...live, version, options, isBusy: true };
    clearTimeout(this.#settle);
    if (isSmoothing || live?.reply?.isDraft) {
      this.#tune({ options, isDraft: true });
      this.#settle = window.setTimeout(() => this.#tune({ options, isDraft: false }), SETTLE);
    } else this.#tune({ options, isDraft: false });
    this.#studio.emit('live');
  }

  end(): void {
    if (!this.current) return;
    clearTimeout(this.#settle);
    this.current = undefined;
    this.#studio.emit('live', 'view', 'frame');
  }

  /** Poses the preview. */
  pose(bones: Float64Array): void {
    this.#pose({ bones, frame: this.#studio.state.frame });
  }

  readonly #pose = makeLatest(async ({ bones, frame }: { bones: Float64Array; frame: number }) => {
    if (!this.current?.reply || bones.length === 0) return;
    const positions = await this.#studio.assets.call('poseLive', { bones });
    if (this.current) Object.assign(this.current, { positions, frame });
    this.#studio.emit('frame');
  });

  readonly #tune = makeLatest(async ({ options, isDraft }: { options: TuneOptions; isDraft: boolean }) => {
    const live = this.current;
    if (!live) return;
    const studio = this.#studio;
    try {
      const bones = studio.bonesOf(live.version).slice();
      const { frame } = studio.state;
      const reply = await studio.assets.call('tune', { version: live.version, options, bones, isDraft });
      if (!this.current) return;
      Object.assign(this.current, { reply, positions: reply.positions, frame });
      this.current.isBusy = reply.isDraft || this.current.options !== options;
    } catch (error) {
      if (this.current) this.current.isBusy = false;
      studio.complain((error as Error).message);
    }
    studio.emit('live', 'frame');
  });
}
