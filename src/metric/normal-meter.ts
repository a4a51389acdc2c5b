// SPDX-License-Identifier: MIT
import { pointTriangles, type Weld } from '../mesh/weld.ts';

const DEGREES = 180 / Math.PI;

/**
 * Sums squared angles between the vertex normals of two shapes over frames. Normals are area-weighted and taken on the
 * welded surface, so UV seams do not split them. Points without a normal in the reference (on no triangle, or only on ones
 * without area) are ignored; a point without a normal in the result counts as an error of 90 degrees.
 */
export class NormalMeter {
  private readonly weld: Weld;
  /** triangleCount x 3 points */
  private readonly triangles: Uint32Array;
  /** pointCount x 3 each, any length */
  private readonly truthNormals: Float64Array;
  private readonly shapeNormals: Float64Array;
  private squared = 0;
  private count = 0;

  /** @param triangles triangleCount x 3 vertices */
  constructor(triangles: Uint32Array, weld: Weld) {
    this.weld = weld;
    this.triangles = pointTriangles(triangles, weld);
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
    const { vertexOfPoint } = this.weld;
    normals.fill(0);
    for (let c = 0; c < this.triangles.length; c += 3) {
      const p = this.triangles[c],
        q = this.triangles[c + 1],
        r = this.triangles[c + 2];
      const u = 3 * vertexOfPoint[p],
        v = 3 * vertexOfPoint[q],
        w = 3 * vertexOfPoint[r];
      const ax = positions[v] - positions[u],
        ay = positions[v + 1] - positions[u + 1],
        az = positions[v + 2] - positions[u + 2];
      const bx = positions[w] - positions[u],
        by = positions[w + 1] - positions[u + 1],
        bz = positions[w + 2] - positions[u + 2];
      const nx = ay * bz - az * by,
        ny = az * bx - ax * bz,
        nz = ax * by - ay * bx;
      for (let corner = 0; corner < 3; corner++) {
        const o = 3 * this.triangles[c + corner];
        normals[o] += nx;
        normals[o + 1] += ny;
        normals[o + 2] += nz;
      }
    }
  }
}
