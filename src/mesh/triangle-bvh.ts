// SPDX-License-Identifier: MIT
// A bounding volume hierarchy of triangles with four children per node, for rays (kernels/cast-rays.ts) and nearest points (squared-distance-to.ts). It is built once, with the surface area heuristic in
// bins (I. Wald, "On fast construction of SAH-based bounding volume hierarchies", IEEE Symposium on Interactive Ray Tracing, 2007), and refitted to every frame.

/** Numbers of a node's boxes: min x of four children, min y, min z, max x, max y, max z. */
export const BVH_BOX_SIZE = 24;
/** A child that is a leaf: this bit, its first place among the corners (from bit 2), and its triangle count less one (bits 0 and 1). */
export const BVH_LEAF = 0x80000000;
/** No child. Its box cannot be hit. */
export const BVH_NONE = 0xffffffff;
/** Maximum stack that a traversal needs: three waiting children per level of the tree. */
export const BVH_STACK = 256;

const BIN_COUNT = 12;
const LEAF_SIZE = 4;
/** From this depth on, nodes are split in half. Halves add at most 29 levels, so the binary tree has fewer than BVH_STACK / 3 levels. */
const MAX_SAH_DEPTH = 48;

/** Boxes around triangles. Children come after their parents. */
export interface TriangleBvh {
  /** nodeCount x 4 */
  children: Uint32Array;
  /** nodeCount x 24: BVH_BOX_SIZE says the order */
  boxes: Float32Array;
  /** triangleCount: the triangle at each place */
  order: Uint32Array;
  /** triangleCount x 9: the corners of each triangle, in this order */
  corners: Float32Array;
}

/** A node of the binary tree: a range of `order`, split or not. */
interface Range {
  start: number;
  end: number;
  children?: [Range, Range];
}

/**
 * Builds the hierarchy of a shape, and fits it to that shape.
 * @param positions vertexCount x 3
 * @param triangles triangleCount x 3
 */
export function makeTriangleBvh(positions: Float32Array, triangles: Uint32Array): TriangleBvh {
  const count = triangles.length / 3;
  const order = Uint32Array.from({ length: count }, (_, f) => f);
  const bounds = new Float64Array(6 * count);
  for (let f = 0; f < count; f++)
    for (let a = 0; a < 3; a++) {
      const [p, q, r] = [0, 1, 2].map((c) => positions[3 * triangles[3 * f + c] + a]);
      bounds[6 * f + a] = Math.min(p, q, r);
      bounds[6 * f + 3 + a] = Math.max(p, q, r);
    }
  const root: Range = { start: 0, end: count };
  const open: { range: Range; depth: number }[] = [{ range: root, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { range, depth } = next;
    if (range.end - range.start <= LEAF_SIZE) continue;
    const middle = split(order, bounds, range, depth < MAX_SAH_DEPTH);
    range.children = [
      { start: range.start, end: middle },
      { start: middle, end: range.end },
    ];
    for (const child of range.children) open.push({ range: child, depth: depth + 1 });
  }
  const children = listWideNodes(root);
  const bvh = {
    children,
    boxes: new Float32Array((children.length / 4) * BVH_BOX_SIZE),
    order,
    corners: new Float32Array(9 * count),
  };
  fitTriangleBvh(bvh, positions, triangles);
  return bvh;
}

/** Fits the boxes and corners to other positions of the same triangles. Changed in place. */
export function fitTriangleBvh(bvh: TriangleBvh, positions: Float32Array, triangles: Uint32Array): void {
  const { children, boxes, order, corners } = bvh;
  for (let n = 0; n < order.length; n++)
    for (let c = 0; c < 3; c++) {
      const from = 3 * triangles[3 * order[n] + c];
      const to = 9 * n + 3 * c;
      corners[to] = positions[from];
      corners[to + 1] = positions[from + 1];
      corners[to + 2] = positions[from + 2];
    }
  // children come after their parents
  for (let lane = children.length - 1; lane >= 0; lane--) {
    const child = children[lane];
    const at = (lane >> 2) * BVH_BOX_SIZE + (lane & 3);
    for (let a = 0; a < 3; a++) {
      let [low, high] = child === BVH_NONE ? [FAR, -FAR] : [Infinity, -Infinity];
      if (child < BVH_LEAF) {
        for (let o = child * BVH_BOX_SIZE + 4 * a; o < child * BVH_BOX_SIZE + 4 * a + 4; o++) {
          low = Math.min(low, boxes[o]);
          high = Math.max(high, boxes[o + 12]);
        }
      } else if (child !== BVH_NONE) {
        const first = (child & ~BVH_LEAF) >>> 2;
        for (let c = 9 * first + a; c < 9 * (first + (child & 3) + 1); c += 3) {
          low = Math.min(low, corners[c]);
          high = Math.max(high, corners[c]);
        }
      }
      boxes[at + 4 * a] = low;
      boxes[at + 4 * a + 12] = high;
    }
  }
}

/** Bounds of an empty box, inverted, so that no ray is inside. Finite, since infinity times zero is not a number. */
const FAR = 1e30;

/** Orders a range of triangles in two parts, and returns where the second starts. */
function split(order: Uint32Array, bounds: Float64Array, { start, end }: Range, bySurface: boolean): number {
  const low = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const high = low.map((x) => -x);
  for (let n = start; n < end; n++)
    for (let a = 0; a < 3; a++) {
      const center = bounds[6 * order[n] + a] + bounds[6 * order[n] + 3 + a];
      low[a] = Math.min(low[a], center);
      high[a] = Math.max(high[a], center);
    }
  let best = { cost: Number.POSITIVE_INFINITY, axis: 0, bin: 0 };
  const binOf = (f: number, a: number): number => {
    const center = bounds[6 * f + a] + bounds[6 * f + 3 + a];
    return Math.min(BIN_COUNT - 1, Math.floor((BIN_COUNT * (center - low[a])) / (high[a] - low[a])));
  };
  for (let a = 0; a < 3 && bySurface; a++) {
    if (!(high[a] > low[a])) continue;
    const costs = measureBins(order, bounds, start, end, (f) => binOf(f, a));
    for (let bin = 1; bin < BIN_COUNT; bin++) if (costs[bin] < best.cost) best = { cost: costs[bin], axis: a, bin };
  }
  const part = order.subarray(start, end);
  if (best.bin > 0) {
    const isLeft = (f: number) => binOf(f, best.axis) < best.bin;
    const [left, right] = [part.filter(isLeft), part.filter((f) => !isLeft(f))];
    part.set(left);
    part.set(right, left.length);
    return start + left.length;
  }
  // all centers are in one place, or the tree is deep: halves along the longest axis
  const axis = [0, 1, 2].reduce((a, b) => (high[b] - low[b] > high[a] - low[a] ? b : a), 0);
  const centerOf = (f: number) => bounds[6 * f + axis] + bounds[6 * f + 3 + axis];
  part.set(Array.from(part).sort((f, g) => centerOf(f) - centerOf(g) || f - g));
  return start + (part.length >> 1);
}

/** The cost of a split before each bin: surface times count, of both sides. Infinity if a side is empty. */
function measureBins(
  order: Uint32Array,
  bounds: Float64Array,
  start: number,
  end: number,
  binOf: (f: number) => number,
): Float64Array {
  const counts = new Uint32Array(BIN_COUNT);
  const boxes = Array.from({ length: BIN_COUNT }, emptyBox);
  for (let n = start; n < end; n++) {
    const bin = binOf(order[n]);
    counts[bin]++;
    grow(boxes[bin], bounds, 6 * order[n]);
  }
  const costs = new Float64Array(BIN_COUNT).fill(Number.POSITIVE_INFINITY);
  const lefts = new Float64Array(BIN_COUNT);
  const box = emptyBox();
  let count = 0;
  for (let bin = 1; bin < BIN_COUNT; bin++) {
    grow(box, boxes[bin - 1], 0);
    count += counts[bin - 1];
    lefts[bin] = count > 0 ? count * areaOf(box) : Number.POSITIVE_INFINITY;
  }
  box.set(emptyBox());
  count = 0;
  for (let bin = BIN_COUNT - 1; bin > 0; bin--) {
    grow(box, boxes[bin], 0);
    count += counts[bin];
    if (count > 0) costs[bin] = lefts[bin] + count * areaOf(box);
  }
  return costs;
}

const emptyBox = (): Float64Array => Float64Array.of(Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity);

function grow(box: Float64Array, other: Float64Array, o: number): void {
  for (let a = 0; a < 3; a++) {
    box[a] = Math.min(box[a], other[o + a]);
    box[3 + a] = Math.max(box[3 + a], other[o + 3 + a]);
  }
}

function areaOf(box: Float64Array): number {
  const [x, y, z] = [0, 1, 2].map((a) => Math.max(0, box[3 + a] - box[a]));
  return x * y + y * z + z * x;
}

/** Nodes of four children, parents first: the largest of a node's children are replaced by their own children until there are four. */
function listWideNodes(root: Range): Uint32Array {
  const nodes: Range[] = [root];
  const children: number[] = [];
  for (let node = 0; node < nodes.length; node++) {
    const lanes: Range[] = [...(nodes[node].children ?? [nodes[node]])];
    while (lanes.length < 4) {
      const inner = lanes.filter((lane) => lane.children);
      if (inner.length === 0) break;
      const largest = inner.reduce((best, lane) => (sizeOf(lane) > sizeOf(best) ? lane : best));
      lanes.splice(lanes.indexOf(largest), 1, ...largest.children!);
    }
    for (let lane = 0; lane < 4; lane++) {
      const range: Range | undefined = lanes[lane];
      if (!range || sizeOf(range) === 0) children.push(BVH_NONE);
      else if (range.children) children.push(nodes.push(range) - 1);
      else children.push((BVH_LEAF | (range.start << 2) | (sizeOf(range) - 1)) >>> 0);
    }
  }
  return Uint32Array.from(children);
}

const sizeOf = ({ start, end }: Range): number => end - start;
