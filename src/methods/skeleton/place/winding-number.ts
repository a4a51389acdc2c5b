// SPDX-License-Identifier: MIT
// A. Jacobson, L. Kavan, O. Sorkine-Hornung, "Robust inside-outside segmentation using generalized winding numbers", SIGGRAPH 2013: the sum of the solid angles of all
// triangles seen from a point, over 4π. One inside a closed surface, zero outside, in between where it is open. G. Barill et al., "Fast winding numbers for soups
// and clouds", SIGGRAPH 2018, for the tree: a far group of triangles is replaced by one dipole, its summed area vector n at its area-weighted centre p,
//   n · (p − q) / (4π |p − q|³),
// where "far" is FAR times the radius of the group. Near leaves are summed exactly: A. van Oosterom and J. Strackee, "The solid angle of a plane triangle", 1983,
//   tan(Ω/2) = a · (b × c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|).
// The half angles of a leaf are added by multiplying the complex numbers (bottom, top), so that it needs one arc tangent: the product is kept in the right half plane, where its argument is the sum.
// Only the first term of the expansion is kept; the error is below 0.02 on the shapes of the tests, against a threshold of one half.

/** Distance, in radii of a group, beyond which it is replaced by a dipole. */
const FAR = 5;
const LEAF = 8;
/** Numbers of a node: center, area vector, radius. */
const FACTS = 7;
/** Sums of a triangle or a node: area vector, area, center times area, center. */
const SUMS = 10;
/** A product of complex numbers outside of this range is replaced by its argument. */
const SMALLEST = 1e-100;
const LARGEST = 1e100;

export interface WindingNumber {
  /** The winding number of the surface around a point. */
  at(x: number, y: number, z: number): number;
}

/** Prepares a surface; n log n in its triangles. */
export function makeWindingNumber(positions: ArrayLike<number>, triangles: Uint32Array): WindingNumber {
  if (triangles.length === 0) return { at: () => 0 };
  return new WindingTree(positions, triangles);
}

class WindingTree implements WindingNumber {
  readonly #nodes: Uint32Array;
  readonly #leaves: LeafPoints;
  readonly #facts: Float64Array;
  readonly #stack = new Int32Array(128);
  /** LEAF x 3 x 4: points of a leaf relative to the given one, and their distances */
  readonly #seen = new Float64Array(12 * LEAF);

  constructor(positions: ArrayLike<number>, triangles: Uint32Array) {
    const sums = sumTriangles(positions, triangles);
    const { nodes, order } = splitTriangles(sums);
    this.#nodes = nodes;
    this.#leaves = listLeafPoints(positions, triangles, nodes, order);
    this.#facts = measureNodes(sums, nodes, order, this.#leaves);
  }

  at(x: number, y: number, z: number): number {
    const stack = this.#stack;
    const facts = this.#facts;
    const nodes = this.#nodes;
    let sum = 0;
    let top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const n = stack[--top];
      const o = FACTS * n;
      const dx = facts[o] - x;
      const dy = facts[o + 1] - y;
      const dz = facts[o + 2] - z;
      const square = dx * dx + dy * dy + dz * dz;
      const far = FAR * facts[o + 6];
      const child = nodes[3 * n + 2];
      if (square > far * far) {
        sum += (dx * facts[o + 3] + dy * facts[o + 4] + dz * facts[o + 5]) / (square * Math.sqrt(square));
      } else if (child > 0) {
        stack[top++] = child + 1;
        stack[top++] = child;
      } else {
        this.#placePoints(n, x, y, z);
        sum += this.#sumLeaf(n);
      }
    }
    return sum / (4 * Math.PI);
  }

  /** Fills the points of a leaf relative to the given one. */
  #placePoints(n: number, x: number, y: number, z: number): void {
    const seen = this.#seen;
    const { places, points } = this.#leaves;
    const end = 3 * places[this.#nodes[3 * n + 1]];
    for (let p = 3 * places[this.#nodes[3 * n]], o = 0; p < end; p += 3, o += 4) {
      const dx = points[p] - x;
      const dy = points[p + 1] - y;
      const dz = points[p + 2] - z;
      seen[o] = dx;
      seen[o + 1] = dy;
      seen[o + 2] = dz;
      seen[o + 3] = Math.sqrt(dx * dx + dy * dy + dz * dz);
    }
  }

  /** The sum of the solid angles of the triangles of a leaf. */
  #sumLeaf(n: number): number {
    const seen = this.#seen;
    const { corners } = this.#leaves;
    const end = 3 * this.#nodes[3 * n + 1];
    let sum = 0;
    let re = 1;
    let im = 0;
    for (let e = 3 * this.#nodes[3 * n]; e < end; e += 3) {
      const i = corners[e];
      const j = corners[e + 1];
      const k = corners[e + 2];
      const ax = seen[i];
      const ay = seen[i + 1];
      const az = seen[i + 2];
      const a = seen[i + 3];
      const bx = seen[j];
      const by = seen[j + 1];
      const bz = seen[j + 2];
      const b = seen[j + 3];
      const cx = seen[k];
      const cy = seen[k + 1];
      const cz = seen[k + 2];
      const c = seen[k + 3];
      const top = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
      const bottom =
        a * b * c +
        (ax * bx + ay * by + az * bz) * c +
        (bx * cx + by * cy + bz * cz) * a +
        (cx * ax + cy * ay + cz * az) * b;
      if (!(bottom > SMALLEST && bottom < LARGEST)) {
        if (top !== 0 || bottom !== 0) sum += Math.atan2(top, bottom);
        continue;
      }
      const next = re * bottom - im * top;
      im = re * top + im * bottom;
      re = next;
      if (re > SMALLEST && re < LARGEST && Math.abs(im) < LARGEST) continue;
      sum += Math.atan2(im, re);
      re = 1;
      im = 0;
    }
    return 2 * (sum + Math.atan2(im, re));
  }
}

/** The solid angle of one triangle, positive where its front faces away. */
export function solidAngle(
  positions: ArrayLike<number>,
  triangles: Uint32Array,
  f: number,
  x: number,
  y: number,
  z: number,
): number {
  const i = 3 * triangles[3 * f];
  const j = 3 * triangles[3 * f + 1];
  const k = 3 * triangles[3 * f + 2];
  const ax = positions[i] - x;
  const ay = positions[i + 1] - y;
  const az = positions[i + 2] - z;
  const bx = positions[j] - x;
  const by = positions[j + 1] - y;
  const bz = positions[j + 2] - z;
  const cx = positions[k] - x;
  const cy = positions[k + 1] - y;
  const cz = positions[k + 2] - z;
  const a = Math.sqrt(ax * ax + ay * ay + az * az);
  const b = Math.sqrt(bx * bx + by * by + bz * bz);
  const c = Math.sqrt(cx * cx + cy * cy + cz * cz);
  const top = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
  const bottom =
    a * b * c +
    (ax * bx + ay * by + az * bz) * c +
    (bx * cx + by * cy + bz * cz) * a +
    (cx * ax + cy * ay + cz * az) * b;
  return top === 0 && bottom === 0 ? 0 : 2 * Math.atan2(top, bottom);
}

/** triangleCount x SUMS */
function sumTriangles(positions: ArrayLike<number>, triangles: Uint32Array): Float64Array {
  const sums = new Float64Array((SUMS * triangles.length) / 3);
  for (let f = 0, o = 0; f < triangles.length; f += 3, o += SUMS) {
    const i = 3 * triangles[f];
    const j = 3 * triangles[f + 1];
    const k = 3 * triangles[f + 2];
    const ux = positions[j] - positions[i];
    const uy = positions[j + 1] - positions[i + 1];
    const uz = positions[j + 2] - positions[i + 2];
    const vx = positions[k] - positions[i];
    const vy = positions[k + 1] - positions[i + 1];
    const vz = positions[k + 2] - positions[i + 2];
    const ax = 0.5 * (uy * vz - uz * vy);
    const ay = 0.5 * (uz * vx - ux * vz);
    const az = 0.5 * (ux * vy - uy * vx);
    const area = Math.sqrt(ax * ax + ay * ay + az * az);
    sums[o] = ax;
    sums[o + 1] = ay;
    sums[o + 2] = az;
    sums[o + 3] = area;
    for (let r = 0; r < 3; r++) {
      const center = (positions[i + r] + positions[j + r] + positions[k + r]) / 3;
      sums[o + 4 + r] = area * center;
      sums[o + 7 + r] = center;
    }
  }
  return sums;
}

/** Triangles in the order of a tree, and by node: the first of its triangles, one past the last, and the left child (the right one follows it; 0 for a leaf). */
function splitTriangles(sums: Float64Array): { order: Uint32Array; nodes: Uint32Array } {
  const count = sums.length / SUMS;
  const order = new Uint32Array(count);
  for (let f = 0; f < count; f++) order[f] = f;
  const keys = new Float64Array(count);
  const nodes = [0, count, 0];
  for (let n = 0; n < nodes.length; n += 3) {
    const begin = nodes[n];
    const end = nodes[n + 1];
    if (end - begin <= LEAF) continue;
    putKeys(sums, order, begin, end, findLongAxis(sums, order, begin, end), keys);
    const middle = (begin + end) >> 1;
    selectRun(order, keys, begin, end - 1, middle);
    nodes[n + 2] = nodes.length / 3;
    nodes.push(begin, middle, 0, middle, end, 0);
  }
  return { order, nodes: Uint32Array.from(nodes) };
}

/** Fills the coordinates of centers along an axis. */
function putKeys(
  sums: Float64Array,
  order: Uint32Array,
  begin: number,
  end: number,
  axis: number,
  keys: Float64Array,
): void {
  for (let t = begin; t < end; t++) keys[order[t]] = sums[SUMS * order[t] + 7 + axis];
}

/** The axis along which the centers of a run of triangles have the largest extent. */
function findLongAxis(sums: Float64Array, order: Uint32Array, begin: number, end: number): number {
  let axis = 0;
  let longest = -1;
  for (let r = 0; r < 3; r++) {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let t = begin; t < end; t++) {
      const center = sums[SUMS * order[t] + 7 + r];
      if (center < low) low = center;
      if (center > high) high = center;
    }
    if (high - low > longest) {
      longest = high - low;
      axis = r;
    }
  }
  return axis;
}

/** Reorders order[low … high] so that the triangles before the place k have smaller keys than those after it; of equal keys, the first triangles come first (C. A. R. Hoare, "Find", 1961). */
function selectRun(order: Uint32Array, keys: Float64Array, low: number, high: number, k: number): void {
  while (low < high) {
    const pivot = order[(low + high) >> 1];
    const key = keys[pivot];
    let i = low;
    let j = high;
    while (i <= j) {
      while (keys[order[i]] < key || (keys[order[i]] === key && order[i] < pivot)) i++;
      while (keys[order[j]] > key || (keys[order[j]] === key && order[j] > pivot)) j--;
      if (i > j) break;
      const one = order[i];
      order[i++] = order[j];
      order[j--] = one;
    }
    if (k <= j) high = j;
    else if (k >= i) low = i;
    else return;
  }
}

/** The points of leaves, each once per leaf, in the order of the triangles. */
interface LeafPoints {
  /** triangleCount + 1, by place in the order: the first point of the leaf that begins there */
  places: Uint32Array;
  /** pointCount x 3 */
  points: Float64Array;
  /** triangleCount x 3, in the order of the tree: 4 times the number of the corner among the points of its leaf */
  corners: Uint8Array;
}

function listLeafPoints(
  positions: ArrayLike<number>,
  triangles: Uint32Array,
  nodes: Uint32Array,
  order: Uint32Array,
): LeafPoints {
  const places = new Uint32Array(order.length + 1);
  const isBegin = new Uint8Array(order.length);
  for (let n = 0; n < nodes.length; n += 3) if (nodes[n + 2] === 0) isBegin[nodes[n]] = 1;
  const corners = new Uint8Array(triangles.length);
  const points = new Float64Array(3 * triangles.length);
  const vertices = new Uint32Array(triangles.length);
  let first = 0;
  let count = 0;
  for (let t = 0; t < order.length; t++) {
    if (isBegin[t]) first = places[t] = count;
    for (let c = 0; c < 3; c++) {
      const vertex = triangles[3 * order[t] + c];
      let p = first;
      while (p < count && vertices[p] !== vertex) p++;
      corners[3 * t + c] = 4 * (p - first);
      if (p < count) continue;
      vertices[count++] = vertex;
      for (let r = 0; r < 3; r++) points[3 * p + r] = positions[3 * vertex + r];
    }
  }
  places[order.length] = count;
  return { places, points, corners };
}

/** nodeCount x FACTS */
function measureNodes(
  sums: Float64Array,
  nodes: Uint32Array,
  order: Uint32Array,
  { places, points }: LeafPoints,
): Float64Array {
  const count = nodes.length / 3;
  const totals = new Float64Array(SUMS * count);
  const facts = new Float64Array(FACTS * count);
  // children come after their parents
  for (let n = count - 1; n >= 0; n--) {
    const begin = nodes[3 * n];
    const end = nodes[3 * n + 1];
    const child = nodes[3 * n + 2];
    const o = SUMS * n;
    const at = FACTS * n;
    if (child > 0)
      for (let c = o; c < o + SUMS; c++)
        totals[c] = totals[c + SUMS * (child - n)] + totals[c + SUMS * (child + 1 - n)];
    else addTriangles(sums, order, begin, end, totals, o);
    const area = totals[o + 3];
    for (let r = 0; r < 3; r++) {
      facts[at + r] = area > 0 ? totals[o + 4 + r] / area : totals[o + 7 + r] / (end - begin);
      facts[at + 3 + r] = totals[o + r];
    }
    facts[at + 6] = Math.sqrt(measureSquare(points, 3 * places[begin], 3 * places[end], facts, at));
  }
  return facts;
}

/** Adds the sums of a run of triangles to those of a node. */
function addTriangles(
  sums: Float64Array,
  order: Uint32Array,
  begin: number,
  end: number,
  totals: Float64Array,
  o: number,
): void {
  for (let t = begin; t < end; t++)
    for (let c = 0, from = SUMS * order[t]; c < SUMS; c++) totals[o + c] += sums[from + c];
}

/** The largest squared distance of a run of points from a center. */
function measureSquare(points: Float64Array, begin: number, end: number, center: Float64Array, at: number): number {
  const x = center[at];
  const y = center[at + 1];
  const z = center[at + 2];
  let square = 0;
  for (let p = begin; p < end; p += 3) {
    const dx = points[p] - x;
    const dy = points[p + 1] - y;
    const dz = points[p + 2] - z;
    const d = dx * dx + dy * dy + dz * dz;
    if (d > square) square = d;
  }
  return square;
}
