// SPDX-License-Identifier: MIT
// Multi-weights in the layout of the ddm kernel, and the bones of a pose in the model's own frame; ddm.ts has the algebra.
import { quaternionFromMatrix } from '../../math/quaternion.ts';
import { SYM4_11, SYM4_FIRST, SYM4_SECOND, SYM4_SIZE } from '../../math/sym4.ts';
import { type Compute, uploadFloat32, uploadUint32 } from '../compute.ts';
import { type ArgumentsOf, callOf, type KernelCall, type Resident } from '../kernel.ts';
import { groupVertices, LANES, type VertexGroups } from '../skinning/group-vertices.ts';
import { DDM_BONE_SIZE, DDM_CHUNK, DDM_ENTRY_SIZES, DDM_SCRATCH, ddmKernel } from './ddm.ts';

/**
 * Regularization of a patch: this part of an isotropic patch of the same size is added, so that flat patches and points have a rotation. For other patches it is
 * a tenth of the rounding error of single precision.
 */
const ROUNDNESS = 1e-8;
/** The same for variant 1, which divides by the patch's moments: 1e-3 of its width. */
const ROUNDNESS_OF_INVERSE = 1e-6;
/** Minimum size of a patch relative to the model's: squares of its moments must not vanish in single precision. */
const MIN_PATCH = 1e-6;

export interface DdmSource {
  variant: 0 | 1 | 2 | 3 | 4 | 5;
  boneCount: number;
  /** vertexCount x 3 */
  rest: ArrayLike<number>;
  /** vertexCount x 3, unit length; without them no normals are computed */
  normals?: ArrayLike<number>;
  /** vertexCount + 1 */
  rowStart: Uint32Array;
  /** entryCount, strongest first within a row */
  boneIndices: Uint32Array;
  /** entryCount x 10: symmetric 4x4 matrices (core/math/sym4.ts); variant 5 also takes entryCount weights alone */
  omegas: ArrayLike<number>;
}

/** Arrays of a model: slots of the kernel. */
type DdmPackArrays = Pick<
  ArgumentsOf<typeof ddmKernel>,
  'groupStart' | 'groupBones' | 'entries' | 'rests' | 'vertices' | 'pivots'
>;

/** Arrays of a call for a number of poses. */
export interface DdmPoseArrays {
  /** poses x boneCount x 16 */
  bones: Resident<Float32Array>;
  /** poses x 4 */
  origins: Resident<Float32Array>;
  /** poses x vertexCount x 3, filled */
  positions: Resident<Float32Array>;
  /** poses x vertexCount x 3, filled; absent: not wanted */
  normals: Resident<Float32Array> | undefined;
}

export interface DdmPack {
  readonly vertexCount: number;
  readonly boneCount: number;
  readonly variant: number;
  readonly groupCount: number;
  readonly arrays: DdmPackArrays;
  /** The model's center at rest, and its size. */
  readonly middle: readonly [number, number, number];
  readonly size: number;
  /** The bone with the largest total weight: poses are relative to its image of the center. */
  readonly mainBone: number;
  readonly scratch: Resident<Float64Array>;
}

/** Makes the resident arrays of a model. */
export function packDdm(compute: Compute, source: DdmSource): DdmPack {
  const { variant, rest, rowStart, boneIndices, boneCount, omegas } = source;
  const vertexCount = rowStart.length - 1;
  const step = omegas.length === boneIndices.length * SYM4_SIZE ? SYM4_SIZE : 1;
  if (rest.length !== 3 * vertexCount || (step === 1 && (variant !== 5 || omegas.length !== boneIndices.length))) {
    throw new Error('packDdm: positions, rows and multi-weights have different lengths');
  }
  const { middle, size } = frameOf(rest);
  const groups = groupVertices(rowStart, boneIndices);
  const width = DDM_ENTRY_SIZES[variant];
  const entries = new Float32Array(groups.groupBones.length * width * LANES);
  const rests = new Float32Array(groups.groupCount * 9 * LANES);
  const pivots = new Uint32Array(groups.vertices.length);
  const totals = new Float64Array(boneCount);
  const vertex = new VertexNumbers(source, step, middle, size);
  const slotOfBone = new Int32Array(boneCount);
  for (let n = 0; n < groups.vertices.length; n++) {
    const g = Math.floor(n / LANES);
    const i = groups.vertices[n];
    vertex.enter(i);
    for (let c = 0; c < 9; c++) rests[(g * 9 + c) * LANES + (n % LANES)] = vertex.rest[c];
    for (let e = groups.groupStart[g]; e < groups.groupStart[g + 1]; e++) slotOfBone[groups.groupBones[e]] = e;
    if (rowStart[i + 1] > rowStart[i]) pivots[n] = boneIndices[rowStart[i]];
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const at = slotOfBone[boneIndices[e]] * width * LANES + (n % LANES);
      const numbers = vertex.entryOf(e);
      for (let c = 0; c < width; c++) entries[at + c * LANES] += numbers[c];
      totals[boneIndices[e]] += omegas[e * step + step - 1];
    }
  }
  return {
    vertexCount,
    boneCount,
    variant,
    groupCount: groups.groupCount,
    arrays: upload(compute, groups, entries, rests, pivots),
    middle,
    size,
    mainBone: totals.reduce((best, total, j) => (total > totals[best] ? j : best), 0),
    scratch: compute.float64((DDM_SCRATCH / 8) * compute.threads),
  };
}

function upload(
  compute: Compute,
  { groupStart, groupBones, vertices }: VertexGroups,
  entries: Float32Array,
  rests: Float32Array,
  pivots: Uint32Array,
): DdmPackArrays {
  return {
    groupStart: uploadUint32(compute, groupStart),
    groupBones: uploadUint32(compute, groupBones),
    entries: uploadFloat32(compute, entries),
    rests: uploadFloat32(compute, rests),
    vertices: uploadUint32(compute, vertices),
    pivots: uploadUint32(compute, pivots),
  };
}

/** The center of the box and its diagonal (1 for a point). */
function frameOf(rest: ArrayLike<number>): { middle: [number, number, number]; size: number } {
  const middle: [number, number, number] = [0, 0, 0];
  let square = 0;
  for (let r = 0; r < 3; r++) {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let c = r; c < rest.length; c += 3) {
      low = Math.min(low, rest[c]);
      high = Math.max(high, rest[c]);
    }
    if (high >= low) {
      middle[r] = (low + high) / 2;
      square += (high - low) ** 2;
    }
  }
  return { middle, size: Math.fround(Math.sqrt(square)) || 1 };
}

/** The numbers of one vertex and of its entries, in the model's frame. */
class VertexNumbers {
  /** d (u for variant 5), p, n */
  readonly rest = new Float64Array(9);
  readonly #numbers = new Float64Array(16);
  /** P*⁻¹, columns */
  readonly #inverse = new Float64Array(9);
  readonly #p = new Float64Array(3);
  /** Σ B with the regularization, xx xy xz yy yz zz */
  readonly #patch = new Float64Array(6);
  #ridge = 0;
  readonly #source: DdmSource;
  readonly #step: number;
  readonly #middle: readonly number[];
  readonly #size: number;

  constructor(source: DdmSource, step: number, middle: readonly number[], size: number) {
    this.#source = source;
    this.#step = step;
    this.#middle = middle;
    this.#size = size;
  }

  enter(i: number): void {
    const { rest, normals, rowStart, omegas, variant } = this.#source;
    for (let c = 0; c < 3; c++) {
      this.rest[c] = (rest[3 * i + c] - this.#middle[c]) / this.#size;
      this.rest[6 + c] = normals ? normals[3 * i + c] : 0;
    }
    if (variant === 5) return;
    const p = this.#p.fill(0);
    let sum = 0;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      for (let c = 0; c < 3; c++) p[c] += omegas[e * this.#step + SYM4_FIRST[c]];
      sum += omegas[e * this.#step + SYM4_11];
    }
    for (let c = 0; c < 3; c++) {
      p[c] = sum > 0 ? p[c] / sum : rest[3 * i + c];
      this.rest[c] = (rest[3 * i + c] - p[c]) / this.#size;
      this.rest[3 + c] = (p[c] - this.#middle[c]) / this.#size;
    }
    if (variant > 1) return;
    const patch = this.#patch.fill(0);
    this.#ridge = 0;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const o = this.entryOf(e);
      for (let c = 0; c < 6; c++) patch[c] += o[SYM4_SECOND[c]];
    }
    const roundness = variant === 0 ? ROUNDNESS : ROUNDNESS_OF_INVERSE;
    this.#ridge = Math.max((patch[0] + patch[3] + patch[5]) * roundness, MIN_PATCH ** 2);
    if (variant === 1) invertInto(patch, this.#ridge, this.#inverse);
  }

  /** Entry e of the vertex in the variant's layout; the array is reused by the next call. */
  entryOf(e: number): Float64Array {
    const { omegas, variant } = this.#source;
    const out = this.#numbers;
    const o = e * this.#step;
    const w = omegas[o + this.#step - 1];
    if (variant > 3) {
      out[0] = w;
      return out;
    }
    const b = SYM4_FIRST.map((n) => omegas[o + n]);
    if (variant > 1) {
      for (let c = 0; c < 3; c++) out[c] = (b[c] - w * this.#middle[c]) / this.#size;
      out[3] = w;
      return out;
    }
    const p = this.#p;
    const square = this.#size * this.#size;
    // Ω* = T Ω Tᵀ
    let n = 0;
    for (let r = 0; r < 3; r++) {
      for (let c = r; c < 3; c++, n++) {
        out[n] = (omegas[o + n] - p[r] * b[c] - b[r] * p[c] + w * p[r] * p[c]) / square;
        if (r === c) out[n] += w * this.#ridge;
      }
      out[n++] = (b[r] - w * p[r]) / this.#size;
    }
    out[SYM4_11] = w;
    if (variant === 1 && this.#ridge > 0) this.#multiplyByInverse(out);
    return out;
  }

  /** From B b ω to the columns of [B P*⁻¹ b; (P*⁻¹ b)ᵀ ω]. */
  #multiplyByInverse(out: Float64Array): void {
    const [xx, xy, xz, x1, yy, yz, y1, zz, z1, w] = out;
    const rows = [xx, xy, xz, xy, yy, yz, xz, yz, zz, x1, y1, z1];
    const inverse = this.#inverse;
    for (let c = 0; c < 3; c++) {
      for (let r = 0; r < 4; r++) {
        out[4 * c + r] =
          rows[3 * r] * inverse[3 * c] + rows[3 * r + 1] * inverse[3 * c + 1] + rows[3 * r + 2] * inverse[3 * c + 2];
      }
    }
    out.set([x1, y1, z1, w], 12);
  }
}

/** The inverse of a symmetric matrix xx xy xz yy yz zz with ridge added to its diagonal. */
function invertInto(patch: Float64Array, ridge: number, out: Float64Array): void {
  const xx = patch[0] + ridge;
  const yy = patch[3] + ridge;
  const zz = patch[5] + ridge;
  const [, xy, xz, , yz] = patch;
  out.set([yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy]);
  const det = xx * out[0] + xy * out[1] + xz * out[2];
  out.set([out[1], xx * zz - xz * xz, xy * xz - xx * yz, out[2], xy * xz - xx * yz, xx * yy - xy * xy], 3);
  for (let c = 0; c < 9; c++) out[c] /= det;
}

/** A call for runAll that deforms poseCount poses. */
export function callDdm(pack: DdmPack, poses: DdmPoseArrays, poseCount: number): KernelCall {
  const { arrays, groupCount, boneCount, vertexCount, variant, scratch } = pack;
  const { bones, origins, positions, normals } = poses;
  const args = {
    ...{ ...arrays, bones, origins, positions, normals, scratch, bytesPerThread: DDM_SCRATCH },
    ...{ groupCount, chunkSize: DDM_CHUNK, poseCount, boneCount, vertexCount, variant },
  };
  return callOf(ddmKernel, args, Math.ceil(groupCount / DDM_CHUNK));
}

/**
 * Writes the bones of pose k: M in the model's frame, and the origin of that frame.
 * @param matrices boneCount x 16, column-major, rest to posed
 * @param bones poses x boneCount x 16
 * @param origins poses x 4
 */
export function putPose(
  pack: DdmPack,
  matrices: ArrayLike<number>,
  bones: Float32Array,
  origins: Float32Array,
  k: number,
): void {
  const { boneCount, middle, size, mainBone, variant } = pack;
  const [mx, my, mz] = middle;
  const main = mainBone * 16;
  for (let r = 0; r < 3; r++) {
    const o = main + r;
    origins[4 * k + r] = matrices[o] * mx + matrices[o + 4] * my + matrices[o + 8] * mz + matrices[o + 12];
  }
  origins[4 * k + 3] = size;
  for (let j = 0; j < boneCount; j++) {
    const from = 16 * j;
    const to = (k * boneCount + j) * DDM_BONE_SIZE;
    for (let r = 0; r < 3; r++) {
      const x = matrices[from + r];
      const y = matrices[from + 4 + r];
      const z = matrices[from + 8 + r];
      bones[to + 4 * r] = x;
      bones[to + 4 * r + 1] = y;
      bones[to + 4 * r + 2] = z;
      bones[to + 4 * r + 3] = (x * mx + y * my + z * mz + matrices[from + 12 + r] - origins[4 * k + r]) / size;
    }
    if (variant === 2 || variant === 4) quaternionFromMatrix(matrices, bones, from, to + 12);
  }
}
