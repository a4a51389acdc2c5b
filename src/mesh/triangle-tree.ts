// SPDX-License-Identifier: MIT

/** Triangles per leaf, at most. */
const LEAF = 4;

/**
 * A tree of boxes over triangles, to find the nearest point of a surface. Its structure is that of the shape that it was made for; `refit` adapts the
 * boxes to another shape of the same triangles in time linear in their number.
 */
export class TriangleTree {
  readonly #triangles: Uint32Array;
  /** Triangles in the order of the leaves. */
  readonly #order: Uint32Array;
  /** nodeCount x 2: first triangle and count of a leaf; for other nodes, the second child and 0. The first child follows its parent. */
  readonly #nodes: Uint32Array;
  /** nodeCount x 6: minimum and maximum */
  readonly #boxes: Float64Array;
  #positions: Float32Array;
  /** Nodes to visit: at most two per level of the tree, which halves the triangles. */
  readonly #stack = new Uint32Array(128);

  /**
   * @param positions vertexCount x 3
   * @param triangles triangleCount x 3
   */
  constructor(positions: Float32Array, triangles: Uint32Array) {
    this.#triangles = triangles;
    this.#positions = positions;
    const count = triangles.length / 3;
    this.#order = Uint32Array.from({ length: count }, (_, t) => t);
    const nodes: number[] = [];
    const centers = new Float64Array(3 * count);
    for (let c = 0; c < triangles.length; c++)
      for (let r = 0; r < 3; r++) centers[3 * Math.floor(c / 3) + r] += positions[3 * triangles[c] + r];
    if (count > 0) this.#split(0, count, centers, nodes);
    this.#nodes = Uint32Array.from(nodes);
    this.#boxes = new Float64Array(3 * nodes.length);
    this.refit(positions);
  }

  /** Adapts the boxes to other positions of the same vertices. */
  refit(positions: Float32Array): void {
    this.#positions = positions;
    const [nodes, boxes] = [this.#nodes, this.#boxes];
    for (let n = nodes.length / 2 - 1; n >= 0; n--) {
      const [first, count] = [nodes[2 * n], nodes[2 * n + 1]];
      const o = 6 * n;
      if (count === 0) {
        const [a, b] = [6 * (n + 1), 6 * first];
        for (let r = 0; r < 3; r++) {
          boxes[o + r] = Math.min(boxes[a + r], boxes[b + r]);
          boxes[o + 3 + r] = Math.max(boxes[a + 3 + r], boxes[b + 3 + r]);
        }
        continue;
      }
      boxes.fill(Number.POSITIVE_INFINITY, o, o + 3).fill(Number.NEGATIVE_INFINITY, o + 3, o + 6);
      for (let k = first; k < first + count; k++)
        for (let c = 3 * this.#order[k]; c < 3 * this.#order[k] + 3; c++)
          for (let r = 0; r < 3; r++) {
            const x = positions[3 * this.#triangles[c] + r];
            boxes[o + r] = Math.min(boxes[o + r], x);
            boxes[o + 3 + r] = Math.max(boxes[o + 3 + r], x);
          }
    }
  }

  /** The squared distance of a point from the surface, or `limit` if it is larger. */
  squaredDistance(x: number, y: number, z: number, limit = Number.POSITIVE_INFINITY): number {
    const nodes = this.#nodes;
    if (nodes.length === 0) return limit;
    let least = limit;
    const stack = this.#stack;
    stack[0] = 0;
    for (let depth = 1; depth > 0; ) {
      const n = stack[--depth];
      if (this.#boxDistance(n, x, y, z) >= least) continue;
      const first = nodes[2 * n];
      const count = nodes[2 * n + 1];
      if (count === 0) {
        const isLeftNearer = this.#boxDistance(n + 1, x, y, z) <= this.#boxDistance(first, x, y, z);
        stack[depth++] = isLeftNearer ? first : n + 1;
        stack[depth++] = isLeftNearer ? n + 1 : first;
        continue;
      }
      for (let k = first; k < first + count; k++) {
        const t = 3 * this.#order[k];
        const [a, b, c] = [this.#triangles[t], this.#triangles[t + 1], this.#triangles[t + 2]];
        least = Math.min(least, triangleDistance(this.#positions, 3 * a, 3 * b, 3 * c, x, y, z));
      }
    }
    return least;
  }

  /** Splits triangles at the median of the longest axis of their centers. */
  #split(first: number, count: number, centers: Float64Array, nodes: number[]): void {
    const node = nodes.push(first, count) - 2;
    if (count <= LEAF) return;
    const order = this.#order.subarray(first, first + count);
    let axis = 0;
    let longest = -1;
    for (let r = 0; r < 3; r++) {
      let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (const t of order) {
        low = Math.min(low, centers[3 * t + r]);
        high = Math.max(high, centers[3 * t + r]);
      }
      if (high - low > longest) [axis, longest] = [r, high - low];
    }
    order.sort((a, b) => centers[3 * a + axis] - centers[3 * b + axis] || a - b);
    const half = count >> 1;
    this.#split(first, half, centers, nodes);
    nodes[node] = nodes.length / 2;
    nodes[node + 1] = 0;
    this.#split(first + half, count - half, centers, nodes);
  }

  #boxDistance(n: number, x: number, y: number, z: number): number {
    const boxes = this.#boxes;
    const o = 6 * n;
    const dx = Math.max(boxes[o] - x, 0, x - boxes[o + 3]);
    const dy = Math.max(boxes[o + 1] - y, 0, y - boxes[o + 4]);
    const dz = Math.max(boxes[o + 2] - z, 0, z - boxes[o + 5]);
    return dx * dx + dy * dy + dz * dz;
  }
}

/** Squared distance of a point from a triangle: C. Ericson, "Real-Time Collision Detection", 2005, 5.1.5: by the region of the plane that it projects to. */
function triangleDistance(v: Float32Array, a: number, b: number, c: number, x: number, y: number, z: number): number {
  const ux = v[b] - v[a],
    uy = v[b + 1] - v[a + 1],
    uz = v[b + 2] - v[a + 2];
  const wx = v[c] - v[a],
    wy = v[c + 1] - v[a + 1],
    wz = v[c + 2] - v[a + 2];
  const px = x - v[a],
    py = y - v[a + 1],
    pz = z - v[a + 2];
  const d1 = ux * px + uy * py + uz * pz;
  const d2 = wx * px + wy * py + wz * pz;
  const squareAt = (s: number, t: number): number =>
    (px - s * ux - t * wx) ** 2 + (py - s * uy - t * wy) ** 2 + (pz - s * uz - t * wz) ** 2;
  if (d1 <= 0 && d2 <= 0) return squareAt(0, 0);
  const uu = ux * ux + uy * uy + uz * uz;
  const uw = ux * wx + uy * wy + uz * wz;
  const ww = wx * wx + wy * wy + wz * wz;
  const [d3, d4] = [d1 - uu, d2 - uw];
  if (d3 >= 0 && d4 <= d3) return squareAt(1, 0);
  const vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return squareAt(d1 === d3 ? 0 : d1 / (d1 - d3), 0);
  const [d5, d6] = [d1 - uw, d2 - ww];
  if (d6 >= 0 && d5 <= d6) return squareAt(0, 1);
  const vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return squareAt(0, d2 === d6 ? 0 : d2 / (d2 - d6));
  const va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const whole = d4 - d3 + (d5 - d6);
    const t = whole === 0 ? 0 : (d4 - d3) / whole;
    return squareAt(1 - t, t);
  }
  const whole = va + vb + vc;
  return whole === 0 ? squareAt(0, 0) : squareAt(vb / whole, vc / whole);
}
