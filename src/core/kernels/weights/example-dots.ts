// SPDX-License-Identifier: MIT
// Products of the points' responses to example poses with those of virtual bones (methods/compress/compress-responses.ts): per point i and candidate k,
//   gₖ = Σ over groups (Tₖ u)·t,  where a group's response is none, that of the whole group (its product is known), or a block of rows.
// The rows are summed before the product with u: s = Σ t T, four numbers in two registers; then s·(u, 1). The same sums in the same order as Responses.dot.
import { dotSym4, SYM4_SIZE, SYM4_X1, SYM4_Y1, SYM4_Z1 } from '../../math/sym4.ts';
import { type Compute, uploadFloat64, uploadUint32 } from '../compute.ts';
import { kernel, type Resident } from '../kernel.ts';

/** Points per chunk: a few milliseconds. */
const CHUNK = 256;
/** An entry of the state table: no response, the response of the whole group, or, from 2 on, the index of a block. */
const NONE = 0;
const FULL = 1;
/** The entry of a point that moves with its whole group. */
const WHOLE = 0xffffffff;

/** Responses of points, in resident arrays. */
export interface ExampleDots {
  /**
   * Fills products of every point with its candidates: pointCount x width.
   * @param ids pointCount x width
   * @param counts pointCount: candidates of each point
   */
  fill(bones: readonly DotBone[], ids: Uint32Array, counts: Uint32Array, out: Float64Array): Promise<void>;
}

/** A bone's response: BoneResponse of methods/compress/compress-responses.ts. */
export interface DotBone {
  /** groupCount: 0 none, 1 full, 2 partial */
  states: Uint8Array;
  /** groupCount x rows x 4, where partial */
  blocks: Float64Array;
  /** groupCount x 10, where partial */
  withFull: Float64Array;
}

/** Points' responses: PointResponses of methods/compress/compress-responses.ts. */
export interface DotPoints {
  start: Uint32Array;
  joints: Uint32Array;
  offsets: Int32Array;
  values: Float64Array;
  fullDots: Float64Array;
  products: Float64Array;
}

/** Copies the points' responses to resident arrays. */
export function makeExampleDots(
  compute: Compute,
  points: DotPoints,
  rows: number,
  groupCount: number,
  width: number,
): ExampleDots {
  const pointCount = points.start.length - 1;
  const start = uploadUint32(compute, points.start);
  const groups = uploadUint32(compute, points.joints);
  const offsets = uploadUint32(
    compute,
    Uint32Array.from(points.offsets, (o) => (o < 0 ? WHOLE : o)),
  );
  const values = uploadFloat64(compute, points.values);
  const fullDots = uploadFloat64(compute, points.fullDots);
  const products = uploadFloat64(compute, points.products);
  const ids = compute.uint32(pointCount * width);
  const counts = compute.uint32(pointCount);
  const dots = compute.float64(pointCount * width);
  let states: Resident<Uint32Array> | undefined;
  let blocks: Resident<Float64Array> | undefined;
  let withFull: Resident<Float64Array> | undefined;
  return {
    async fill(bones, idsGiven, countsGiven, out) {
      let partial = 0;
      for (const bone of bones) for (const state of bone.states) if (state > FULL) partial++;
      if (!states || states.length < bones.length * groupCount) {
        states?.free();
        states = compute.uint32(bones.length * groupCount);
      }
      if (!blocks || !withFull || withFull.length < SYM4_SIZE * partial) {
        blocks?.free();
        withFull?.free();
        const room = Math.max(1, Math.ceil(1.25 * partial));
        blocks = compute.float64(4 * rows * room);
        withFull = compute.float64(SYM4_SIZE * room);
      }
      const [table, block, full] = [states.view(), blocks.view(), withFull.view()];
      let place = 0;
      bones.forEach((bone, k) => {
        for (let g = 0; g < groupCount; g++) {
          table[k * groupCount + g] = bone.states[g] > FULL ? 2 + place : bone.states[g];
          if (bone.states[g] <= FULL) continue;
          block.set(bone.blocks.subarray(4 * rows * g, 4 * rows * (g + 1)), 4 * rows * place);
          full.set(bone.withFull.subarray(SYM4_SIZE * g, SYM4_SIZE * (g + 1)), SYM4_SIZE * place);
          place++;
        }
      });
      ids.view().set(idsGiven);
      counts.view().set(countsGiven);
      const given = { start, groups, offsets, values, fullDots, products, states, blocks, withFull, ids, counts, dots };
      const args = { ...given, pointCount, width, rows, groupCount, chunkSize: CHUNK };
      await compute.run(exampleDotsKernel, args, Math.ceil(pointCount / CHUNK));
      out.set(dots.view());
    },
  };
}

export const exampleDotsKernel = kernel(
  'exampleDots',
  {
    start: 'u32',
    groups: 'u32',
    offsets: 'u32',
    values: 'f64',
    fullDots: 'f64',
    products: 'f64',
    states: 'u32',
    blocks: 'f64',
    withFull: 'f64',
    ids: 'u32',
    counts: 'u32',
    /** filled */
    dots: 'f64',
    pointCount: 'int',
    width: 'int',
    rows: 'int',
    groupCount: 'int',
    chunkSize: 'int',
  },
  (
    {
      start,
      groups,
      offsets,
      values,
      fullDots,
      products,
      states,
      blocks,
      withFull,
      ids,
      counts,
      dots,
      pointCount,
      width,
      rows,
      groupCount,
      chunkSize,
    },
    chunk,
  ) => {
    const end = Math.min(pointCount, (chunk + 1) * chunkSize);
    for (let i = chunk * chunkSize; i < end; i++) {
      const t = SYM4_SIZE * i;
      // half of the doubled products are the coordinates
      const x = 0.5 * products[t + SYM4_X1],
        y = 0.5 * products[t + SYM4_Y1],
        z = 0.5 * products[t + SYM4_Z1];
      for (let a = 0; a < counts[i]; a++) {
        const row = ids[i * width + a] * groupCount;
        let sum = 0;
        for (let e = start[i]; e < start[i + 1]; e++) {
          const state = states[row + groups[e]];
          if (state === NONE) continue;
          if (state === FULL) {
            sum += fullDots[e];
            continue;
          }
          if (offsets[e] === WHOLE) {
            sum += dotSym4(withFull, SYM4_SIZE * (state - 2), products, t);
            continue;
          }
          let s0 = 0,
            s1 = 0,
            s2 = 0,
            s3 = 0;
          let b = 4 * rows * (state - 2);
          for (let v = offsets[e]; v < offsets[e] + rows; v++, b += 4) {
            const value = values[v];
            s0 += value * blocks[b];
            s1 += value * blocks[b + 1];
            s2 += value * blocks[b + 2];
            s3 += value * blocks[b + 3];
          }
          sum += s0 * x + s1 * y + s2 * z + s3;
        }
        dots[i * width + a] = sum;
      }
    }
  },
);
