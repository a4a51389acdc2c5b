// SPDX-License-Identifier: MIT
import type { SearchDevice, TriangleSearcher, TriangleTree } from '../../../core/model/clip/triangle-search.ts';

/** A device that frees all searchers that were made on it, also those whose owner failed before it could. */
export class OwnedSearchers implements SearchDevice {
  readonly #device: SearchDevice;
  readonly #open = new Set<TriangleSearcher>();

  constructor(device: SearchDevice) {
    this.#device = device;
  }

  makeSearcher(tree: TriangleTree): TriangleSearcher {
    const searcher = this.#device.makeSearcher(tree);
    this.#open.add(searcher);
    return {
      fit: (positions) => searcher.fit(positions),
      search: (points, limits) => searcher.search(points, limits),
      dispose: () => this.#free(searcher),
    };
  }

  dispose(): void {
    for (const searcher of this.#open) this.#free(searcher);
  }

  #free(searcher: TriangleSearcher): void {
    if (this.#open.delete(searcher)) searcher.dispose();
  }
}
