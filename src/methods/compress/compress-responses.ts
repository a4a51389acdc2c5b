// SPDX-License-Identifier: MIT
// The responses of points and virtual bones to all example poses, stored so that the error of weights follows from small sums.
//
// With t the response of a point and T u that of a bone to it, both over all joints, weights a that sum to one have the error
//   |Σ aₖ Tₖ u − t|² = aᵀ H a,   Hₖₗ = uᵀPₖₗu − gₖ − gₗ + |t|²,   Pₖₗ = sym Σ TₖᵀTₗ,   gₖ = (Tₖ u)·t.
// Per joint a response is zero, that of the whole joint, or its own block. Only pairs of own blocks need their rows.
import {
  addSym4,
  dotSym4,
  productsSym4Into,
  SYM4_11,
  SYM4_SIZE,
  SYM4_X1,
  SYM4_XX,
  SYM4_XY,
  SYM4_XZ,
  SYM4_Y1,
  SYM4_YY,
  SYM4_YZ,
  SYM4_Z1,
  SYM4_ZZ,
} from '../../core/math/sym4.ts';
import type { CompressPoints } from './compress-points.ts';
import { FULL, type Joints, NONE, PARTIAL, sumUnderInto } from './examples/continuous-joints.ts';
import type { ExampleSpace, PatchSum } from './examples/continuous-space.ts';
import type { VirtualBone } from './virtual-bones/virtual-bones.ts';

export interface PointResponses {
  /** pointCount + 1: ranges of the joints that move a point */
  start: Uint32Array;
  /** joint of each entry */
  joints: Uint32Array;
  /** entryCount: where the rows of a partial entry begin in values, −1 for one that moves rigidly with the joint */
  offsets: Int32Array;
  values: Float64Array;
  /** entryCount: the response times that of the whole joint, (T_full u)·t */
  fullDots: Float64Array;
  /** pointCount: |t|² */
  squares: Float64Array;
  /** pointCount x 10: productsSym4Into of u */
  products: Float64Array;
}

export interface BoneResponse {
  /** groupCount: NONE, FULL or PARTIAL */
  states: Uint8Array;
  /** groupCount x rows x 4, where partial */
  blocks: Float64Array;
  /** groupCount x 10: sym TᵀT_full, where partial */
  withFull: Float64Array;
  /** ten numbers: P of the bone with itself */
  square: Float64Array;
}

export class Responses {
  readonly space: ExampleSpace;
  readonly joints: Joints;
  readonly points: PointResponses;
  readonly #fullSquares: Float64Array;
  readonly #patch: PatchSum;

  constructor(space: ExampleSpace, joints: Joints, points: CompressPoints) {
    this.space = space;
    this.joints = joints;
    const count = space.groupCount;
    this.#fullSquares = new Float64Array(SYM4_SIZE * count);
    const { full } = space;
    for (let g = 0; g < count; g++) this.#addProducts(full, full, g, this.#fullSquares, SYM4_SIZE * g);
    this.#patch = {
      y: new Float64Array(SYM4_SIZE),
      spread: points.spreads,
      spreadOffset: 0,
      center: points.centers,
      centerOffset: 0,
      bones: points.boneIndices,
      deltas: points.centered,
      start: 0,
      end: 0,
    };
    this.points = this.#respondPoints(points);
  }

  #respondPoints(points: CompressPoints): PointResponses {
    const { space, joints } = this;
    const { rows, full } = space;
    const { start, listed, offsets, valueCount } = this.#listResponses(points);
    const patch = this.#patch;
    const values = new Float64Array(valueCount);
    const fullDots = new Float64Array(listed.length);
    const squares = new Float64Array(points.pointCount);
    const products = new Float64Array(SYM4_SIZE * points.pointCount);
    const place = new Float64Array(3);
    for (let i = 0; i < points.pointCount; i++) {
      const c = 3 * i;
      const ux = points.positions[c],
        uy = points.positions[c + 1],
        uz = points.positions[c + 2];
      productsSym4Into(ux, uy, uz, products, SYM4_SIZE * i);
      for (let r = 0; r < 3; r++) place[r] = points.positions[c + r] - points.centers[c + r];
      patch.spreadOffset = 6 * i;
      patch.centerOffset = c;
      patch.start = points.rowStart[i];
      patch.end = points.rowStart[i + 1];
      let square = 0;
      for (let e = start[i]; e < start[i + 1]; e++) {
        const g = listed[e];
        if (offsets[e] < 0) {
          fullDots[e] = dotSym4(this.#fullSquares, SYM4_SIZE * g, products, SYM4_SIZE * i);
          square += fullDots[e];
          continue;
        }
        sumUnderInto(joints, g, patch, patch.y);
        const o = offsets[e];
        space.valuesInto(g, patch, place, values, o);
        let dot = 0;
        for (let r = 0; r < rows; r++) {
          const f = 4 * (g * rows + r);
          const t = values[o + r];
          square += t * t;
          dot += t * (full[f] * ux + full[f + 1] * uy + full[f + 2] * uz + full[f + 3]);
        }
        fullDots[e] = dot;
      }
      squares[i] = square;
    }
    return {
      start,
      joints: Uint32Array.from(listed),
      offsets: Int32Array.from(offsets),
      values,
      fullDots,
      squares,
      products,
    };
  }

  /** The joints that each point responds to; by entry, the offset of its values, -1 where the joint moves the whole point. */
  #listResponses(points: CompressPoints): {
    start: Uint32Array;
    listed: number[];
    offsets: number[];
    valueCount: number;
  } {
    const { space, joints } = this;
    const start = new Uint32Array(points.pointCount + 1);
    const listed: number[] = [];
    const offsets: number[] = [];
    let valueCount = 0;
    for (let i = 0; i < points.pointCount; i++) {
      for (let g = 0; g < space.groupCount; g++) {
        const state = stateOf(joints, g, points.boneIndices, points.rowStart[i], points.rowStart[i + 1]);
        if (state === NONE) continue;
        listed.push(g);
        offsets.push(state === FULL ? -1 : valueCount);
        if (state === PARTIAL) valueCount += space.rows;
      }
      start[i + 1] = listed.length;
    }
    return { start, listed, offsets, valueCount };
  }

  /** Allocates the response of a bone; filled by respond. */
  allocateScratch(): BoneResponse {
    const count = this.space.groupCount;
    return {
      states: new Uint8Array(count),
      blocks: new Float64Array(4 * this.space.rows * count),
      withFull: new Float64Array(SYM4_SIZE * count),
      square: new Float64Array(SYM4_SIZE),
    };
  }

  /** Fills and returns the response of a bone. */
  respond(bone: VirtualBone, out: BoneResponse): BoneResponse {
    const { space, joints } = this;
    const { y } = this.#patch;
    const patch = patchOfBone(bone, y);
    out.square.fill(0);
    out.withFull.fill(0);
    for (let g = 0; g < space.groupCount; g++) {
      const state = sumUnderInto(joints, g, patch, y);
      out.states[g] = state;
      if (state === NONE) continue;
      if (state === FULL) {
        addSym4(this.#fullSquares, SYM4_SIZE * g, out.square);
        continue;
      }
      space.blockInto(g, patch, out.blocks, 4 * space.rows * g);
      this.#addProducts(out.blocks, out.blocks, g, out.square, 0);
      this.#addProducts(out.blocks, space.full, g, out.withFull, SYM4_SIZE * g);
    }
    return out;
  }

  /** gₖ for point i. */
  dot(i: number, bone: BoneResponse): number {
    const { start, joints, offsets, values, fullDots, products } = this.points;
    const { states, blocks, withFull } = bone;
    const rows = this.space.rows;
    const t = SYM4_SIZE * i;
    // half of the doubled products are the coordinates
    const x = 0.5 * products[t + SYM4_X1],
      y = 0.5 * products[t + SYM4_Y1],
      z = 0.5 * products[t + SYM4_Z1];
    let sum = 0;
    for (let e = start[i]; e < start[i + 1]; e++) {
      const g = joints[e];
      const state = states[g];
      if (state === NONE) continue;
      if (state === FULL) {
        sum += fullDots[e];
        continue;
      }
      let v = offsets[e];
      if (v < 0) {
        sum += dotSym4(withFull, SYM4_SIZE * g, products, t);
        continue;
      }
      // (Σ t T)·u: rows are summed before the product with u
      let s0 = 0,
        s1 = 0,
        s2 = 0,
        s3 = 0;
      let b = 4 * rows * g;
      for (const end = v + rows; v < end; v++, b += 4) {
        const value = values[v];
        s0 += value * blocks[b];
        s1 += value * blocks[b + 1];
        s2 += value * blocks[b + 2];
        s3 += value * blocks[b + 3];
      }
      sum += s0 * x + s1 * y + s2 * z + s3;
    }
    return sum;
  }

  /** |T u − t|² of a single bone: the distance of §4.1. */
  distance(i: number, bone: BoneResponse): number {
    const own = dotSym4(bone.square, 0, this.points.products, SYM4_SIZE * i);
    return Math.max(0, own - 2 * this.dot(i, bone) + this.points.squares[i]);
  }

  /** Fills P of two bones, ten numbers. */
  pairInto(a: BoneResponse, b: BoneResponse, out: Float64Array, o: number): void {
    out.fill(0, o, o + SYM4_SIZE);
    for (let g = 0; g < a.states.length; g++) {
      const sa = a.states[g];
      const sb = b.states[g];
      if (sa === NONE || sb === NONE) continue;
      if (sa === PARTIAL && sb === PARTIAL) {
        this.#addProducts(a.blocks, b.blocks, g, out, o);
      } else {
        const from = sa === PARTIAL ? a.withFull : sb === PARTIAL ? b.withFull : this.#fullSquares;
        addSym4(from, SYM4_SIZE * g, out, o);
      }
    }
  }

  /** out += sym AᵀB with the blocks of group g, rows x 4 each. */
  #addProducts(a: Float64Array, b: Float64Array, g: number, out: Float64Array, o: number): void {
    const { rows } = this.space;
    let xx = 0,
      xy = 0,
      xz = 0,
      x1 = 0,
      yy = 0,
      yz = 0,
      y1 = 0,
      zz = 0,
      z1 = 0,
      w = 0;
    for (let r = 0; r < rows; r++) {
      const p = 4 * (rows * g + r);
      const a0 = a[p],
        a1 = a[p + 1],
        a2 = a[p + 2],
        a3 = a[p + 3];
      const b0 = b[p],
        b1 = b[p + 1],
        b2 = b[p + 2],
        b3 = b[p + 3];
      xx += a0 * b0;
      xy += a0 * b1 + a1 * b0;
      xz += a0 * b2 + a2 * b0;
      x1 += a0 * b3 + a3 * b0;
      yy += a1 * b1;
      yz += a1 * b2 + a2 * b1;
      y1 += a1 * b3 + a3 * b1;
      zz += a2 * b2;
      z1 += a2 * b3 + a3 * b2;
      w += a3 * b3;
    }
    out[o + SYM4_XX] += xx;
    out[o + SYM4_XY] += 0.5 * xy;
    out[o + SYM4_XZ] += 0.5 * xz;
    out[o + SYM4_X1] += 0.5 * x1;
    out[o + SYM4_YY] += yy;
    out[o + SYM4_YZ] += 0.5 * yz;
    out[o + SYM4_Y1] += 0.5 * y1;
    out[o + SYM4_ZZ] += zz;
    out[o + SYM4_Z1] += 0.5 * z1;
    out[o + SYM4_11] += w;
  }
}

/** A virtual bone as a patch. @param y scratch memory, ten numbers */
export function patchOfBone({ bones, deltas, center, spread }: VirtualBone, y: Float64Array): PatchSum {
  return { y, spread, spreadOffset: 0, center, centerOffset: 0, bones, deltas, start: 0, end: bones.length };
}

/** NONE, FULL or PARTIAL as in sumUnderInto, without the sum. */
function stateOf(joints: Joints, g: number, bones: Uint32Array, start: number, end: number): number {
  if (g >= joints.bones.length) return PARTIAL;
  let count = 0;
  for (let e = start; e < end; e++) count += joints.under[g * joints.boneCount + bones[e]];
  return count === 0 ? NONE : count === end - start ? FULL : PARTIAL;
}
