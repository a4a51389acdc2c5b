// SPDX-License-Identifier: MIT
// M. Garland and P. S. Heckbert, "Simplifying Surfaces with Color and Texture using Quadric Error Metrics", IEEE Visualization 1998. A vertex with its
// attributes is a point of R^n, a triangle spans a plane there, and with e1, e2 orthonormal in that plane through p the squared distance of x from it is
//
//   x^T A x + 2 b^T x + c,   A = I - e1 e1^T - e2 e2^T,   b = (p.e1) e1 + (p.e2) e2 - p,   c = p.p - (p.e1)^2 - (p.e2)^2.
//
// Sliding a vertex along the surface is free if its texture slides with it, and costs if the texture would be stretched.
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import { QUADRIC_SIZE } from './frame-quadrics.ts';

/** Attributes that show. A difference of one in a colour counts like this ratio of the size of the model. */
const COLOR_SCALE = 0.05;

export class AttributeQuadrics {
  /** Dimensions: three, and those of the attributes. */
  readonly #n: number;
  /** vertexCount x n: positions and scaled attributes */
  readonly #points: Float64Array;
  /** vertexCount x (n (n + 1) / 2 + n + 1) */
  readonly #values: Float64Array;
  readonly #size: number;

  /**
   * @param weight of distances in attributes, relative to distances in space
   * @param diagonal size of the model
   */
  constructor(mesh: Mesh, weight: number, diagonal: number) {
    const { positions, triangles } = mesh;
    const vertexCount = positions.length / 3;
    const shown = weight > 0 ? mesh.attributes.filter(({ name }) => name === 'TEXCOORD_0' || name === 'COLOR_0') : [];
    const columns = shown.flatMap(({ name, size, values }) => {
      const scale = weight * (name === 'COLOR_0' ? COLOR_SCALE * diagonal : measureTextureScale(mesh, values));
      return Array.from({ length: Math.min(size, 3) }, (_, c) => ({ values, size, c, scale }));
    });
    const n = 3 + columns.length;
    this.#n = n;
    this.#size = (n * (n + 1)) / 2 + n + 1;
    this.#points = new Float64Array(n * vertexCount);
    for (let i = 0; i < vertexCount; i++) {
      for (let c = 0; c < 3; c++) this.#points[n * i + c] = positions[3 * i + c];
      columns.forEach(({ values, size, c, scale }, k) => {
        this.#points[n * i + 3 + k] = scale * values[size * i + c];
      });
    }
    this.#values = new Float64Array(columns.length > 0 ? this.#size * vertexCount : 0);
    if (columns.length > 0)
      for (let t = 0; t < triangles.length; t += 3) this.#addTriangle(triangles.subarray(t, t + 3));
  }

  /** Whether the mesh has attributes that count. */
  get hasAttributes(): boolean {
    return this.#values.length > 0;
  }

  /** Adds the quadrics of a vertex to those of another. */
  merge(from: number, to: number): void {
    if (!this.hasAttributes || from === to) return;
    const size = this.#size;
    for (let c = 0; c < size; c++) this.#values[to * size + c] += this.#values[from * size + c];
  }

  /** Adds the quadric of a vertex, with the attributes of another held fixed, to a quadric of the position. */
  addTo(out: Float64Array, from: number, attributesOf: number): void {
    if (!this.hasAttributes) return;
    const n = this.#n;
    const q = this.#values;
    const A = from * this.#size;
    const b = A + (n * (n + 1)) / 2;
    const at = (r: number, c: number): number => q[A + r * n - (r * (r - 1)) / 2 + (c - r)];
    const x = this.#points;
    const o = attributesOf * n;
    let slot = 0;
    for (let r = 0; r < 3; r++) {
      for (let c = r; c < 3; c++, slot++) out[slot] += at(r, c);
      let linear = q[b + r];
      for (let c = 3; c < n; c++) linear += at(r, c) * x[o + c];
      out[6 + r] += linear;
    }
    let constant = q[b + n];
    for (let r = 3; r < n; r++) {
      constant += 2 * q[b + r] * x[o + r];
      for (let c = 3; c < n; c++) constant += at(Math.min(r, c), Math.max(r, c)) * x[o + r] * x[o + c];
    }
    out[QUADRIC_SIZE - 1] += constant;
  }

  #addTriangle(corners: Uint32Array): void {
    const n = this.#n;
    const x = this.#points;
    const [p, q, r] = Array.from(corners, (i) => x.subarray(n * i, n * i + n));
    const e1 = q.map((value, c) => value - p[c]);
    const l1 = Math.sqrt(dot(e1, e1));
    if (!(l1 > 0)) return;
    for (let c = 0; c < n; c++) e1[c] /= l1;
    const e2 = r.map((value, c) => value - p[c]);
    const along = dot(e1, e2);
    for (let c = 0; c < n; c++) e2[c] -= along * e1[c];
    const l2 = Math.sqrt(dot(e2, e2));
    if (!(l2 > 0)) return;
    for (let c = 0; c < n; c++) e2[c] /= l2;
    const [p1, p2] = [dot(p, e1), dot(p, e2)];
    const area = 0.5 * l1 * l2;
    for (const i of corners) {
      const o = i * this.#size;
      let slot = o;
      for (let row = 0; row < n; row++)
        for (let c = row; c < n; c++, slot++)
          this.#values[slot] += area * ((row === c ? 1 : 0) - e1[row] * e1[c] - e2[row] * e2[c]);
      for (let c = 0; c < n; c++, slot++) this.#values[slot] += area * (p1 * e1[c] + p2 * e2[c] - p[c]);
      this.#values[slot] += area * Math.max(0, dot(p, p) - p1 * p1 - p2 * p2);
    }
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let c = 0; c < a.length; c++) sum += a[c] * b[c];
  return sum;
}

/** The length on the surface of one unit of UV, on average: the root of the ratio of areas. */
function measureTextureScale({ positions, triangles }: Mesh, uvs: Float32Array): number {
  let [surface, texture] = [0, 0];
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = triangles.subarray(t, t + 3);
    const u = [0, 1, 2].map((r) => positions[3 * b + r] - positions[3 * a + r]);
    const v = [0, 1, 2].map((r) => positions[3 * c + r] - positions[3 * a + r]);
    surface += Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
    texture += Math.abs(
      (uvs[2 * b] - uvs[2 * a]) * (uvs[2 * c + 1] - uvs[2 * a + 1]) -
        (uvs[2 * c] - uvs[2 * a]) * (uvs[2 * b + 1] - uvs[2 * a + 1]),
    );
  }
  return texture > 0 ? Math.sqrt(surface / texture) : 0;
}
