// SPDX-License-Identifier: MIT
// M. Garland and P. S. Heckbert, "Surface Simplification Using Quadric Error Metrics", SIGGRAPH 1997, over an animation. The quadric of a point in frame f,
//
//   Q_f(v) = v^T A v + 2 b^T v + c,
//
// is the sum of weighted squared distances of v from planes: those of the triangles around the point in that frame. A point that moves by v = L_f u + t_f
// costs the mean over frames of Q_f(L_f u + t_f), which is a quadric in its rest position u:
//
//   A' = mean L^T A L,   b' = mean L^T (A t + b),   c' = mean t^T A t + 2 b^T t + c.
//
// Its minimum is the best rest position for all frames at once.
import { MAP_SIZE, type VertexMaps } from '../../measure/index.ts';

/** Numbers of a quadric: A as xx xy xz yy yz zz, then b, then c. */
export const QUADRIC_SIZE = 10;

export class FrameQuadrics {
  readonly frameCount: number;
  /** pointCount x frameCount x 10 */
  readonly #values: Float64Array;

  constructor(pointCount: number, frameCount: number) {
    this.frameCount = frameCount;
    this.#values = new Float64Array(pointCount * frameCount * QUADRIC_SIZE);
  }

  /**
   * Adds weight x squared distance from the plane n . v + d = 0 to a point's quadric of a frame.
   * @param n normal of the plane: x y z
   */
  addPlane(point: number, frame: number, n: ArrayLike<number>, d: number, weight: number): void {
    const [nx, ny, nz] = [n[0], n[1], n[2]];
    const q = this.#values;
    const o = (point * this.frameCount + frame) * QUADRIC_SIZE;
    q[o] += weight * nx * nx;
    q[o + 1] += weight * nx * ny;
    q[o + 2] += weight * nx * nz;
    q[o + 3] += weight * ny * ny;
    q[o + 4] += weight * ny * nz;
    q[o + 5] += weight * nz * nz;
    q[o + 6] += weight * nx * d;
    q[o + 7] += weight * ny * d;
    q[o + 8] += weight * nz * d;
    q[o + 9] += weight * d * d;
  }

  /** Adds the quadrics of one point to those of another. */
  merge(from: number, to: number): void {
    const size = this.frameCount * QUADRIC_SIZE;
    for (let c = 0; c < size; c++) this.#values[to * size + c] += this.#values[from * size + c];
  }

  /** Fills the quadric in rest space of the sum of two points, for a vertex that moves by its maps. */
  pullBackInto(
    a: number,
    b: number,
    { values: maps, vertexCount }: VertexMaps,
    vertex: number,
    out: Float64Array,
  ): void {
    const q = this.#values;
    const { frameCount } = this;
    out.fill(0);
    for (let f = 0; f < frameCount; f++) {
      const [oa, ob] = [(a * frameCount + f) * QUADRIC_SIZE, (b * frameCount + f) * QUADRIC_SIZE];
      const xx = q[oa] + q[ob],
        xy = q[oa + 1] + q[ob + 1],
        xz = q[oa + 2] + q[ob + 2],
        yy = q[oa + 3] + q[ob + 3],
        yz = q[oa + 4] + q[ob + 4],
        zz = q[oa + 5] + q[ob + 5],
        bx = q[oa + 6] + q[ob + 6],
        by = q[oa + 7] + q[ob + 7],
        bz = q[oa + 8] + q[ob + 8];
      const m = (f * vertexCount + vertex) * MAP_SIZE;
      const tx = maps[m + 9],
        ty = maps[m + 10],
        tz = maps[m + 11];
      // g = A t + b
      const gx = xx * tx + xy * ty + xz * tz + bx,
        gy = xy * tx + yy * ty + yz * tz + by,
        gz = xz * tx + yz * ty + zz * tz + bz;
      out[9] += tx * (gx + bx) + ty * (gy + by) + tz * (gz + bz) + q[oa + 9] + q[ob + 9];
      let o = 0;
      for (let r = 0; r < 3; r++) {
        const lx = maps[m + 3 * r],
          ly = maps[m + 3 * r + 1],
          lz = maps[m + 3 * r + 2];
        out[6 + r] += lx * gx + ly * gy + lz * gz;
        const ax = xx * lx + xy * ly + xz * lz,
          ay = xy * lx + yy * ly + yz * lz,
          az = xz * lx + yz * ly + zz * lz;
        for (let c = r; c < 3; c++, o++)
          out[o] += ax * maps[m + 3 * c] + ay * maps[m + 3 * c + 1] + az * maps[m + 3 * c + 2];
      }
    }
    for (let c = 0; c < QUADRIC_SIZE; c++) out[c] /= frameCount;
  }
}

/** The value of a quadric. */
export function evaluateQuadric(q: Float64Array, x: number, y: number, z: number): number {
  return (
    x * (q[0] * x + 2 * (q[1] * y + q[2] * z + q[6])) +
    y * (q[3] * y + 2 * (q[4] * z + q[7])) +
    z * (q[5] * z + 2 * q[8]) +
    q[9]
  );
}

/**
 * Fills the minimum of a quadric near a position: directions in which the quadric is flat, relative to its largest entry, keep that position. Returns false if it has none.
 * @param stiffness how strongly the position is kept, relative to the trace of A
 */
export function minimizeQuadric(
  q: Float64Array,
  near: ArrayLike<number>,
  stiffness: number,
  out: Float64Array,
): boolean {
  const ridge = stiffness * (q[0] + q[3] + q[5]);
  if (!(ridge > 0)) return false;
  const [a, b, c, d, e, f] = [q[0] + ridge, q[1], q[2], q[3] + ridge, q[4], q[5] + ridge];
  const x = ridge * near[0] - q[6],
    y = ridge * near[1] - q[7],
    z = ridge * near[2] - q[8];
  const [xx, xy, xz] = [d * f - e * e, c * e - b * f, b * e - c * d];
  const [yy, yz, zz] = [a * f - c * c, b * c - a * e, a * d - b * b];
  const det = a * xx + b * xy + c * xz;
  if (!(det > 0)) return false;
  out[0] = (xx * x + xy * y + xz * z) / det;
  out[1] = (xy * x + yy * y + yz * z) / det;
  out[2] = (xz * x + yz * y + zz * z) / det;
  return Number.isFinite(out[0] + out[1] + out[2]);
}
