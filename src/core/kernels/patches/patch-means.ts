// SPDX-License-Identifier: MIT
// The mean of every point over the frames, carried to a rest shape by the rigid motions of a small patch around it. Where a patch bends between the frame and the rest shape the rigid motion does not fit, and the frame counts less
// (Geman and McClure's weights), and so does a frame in which the point itself jumped. Positions are stored coordinate by coordinate, so that two frames fit in a register.
import { nearestRotationInto } from '../../math/rotation.ts';
import type { Compute } from '../compute.ts';
import { kernel, type Resident } from '../kernel.ts';
import { PATCH_PRODUCTS, PATCH_SQUARE, PATCH_SUMS, sumPatchInto } from './sum-patch.ts';

/** Points per chunk. */
const CHUNK = 128;

/** Arrays of the kernel. */
export interface PatchMeans {
  /** pointCount x 3 */
  rest: Resident<Float64Array>;
  /** pointCount x 3 x rowLength; the last frame is there twice if their number is odd */
  posed: Resident<Float64Array>;
  /** pointCount x width: the points of each patch; the first is the point itself */
  patches: Resident<Uint32Array>;
  /** pointCount: number of points of each patch */
  sizes: Resident<Uint32Array>;
  /** pointCount x 3: filled */
  means: Resident<Float64Array>;
  /** threads x measurePatchScratch() */
  scratch: Resident<Float64Array>;
  frameCount: number;
}

/** Numbers of a row of positions: even. */
export function rowLengthOf(frameCount: number): number {
  return frameCount + (frameCount & 1);
}

/** Numbers of scratch memory per thread. */
export function measurePatchScratch(width: number, frameCount: number): number {
  return 3 * width + 18 + 5 * rowLengthOf(frameCount);
}

/**
 * Fills the means.
 * @param scale squared distance of a frame by noise
 * @param isFirst whether the point of the rest shape may have jumped, so that it fits no other frame: these must outweigh that one
 */
export function patchMeans(compute: Compute, arrays: PatchMeans, scale: number, isFirst: boolean): Promise<void> {
  const pointCount = arrays.sizes.length;
  const width = arrays.patches.length / pointCount;
  const scratchLength = measurePatchScratch(width, arrays.frameCount);
  const args = { ...arrays, pointCount, width, scale, isFirst, scratchLength, chunkSize: CHUNK };
  return compute.run(patchMeansKernel, args, Math.ceil(pointCount / CHUNK));
}

export const patchMeansKernel = kernel(
  'patchMeans',
  {
    rest: 'f64',
    posed: 'f64',
    patches: 'u32',
    sizes: 'u32',
    means: 'f64',
    scratch: 'f64',
    pointCount: 'int',
    frameCount: 'int',
    width: 'int',
    scale: 'float',
    isFirst: 'bool',
    /** numbers per thread */
    scratchLength: 'int',
    chunkSize: 'int',
  },
  ({ rest, posed, patches, sizes, means, pointCount, frameCount, width, scale, isFirst, chunkSize }, chunk) => {
    const row = rowLengthOf(frameCount);
    const m = new Float64Array(9);
    const carried = new Float64Array(3 * frameCount);
    const misfits = new Float64Array(frameCount);
    const offsets = new Float64Array(3 * width);
    const sums = new Float64Array(PATCH_SUMS);
    const rows = { posed, stride: 3 * row, step: row };
    const points = { patches, offsets };
    for (let i = chunk * chunkSize; i < Math.min(pointCount, (chunk + 1) * chunkSize); i++) {
      const place = i * width;
      const size = sizes[i];
      let ux = 0;
      let uy = 0;
      let uz = 0;
      for (let n = place; n < place + size; n++) {
        ux += rest[3 * patches[n]] / size;
        uy += rest[3 * patches[n] + 1] / size;
        uz += rest[3 * patches[n] + 2] / size;
      }
      let spread = 0;
      for (let n = 0; n < size; n++) {
        const p = 3 * patches[place + n];
        const x = rest[p] - ux;
        const y = rest[p + 1] - uy;
        const z = rest[p + 2] - uz;
        offsets[3 * n] = x;
        offsets[3 * n + 1] = y;
        offsets[3 * n + 2] = z;
        spread += x * x + y * y + z * z;
      }
      for (let k = 0; k < frameCount; k++) {
        // R nearest to Σ u vᵀ turns the frame into the rest shape
        sumPatchInto(rows, k, points, place, size, sums);
        nearestRotationInto(sums, m, PATCH_PRODUCTS);
        let fit = 0;
        for (let e = 0; e < 9; e++) fit += sums[PATCH_PRODUCTS + e] * m[e];
        const vx = sums[0] / size;
        const vy = sums[1] / size;
        const vz = sums[2] / size;
        const moved = sums[PATCH_SQUARE] - size * (vx * vx + vy * vy + vz * vz);
        misfits[k] = Math.max(0, spread + moved - 2 * fit) / size;
        // the point itself is the first of its patch
        carried[3 * k] = ux - m[0] * vx - m[3] * vy - m[6] * vz;
        carried[3 * k + 1] = uy - m[1] * vx - m[4] * vy - m[7] * vz;
        carried[3 * k + 2] = uz - m[2] * vx - m[5] * vy - m[8] * vz;
      }
      const bend = isFirst ? Math.max(scale, misfits.slice().sort()[frameCount >> 1]) : scale;
      for (let r = 0; r < 3; r++) means[3 * i + r] = rest[3 * i + r];
      // the second sum leaves out frames in which the point itself is far from the first mean
      for (let turn = 0; turn < 2; turn++) averageInto(carried, misfits, bend, turn > 0 ? 4 * scale : 0, means, 3 * i);
    }
  },
);

/** The weighted mean of positions, in place of an earlier one. @param far squared distance from the earlier mean that halves the weight; 0: any */
function averageInto(
  carried: Float64Array,
  misfits: Float64Array,
  bend: number,
  far: number,
  mean: Float64Array,
  at: number,
): void {
  let x = 0;
  let y = 0;
  let z = 0;
  let total = 0;
  for (let k = 0; k < misfits.length; k++) {
    const dx = carried[3 * k] - mean[at];
    const dy = carried[3 * k + 1] - mean[at + 1];
    const dz = carried[3 * k + 2] - mean[at + 2];
    const b = misfits[k] / bend;
    const a = far > 0 ? (dx * dx + dy * dy + dz * dz) / far : 0;
    const weight = 1 / ((1 + b * b) * (1 + a * a));
    total += weight;
    x += weight * carried[3 * k];
    y += weight * carried[3 * k + 1];
    z += weight * carried[3 * k + 2];
  }
  mean[at] = x / total;
  mean[at + 1] = y / total;
  mean[at + 2] = z / total;
}
