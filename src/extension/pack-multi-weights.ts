// SPDX-License-Identifier: MIT
// Multi-weights for variants 0 to 3, about each vertex's own center p (Le et al. 2021, §5) and in units of its own patch.
//
// With Ω* = [A b; bᵀ ω] about p, and L any map of the patch's units to the model's (L⁻¹ A L⁻ᵀ = A', L⁻¹ b = b'):
//   Q* L⁻ᵀ = Σⱼ (Rⱼ L) A'ⱼ + gⱼ b'ⱼᵀ,   q = Σⱼ (Rⱼ L) b'ⱼ + gⱼ ωⱼ,   gⱼ = Mⱼ p.
// Variant 0: L = σ I with σ² the largest moment, so that all numbers are at most one (|b'|² ≤ A' ω) whatever the model's units.
// Variant 1: L Lᵀ = Σ A, Cholesky. F = Q* (Σ A)⁻¹ = Q̃ L⁻¹ with Q̃ = Q* L⁻ᵀ, so its R = F⁻ᵀ = Q̃⁻ᵀ Lᵀ; Lᵀ (u − p) and Lᵀ n are stored. Nothing is divided by the
// patch's flat direction in single precision, and an entry has ten numbers as in variant 0.
import { type MultiWeights, shiftOmega } from '../model/direct-delta-mush.ts';
import { NO_VERTEX, orderLanes, SLICE } from './order-lanes.ts';
import { MOST_BONES } from './pack-skin.ts';
import { ENTRY_WORDS, type EntryLayout, type PackedRows, putRow } from './packed-rows.ts';

/** What a patch is given of a round one of the same size, so that flat patches and points have a rotation in single precision. */
const ROUNDNESS = 1e-7;
/** The same for variant 1, which divides by the patch's moments: 1e-3 of its width. */
const ROUNDNESS_OF_INVERSE = 1e-6;
/** Least width of a patch, as a part of the model's size. */
const LEAST_PATCH = 1e-6;
/** Where the ten numbers x y z 1 stand as a symmetric 3x3 and a vector. */
const SQUARE = [0, 1, 2, 4, 5, 7];
const VECTOR = [3, 6, 8];
const SHORT = 32767;

export interface MultiWeightSource {
  variant: 0 | 1 | 2 | 3;
  boneCount: number;
  positions: ArrayLike<number>;
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
  if (boneCount > MOST_BONES) throw new Error(`pack multi-weights: at most ${MOST_BONES} bones, got ${boneCount}`);
  if (positions.length !== 3 * vertexCount)
    throw new Error(`pack multi-weights: ${positions.length / 3} positions for ${vertexCount} rows`);
  const layout: EntryLayout = variant > 1 ? 'columns' : isShort ? 'short-moments' : 'moments';
  const { words: wordCount } = ENTRY_WORDS[layout];
  const order = orderLanes(rowStart, 1);
  const restRows = variant === 1 ? 4 : 3;
  const rest = new Uint32Array(order.vertexOfLane.length * restRows * 4);
  const floats = new Float32Array(rest.buffer);
  const entries = new Uint32Array(order.rowCount * wordCount * SLICE);
  const words = new Uint32Array(12);
  const wordFloats = new Float32Array(words.buffer);
  const leastMoment = (LEAST_PATCH * measureSize(positions)) ** 2 || 1;
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
      const isEntry = row < patch.count;
      words.fill(0);
      for (let c = 0; c < 10 && isEntry; c++) wordFloats[c] = patch.omegas[10 * row + c];
      if (layout === 'columns') for (let c = 0; c < 4; c++) wordFloats[c] = wordFloats[[3, 6, 8, 9][c]];
      if (layout === 'short-moments' && isEntry) packShorts(patch, row, words);
      // missing entries weigh nothing and name the strongest bone, which has been read already
      words[layout === 'moments' ? 10 : layout === 'columns' ? 4 : 5] = boneIndices[rowStart[i] + (isEntry ? row : 0)];
      putRow(entries, layout, order.slices[2 * slice] + row, lane, words);
    }
  }
  return { layout, vertexCount, boneCount, order, restRows, rest, entries };
}

/** Rounds to 16 bits; the strongest entry takes what rounding left over of each sum. */
function packShorts(patch: Patch, row: number, words: Uint32Array): void {
  const { omegas, count } = patch;
  const shortOf = (o: number): number => Math.round(Math.max(-1, Math.min(1, omegas[o])) * SHORT);
  for (let c = 0; c < 10; c++) {
    let value = shortOf(10 * row + c);
    if (row === 0 && (c === 9 || VECTOR.includes(c))) {
      value = c === 9 ? SHORT : 0;
      for (let e = 1; e < count; e++) value -= shortOf(10 * e + c);
      value = Math.max(-SHORT, Math.min(SHORT, value));
    }
    if (c % 2 === 0) words[c >> 1] = value & 0xffff;
    else words[c >> 1] |= (value & 0xffff) << 16;
  }
}

/** Diagonal of the box. */
function measureSize(positions: ArrayLike<number>): number {
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
      shiftOmega(own, o, -p[0], -p[1], -p[2]);
      for (let c = 0; c < 6; c++) moments[c] += own[o + SQUARE[c]];
    }
    const trace = Math.max(0, moments[0] + moments[3] + moments[5]);
    const round = Math.max(trace * (variant === 0 ? ROUNDNESS : ROUNDNESS_OF_INVERSE), leastMoment);
    for (const c of [0, 3, 5]) moments[c] += round;
    for (let o = 0; o < 10 * this.count; o += 10) for (const c of [0, 4, 7]) own[o + c] += round * own[o + 9];
    if (variant === 1) this.#factor();
    else this.#scale();
    for (let o = 0; o < 10 * this.count; o += 10) this.#whiten(o);
  }

  /** L = σ I. Moments of single entries may exceed their sum where weights are negative: take the largest of all. */
  #scale(): void {
    let largest = Math.max(...this.#moments.map(Math.abs));
    for (let o = 0; o < 10 * this.count; o += 10)
      for (const c of [0, 4, 7]) largest = Math.max(largest, Math.abs(this.omegas[o + c]));
    const scale = Math.sqrt(largest);
    this.#map.set([scale, 0, scale, 0, 0, scale]);
  }

  /** Cholesky of the moments. Their diagonal has been rounded up, so pivots are positive but for rounding: keep them so. */
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
    const [l00, l10, l11, l20, l21, l22] = this.#map;
    const solve = (x: number, y: number, z: number): [number, number, number] => {
      const a = x / l00;
      const b = (y - l10 * a) / l11;
      return [a, b, (z - l20 * a - l21 * b) / l22];
    };
    const [xx, xy, xz, x1, yy, yz, y1, zz, z1] = own.subarray(o, o + 9);
    const first = solve(xx, xy, xz);
    const second = solve(xy, yy, yz);
    const third = solve(xz, yz, zz);
    const x = solve(first[0], second[0], third[0]);
    const y = solve(first[1], second[1], third[1]);
    const z = solve(first[2], second[2], third[2]);
    const b = solve(x1, y1, z1);
    own.set([x[0], x[1], x[2], b[0], y[1], y[2], b[1], z[2], b[2]], o);
  }

  putRest(
    { variant, positions, normals }: MultiWeightSource,
    i: number,
    out: Float32Array,
    at: (row: number) => number,
  ) {
    const p = this.#center;
    const d = [0, 1, 2].map((c) => positions[3 * i + c] - p[c]);
    const n = [0, 1, 2].map((c) => (normals ? normals[3 * i + c] : 0));
    const [l00, l10, l11, l20, l21, l22] = this.#map;
    const turn = ([x, y, z]: number[]): number[] =>
      variant === 1 ? [l00 * x + l10 * y + l20 * z, l11 * y + l21 * z, l22 * z] : [x, y, z];
    out.set(turn(d), at(0));
    out.set([...turn(n), l00], at(1));
    out.set([...p, l22], at(2));
    if (variant === 1) out.set([l10, l20, l11, l21], at(3));
  }
}
