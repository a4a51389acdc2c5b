// SPDX-License-Identifier: MIT
// Multi-weights for variants 0 to 3, relative to the center p of each vertex (Le et al. 2021, §5) and in units of its patch.
//
// With Ω* = [A b; bᵀ ω] relative to p, and L any map from the units of the patch to those of the model (L⁻¹ A L⁻ᵀ = A', L⁻¹ b = b'):
//   Q* L⁻ᵀ = Σⱼ (Rⱼ L) A'ⱼ + gⱼ b'ⱼᵀ,   q = Σⱼ (Rⱼ L) b'ⱼ + gⱼ ωⱼ,   gⱼ = Mⱼ p.
// Variant 0: L = σ I with σ² the largest moment, so that all numbers are at most one (|b'|² ≤ A' ω) whatever the model's units.
// Variant 1: L Lᵀ = Σ A, Cholesky. F = Q* (Σ A)⁻¹ = Q̃ L⁻¹ with Q̃ = Q* L⁻ᵀ, so its R = F⁻ᵀ = Q̃⁻ᵀ Lᵀ; Lᵀ (u − p) and Lᵀ n are stored. No division by the
// moment of a patch's flat direction is in single precision, and an entry has ten numbers as in variant 0.

import { translateSym4 } from '../../core/math/sym4.ts';
import type { MultiWeights } from '../../core/model/deformed/direct-delta-mush.ts';
import { InputError } from '../../core/model/errors.ts';
import {
  ENTRY_WORDS,
  type EntryLayout,
  NO_VERTEX,
  orderLanes,
  type PackedRows,
  putRow,
  SLICE,
} from '../layout/index.ts';
import { alignEntries, MAX_BONES, NO_ENTRY } from '../linear-blend/index.ts';

/** Thickening of patches, relative to a sphere of the same size, so that flat patches and points have a rotation in single precision. */
const ROUNDNESS = 1e-7;
/** The same for variant 1, which divides by the patch's moments: 1e-3 of its width. */
const ROUNDNESS_OF_INVERSE = 1e-6;
/** Minimum width of a patch, relative to the model size. */
const MIN_PATCH = 1e-6;
/** Indices of the symmetric 3x3 and of the vector in the ten numbers x y z 1. */
const SQUARE = [0, 1, 2, 4, 5, 7];
const VECTOR = [3, 6, 8];
/** Indices of the full 3x3, and of its upper triangle. */
const FULL = [0, 1, 2, 1, 4, 5, 2, 5, 7];
const UPPER = [0, 3, 6, 4, 7, 8];
/** L10 L20 L11 L21 in the lower triangle. */
const LOWER = [1, 3, 2, 4];
const DIAGONAL = [0, 4, 7];
const COLUMN = [3, 6, 8, 9];
const SHORT = 32767;

export interface MultiWeightSource {
  variant: 0 | 1 | 2 | 3;
  boneCount: number;
  positions: ArrayLike<number>;
  /** The model size. Default: the diagonal of the box of the positions. */
  size?: number;
  normals?: ArrayLike<number>;
  multiWeights: MultiWeights;
  /** Ten numbers of 16 bits per multi-weight instead of 32 (variants 0 and 1). */
  isShort?: boolean;
}

/**
 * Rest rows: d' vertex | n' L00 | p L22 | L10 L20 L11 L21 (variant 1 only), with d' = u − p and n' = n, for variant 1 Lᵀ of those.
 * Entries: xx xy xz x1 yy yz y1 zz z1 11 bone; short ones the same in 16 bits, two to a word, whose sums over a vertex are kept exactly (Σ b' = 0,
 * Σ ω = 1): what all bones share then stays out of the rounding. Variants 2 and 3: the last column about the origin x1 y1 z1 11, bone.
 */
export function packMultiWeights(source: MultiWeightSource): PackedRows {
  const { variant, boneCount, positions, multiWeights, isShort = false } = source;
  const { rowStart, boneIndices } = multiWeights;
  const vertexCount = rowStart.length - 1;
  if (boneCount > MAX_BONES) throw new InputError('pack multi-weights', `at most ${MAX_BONES} bones, got ${boneCount}`);
  if (positions.length !== 3 * vertexCount)
    throw new InputError('pack multi-weights', `${positions.length / 3} positions for ${vertexCount} rows`);
  const layout: EntryLayout = variant > 1 ? 'columns' : isShort ? 'short-moments' : 'moments';
  const { words: wordCount } = ENTRY_WORDS[layout];
  const order = orderLanes(rowStart, 1, true);
  // variant 2 expects the largest weight in the first column
  const aligned = alignEntries(order, rowStart, boneIndices, 1, variant === 2);
  const restRows = variant === 1 ? 4 : 3;
  const rest = new Uint32Array(order.vertexOfLane.length * restRows * 4);
  const floats = new Float32Array(rest.buffer);
  const entries = new Uint32Array(order.rowCount * wordCount * SLICE);
  const words = new Uint32Array(12);
  const wordFloats = new Float32Array(words.buffer);
  const leastMoment = (MIN_PATCH * (source.size ?? measureSize(positions))) ** 2 || 1;
  let most = 0;
  for (let i = 0; i < vertexCount; i++) most = Math.max(most, rowStart[i + 1] - rowStart[i]);
  const patch = new Patch(most);
  for (let n = 0; n < order.vertexOfLane.length; n++) {
    const i = order.vertexOfLane[n];
    const slice = Math.floor(n / SLICE);
    const lane = n % SLICE;
    const at = (row: number): number => ((slice * restRows + row) * SLICE + lane) * 4;
    rest[at(0) + 3] = i;
    if (i === NO_VERTEX) continue;
    patch.enter(source, i, leastMoment);
    patch.putRest(source, i, floats, at);
    for (let row = 0; row < order.slices[2 * slice + 1]; row++) {
      const o = (order.slices[2 * slice] + row) * SLICE + lane;
      const entry = aligned.entryAt[o];
      const isEntry = entry !== NO_ENTRY;
      words.fill(0);
      for (let c = 0; c < 10 && isEntry; c++) wordFloats[c] = patch.omegas[10 * entry + c];
      if (layout === 'columns') for (let c = 0; c < 4; c++) wordFloats[c] = wordFloats[COLUMN[c]];
      if (layout === 'short-moments' && isEntry) packShorts(patch, entry, words);
      // missing entries have weight zero and a bone that other lanes read there
      words[layout === 'moments' ? 10 : layout === 'columns' ? 4 : 5] = aligned.boneAt[o];
      putRow(entries, layout, order.slices[2 * slice] + row, lane, words);
    }
  }
  return { layout, vertexCount, boneCount, order, restRows, rest, entries };
}

/** Rounds to 16 bits; the rounding error of each sum is added to the largest entry. */
function packShorts(patch: Patch, entry: number, words: Uint32Array): void {
  const { omegas, count } = patch;
  const shortOf = (o: number): number => Math.round(Math.max(-1, Math.min(1, omegas[o])) * SHORT);
  for (let c = 0; c < 10; c++) {
    let value = shortOf(10 * entry + c);
    if (entry === 0 && (c === 9 || VECTOR.includes(c))) {
      value = c === 9 ? SHORT : 0;
      for (let e = 1; e < count; e++) value -= shortOf(10 * e + c);
      value = Math.max(-SHORT, Math.min(SHORT, value));
    }
    if (c % 2 === 0) words[c >> 1] = value & 0xffff;
    else words[c >> 1] |= (value & 0xffff) << 16;
  }
}

/** Diagonal of the box. */
export function measureSize(positions: ArrayLike<number>): number {
  let square = 0;
  for (let r = 0; r < 3; r++) {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let c = r; c < positions.length; c += 3) {
      low = Math.min(low, positions[c]);
      high = Math.max(high, positions[c]);
    }
    if (high > low) square += (high - low) ** 2;
  }
  return Math.sqrt(square);
}

/** One vertex: its entries in the units of its patch. */
class Patch {
  /** count x 10 */
  readonly omegas: Float64Array;
  count = 0;
  readonly #center = new Float64Array(3);
  /** Lower triangle, by rows: L00 L10 L11 L20 L21 L22 */
  readonly #map = new Float64Array(6);
  readonly #moments = new Float64Array(6);
  readonly #scratch = new Float64Array(9);

  constructor(most: number) {
    this.omegas = new Float64Array(10 * Math.max(1, most));
  }

  enter({ variant, multiWeights }: MultiWeightSource, i: number, leastMoment: number): void {
    const { rowStart, omegas } = multiWeights;
    const own = this.omegas;
    this.count = rowStart[i + 1] - rowStart[i];
    for (let c = 0; c < 10 * this.count; c++) own[c] = omegas[10 * rowStart[i] + c];
    const p = this.#center.fill(0);
    let weight = 0;
    for (let o = 0; o < 10 * this.count; o += 10) {
      for (let c = 0; c < 3; c++) p[c] += own[o + VECTOR[c]];
      weight += own[o + 9];
    }
    for (let c = 0; c < 3; c++) p[c] /= weight;
    if (variant > 1) return;
    const moments = this.#moments.fill(0);
    for (let o = 0; o < 10 * this.count; o += 10) {
      translateSym4(own, o, -p[0], -p[1], -p[2]);
      for (let c = 0; c < 6; c++) moments[c] += own[o + SQUARE[c]];
    }
    const trace = Math.max(0, moments[0] + moments[3] + moments[5]);
    const round = Math.max(trace * (variant === 0 ? ROUNDNESS : ROUNDNESS_OF_INVERSE), leastMoment);
    for (const c of [0, 3, 5]) moments[c] += round;
    for (let o = 0; o < 10 * this.count; o += 10) for (const c of DIAGONAL) own[o + c] += round * own[o + 9];
    if (variant === 1) this.#factor();
    else this.#scale();
    for (let o = 0; o < 10 * this.count; o += 10) this.#whiten(o);
  }

  /** L = σ I. Moments of single entries may exceed their sum if weights are negative: use the largest of all. */
  #scale(): void {
    let largest = Math.max(...this.#moments.map(Math.abs));
    for (let o = 0; o < 10 * this.count; o += 10)
      for (const c of DIAGONAL) largest = Math.max(largest, Math.abs(this.omegas[o + c]));
    const scale = Math.sqrt(largest);
    this.#map.set([scale, 0, scale, 0, 0, scale]);
  }

  /** Cholesky factorization of the moments. Their diagonal was increased, so pivots are positive except for rounding, which is clamped. */
  #factor(): void {
    const [xx, xy, xz, yy, yz, zz] = this.#moments;
    const least = ROUNDNESS_OF_INVERSE * 0.1 * (xx + yy + zz);
    const l00 = Math.sqrt(Math.max(xx, least));
    const l10 = xy / l00;
    const l20 = xz / l00;
    const l11 = Math.sqrt(Math.max(yy - l10 * l10, least));
    const l21 = (yz - l20 * l10) / l11;
    const l22 = Math.sqrt(Math.max(zz - l20 * l20 - l21 * l21, least));
    this.#map.set([l00, l10, l11, l20, l21, l22]);
  }

  /** A ← L⁻¹ A L⁻ᵀ, b ← L⁻¹ b, in place. */
  #whiten(o: number): void {
    const own = this.omegas;
    const m = this.#scratch;
    for (let c = 0; c < 9; c++) m[c] = own[o + FULL[c]];
    for (let column = 0; column < 3; column++) this.#solve(m, 3 * column, 1);
    for (let row = 0; row < 3; row++) this.#solve(m, row, 3);
    // the two triangles differ by rounding: use one
    for (let c = 0; c < 6; c++) own[o + SQUARE[c]] = m[UPPER[c]];
    for (let c = 0; c < 3; c++) m[c] = own[o + VECTOR[c]];
    this.#solve(m, 0, 1);
    for (let c = 0; c < 3; c++) own[o + VECTOR[c]] = m[c];
  }

  /** L⁻¹ of the vector at o, o + step, o + 2 step. */
  #solve(m: Float64Array, o: number, step: number): void {
    const l = this.#map;
    m[o] /= l[0];
    m[o + step] = (m[o + step] - l[1] * m[o]) / l[2];
    m[o + 2 * step] = (m[o + 2 * step] - l[3] * m[o] - l[4] * m[o + step]) / l[5];
  }

  putRest(
    { variant, positions, normals }: MultiWeightSource,
    i: number,
    out: Float32Array,
    at: (row: number) => number,
  ): void {
    const p = this.#center;
    const l = this.#map;
    const v = this.#scratch;
    for (let row = 0; row < 2; row++) {
      for (let c = 0; c < 3; c++) v[c] = row === 0 ? positions[3 * i + c] - p[c] : normals ? normals[3 * i + c] : 0;
      if (variant === 1) {
        // Lᵀ v
        v[0] = l[0] * v[0] + l[1] * v[1] + l[3] * v[2];
        v[1] = l[2] * v[1] + l[4] * v[2];
        v[2] = l[5] * v[2];
      }
      for (let c = 0; c < 3; c++) out[at(row) + c] = v[c];
    }
    out[at(1) + 3] = l[0];
    for (let c = 0; c < 3; c++) out[at(2) + c] = p[c];
    out[at(2) + 3] = l[5];
    if (variant === 1) for (let c = 0; c < 4; c++) out[at(3) + c] = l[LOWER[c]];
  }
}
