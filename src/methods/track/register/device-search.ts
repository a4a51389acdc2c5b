// SPDX-License-Identifier: MIT
import { listLevels } from '../../../core/kernels/search/fit-bvh.ts';
import { NO_TRIANGLE } from '../../../core/kernels/search/nearest-points.ts';
import { nearestOfTriangle } from '../../../core/math/nearest-of-triangle.ts';
import { makeTriangleBvh } from '../../../core/mesh/geometry/triangle-bvh.ts';
import type { SearchDevice, SearchLimits, TriangleSearcher } from '../../../core/model/clip/triangle-search.ts';
import type { NearestFound, PointSearch } from './surface-search.ts';

/** Searches on another device, such as a GPU. The device finds the triangle in single precision; the nearest point of that triangle is computed here, as the kernels do. */
export class DeviceSearch implements PointSearch {
  readonly #searcher: TriangleSearcher;
  readonly #order: Uint32Array;
  /** triangleCount x 3, in the order of the tree */
  readonly #points: Uint32Array;
  readonly #positions: Float32Array;

  /** @param positions pointCount x 3 */
  constructor(device: SearchDevice, positions: Float64Array, triangles: Uint32Array) {
    this.#positions = Float32Array.from(positions);
    const { order, children } = makeTriangleBvh(this.#positions, triangles, 1);
    this.#order = order;
    this.#points = new Uint32Array(triangles.length);
    for (let n = 0; n < order.length; n++)
      for (let c = 0; c < 3; c++) this.#points[3 * n + c] = triangles[3 * order[n] + c];
    const pointCount = positions.length / 3;
    this.#searcher = device.makeSearcher({ pointCount, points: this.#points, children, levels: listLevels(children) });
    this.#searcher.fit(this.#positions);
  }

  fit(positions: Float64Array): void {
    this.#positions.set(positions);
    this.#searcher.fit(this.#positions);
  }

  async search(points: Float64Array, limits: SearchLimits): Promise<NearestFound> {
    const count = points.length / 6;
    const queries = new Float32Array(8 * count);
    for (let n = 0; n < count; n++)
      for (let a = 0; a < 3; a++) {
        queries[8 * n + a] = points[6 * n + a];
        queries[8 * n + 4 + a] = points[6 * n + 3 + a];
      }
    const triangles = await this.#searcher.search(queries, limits);
    const places = new Float64Array(3 * count);
    const corners = new Float32Array(9);
    const place = new Float64Array(3);
    for (let n = 0; n < count; n++) {
      const f = triangles[n];
      if (f === NO_TRIANGLE) continue;
      for (let c = 0; c < 9; c++) corners[c] = this.#positions[3 * this.#points[3 * f + Math.floor(c / 3)] + (c % 3)];
      nearestOfTriangle(corners, 0, points[6 * n], points[6 * n + 1], points[6 * n + 2], place);
      // rounding at the maximum distance
      const isNear = place[2] < limits.maxDistance * limits.maxDistance;
      triangles[n] = isNear ? this.#order[f] : NO_TRIANGLE;
      if (isNear) places.set(place, 3 * n);
    }
    return { triangles, places };
  }

  searchBoth(
    points: Float64Array,
    other: PointSearch,
    otherPoints: Float64Array,
    limits: SearchLimits,
  ): Promise<[NearestFound, NearestFound]> {
    return Promise.all([this.search(points, limits), other.search(otherPoints, limits)]);
  }

  dispose(): void {
    this.#searcher.dispose();
  }
}
