// SPDX-License-Identifier: MIT
// A bounding volume hierarchy of triangles with four children per node, for rays (core/kernels/search/cast-rays.ts) and nearest points (squared-distance-to.ts). It is built once, with the surface area heuristic in
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
const LAST_BIN = BIN_COUNT - 1;
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
 * @param leafSize maximum triangles of a leaf: 4, or 1, which has a box for every triangle, for searches in which a triangle costs much more than a box
 */
export function makeTriangleBvh(positions: Float32Array, triangles: Uint32Array, leafSize: 1 | 4 = 4): TriangleBvh {
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
  const scratch = makeSplitScratch(count);
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
  const children = listWideNodes(root, leafSize);
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

/** Memory of split: bounds of centers, and for each axis the boxes and counts of its bins. */
interface SplitScratch {
  /** 3: bounds of the centers, times two */
  low: Float64Array;
  high: Float64Array;
  counts: Uint32Array;
  /** BIN_COUNT x 6 */
  boxes: Float64Array;
  /** BIN_COUNT: cost of the bins before each */
  lefts: Float64Array;
  box: Float64Array;
  /** triangleCount */
  moved: Uint32Array;
}

const makeSplitScratch = (count: number): SplitScratch => ({
  low: new Float64Array(3),
  high: new Float64Array(3),
  counts: new Uint32Array(BIN_COUNT),
  boxes: new Float64Array(6 * BIN_COUNT),
  lefts: new Float64Array(BIN_COUNT),
  box: new Float64Array(6),
  moved: new Uint32Array(count),
});

/** Orders a range of triangles in two parts, and returns where the second starts. */
function split(
  order: Uint32Array,
  bounds: Float64Array,
  range: Range,
  bySurface: boolean,
  scratch: SplitScratch,
): number {
  const { start, end } = range;
  const { low, high, moved } = scratch;
  low.fill(Number.POSITIVE_INFINITY);
  high.fill(Number.NEGATIVE_INFINITY);
  for (let n = start; n < end; n++)
    for (let a = 0, o = 6 * order[n]; a < 3; a++, o++) {
      const center = bounds[o] + bounds[o + 3];
      if (center < low[a]) low[a] = center;
      if (center > high[a]) high[a] = center;
    }
  const best = { cost: Number.POSITIVE_INFINITY, axis: 0, bin: 0 };
  for (let a = 0; a < 3 && bySurface; a++) {
    if (!(high[a] > low[a])) continue;
    fillBins(order, bounds, range, a, scratch);
    findCheapest(a, scratch, best);
  }
  if (best.bin > 0) {
    const { axis, bin } = best;
    const [from, scale] = [low[axis], BIN_COUNT / (high[axis] - low[axis])];
    let [left, right] = [start, 0];
    for (let n = start; n < end; n++) {
      const f = order[n];
      const place = Math.min(LAST_BIN, (scale * (bounds[6 * f + axis] + bounds[6 * f + 3 + axis] - from)) | 0);
      if (place < bin) order[left++] = f;
      else moved[right++] = f;
    }
    for (let n = 0; n < right; n++) order[left + n] = moved[n];
    return left;
  }
  // all centers are in one place, or the tree is deep: halves along the longest axis
  const part = order.subarray(start, end);
  const axis = [0, 1, 2].reduce((a, b) => (high[b] - low[b] > high[a] - low[a] ? b : a), 0);
  const centerOf = (f: number) => bounds[6 * f + axis] + bounds[6 * f + 3 + axis];
  part.set(Array.from(part).sort((f, g) => centerOf(f) - centerOf(g) || f - g));
  return start + (part.length >> 1);
}

/** Counts the triangles of a range in bins along an axis, and bounds them. */
function fillBins(
  order: Uint32Array,
  bounds: Float64Array,
  { start, end }: Range,
  axis: number,
  { low, high, counts, boxes }: SplitScratch,
): void {
  const [from, scale] = [low[axis], BIN_COUNT / (high[axis] - low[axis])];
  counts.fill(0);
  for (let bin = 0; bin < BIN_COUNT; bin++) clear(boxes, 6 * bin);
  for (let n = start; n < end; n++) {
    const o = 6 * order[n];
    const bin = Math.min(LAST_BIN, (scale * (bounds[o + axis] + bounds[o + 3 + axis] - from)) | 0);
    counts[bin]++;
    grow(boxes, 6 * bin, bounds, o);
  }
}

/** Finds the cheapest split before a bin, surface times count of both sides, if it is below the best one so far. */
function findCheapest(
  axis: number,
  { counts, boxes, lefts, box }: SplitScratch,
  best: { cost: number; axis: number; bin: number },
): void {
  clear(box, 0);
  for (let bin = 1, count = 0; bin < BIN_COUNT; bin++) {
    if (counts[bin - 1] > 0) grow(box, 0, boxes, 6 * (bin - 1));
    count += counts[bin - 1];
    lefts[bin] = count > 0 ? count * areaOf(box) : Number.POSITIVE_INFINITY;
  }
  clear(box, 0);
  // of equal costs, the smallest bin
  for (let bin = LAST_BIN, count = 0; bin > 0; bin--) {
    if (counts[bin] > 0) grow(box, 0, boxes, 6 * bin);
    count += counts[bin];
    const cost = count > 0 ? lefts[bin] + count * areaOf(box) : Number.POSITIVE_INFINITY;
    if (!(cost < best.cost || (cost === best.cost && best.axis === axis && best.bin > 0))) continue;
    best.cost = cost;
    best.axis = axis;
    best.bin = bin;
  }
}

/** Makes the box at o empty. */
function clear(boxes: Float64Array, o: number): void {
  boxes[o] = boxes[o + 1] = boxes[o + 2] = Number.POSITIVE_INFINITY;
  boxes[o + 3] = boxes[o + 4] = boxes[o + 5] = Number.NEGATIVE_INFINITY;
}

/** Grows the box at b by the one at o. */
function grow(boxes: Float64Array, b: number, other: Float64Array, o: number): void {
  if (other[o] < boxes[b]) boxes[b] = other[o];
  if (other[o + 1] < boxes[b + 1]) boxes[b + 1] = other[o + 1];
  if (other[o + 2] < boxes[b + 2]) boxes[b + 2] = other[o + 2];
  if (other[o + 3] > boxes[b + 3]) boxes[b + 3] = other[o + 3];
  if (other[o + 4] > boxes[b + 4]) boxes[b + 4] = other[o + 4];
  if (other[o + 5] > boxes[b + 5]) boxes[b + 5] = other[o + 5];
}

function areaOf(box: Float64Array): number {
  const x = Math.max(0, box[3] - box[0]);
  const y = Math.max(0, box[4] - box[1]);
  const z = Math.max(0, box[5] - box[2]);
  return x * y + y * z + z * x;
}

/**
 * Nodes of four children, parents first: the largest of a node's children are replaced by their own children until there are four. With leaves of one triangle, a larger leaf is a node of its triangles.
 */
function listWideNodes(root: Range, leafSize: number): Uint32Array {
  const nodes: Range[] = [root];
  const children: number[] = [];
  for (let node = 0; node < nodes.length; node++) {
    const range = nodes[node];
    if (!range.children && sizeOf(range) > leafSize) {
      for (let lane = 0; lane < 4; lane++)
        children.push(lane < sizeOf(range) ? makeLeaf(range.start + lane, 1) : BVH_NONE);
      continue;
    }
    const lanes: Range[] = [...(range.children ?? [range])];
    for (let wide = findLargest(lanes); wide && lanes.length < 4; wide = findLargest(lanes))
      lanes.splice(wide.lane, 1, ...wide.children);
    for (let lane = 0; lane < 4; lane++) {
      const part: Range | undefined = lanes[lane];
      if (!part || sizeOf(part) === 0) children.push(BVH_NONE);
      else if (part.children || sizeOf(part) > leafSize) children.push(nodes.push(part) - 1);
      else children.push(makeLeaf(part.start, sizeOf(part)));
    }
  }
  return Uint32Array.from(children);
}

/** The first of the largest ranges that have children. */
function findLargest(lanes: readonly Range[]): { lane: number; children: [Range, Range] } | undefined {
  let largest: { lane: number; children: [Range, Range] } | undefined;
  lanes.forEach(({ children }, lane) => {
    if (children && (!largest || sizeOf(lanes[lane]) > sizeOf(lanes[largest.lane]))) largest = { lane, children };
  });
  return largest;
}

const makeLeaf = (start: number, count: number): number => (BVH_LEAF | (start << 2) | (count - 1)) >>> 0;
const sizeOf = ({ start, end }: Range): number => end - start;
