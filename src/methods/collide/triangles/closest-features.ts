// SPDX-License-Identifier: MIT
// The closest points of two disjoint triangles are on two edges, or at a corner of one and inside the other. The closest points of two segments are inside both, or at an end of one.
// Each of these is tried by itself, so that parallel edges and triangles without area need no tolerance.

/** Corners of the triangles in the scratch: those of the first, then those of the second. */
const SECOND = 9;

/** Finds the closest points of two triangles; made once for many pairs. */
export class ClosestFeatures {
  /** 6 x 3: the corners of both triangles */
  readonly #corners = new Float64Array(18);
  /** The smallest squared distance so far, and its points. */
  #best = 0;
  #out = new Float64Array(6);

  /**
   * The smallest squared distance between corners, edges and faces of two triangles. It is the distance of the triangles unless an edge of one passes through
   * the inside of the other. Fills the closest points if it is below the limit, and returns the limit otherwise.
   * @param p positions, with the corners of the first triangle at a
   * @param a three offsets into p
   * @param q positions, with the corners of the second triangle at b
   * @param b three offsets into q
   * @param out 6: the closest point of each triangle
   */
  find(
    p: Float64Array,
    a: ArrayLike<number>,
    q: Float64Array,
    b: ArrayLike<number>,
    limit: number,
    out: Float64Array<ArrayBuffer>,
  ): number {
    for (let n = 0; n < 3; n++) {
      for (let c = 0; c < 3; c++) {
        this.#corners[3 * n + c] = p[a[n] + c];
        this.#corners[SECOND + 3 * n + c] = q[b[n] + c];
      }
    }
    this.#best = limit;
    this.#out = out;
    for (let n = 0; n < 3; n++) {
      const i = 3 * n;
      const j = 3 * ((n + 1) % 3);
      for (let m = 0; m < 3; m++) {
        const k = SECOND + 3 * m;
        const l = SECOND + 3 * ((m + 1) % 3);
        this.#cornerToEdge(i, k, l);
        this.#cornerToEdge(k, i, j);
        this.#edgeToEdge(i, j, k, l);
      }
      this.#cornerToFace(i, SECOND);
      this.#cornerToFace(SECOND + i, 0);
    }
    return this.#best;
  }

  /** The corner at i against the edge from k to l of the other triangle. */
  #cornerToEdge(i: number, k: number, l: number): void {
    const t = this.#corners;
    const [x, y, z] = [t[l] - t[k], t[l + 1] - t[k + 1], t[l + 2] - t[k + 2]];
    const length = x * x + y * y + z * z;
    const along = (t[i] - t[k]) * x + (t[i + 1] - t[k + 1]) * y + (t[i + 2] - t[k + 2]) * z;
    const s = along <= 0 || length === 0 ? 0 : Math.min(1, along / length);
    // at s = 1 the end itself, without rounding
    if (s === 1) this.#keepCloser(i, t[l], t[l + 1], t[l + 2]);
    else this.#keepCloser(i, t[k] + s * x, t[k + 1] + s * y, t[k + 2] + s * z);
  }

  /** Points inside of both edges, from i to j and from k to l: where the line between them is at right angles to both. */
  #edgeToEdge(i: number, j: number, k: number, l: number): void {
    const p = this.#corners;
    const [x, y, z] = [p[j] - p[i], p[j + 1] - p[i + 1], p[j + 2] - p[i + 2]];
    const [u, v, w] = [p[l] - p[k], p[l + 1] - p[k + 1], p[l + 2] - p[k + 2]];
    const [r, s, t] = [p[k] - p[i], p[k + 1] - p[i + 1], p[k + 2] - p[i + 2]];
    const xx = x * x + y * y + z * z;
    const uu = u * u + v * v + w * w;
    const xu = x * u + y * v + z * w;
    const xr = x * r + y * s + z * t;
    const ur = u * r + v * s + w * t;
    const determinant = xx * uu - xu * xu;
    const along = (xr * uu - ur * xu) / determinant;
    const other = (xr * xu - ur * xx) / determinant;
    if (!(along > 0 && along < 1 && other > 0 && other < 1)) return;
    const [ax, ay, az] = [p[i] + along * x, p[i + 1] + along * y, p[i + 2] + along * z];
    const [bx, by, bz] = [p[k] + other * u, p[k + 1] + other * v, p[k + 2] + other * w];
    const square = (ax - bx) ** 2 + (ay - by) ** 2 + (az - bz) ** 2;
    if (!(square < this.#best)) return;
    this.#best = square;
    this.#put(0, ax, ay, az);
    this.#put(3, bx, by, bz);
  }

  /** The corner at i against the inside of the other triangle, whose corners begin at k. */
  #cornerToFace(i: number, k: number): void {
    const c = this.#corners;
    const [l, m] = [k + 3, k + 6];
    const [x, y, z] = [c[l] - c[k], c[l + 1] - c[k + 1], c[l + 2] - c[k + 2]];
    const [u, v, w] = [c[m] - c[k], c[m + 1] - c[k + 1], c[m + 2] - c[k + 2]];
    const [r, s, t] = [c[i] - c[k], c[i + 1] - c[k + 1], c[i + 2] - c[k + 2]];
    const [nx, ny, nz] = [y * w - z * v, z * u - x * w, x * v - y * u];
    const square = nx * nx + ny * ny + nz * nz;
    // barycentric coordinates of the foot of the perpendicular
    const second = ((s * w - t * v) * nx + (t * u - r * w) * ny + (r * v - s * u) * nz) / square;
    const third = ((y * t - z * s) * nx + (z * r - x * t) * ny + (x * s - y * r) * nz) / square;
    if (!(second >= 0 && third >= 0 && second + third <= 1)) return;
    const height = (r * nx + s * ny + t * nz) / square;
    this.#keepCloser(i, c[i] - height * nx, c[i + 1] - height * ny, c[i + 2] - height * nz);
  }

  /** Keeps the corner at i and a point of the other triangle if they are closer than the best so far. */
  #keepCloser(i: number, r: number, s: number, t: number): void {
    const c = this.#corners;
    const square = (c[i] - r) ** 2 + (c[i + 1] - s) ** 2 + (c[i + 2] - t) ** 2;
    if (!(square < this.#best)) return;
    this.#best = square;
    const place = i < SECOND ? 0 : 3;
    this.#put(place, c[i], c[i + 1], c[i + 2]);
    this.#put(3 - place, r, s, t);
  }

  #put(place: number, x: number, y: number, z: number): void {
    this.#out[place] = x;
    this.#out[place + 1] = y;
    this.#out[place + 2] = z;
  }
}
