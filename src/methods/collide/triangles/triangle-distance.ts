// SPDX-License-Identifier: MIT
import { ClosestFeatures } from './closest-features.ts';
import { meetingInto } from './crossing-into.ts';
import { intersectTriangles, TRIANGLE_SCRATCH } from './intersect-triangles.ts';

/** Distances of pairs of triangles; made once for many pairs. */
export class TriangleDistance {
  readonly #features = new ClosestFeatures();
  readonly #scratch = new Float64Array(TRIANGLE_SCRATCH);

  /**
   * The squared distance of two triangles, 0 if they intersect. Fills the closest points if the squared distance is below the limit.
   * @param p positions, with the corners of the first triangle at a
   * @param a three offsets into p
   * @param q positions, with the corners of the second triangle at b
   * @param b three offsets into q
   * @param limit larger squared distances are not of interest: infinity is returned
   * @param out 6: the closest point of each triangle
   */
  measure(
    p: Float64Array,
    a: Uint32Array,
    q: Float64Array,
    b: Uint32Array,
    limit: number,
    out: Float64Array<ArrayBuffer>,
  ): number {
    if (boxDistance(p, a, q, b) >= limit) return Number.POSITIVE_INFINITY;
    const best = this.#features.find(p, a, q, b, limit, out);
    if (best > 0 && intersectTriangles(p, a, q, b, this.#scratch)) {
      if (meetingInto(p, a, q, b, out)) {
        for (let c = 0; c < 3; c++) out[c] = out[c + 3] = (out[c] + out[c + 3]) / 2;
      }
      return 0;
    }
    return best < limit ? best : Number.POSITIVE_INFINITY;
  }
}

/** Squared distance of the boxes of two triangles: not more than that of the triangles. */
function boxDistance(p: Float64Array, a: Uint32Array, q: Float64Array, b: Uint32Array): number {
  let square = 0;
  for (let c = 0; c < 3; c++) {
    const u = p[a[0] + c],
      v = p[a[1] + c],
      w = p[a[2] + c];
    const x = q[b[0] + c],
      y = q[b[1] + c],
      z = q[b[2] + c];
    const gap = Math.max(0, Math.min(u, v, w) - Math.max(x, y, z), Math.min(x, y, z) - Math.max(u, v, w));
    square += gap * gap;
  }
  return square;
}
