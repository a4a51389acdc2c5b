// SPDX-License-Identifier: MIT
import type { SurfaceImage } from '../../../src/entry/index.ts';

/** Images of all versions. Equal images have one number, so that a result shares the textures of its input. */
export class ImageStore {
  readonly #images = new Map<number, { image: SurfaceImage; users: number }>();
  #last = -1;

  /** The number of an image; each call is one user. */
  add(image: SurfaceImage): number {
    for (const [id, entry] of this.#images) {
      if (!isSame(entry.image.bytes, image.bytes)) continue;
      entry.users++;
      return id;
    }
    this.#images.set(++this.#last, { image, users: 1 });
    return this.#last;
  }

  get(id: number): SurfaceImage {
    const entry = this.#images.get(id);
    if (!entry) throw new Error(`image ${id} is closed`);
    return entry.image;
  }

  drop(id: number): void {
    const entry = this.#images.get(id);
    if (entry && --entry.users === 0) this.#images.delete(id);
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, n) => byte === b[n]);
}
