// SPDX-License-Identifier: MIT
// A. Jacobson, L. Kavan, O. Sorkine-Hornung, "Robust inside-outside segmentation using generalized winding numbers", SIGGRAPH 2013: the sum of the solid angles of all
// triangles seen from a point, over 4π. One inside a closed surface, zero outside, in between where it is open. G. Barill et al., "Fast winding numbers for soups
// and clouds", SIGGRAPH 2018, for the tree: a far group of triangles is replaced by one dipole, its summed area vector n at its area-weighted centre p,
//   n · (p − q) / (4π |p − q|³),
// where "far" is FAR times the radius of the group. Near leaves are summed exactly: A. van Oosterom and J. Strackee, "The solid angle of a plane triangle", 1983,
//   tan(Ω/2) = a · (b × c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|).
// Only the first term of the expansion is kept; the error is below 0.02 on the shapes of the tests, against a threshold of one half.

/** Distance, in radii of a group, beyond which it is replaced by a dipole. */
const FAR = 5;
const LEAF = 8;

export interface WindingNumber {
  /** The winding number of the surface around a point. */
  at(x: number, y: number, z: number): number;
}

/** Prepares a surface; n log n in its triangles. */
export function makeWindingNumber(positions: ArrayLike<number>, triangles: Uint32Array): WindingNumber {
  const count = triangles.length / 3;
  const centers = new Float64Array(3 * count);
  for (let f = 0; f < count; f++)
    for (let c = 0; c < 3; c++)
      for (let r = 0; r < 3; r++) centers[3 * f + r] += positions[3 * triangles[3 * f + c] + r] / 3;
  const order = Uint32Array.from({ length: count }, (_, f) => f);
  /** Per node: first triangle of its run, one past the last, left child (the right one follows it; 0 for a leaf). */
  const begins: number[] = [];
  const ends: number[] = [];
  const children: number[] = [];
  const addNode = (begin: number, end: number): void => {
    begins.push(begin);
    ends.push(end);
    children.push(0);
  };
  if (count > 0) addNode(0, count);
  for (let n = 0; n < begins.length; n++) {
    const [begin, end] = [begins[n], ends[n]];
    if (end - begin <= LEAF) continue;
    const run = order.subarray(begin, end);
    const axis = findLongAxis(centers, run);
    run.sort((a, b) => centers[3 * a + axis] - centers[3 * b + axis] || a - b);
    const middle = (begin + end) >> 1;
    children[n] = begins.length;
    addNode(begin, middle);
    addNode(middle, end);
  }
  const nodes = Uint32Array.from({ length: 3 * begins.length }, (_, e) => [begins, ends, children][e % 3][(e / 3) | 0]);
  /** nodeCount x 7: center, area vector, radius */
  const facts = new Float64Array(7 * begins.length);
  for (let n = 0; n < begins.length; n++)
    measureGroupInto(positions, triangles, order.subarray(begins[n], ends[n]), facts, 7 * n);
  const stack = new Int32Array(128);
  return {
    at(x, y, z) {
      if (count === 0) return 0;
      let sum = 0;
      let top = 0;
      stack[top++] = 0;
      while (top > 0) {
        const n = stack[--top];
        const o = 7 * n;
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
          const end = nodes[3 * n + 1];
          for (let t = nodes[3 * n]; t < end; t++) sum += solidAngle(positions, triangles, order[t], x, y, z);
        }
      }
      return sum / (4 * Math.PI);
    },
  };
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

/** Writes center, area vector and radius of some triangles. */
function measureGroupInto(
  positions: ArrayLike<number>,
  triangles: Uint32Array,
  run: Uint32Array,
  out: Float64Array,
  at: number,
): void {
  let [x, y, z, nx, ny, nz, mx, my, mz, total] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let t = 0; t < run.length; t++) {
    const i = 3 * triangles[3 * run[t]];
    const j = 3 * triangles[3 * run[t] + 1];
    const k = 3 * triangles[3 * run[t] + 2];
    const ux = positions[j] - positions[i];
    const uy = positions[j + 1] - positions[i + 1];
    const uz = positions[j + 2] - positions[i + 2];
    const vx = positions[k] - positions[i];
    const vy = positions[k + 1] - positions[i + 1];
    const vz = positions[k + 2] - positions[i + 2];
    const ax = 0.5 * (uy * vz - uz * vy);
    const ay = 0.5 * (uz * vx - ux * vz);
    const az = 0.5 * (ux * vy - uy * vx);
    const size = Math.sqrt(ax * ax + ay * ay + az * az);
    const cx = (positions[i] + positions[j] + positions[k]) / 3;
    const cy = (positions[i + 1] + positions[j + 1] + positions[k + 1]) / 3;
    const cz = (positions[i + 2] + positions[j + 2] + positions[k + 2]) / 3;
    total += size;
    nx += ax;
    ny += ay;
    nz += az;
    x += size * cx;
    y += size * cy;
    z += size * cz;
    mx += cx;
    my += cy;
    mz += cz;
  }
  x = total > 0 ? x / total : mx / run.length;
  y = total > 0 ? y / total : my / run.length;
  z = total > 0 ? z / total : mz / run.length;
  let square = 0;
  for (let t = 0; t < run.length; t++) {
    for (let c = 3 * run[t]; c < 3 * run[t] + 3; c++) {
      const o = 3 * triangles[c];
      const [dx, dy, dz] = [positions[o] - x, positions[o + 1] - y, positions[o + 2] - z];
      square = Math.max(square, dx * dx + dy * dy + dz * dz);
    }
  }
  out.set([x, y, z, nx, ny, nz, Math.sqrt(square)], at);
}

function findLongAxis(centers: Float64Array, run: Uint32Array): number {
  let axis = 0;
  let longest = -1;
  for (let r = 0; r < 3; r++) {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const f of run) {
      low = Math.min(low, centers[3 * f + r]);
      high = Math.max(high, centers[3 * f + r]);
    }
    if (high - low > longest) {
      longest = high - low;
      axis = r;
    }
  }
  return axis;
}
