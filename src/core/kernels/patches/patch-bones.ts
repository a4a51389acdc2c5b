// SPDX-License-Identifier: MIT
// Rigid bones fitted to small patches of points. A patch is the set of points nearest to one of them, by the squared distance at rest plus the mean squared
// distance in some frames, so it needs no connectivity, and separates parts that touch at rest but move apart. Its bone has in every frame R nearest to
// Σ(v − v̄)(u − ū)ᵀ, and t = v̄ − R ū.
import { nearestRotationInto } from '../../math/rotation.ts';
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';
import type { Trajectories } from '../matrices/trajectories.ts';

/** Maximum number of frames for the distance between trajectories, evenly spaced. */
const DISTANCE_FRAMES = 12;
/** Numbers before the frames of a key: the rest position, and zero. */
const KEY_REST = 4;

/** Positions of points at rest and in some frames, for distances. */
export interface PatchKeys {
  /** Numbers per point, even. */
  width: number;
  /** Number of frames. */
  frames: number;
  /** vertexCount x width: rest position, 0, positions in the frames, zeros */
  values: Float64Array;
}

/** Strides of an array of bones, in numbers: from row to row, within the four numbers of a row, and from bone to bone. */
export interface BoneStrides {
  row: number;
  number: number;
  bone: number;
}

export function makePatchKeys({ vertexCount, frameCount, rest, posed }: Trajectories): PatchKeys {
  const frames = Math.min(DISTANCE_FRAMES, frameCount);
  const width = KEY_REST + 3 * frames + ((3 * frames) & 1);
  const values = new Float64Array(vertexCount * width);
  const [from, fromPosed] = [rest.view(), posed.view()];
  for (let i = 0; i < vertexCount; i++) {
    for (let r = 0; r < 3; r++) values[i * width + r] = from[3 * i + r];
    for (let n = 0; n < frames; n++) {
      const o = 3 * (i * frameCount + Math.floor((n * frameCount) / frames));
      for (let r = 0; r < 3; r++) values[i * width + KEY_REST + 3 * n + r] = fromPosed[o + r];
    }
  }
  return { width, frames, values };
}

/** Doubles of scratch memory per thread. */
function scratchOf(vertexCount: number): number {
  return 4 * vertexCount + 16;
}

/** Fits a number of patches at once, in kernels; memory is allocated from the given compute. */
export class PatchBones {
  readonly #trajectories: Trajectories;
  readonly #count: number;
  readonly #keys: PatchKeys;
  readonly #values: Resident<Float64Array>;
  readonly #vertices: Resident<Uint32Array>;
  readonly #sizes: Resident<Uint32Array>;
  readonly #lists: Resident<Uint32Array>;
  readonly #scratch: Resident<Float64Array>;

  /** @param count number of patches of a call */
  constructor(memory: Compute, trajectories: Trajectories, count: number) {
    const { vertexCount } = trajectories;
    this.#trajectories = trajectories;
    this.#count = count;
    this.#keys = makePatchKeys(trajectories);
    this.#values = memory.float64(this.#keys.values.length);
    this.#values.view().set(this.#keys.values);
    this.#vertices = memory.uint32(count);
    this.#sizes = memory.uint32(count);
    this.#lists = memory.uint32(count * vertexCount);
    this.#scratch = memory.float64(scratchOf(vertexCount) * memory.threads);
  }

  /**
   * A call for runAll that fits a bone to each patch.
   * @param vertices the point of each patch
   * @param sizes the number of points of each patch
   * @param out rows x 4 x count, in the order of the strides
   */
  call(
    vertices: readonly number[],
    sizes: readonly number[],
    out: Resident<Float64Array>,
    strides: BoneStrides,
  ): KernelCall {
    const { vertexCount, frameCount, rest, posed } = this.#trajectories;
    this.#vertices.view().set(vertices);
    this.#sizes.view().set(sizes.map((size) => Math.min(size, vertexCount)));
    const { width, frames } = this.#keys;
    const args = {
      ...{ keys: this.#values, rest, posed, vertices: this.#vertices, sizes: this.#sizes, lists: this.#lists, out },
      ...{ vertexCount, rows: 3 * frameCount, width, frames, ...strides },
      ...{ scratch: this.#scratch, bytesPerThread: scratchOf(vertexCount) * 8 },
    };
    return callOf(patchBonesKernel, args, this.#count);
  }

  /** The points of patch p after the call. */
  listOf(p: number): Uint32Array {
    const begin = p * this.#trajectories.vertexCount;
    return this.#lists.view().slice(begin, begin + this.#sizes.view()[p]);
  }
}

/** One chunk per patch. */
export const patchBonesKernel = kernel(
  'patchBones',
  {
    keys: 'f64',
    rest: 'f64',
    posed: 'f64',
    vertices: 'u32',
    sizes: 'u32',
    /** patches x vertexCount, filled */
    lists: 'u32',
    out: 'f64',
    vertexCount: 'int',
    rows: 'int',
    /** of the keys */
    width: 'int',
    frames: 'int',
    /** strides of out */
    row: 'int',
    number: 'int',
    bone: 'int',
    /** 4 vertexCount + 16 per thread */
    scratch: 'f64',
    bytesPerThread: 'int',
  },
  (
    {
      keys: values,
      rest,
      posed,
      vertices,
      sizes,
      lists,
      out,
      vertexCount: count,
      rows,
      width,
      frames,
      row,
      number,
      bone,
      scratch,
    },
    p,
  ) => {
    const distances = scratch.subarray(0, count);
    const patch = listNearestPoints({ width, frames, values }, vertices[p], sizes[p], distances);
    lists.set(patch, p * count);
    fitPatchInto({ rest, posed, rows }, patch, out, { offset: p * bone, row, number });
  },
);

/**
 * The size points nearest to a vertex, itself included; ties by index.
 * @param distances vertexCount: scratch memory
 */
export function listNearestPoints(
  { width, frames, values }: PatchKeys,
  vertex: number,
  size: number,
  distances: Float64Array,
): Uint32Array {
  const share = 1 / frames;
  const o = vertex * width;
  for (let i = 0, k = 0; i < distances.length; i++, k += width) {
    let d = 0;
    for (let c = 0; c < 3; c++) d += (values[k + c] - values[o + c]) ** 2;
    // two sums, as SIMD adds them
    let even = 0;
    let odd = 0;
    for (let c = KEY_REST; c < width; c += 2) {
      even += (values[k + c] - values[o + c]) ** 2;
      odd += (values[k + c + 1] - values[o + c + 1]) ** 2;
    }
    distances[i] = d + share * (even + odd);
  }
  const wanted = Math.min(size, distances.length);
  // a threshold from a sorted copy of the distances, then one pass: cheaper than sorting indices
  const threshold = distances.toSorted()[wanted - 1];
  const near = new Uint32Array(wanted);
  let found = 0;
  for (let i = 0; i < distances.length && found < wanted; i++) if (distances[i] < threshold) near[found++] = i;
  for (let i = 0; i < distances.length && found < wanted; i++) if (distances[i] === threshold) near[found++] = i;
  return near;
}

/** Positions of points at rest (x 3) and in all frames (x rows). */
export interface PatchPositions {
  rest: Float64Array;
  posed: Float64Array;
  rows: number;
}

/** The place of a bone in an array: that of its first number, and the distances of its rows and of the four numbers of a row. */
export interface BonePlace {
  offset: number;
  row: number;
  number: number;
}

/** Fits a bone to a patch. */
export function fitPatchInto(
  { rest, posed, rows }: PatchPositions,
  patch: Uint32Array,
  out: Float64Array,
  { offset, row: rowStride, number: numberStride }: BonePlace,
): void {
  const size = patch.length;
  let cx = 0;
  let cy = 0;
  let cz = 0;
  for (let n = 0; n < size; n++) {
    cx += rest[3 * patch[n]] / size;
    cy += rest[3 * patch[n] + 1] / size;
    cz += rest[3 * patch[n] + 2] / size;
  }
  // points are visited once: a patch may be the whole surface
  const means = new Float64Array(rows);
  const moments = new Float64Array(3 * rows);
  for (let n = 0; n < size; n++) {
    const u = 3 * patch[n];
    const x = rest[u] - cx;
    const y = rest[u + 1] - cy;
    const z = rest[u + 2] - cz;
    for (let row = 0, e = patch[n] * rows; row < rows; row++, e++) {
      const v = posed[e];
      means[row] += v / size;
      moments[3 * row] += v * x;
      moments[3 * row + 1] += v * y;
      moments[3 * row + 2] += v * z;
    }
  }
  const center = [cx, cy, cz];
  const m = new Float64Array(9);
  for (let row = 0; row < rows; row += 3) {
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) m[3 * c + r] = moments[3 * (row + r) + c];
    nearestRotationInto(m, m);
    for (let r = 0; r < 3; r++) {
      const o = offset + (row + r) * rowStride;
      let t = means[row + r];
      for (let c = 0; c < 3; c++) {
        out[o + c * numberStride] = m[3 * c + r];
        t -= m[3 * c + r] * center[c];
      }
      out[o + 3 * numberStride] = t;
    }
  }
}
