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

interface Groups {
  /** Per node: first triangle of its run, one past the last, left child (the right one follows it; 0 for a leaf). */
  begin: number[];
  end: number[];
  child: number[];
  /** nodeCount x 7: center, area vector, radius */
  facts: number[];
}

/** Prepares a surface; n log n in its triangles. */
export function makeWindingNumber(positions: ArrayLike<number>, triangles: Uint32Array): WindingNumber {
  const count = triangles.length / 3;
  const centers = new Float64Array(3 * count);
  for (let f = 0; f < count; f++)
    for (let c = 0; c < 3; c++)
      for (let r = 0; r < 3; r++) centers[3 * f + r] += positions[3 * triangles[3 * f + c] + r] / 3;
  const order = Uint32Array.from({ length: count }, (_, f) => f);
  const groups: Groups = { begin: [], end: [], child: [], facts: [] };
  const addNode = (begin: number, end: number): void => {
    groups.begin.push(begin);
    groups.end.push(end);
    groups.child.push(0);
    groups.facts.push(...measureGroup(positions, triangles, order.subarray(begin, end)));
  };
  if (count > 0) addNode(0, count);
  for (let n = 0; n < groups.begin.length; n++) {
    const [begin, end] = [groups.begin[n], groups.end[n]];
    if (end - begin <= LEAF) continue;
    const run = order.subarray(begin, end);
    const axis = findLongAxis(centers, run);
    run.sort((a, b) => centers[3 * a + axis] - centers[3 * b + axis] || a - b);
    const middle = (begin + end) >> 1;
    groups.child[n] = groups.begin.length;
    addNode(begin, middle);
    addNode(middle, end);
  }
  const facts = Float64Array.from(groups.facts);
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
        const [dx, dy, dz] = [facts[o] - x, facts[o + 1] - y, facts[o + 2] - z];
        const square = dx * dx + dy * dy + dz * dz;
        if (square > (FAR * facts[o + 6]) ** 2) {
          sum += (dx * facts[o + 3] + dy * facts[o + 4] + dz * facts[o + 5]) / (square * Math.sqrt(square));
        } else if (groups.child[n] > 0) {
          stack[top++] = groups.child[n] + 1;
          stack[top++] = groups.child[n];
        } else {
          for (let t = groups.begin[n]; t < groups.end[n]; t++)
            sum += solidAngle(positions, triangles, order[t], x, y, z);
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
  const [i, j, k] = [3 * triangles[3 * f], 3 * triangles[3 * f + 1], 3 * triangles[3 * f + 2]];
  const [ax, ay, az] = [positions[i] - x, positions[i + 1] - y, positions[i + 2] - z];
  const [bx, by, bz] = [positions[j] - x, positions[j + 1] - y, positions[j + 2] - z];
  const [cx, cy, cz] = [positions[k] - x, positions[k + 1] - y, positions[k + 2] - z];
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

/** Center, area vector and radius of some triangles. */
function measureGroup(positions: ArrayLike<number>, triangles: Uint32Array, run: Uint32Array): number[] {
  const center = [0, 0, 0];
  const normal = [0, 0, 0];
  let total = 0;
  const middle = [0, 0, 0];
  for (const f of run) {
    const [i, j, k] = [3 * triangles[3 * f], 3 * triangles[3 * f + 1], 3 * triangles[3 * f + 2]];
    const [ux, uy, uz] = [0, 1, 2].map((r) => positions[j + r] - positions[i + r]);
    const [vx, vy, vz] = [0, 1, 2].map((r) => positions[k + r] - positions[i + r]);
    const area = [0.5 * (uy * vz - uz * vy), 0.5 * (uz * vx - ux * vz), 0.5 * (ux * vy - uy * vx)];
    const size = Math.hypot(area[0], area[1], area[2]);
    total += size;
    for (let r = 0; r < 3; r++) {
      const mean = (positions[i + r] + positions[j + r] + positions[k + r]) / 3;
      normal[r] += area[r];
      center[r] += size * mean;
      middle[r] += mean / run.length;
    }
  }
  for (let r = 0; r < 3; r++) center[r] = total > 0 ? center[r] / total : middle[r];
  let radius = 0;
  for (const f of run) {
    for (let c = 0; c < 3; c++) {
      const o = 3 * triangles[3 * f + c];
      const away = Math.hypot(positions[o] - center[0], positions[o + 1] - center[1], positions[o + 2] - center[2]);
      radius = Math.max(radius, away);
    }
  }
  return [...center, ...normal, radius];
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
