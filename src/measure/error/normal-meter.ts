// SPDX-License-Identifier: MIT
import { pointTriangles, type Weld } from '../../core/mesh/topology/weld.ts';

const DEGREES = 180 / Math.PI;

/**
 * Sums squared angles between the vertex normals of two shapes over frames. Normals are area-weighted and taken on the
 * welded surface, so UV seams do not split them. Points without a normal in the reference (on no triangle, or only on ones
 * without area) are ignored; a point without a normal in the result counts as an error of 90 degrees.
 */
export class NormalMeter {
  /** triangleCount x 3: three times the point of each corner, and three times its first vertex */
  private readonly offsets: Uint32Array;
  private readonly corners: Uint32Array;
  /** pointCount x 3 each, any length */
  private readonly truthNormals: Float64Array;
  private readonly shapeNormals: Float64Array;
  private squared = 0;
  private count = 0;

  /** @param triangles triangleCount x 3 vertices */
  constructor(triangles: Uint32Array, weld: Weld) {
    const points = pointTriangles(triangles, weld);
    this.offsets = points.map((p) => 3 * p);
    this.corners = points.map((p) => 3 * weld.vertexOfPoint[p]);
    this.truthNormals = new Float64Array(weld.pointCount * 3);
    this.shapeNormals = new Float64Array(weld.pointCount * 3);
  }

  /** @param truth, shape vertexCount x 3 positions */
  add(truth: Float32Array, shape: Float32Array): void {
    this.normalsInto(truth, this.truthNormals);
    this.normalsInto(shape, this.shapeNormals);
    const a = this.truthNormals,
      b = this.shapeNormals;
    for (let c = 0; c < a.length; c += 3) {
      if (a[c] === 0 && a[c + 1] === 0 && a[c + 2] === 0) continue;
      const x = a[c + 1] * b[c + 2] - a[c + 2] * b[c + 1],
        y = a[c + 2] * b[c] - a[c] * b[c + 2],
        z = a[c] * b[c + 1] - a[c + 1] * b[c];
      const dot = a[c] * b[c] + a[c + 1] * b[c + 1] + a[c + 2] * b[c + 2];
      const isLost = b[c] === 0 && b[c + 1] === 0 && b[c + 2] === 0;
      // atan2 is accurate at small angles; an arc cosine is not.
      const angle = isLost ? 90 : DEGREES * Math.atan2(Math.sqrt(x * x + y * y + z * z), dot);
      this.squared += angle * angle;
      this.count++;
    }
  }

  /** Root mean square angle so far. */
  degrees(): number {
    return this.count > 0 ? Math.sqrt(this.squared / this.count) : 0;
  }

  /** Sums of area vectors per point, not normalized: a zero vector means that there is no normal. */
  private normalsInto(positions: Float32Array, normals: Float64Array): void {
    const { offsets, corners } = this;
    normals.fill(0);
    for (let c = 0; c < corners.length; c += 3) {
      const u = corners[c];
      const v = corners[c + 1];
      const w = corners[c + 2];
      const x = positions[u];
      const y = positions[u + 1];
      const z = positions[u + 2];
      const ax = positions[v] - x;
      const ay = positions[v + 1] - y;
      const az = positions[v + 2] - z;
      const bx = positions[w] - x;
      const by = positions[w + 1] - y;
      const bz = positions[w + 2] - z;
      const nx = ay * bz - az * by;
      const ny = az * bx - ax * bz;
      const nz = ax * by - ay * bx;
      const p = offsets[c];
      normals[p] += nx;
      normals[p + 1] += ny;
      normals[p + 2] += nz;
      const q = offsets[c + 1];
      normals[q] += nx;
      normals[q + 1] += ny;
      normals[q + 2] += nz;
      const r = offsets[c + 2];
      normals[r] += nx;
      normals[r + 1] += ny;
      normals[r + 2] += nz;
    }
  }
}
