// SPDX-License-Identifier: MIT
import type { TargetFrame } from './register-frame.ts';

/** Maximum triangles of frames whose search trees are kept, about 110 bytes each; those of other frames are made again each time. */
const MAX_KEPT = 4e6;

/** Frames that are ready for searches: made when they are taken, and kept for the next time while there is memory for them. */
export class KeptFrames {
  readonly #make: (k: number) => TargetFrame;
  readonly #maxTriangles: number;
  readonly #kept = new Map<number, TargetFrame>();
  #triangles = 0;

  constructor(make: (k: number) => TargetFrame, maxTriangles = MAX_KEPT) {
    this.#make = make;
    this.#maxTriangles = maxTriangles;
  }

  /** Calls a function with a frame. */
  async use<T>(k: number, fn: (frame: TargetFrame) => Promise<T>): Promise<T> {
    const frame = this.#kept.get(k) ?? this.#make(k);
    try {
      return await fn(frame);
    } finally {
      this.#release(k, frame);
    }
  }

  dispose(): void {
    for (const { placed } of this.#kept.values()) placed.search.dispose();
    this.#kept.clear();
    this.#triangles = 0;
  }

  #release(k: number, frame: TargetFrame): void {
    if (this.#kept.has(k)) return;
    const triangles = frame.placed.surface.triangles.length / 3;
    if (this.#triangles + triangles > this.#maxTriangles) frame.placed.search.dispose();
    else {
      this.#triangles += triangles;
      this.#kept.set(k, frame);
    }
  }
}
