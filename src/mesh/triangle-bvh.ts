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
      const p = positions[3 * triangles[3 * f] + a];
      const q = positions[3 * triangles[3 * f + 1] + a];
      const r = positions[3 * triangles[3 * f + 2] + a];
      bounds[6 * f + a] = Math.min(p, q, r);
      bounds[6 * f + 3 + a] = Math.max(p, q, r);
    }
  const scratch: SplitScratch = {
    ...makeBinScratch(),
    low: new Float64Array(3),
    high: new Float64Array(3),
    bins: new Uint8Array(count),
    moved: new Uint32Array(count),
  };
  const root: Range = { start: 0, end: count };
  const open: { range: Range; depth: number }[] = [{ range: root, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { range, depth } = next;
    if (range.end - range.start <= LEAF_SIZE) continue;
    const middle = split(order, bounds, range, depth < MAX_SAH_DEPTH, scratch);
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
      let low = child === BVH_NONE ? FAR : Infinity;
      let high = child === BVH_NONE ? -FAR : -Infinity;
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

/** Memory of split. */
interface SplitScratch extends BinScratch {
  /** 3: bounds of the centers, times two */
  low: Float64Array;
  high: Float64Array;
  /** triangleCount: the bin of each place */
  bins: Uint8Array;
  /** triangleCount */
  moved: Uint32Array;
}

/** Orders a range of triangles in two parts, and returns where the second starts. */
function split(
  order: Uint32Array,
  bounds: Float64Array,
  range: Range,
  bySurface: boolean,
  scratch: SplitScratch,
): number {
  const { start, end } = range;
  const { low, high, bins } = scratch;
  for (let a = 0; a < 3; a++) {
    low[a] = Number.POSITIVE_INFINITY;
    high[a] = Number.NEGATIVE_INFINITY;
  }
  for (let n = start; n < end; n++)
    for (let a = 0; a < 3; a++) {
      const center = bounds[6 * order[n] + a] + bounds[6 * order[n] + 3 + a];
      if (center < low[a]) low[a] = center;
      if (center > high[a]) high[a] = center;
    }
  const best = { cost: Number.POSITIVE_INFINITY, axis: 0, bin: 0 };
  const binOf = (f: number, a: number): number => {
    const center = bounds[6 * f + a] + bounds[6 * f + 3 + a];
    return Math.min(BIN_COUNT - 1, Math.floor((BIN_COUNT * (center - low[a])) / (high[a] - low[a])));
  };
  for (let a = 0; a < 3 && bySurface; a++) {
    if (!(high[a] > low[a])) continue;
    for (let n = start; n < end; n++) bins[n] = binOf(order[n], a);
    const costs = measureBins(order, bounds, range, bins, scratch);
    for (let bin = 1; bin < BIN_COUNT; bin++) {
      if (!(costs[bin] < best.cost)) continue;
      best.cost = costs[bin];
      best.axis = a;
      best.bin = bin;
    }
  }
  const part = order.subarray(start, end);
  if (best.bin > 0) {
    const { moved } = scratch;
    let [left, right] = [0, 0];
    for (let n = start; n < end; n++) {
      if (binOf(order[n], best.axis) < best.bin) order[start + left++] = order[n];
      else moved[right++] = order[n];
    }
    part.set(moved.subarray(0, right), left);
    return start + left;
  }
  // all centers are in one place, or the tree is deep: halves along the longest axis
  const axis = [0, 1, 2].reduce((a, b) => (high[b] - low[b] > high[a] - low[a] ? b : a), 0);
  const centerOf = (f: number) => bounds[6 * f + axis] + bounds[6 * f + 3 + axis];
  part.set(Array.from(part).sort((f, g) => centerOf(f) - centerOf(g) || f - g));
  return start + (part.length >> 1);
}

/** Memory of measureBins: boxes of the bins, of the bins before each, and of those after it. */
interface BinScratch {
  counts: Uint32Array;
  /** BIN_COUNT x 6 */
  boxes: Float64Array;
  lefts: Float64Array;
  costs: Float64Array;
  box: Float64Array;
}

const makeBinScratch = (): BinScratch => ({
  counts: new Uint32Array(BIN_COUNT),
  boxes: new Float64Array(6 * BIN_COUNT),
  lefts: new Float64Array(BIN_COUNT),
  costs: new Float64Array(BIN_COUNT),
  box: new Float64Array(6),
});

/**
 * The cost of a split before each bin: surface times count, of both sides. Infinity if a side is empty.
 * @param bins the bin of each triangle of the range
 */
function measureBins(
  order: Uint32Array,
  bounds: Float64Array,
  { start, end }: Range,
  bins: Uint8Array,
  { counts, boxes, lefts, costs, box }: BinScratch,
): Float64Array {
  counts.fill(0);
  for (let bin = 0; bin < BIN_COUNT; bin++) clear(boxes, 6 * bin);
  for (let n = start; n < end; n++) {
    const bin = bins[n];
    counts[bin]++;
    grow(boxes, 6 * bin, bounds, 6 * order[n]);
  }
  costs.fill(Number.POSITIVE_INFINITY);
  clear(box, 0);
  let count = 0;
  for (let bin = 1; bin < BIN_COUNT; bin++) {
    grow(box, 0, boxes, 6 * (bin - 1));
    count += counts[bin - 1];
    lefts[bin] = count > 0 ? count * areaOf(box) : Number.POSITIVE_INFINITY;
  }
  clear(box, 0);
  count = 0;
  for (let bin = BIN_COUNT - 1; bin > 0; bin--) {
    grow(box, 0, boxes, 6 * bin);
    count += counts[bin];
    if (count > 0) costs[bin] = lefts[bin] + count * areaOf(box);
  }
  return costs;
}

/** Makes the box at o empty. */
function clear(boxes: Float64Array, o: number): void {
  boxes[o] = boxes[o + 1] = boxes[o + 2] = Number.POSITIVE_INFINITY;
  boxes[o + 3] = boxes[o + 4] = boxes[o + 5] = Number.NEGATIVE_INFINITY;
}

/** Grows the box at b by the one at o. */
function grow(boxes: Float64Array, b: number, other: Float64Array, o: number): void {
  for (let a = 0; a < 3; a++) {
    if (other[o + a] < boxes[b + a]) boxes[b + a] = other[o + a];
    if (other[o + 3 + a] > boxes[b + 3 + a]) boxes[b + 3 + a] = other[o + 3 + a];
  }
}

function areaOf(box: Float64Array): number {
  const x = Math.max(0, box[3] - box[0]);
  const y = Math.max(0, box[4] - box[1]);
  const z = Math.max(0, box[5] - box[2]);
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
