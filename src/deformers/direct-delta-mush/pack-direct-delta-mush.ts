// SPDX-License-Identifier: MIT
// OSSIFY_direct_delta_mush, versions 1 and 2: the stored multi-weights of a primitive. Version 2 is for variants 4 and 5, which need one number per entry. docs/formats/extensions/OSSIFY_direct_delta_mush.md is the specification.
//
// Entries are relative to the stored center p of the vertex, so that 32-bit floats lose no precision far from the origin: Ω* = T(−p) Ω T(−p)ᵀ = [A b; bᵀ ω].
// Vertices of a UV seam share one row. Short numbers are A / σ², b / σ and ω as multiples of 1/32767, with a scale σ per vertex.
import { svd3Into } from '../../core/math/svd3.ts';
import { SYM4_SIZE, translateSym4 } from '../../core/math/sym4.ts';
import type { DdmVariant, MultiWeights } from '../../core/model/deformed/direct-delta-mush.ts';
import type { PackedField } from '../layout/index.ts';

export const DDM_EXTENSION = 'OSSIFY_direct_delta_mush';
/** The versions that are read. */
export const DDM_EXTENSION_VERSIONS = [1, 2];
/** Fields that are indices of accessors. */
export const DDM_FIELDS = ['starts', 'counts', 'centers', 'scales', 'joints', 'columns', 'squares', 'weights'];

/** The short number for one. */
const SHORT = 32767;
/**
 * Minimum moment of a patch in any direction, relative to its largest. Thinner patches are thickened by a ball (ε ωⱼ I: it follows the bones, and does not change
 * the identity pose): rounding would make their moments negative, and their rotation arbitrary. Rounded sums are off by at most 1.5 steps.
 */
const BALL_OF_SHORTS = 3 / SHORT;
const BALL_OF_FLOATS = 2 ** -22;
/** Margin of the scale for the rounding error that is added to the largest entry. */
const HEADROOM = 1.002;
/** Scratch memory for one decomposition. */
const LEFT = new Float64Array(9);
const RIGHT = new Float64Array(9);
const SIZES = new Float64Array(3);
/** Indices of A and b in the ten numbers. */
export const SQUARES = [0, 1, 2, 4, 5, 7];
const DIAGONAL = [0, 4, 7];
export const VECTOR = [3, 6, 8];

/** The arrays of a primitive, as stored in accessors. */
export interface PackedDdm {
  /** vertexCount: the first entry of each vertex */
  starts: Uint32Array;
  /** vertexCount: number of entries of each vertex */
  counts: Uint8Array | Uint16Array;
  /** vertexCount x 3: p; absent for variant 5 */
  centers?: Float32Array;
  /** vertexCount: σ, if numbers are short */
  scales?: Float32Array;
  /** entryCount indices of joints */
  joints: Uint8Array | Uint16Array;
  /** entryCount x 4: b, ω; absent for variants 4 and 5 */
  columns?: Float32Array | Int16Array;
  /** entryCount x 6: A, xx xy xz yy yz zz; absent for variants 2 to 5 */
  squares?: Float32Array | Int16Array;
  /** entryCount: ω, of variants 4 and 5 */
  weights?: Float32Array | Int16Array;
}

/**
 * How the arrays are stored. `squares` are pairs: two short numbers fill the four bytes to which compressed elements are aligned.
 */
export const DDM_LAYOUT: readonly PackedField<PackedDdm>[] = [
  { name: 'starts', size: 1 },
  { name: 'counts', size: 1 },
  { name: 'centers', size: 3 },
  { name: 'joints', size: 1 },
  { name: 'columns', size: 4, isFraction: true },
  { name: 'scales', size: 1 },
  { name: 'squares', size: 2, isFraction: true },
  { name: 'weights', size: 1, isFraction: true },
];

export interface PackDdmOptions {
  /** 16 bits per number instead of 32. */
  quantize?: boolean;
  /** The variant, which determines the numbers that are stored. Default: 0. */
  variant?: DdmVariant;
}

/** The version of the extension that stores a variant. */
export function ddmExtensionVersionOf(variant: DdmVariant): number {
  return variant >= 4 ? 2 : 1;
}

/**
 * Packs the rows of vertices, starting with vertexStart.
 * @param jointOf the joint of a bone
 */
export function packDdm(
  multiWeights: MultiWeights,
  vertexStart: number,
  vertexCount: number,
  jointOf: (bone: number) => number,
  options: PackDdmOptions = {},
): PackedDdm {
  const packer = new RowPacker(multiWeights, vertexStart, vertexCount, options);
  for (let n = 0; n < vertexCount; n++) packer.add(n, jointOf);
  return packer.finish();
}

/** The arrays of a primitive while its rows are added. */
class RowPacker {
  readonly #multiWeights: MultiWeights;
  readonly #vertexStart: number;
  readonly #quantize: boolean;
  readonly #variant: DdmVariant;
  readonly #findSame: (i: number, n: number) => number;
  readonly #starts: Uint32Array;
  readonly #counts: Uint16Array;
  readonly #centers: Float32Array;
  readonly #scales: Float32Array;
  readonly #joints: Uint16Array;
  readonly #columns: Float32Array | Int16Array;
  readonly #weights: Float32Array | Int16Array;
  readonly #moments: Float32Array | Int16Array;
  #used = 0;

  constructor(
    multiWeights: MultiWeights,
    vertexStart: number,
    vertexCount: number,
    { quantize = false, variant = 0 }: PackDdmOptions,
  ) {
    const { rowStart } = multiWeights;
    this.#multiWeights = multiWeights;
    this.#vertexStart = vertexStart;
    this.#quantize = quantize;
    this.#variant = variant;
    this.#findSame = makeRowFinder(multiWeights);
    const room = rowStart[vertexStart + vertexCount] - rowStart[vertexStart];
    const make = (count: number): Float32Array | Int16Array =>
      quantize ? new Int16Array(count) : new Float32Array(count);
    this.#starts = new Uint32Array(vertexCount);
    this.#counts = new Uint16Array(vertexCount);
    this.#centers = new Float32Array(vertexCount * 3);
    this.#scales = new Float32Array(vertexCount);
    this.#joints = new Uint16Array(room);
    this.#columns = make(this.#isAlone ? 0 : room * 4);
    this.#weights = make(this.#isAlone ? room : 0);
    this.#moments = make(this.#hasSquares ? room * 6 : 0);
  }

  get #hasSquares(): boolean {
    return this.#variant <= 1;
  }

  /** Whether an entry is its weight alone. */
  get #isAlone(): boolean {
    return this.#variant >= 4;
  }

  /** Adds the row of vertex n of the primitive, or refers to the same row of an earlier one. */
  add(n: number, jointOf: (bone: number) => number): void {
    const { rowStart } = this.#multiWeights;
    const i = this.#vertexStart + n;
    const same = this.#findSame(i, n);
    this.#counts[n] = rowStart[i + 1] - rowStart[i];
    if (same < n) {
      this.#starts[n] = this.#starts[same];
      this.#centers.copyWithin(3 * n, 3 * same, 3 * same + 3);
      this.#scales[n] = this.#scales[same];
      return;
    }
    this.#starts[n] = this.#used;
    const row = centerRow(this.#multiWeights, i, this.#centers, 3 * n);
    if (this.#hasSquares) addBall(row, this.#quantize ? BALL_OF_SHORTS : BALL_OF_FLOATS);
    if (this.#quantize) {
      this.#scales[n] = scaleOf(row);
      toShorts(row, this.#scales[n]);
    }
    this.#putEntries(row, this.#multiWeights.boneIndices.subarray(rowStart[i], rowStart[i + 1]), jointOf);
  }

  #putEntries(row: Float64Array, bones: Uint32Array, jointOf: (bone: number) => number): void {
    const [columns, moments] = [this.#columns, this.#moments];
    for (let e = 0; e < bones.length; e++) {
      const used = this.#used++;
      this.#joints[used] = jointOf(bones[e]);
      if (this.#isAlone) {
        this.#weights[used] = row[10 * e + 9];
        continue;
      }
      for (let c = 0; c < 3; c++) columns[4 * used + c] = row[10 * e + VECTOR[c]];
      columns[4 * used + 3] = row[10 * e + 9];
      for (let c = 0; c < 6 && this.#hasSquares; c++) moments[6 * used + c] = row[10 * e + SQUARES[c]];
    }
  }

  finish(): PackedDdm {
    const [used, isAlone, counts] = [this.#used, this.#isAlone, this.#counts];
    const joints = this.#joints.slice(0, used);
    return {
      starts: this.#starts,
      counts: counts.every((count) => count < 256) ? Uint8Array.from(counts) : counts,
      ...(this.#variant === 5 ? {} : { centers: this.#centers }),
      ...(this.#quantize && !isAlone ? { scales: this.#scales } : {}),
      joints: joints.every((joint) => joint < 256) ? Uint8Array.from(joints) : joints,
      ...(isAlone ? { weights: this.#weights.slice(0, used) } : { columns: this.#columns.slice(0, 4 * used) }),
      ...(this.#hasSquares ? { squares: this.#moments.slice(0, 6 * used) } : {}),
    };
  }
}

/** The row of a vertex relative to its stored center, in double precision; the rounding of the center is compensated by the row. */
function centerRow({ rowStart, omegas }: MultiWeights, i: number, centers: Float32Array, o: number): Float64Array {
  const row = omegas.slice(SYM4_SIZE * rowStart[i], SYM4_SIZE * rowStart[i + 1]);
  let weight = 0;
  const p = [0, 0, 0];
  for (let e = 0; e < row.length; e += 10) {
    for (let c = 0; c < 3; c++) p[c] += row[e + VECTOR[c]];
    weight += row[e + 9];
  }
  for (let c = 0; c < 3; c++) centers[o + c] = p[c] / weight;
  for (let e = 0; e < row.length; e += 10) translateSym4(row, e, -centers[o], -centers[o + 1], -centers[o + 2]);
  return row;
}

function addBall(row: Float64Array, part: number): void {
  const sums = new Float64Array(10);
  for (let e = 0; e < row.length; e++) sums[e % 10] += row[e];
  const [xx, xy, xz, , yy, yz, , zz] = sums;
  svd3Into(Float64Array.of(xx, xy, xz, xy, yy, yz, xz, yz, zz), LEFT, SIZES, RIGHT);
  const ball = Math.max(0, part * SIZES[0] - SIZES[2]);
  if (ball > 0) for (let e = 0; e < row.length; e += 10) for (const c of DIAGONAL) row[e + c] += ball * row[e + 9];
}

/** σ such that A / σ² and b / σ are in [-1, 1]. For a point without size, any scale is valid. */
function scaleOf(row: Float64Array): number {
  let largest = 0;
  for (let e = 0; e < row.length; e += 10) {
    for (const c of SQUARES) largest = Math.max(largest, Math.abs(row[e + c]));
    for (const c of VECTOR) largest = Math.max(largest, row[e + c] ** 2);
  }
  return Math.fround(Math.sqrt(largest * HEADROOM)) || 1;
}

/** Rounds in place. The rounding error of each sum is added to the largest entry, so that a motion shared by all bones is not affected by rounding. */
function toShorts(row: Float64Array, scale: number): void {
  for (let c = 0; c < 10; c++) {
    const unit = c === 9 ? 1 : VECTOR.includes(c) ? scale : scale * scale;
    let sum = 0;
    let rest = 0;
    for (let e = c; e < row.length; e += 10) {
      sum += row[e] / unit;
      row[e] = Math.round(Math.max(-1, Math.min(1, row[e] / unit)) * SHORT);
      if (e !== c) rest += row[e];
    }
    row[c] = Math.max(-SHORT, Math.min(SHORT, (c === 9 ? SHORT : Math.round(sum * SHORT)) - rest));
  }
}

/** Finds, for vertex i, the first vertex n with the same row. */
function makeRowFinder({ rowStart, boneIndices, omegas }: MultiWeights): (i: number, n: number) => number {
  const known = new Map<number, { i: number; n: number }[]>();
  const words = new Uint32Array(omegas.buffer, omegas.byteOffset, omegas.length * 2);
  const isSame = (a: number, b: number): boolean => {
    const count = rowStart[a + 1] - rowStart[a];
    if (rowStart[b + 1] - rowStart[b] !== count) return false;
    for (let e = 0; e < count; e++) if (boneIndices[rowStart[a] + e] !== boneIndices[rowStart[b] + e]) return false;
    for (let c = 0; c < count * 10; c++)
      if (omegas[10 * rowStart[a] + c] !== omegas[10 * rowStart[b] + c]) return false;
    return true;
  };
  return (i, n) => {
    let hash = rowStart[i + 1] - rowStart[i];
    for (let w = 20 * rowStart[i]; w < 20 * rowStart[i + 1]; w++) hash = Math.imul(hash ^ words[w], 0x01000193);
    const here = known.get(hash);
    if (!here) {
      known.set(hash, [{ i, n }]);
      return n;
    }
    const same = here.find((other) => isSame(other.i, i));
    if (!same) here.push({ i, n });
    return same ? same.n : n;
  };
}
