// SPDX-License-Identifier: MIT
// Fits the hierarchy of core/mesh/geometry/triangle-bvh.ts to other positions of the same triangles. First the corners and normals of all triangles, then the boxes, from the deepest level of the tree to the root: the nodes of a level
// follow one another, and do not depend on one another.
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';

const LEAF = 0x80000000;
const NONE = 0xffffffff;
const BOX_SIZE = 24;
/** Bounds of an empty box, inverted. */
const FAR = 1e30;
/** Triangles and nodes per chunk: some tens of microseconds. */
const TRIANGLES = 4096;
const NODES = 1024;

/** Arrays of the kernels. */
export interface BvhFit {
  /** pointCount x 3 */
  positions: Resident<Float64Array>;
  /** triangleCount x 3 points, in the order of the hierarchy */
  points: Resident<Uint32Array>;
  /** nodeCount x 4 */
  children: Resident<Uint32Array>;
  /** triangleCount x 9, and one that is not used. Filled */
  corners: Resident<Float32Array>;
  /** triangleCount x 3: unit normals; zero for degenerate triangles. Filled */
  normals: Resident<Float32Array>;
  /** nodeCount x 24. Filled */
  boxes: Resident<Float32Array>;
  /** First nodes of the levels of the tree, and the number of nodes (listLevels). */
  levels: readonly number[];
}

/** The first nodes of the levels of a tree whose nodes are listed level by level, and the number of nodes. */
export function listLevels(children: Uint32Array): number[] {
  const levels = [0];
  const count = children.length / 4;
  for (let start = 0, end = Math.min(1, count); start < end; ) {
    levels.push(end);
    let inner = 0;
    for (let lane = 4 * start; lane < 4 * end; lane++) if (children[lane] < LEAF) inner++;
    start = end;
    end += inner;
  }
  return levels;
}

/** The kernels that fit a hierarchy, one after another. */
export function listFitCalls({ positions, points, children, corners, normals, boxes, levels }: BvhFit): KernelCall[] {
  const triangleCount = points.length / 3;
  const calls: KernelCall[] = [
    callOf(
      fitTrianglesKernel,
      { positions, points, corners, normals, triangleCount, chunkSize: TRIANGLES },
      Math.ceil(triangleCount / TRIANGLES),
    ),
  ];
  for (let level = levels.length - 2; level >= 0; level--) {
    const end = levels[level + 1];
    // the small levels near the root in one chunk
    const first = end <= NODES ? 0 : levels[level];
    const args = { children, corners, boxes, first, end, chunkSize: NODES };
    calls.push(callOf(fitBoxesKernel, args, Math.ceil((end - first) / NODES)));
    if (first === 0) break;
  }
  return calls;
}

export const fitTrianglesKernel = kernel(
  'fitTriangles',
  {
    positions: 'f64',
    points: 'u32',
    corners: 'f32',
    normals: 'f32',
    triangleCount: 'int',
    chunkSize: 'int',
  },
  ({ positions, points, corners: v, normals, triangleCount, chunkSize }, chunk) => {
    const end = Math.min(triangleCount, (chunk + 1) * chunkSize);
    for (let f = chunk * chunkSize; f < end; f++) {
      for (let c = 0; c < 9; c++) v[9 * f + c] = positions[3 * points[3 * f + Math.floor(c / 3)] + (c % 3)];
      const o = 9 * f;
      const ux = v[o + 3] - v[o];
      const uy = v[o + 4] - v[o + 1];
      const uz = v[o + 5] - v[o + 2];
      const wx = v[o + 6] - v[o];
      const wy = v[o + 7] - v[o + 1];
      const wz = v[o + 8] - v[o + 2];
      const x = uy * wz - uz * wy;
      const y = uz * wx - ux * wz;
      const z = ux * wy - uy * wx;
      const length = Math.sqrt(x * x + y * y + z * z);
      const inverse = 1 / (length > 0 ? length : 1);
      normals[3 * f] = x * inverse;
      normals[3 * f + 1] = y * inverse;
      normals[3 * f + 2] = z * inverse;
    }
  },
);

/** Nodes from the first to the end. The last nodes are those of the first chunk. */
export const fitBoxesKernel = kernel(
  'fitBoxes',
  {
    children: 'u32',
    corners: 'f32',
    boxes: 'f32',
    first: 'int',
    end: 'int',
    chunkSize: 'int',
  },
  ({ children, corners, boxes, first, end, chunkSize }, chunk) => {
    const start = Math.max(first, end - (chunk + 1) * chunkSize);
    for (let lane = 4 * (end - chunk * chunkSize) - 1; lane >= 4 * start; lane--) {
      const child = children[lane];
      const at = (lane >> 2) * BOX_SIZE + (lane & 3);
      for (let a = 0; a < 3; a++) {
        let low = child === NONE ? FAR : Number.POSITIVE_INFINITY;
        let high = child === NONE ? -FAR : Number.NEGATIVE_INFINITY;
        if (child < LEAF) {
          for (let o = child * BOX_SIZE + 4 * a; o < child * BOX_SIZE + 4 * a + 4; o++) {
            low = Math.min(low, boxes[o]);
            high = Math.max(high, boxes[o + 12]);
          }
        } else if (child !== NONE) {
          const place = (child & ~LEAF) >>> 2;
          for (let c = 9 * place + a; c < 9 * (place + (child & 3) + 1); c += 3) {
            low = Math.min(low, corners[c]);
            high = Math.max(high, corners[c]);
          }
        }
        boxes[at + 4 * a] = low;
        boxes[at + 4 * a + 12] = high;
      }
    }
  },
);
