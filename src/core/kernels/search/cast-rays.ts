// SPDX-License-Identifier: MIT
// Light that reaches points of a surface: per point, the sum over directions of max(0, normal · direction) x values, where no triangle is hit.
// Boxes (core/mesh/geometry/triangle-bvh.ts) only skip triangles. They are tested with a margin above the rounding of both implementations, and triangles are tested in
// double precision, so that both give the same bits.
import type { Compute } from '../compute.ts';
import { kernel, type Resident } from '../kernel.ts';

/** Points per chunk: some milliseconds. */
const CHUNK = 64;
const LEAF = 0x80000000;
/** Numbers of a node's boxes. */
const BOX_SIZE = 24;
/** The far side of a box is moved away by this ratio, which exceeds the rounding of single precision in a box test. */
const MARGIN = 1.00001;

/** Arrays of the kernel. */
export interface RayCaster {
  /** pointCount x 6: position, unit normal */
  points: Resident<Float32Array>;
  /** directionCount x 3: unit vectors; no number is zero */
  directions: Resident<Float64Array>;
  /** directionCount x channels */
  values: Resident<Float64Array>;
  /** nodeCount x 24 */
  boxes: Resident<Float32Array>;
  /** nodeCount x 4 */
  children: Resident<Uint32Array>;
  /** triangleCount x 9 */
  corners: Resident<Float32Array>;
  /** pointCount x channels, filled */
  sums: Resident<Float64Array>;
  /** threads x stackSize */
  stacks: Resident<Uint32Array>;
  pointCount: number;
  directionCount: number;
  channels: number;
  stackSize: number;
}

/** Fills the sums of all points. */
export async function castRays(compute: Compute, caster: RayCaster): Promise<void> {
  await compute.run(castRaysKernel, { ...caster, chunkSize: CHUNK }, Math.ceil(caster.pointCount / CHUNK));
}

export const castRaysKernel = kernel(
  'castRays',
  {
    points: 'f32',
    directions: 'f64',
    values: 'f64',
    boxes: 'f32',
    children: 'u32',
    corners: 'f32',
    sums: 'f64',
    stacks: 'u32',
    pointCount: 'int',
    directionCount: 'int',
    channels: 'int',
    stackSize: 'int',
    chunkSize: 'int',
  },
  (
    {
      points,
      directions,
      values,
      boxes,
      children,
      corners,
      sums,
      stacks,
      pointCount,
      directionCount,
      channels,
      chunkSize,
    },
    chunk,
  ) => {
    const end = Math.min(pointCount, (chunk + 1) * chunkSize);
    for (let i = chunk * chunkSize; i < end; i++) {
      const [x, y, z, nx, ny, nz] = points.subarray(6 * i, 6 * i + 6);
      sums.fill(0, i * channels, (i + 1) * channels);
      for (let s = 0; s < directionCount; s++) {
        const [dx, dy, dz] = directions.subarray(3 * s, 3 * s + 3);
        const cosine = nx * dx + ny * dy + nz * dz;
        if (!(cosine > 0)) continue;
        if (isHit(boxes, children, corners, stacks, x, y, z, dx, dy, dz)) continue;
        for (let c = 0; c < channels; c++) sums[i * channels + c] += cosine * values[s * channels + c];
      }
    }
  },
);

/** Whether a ray hits any triangle. */
function isHit(
  boxes: Float32Array,
  children: Uint32Array,
  corners: Float32Array,
  stack: Uint32Array,
  ...[x, y, z, dx, dy, dz]: number[]
): boolean {
  const [ix, iy, iz] = [1 / dx, 1 / dy, 1 / dz];
  const [nearX, nearY, nearZ] = [ix >= 0 ? 0 : 12, iy >= 0 ? 4 : 16, iz >= 0 ? 8 : 20];
  let top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const node = stack[--top];
    for (let lane = 0; lane < 4; lane++) {
      const o = node * BOX_SIZE + lane;
      const near = Math.max(0, (boxes[o + nearX] - x) * ix, (boxes[o + nearY] - y) * iy, (boxes[o + nearZ] - z) * iz);
      const far = Math.min(
        (boxes[o + 12 - nearX] - x) * ix,
        (boxes[o + 20 - nearY] - y) * iy,
        (boxes[o + 28 - nearZ] - z) * iz,
      );
      if (!(near <= far * MARGIN)) continue;
      const child = children[4 * node + lane];
      if (child < LEAF) {
        stack[top++] = child;
        continue;
      }
      const first = (child & ~LEAF) >>> 2;
      for (let f = first; f <= first + (child & 3); f++)
        if (isTriangleHit(corners, 9 * f, x, y, z, dx, dy, dz)) return true;
    }
  }
  return false;
}

/** T. Möller and B. Trumbore, "Fast, minimum storage ray/triangle intersection", Journal of Graphics Tools 2(1), 1997; both sides. */
function isTriangleHit(corners: Float32Array, o: number, ...[x, y, z, dx, dy, dz]: number[]): boolean {
  const ax = corners[o];
  const ay = corners[o + 1];
  const az = corners[o + 2];
  const ux = corners[o + 3] - ax;
  const uy = corners[o + 4] - ay;
  const uz = corners[o + 5] - az;
  const vx = corners[o + 6] - ax;
  const vy = corners[o + 7] - ay;
  const vz = corners[o + 8] - az;
  const px = dy * vz - dz * vy;
  const py = dz * vx - dx * vz;
  const pz = dx * vy - dy * vx;
  const determinant = ux * px + uy * py + uz * pz;
  if (determinant === 0) return false;
  const inverse = 1 / determinant;
  const sx = x - ax;
  const sy = y - ay;
  const sz = z - az;
  const u = (sx * px + sy * py + sz * pz) * inverse;
  if (!(u >= 0 && u <= 1)) return false;
  const qx = sy * uz - sz * uy;
  const qy = sz * ux - sx * uz;
  const qz = sx * uy - sy * ux;
  const v = (dx * qx + dy * qy + dz * qz) * inverse;
  if (!(v >= 0 && u + v <= 1)) return false;
  return (vx * qx + vy * qy + vz * qz) * inverse > 0;
}
