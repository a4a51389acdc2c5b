// SPDX-License-Identifier: MIT

/** Which triangle each pixel shows. */
export interface Raster {
  width: number;
  height: number;
  /** height x width: triangle index, -1 for none */
  triangleOf: Int32Array;
  /** height x width: nearness of the shown triangle at the pixel's center; undefined where there is none */
  nearness: Float32Array;
}

/** Slack of the edge test in pixels squared: neighbours share their edge's pixels rather than leave a gap to rounding. */
const EDGE_SLACK = 1e-7;

/**
 * Draws triangles into a depth buffer, at pixel centers. The nearest wins; among equals the one with the smaller index.
 * Triangles without area, or with a corner that is not finite or does not exist, are left out.
 * @param points pointCount x 3: pixel x, pixel y, nearness (larger is nearer, linear in the picture)
 * @param triangles triangleCount x 3
 */
export function rasterize(points: Float64Array, triangles: ArrayLike<number>, width: number, height: number): Raster {
  const triangleOf = new Int32Array(width * height).fill(-1);
  const nearness = new Float32Array(width * height).fill(-Infinity);
  const triangleCount = Math.floor(triangles.length / 3);
  for (let f = 0; f < triangleCount; f++) {
    const a = triangles[3 * f] * 3;
    let b = triangles[3 * f + 1] * 3;
    let c = triangles[3 * f + 2] * 3;
    const ax = points[a];
    const ay = points[a + 1];
    let area = (points[b] - ax) * (points[c + 1] - ay) - (points[b + 1] - ay) * (points[c] - ax);
    if (area < 0) {
      const swap = b;
      b = c;
      c = swap;
      area = -area;
    }
    // Not a number, where a corner is not finite or is missing, fails here too.
    if (!(area > 0 && area < Infinity)) continue;
    const bx = points[b];
    const by = points[b + 1];
    const cx = points[c];
    const cy = points[c + 1];
    const x0 = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5));
    const x1 = Math.min(width - 1, Math.floor(Math.max(ax, bx, cx) - 0.5));
    const y0 = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5));
    const y1 = Math.min(height - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
    if (x0 > x1 || y0 > y1) continue;
    const na = points[a + 2];
    const nb = (points[b + 2] - na) / area;
    const nc = (points[c + 2] - na) / area;
    const slopeB = ay - cy; // change of wb with x; wb is the part of the area that belongs to corner b
    const slopeC = by - ay;
    for (let y = y0; y <= y1; y++) {
      const py = y + 0.5;
      let o = y * width + x0;
      for (let x = x0; x <= x1; x++, o++) {
        const px = x + 0.5 - ax;
        const wb = (cx - ax) * (ay - py) - slopeB * px;
        const wc = (bx - ax) * (py - ay) - slopeC * px;
        if (-wb > EDGE_SLACK || -wc > EDGE_SLACK || wb + wc - area > EDGE_SLACK) continue;
        const near = Math.fround(na + nb * wb + nc * wc);
        if (near > nearness[o]) {
          nearness[o] = near;
          triangleOf[o] = f;
        }
      }
    }
  }
  return { width, height, triangleOf, nearness };
}
