// SPDX-License-Identifier: MIT
// Nearest points on large fans. The boxes of long thin triangles around one point overlap, so a hierarchy of boxes visits a part of all of them for every point
// (triangle-bvh.ts). Seen from that point they are beside one another: a node here is a cone around its triangles, from the ball of their tips.
import { triangleDistance } from '../core/mesh/geometry/squared-distance-to.ts';
import { weldVertices } from '../core/mesh/topology/weld.ts';

/** More triangles with a corner in one place are a fan. */
const FAN_SIZE = 256;
const LEAF_SIZE = 4;
/** Angle by which a cone is wider than its triangles, for rounding. */
const SLACK = 1e-6;

/** Triangles with their tips in one place in the first pose, and the others. */
export interface FanParts {
  /** Tip first: fanTriangleCount x 3 for each fan */
  fans: Uint32Array[];
  /** otherTriangleCount x 3 */
  others: Uint32Array;
}

/** Finds the large fans of a surface. */
export function listFans(positions: Float32Array, triangles: Uint32Array): FanParts {
  const { pointOfVertex, pointCount } = weldVertices(positions);
  const counts = new Uint32Array(pointCount);
  for (const i of triangles) counts[pointOfVertex[i]]++;
  const tips = new Map<number, number[]>();
  for (let p = 0; p < pointCount; p++) if (counts[p] > FAN_SIZE) tips.set(p, []);
  if (tips.size === 0) return { fans: [], others: triangles };
  const others: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = [...triangles.subarray(t, t + 3)];
    const tip = corners.findIndex((i) => tips.has(pointOfVertex[i]));
    const list = tip < 0 ? others : (tips.get(pointOfVertex[corners[tip]]) ?? others);
    for (let c = 0; c < 3; c++) list.push(corners[(Math.max(0, tip) + c) % 3]);
  }
  return { fans: [...tips.values()].map((list) => Uint32Array.from(list)), others: Uint32Array.from(others) };
}

/** A node: triangles from start to end, and the node after its subtree. */
interface Cone {
  start: number;
  end: number;
  after: number;
  /** Unit vector from the tip, and the half of the angle; more than a right angle is no cone. */
  axis: [number, number, number];
  half: number;
  /** Distance from the tip to the farthest corner. */
  reach: number;
}

/** From the tip to a point. */
interface Direction {
  x: number;
  y: number;
  z: number;
  length: number;
}

export class FanTree {
  /** triangleCount x 3: vertices, tips first, neighbours in space beside one another */
  readonly #triangles: Uint32Array;
  /** triangleCount x 9 */
  readonly #corners: Float32Array;
  /** Parents before children. */
  readonly #cones: Cone[] = [];
  readonly #tip: [number, number, number] = [0, 0, 0];
  /** Radius of the ball around #tip that holds the tips of all triangles. */
  #spread = 0;

  constructor(positions: Float32Array, fan: Uint32Array) {
    const count = fan.length / 3;
    const towards = new Float64Array(3 * count);
    for (let n = 0; n < count; n++)
      for (let a = 0; a < 3; a++) {
        const [p, q, r] = [0, 1, 2].map((c) => positions[3 * fan[3 * n + c] + a]);
        towards[3 * n + a] = (q + r) / 2 - p;
      }
    for (let n = 0; n < count; n++) {
      const length = Math.hypot(...towards.subarray(3 * n, 3 * n + 3)) || 1;
      for (let a = 0; a < 3; a++) towards[3 * n + a] /= length;
    }
    const order = Array.from({ length: count }, (_, n) => n);
    this.#divide(order, towards, 0, count);
    this.#triangles = Uint32Array.from(order.flatMap((n) => [...fan.subarray(3 * n, 3 * n + 3)]));
    this.#corners = new Float32Array(9 * count);
  }

  /** Fits the cones to a pose. */
  fit(positions: Float32Array): void {
    const corners = this.#corners;
    this.#triangles.forEach((i, c) => {
      for (let a = 0; a < 3; a++) corners[3 * c + a] = positions[3 * i + a];
    });
    for (let a = 0; a < 3; a++) this.#tip[a] = corners[a];
    this.#spread = 0;
    for (let o = 0; o < corners.length; o += 9)
      this.#spread = Math.max(
        this.#spread,
        Math.hypot(corners[o] - corners[0], corners[o + 1] - corners[1], corners[o + 2] - corners[2]),
      );
    for (const cone of this.#cones) fitCone(cone, corners);
  }

  /** The squared distance of a point from the fan, or `limit` if it is larger. */
  squaredDistanceTo(x: number, y: number, z: number, limit: number): number {
    const from: Direction = { x: x - this.#tip[0], y: y - this.#tip[1], z: z - this.#tip[2], length: 0 };
    from.length = Math.hypot(from.x, from.y, from.z);
    let least = limit;
    const open = [{ n: 0, bound: this.#boundOf(0, from) }];
    for (let next = open.pop(); next; next = open.pop()) {
      const { n, bound } = next;
      if (bound * bound >= least && bound > 0) continue;
      const { start, end, after } = this.#cones[n];
      if (after === n + 1) {
        for (let f = start; f < end; f++) least = Math.min(least, triangleDistance(this.#corners, 9 * f, x, y, z));
        continue;
      }
      // the nearer half is visited first
      const halves = [n + 1, this.#cones[n + 1].after].map((half) => ({ n: half, bound: this.#boundOf(half, from) }));
      open.push(...(halves[0].bound < halves[1].bound ? halves.reverse() : halves));
    }
    return least;
  }

  /** A distance that no triangle of a cone is below; negative ones order cones that are around the point. */
  #boundOf(n: number, { x, y, z, length }: Direction): number {
    const { axis, half, reach } = this.#cones[n];
    const cosine = (x * axis[0] + y * axis[1] + z * axis[2]) / length;
    const beside = Math.acos(Math.max(-1, Math.min(1, cosine || 0))) - half;
    const across =
      half >= Math.PI / 2 ? -Math.PI : beside > 0 ? length * Math.sin(Math.min(beside, Math.PI / 2)) : beside;
    return Math.max(across, length - reach) - this.#spread;
  }

  /** Orders a range by directions, in halves along the widest axis, and adds its nodes. */
  #divide(order: number[], towards: Float64Array, start: number, end: number): void {
    const cone: Cone = { start, end, after: 0, axis: [0, 0, 1], half: Math.PI, reach: 0 };
    this.#cones.push(cone);
    if (end - start > LEAF_SIZE) {
      const part = order.slice(start, end);
      const widths = [0, 1, 2].map((a) => {
        let [low, high] = [1, -1];
        for (const n of part) {
          low = Math.min(low, towards[3 * n + a]);
          high = Math.max(high, towards[3 * n + a]);
        }
        return high - low;
      });
      const axis = widths.indexOf(Math.max(...widths));
      part.sort((p, q) => towards[3 * p + axis] - towards[3 * q + axis] || p - q);
      part.forEach((n, k) => {
        order[start + k] = n;
      });
      const middle = (start + end) >> 1;
      this.#divide(order, towards, start, middle);
      this.#divide(order, towards, middle, end);
    }
    cone.after = this.#cones.length;
  }
}

/** The cone around the far corners of the triangles, from the tip of each. */
function fitCone(cone: Cone, corners: Float32Array): void {
  const axis: [number, number, number] = [0, 0, 0];
  const visit = (use: (x: number, y: number, z: number, length: number) => void): void => {
    for (let o = 9 * cone.start; o < 9 * cone.end; o += 9)
      for (let c = o + 3; c < o + 9; c += 3) {
        const [x, y, z] = [corners[c] - corners[o], corners[c + 1] - corners[o + 1], corners[c + 2] - corners[o + 2]];
        const length = Math.hypot(x, y, z);
        if (length > 0) use(x / length, y / length, z / length, length);
      }
  };
  cone.reach = 0;
  visit((x, y, z, length) => {
    axis[0] += x;
    axis[1] += y;
    axis[2] += z;
    cone.reach = Math.max(cone.reach, length);
  });
  const size = Math.hypot(...axis);
  let least = size > 0 ? 1 : -1;
  for (let a = 0; a < 3; a++) cone.axis[a] = size > 0 ? axis[a] / size : 0;
  visit((x, y, z) => {
    least = Math.min(least, x * cone.axis[0] + y * cone.axis[1] + z * cone.axis[2]);
  });
  cone.half = Math.acos(Math.max(-1, least)) + SLACK;
}
