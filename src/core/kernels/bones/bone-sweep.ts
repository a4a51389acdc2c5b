// SPDX-License-Identifier: MIT
// B. H. Le and Z. Deng, "Smooth skinning decomposition with rigid bones", ACM Transactions on Graphics 31(6), 2012; Course 2014, §1.5.2, Algorithm 4:
// one bone at a time is fitted to the residual of the others, in closed form; here from moments (skin-moments.ts), so that a frame never visits vertices.
//
// For bone j in one frame, with Q = Dⱼ − Σ_{l≠j} Mₗ Cₗⱼ = [Q₃ q] (3x4) and Cⱼⱼ = [A a; aᵀ s], the error is tr(M Cⱼⱼ Mᵀ) − 2 tr(M Qᵀ) + const.
// - rigid, M = [R t]: t = (q − R a)/s, and with it the error is const − 2 tr(Rᵀ X), X = Q₃ − q aᵀ/s: R is the nearest rotation to X (Eq. 19, 20).
// - similarity, M = [R diag(σ) Fᵀ, t] with fixed axes F of the bone, alternately: R nearest to X F diag(σ), and σ_c = (Rᵀ X F)_cc / (Fᵀ(A − aaᵀ/s)F)_cc; both
//   lower the error.
// - affine: M Cⱼⱼ = Q, with a small regularization towards the previous bone.
// Each update is the exact minimum over its bone, so a sweep never raises the error.
import { nearestRotationInto } from '../../math/rotation.ts';
import { SYM4_11, SYM4_FIRST, SYM4_INDEX, SYM4_SIZE, SYM4_XX, SYM4_YY, SYM4_ZZ } from '../../math/sym4.ts';
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';
import { pairOffset, type SkinMoments } from './skin-moments.ts';

/** Transformations of a bone. 'rigid': rotation and translation; 'similarity': also scales along fixed axes; 'affine': any 3x4 matrix. */
export type TransformKind = 'rigid' | 'similarity' | 'affine';

export const TRANSFORM_KINDS: readonly TransformKind[] = ['rigid', 'similarity', 'affine'];

const FRAMES_PER_CHUNK = 1;
/** Iterations over rotation and scales of a similarity. */
const SCALE_ITERATIONS = 4;
const AFFINE_RIDGE = 1e-9;
/** Regularization of scales towards one, relative to the spread of the bone's points: determines axes without extent. */
const SCALE_RIDGE = 1e-9;
/** The same relative to the second moments of the points, which exceeds the rounding of their spread: determines the scales of a bone with one point. */
const SCALE_ROUNDING = 1e-12;
const SMALLEST = 1e-300;
/** Bones whose squared weights have a smaller sum have no visible effect and are not updated. */
export const MIN_MOMENT = 1e-9;
/** Doubles of scratch memory per thread: numbers of a bone, and a list of neighbours per bone. */
export function sweepScratchOf(boneCount: number): number {
  return 72 + Math.ceil((boneCount * (boneCount + 1)) / 2);
}

export interface SweepOptions {
  sweeps: number;
  kind: TransformKind;
  /** boneCount x 9, column-major rotations: the axes along which a similarity scales */
  axes: Resident<Float64Array>;
  /** boneCount, 1 for bones that must not change; absent: none */
  frozen?: Resident<Uint32Array>;
}

/** Fits bones in place: rows x 4 boneCount. */
export async function boneSweep(
  compute: Compute,
  bones: Resident<Float64Array>,
  boneCount: number,
  moments: SkinMoments,
  options: SweepOptions,
): Promise<void> {
  await compute.scope((memory) => compute.runAll([callBoneSweep(memory, bones, boneCount, moments, options)]));
}

/** The same as a call for runAll, with scratch memory from the given compute. */
export function callBoneSweep(
  memory: Compute,
  bones: Resident<Float64Array>,
  boneCount: number,
  moments: SkinMoments,
  { sweeps, kind, axes, frozen }: SweepOptions,
): KernelCall {
  const frameCount = bones.length / (12 * boneCount);
  const perThread = sweepScratchOf(boneCount);
  const scratch = memory.float64(perThread * memory.threads);
  const { pairs, targets } = moments;
  const rule = { sweeps, kind: TRANSFORM_KINDS.indexOf(kind), minMoment: MIN_MOMENT };
  const args = {
    ...{ bones, pairs, targets, axes, frozen, scratch, frameCount, boneCount, ...rule },
    ...{ bytesPerThread: perThread * 8, chunkSize: FRAMES_PER_CHUNK },
  };
  return callOf(boneSweepKernel, args, Math.ceil(frameCount / FRAMES_PER_CHUNK));
}

export const boneSweepKernel = kernel(
  'boneSweep',
  {
    /** rows x 4 boneCount, changed in place */
    bones: 'f64',
    /** boneCount x boneCount x 10 */
    pairs: 'f64',
    /** boneCount x rows x 4 */
    targets: 'f64',
    /** boneCount x 9 */
    axes: 'f64',
    /** boneCount */
    frozen: 'u32?',
    frameCount: 'int',
    boneCount: 'int',
    sweeps: 'int',
    /** index in TRANSFORM_KINDS */
    kind: 'int',
    minMoment: 'float',
    scratch: 'f64',
    bytesPerThread: 'int',
    chunkSize: 'int',
  },
  ({ bones, targets, frameCount, chunkSize, ...sweep }, chunk) => {
    const { boneCount } = sweep;
    const end = Math.min(frameCount, (chunk + 1) * chunkSize);
    for (let k = chunk * chunkSize; k < end; k++) {
      const frame = bones.subarray(12 * k * boneCount, 12 * (k + 1) * boneCount);
      const own = Float64Array.from({ length: 12 * boneCount }, (_, e) => {
        return targets[12 * (Math.floor(e / 12) * frameCount + k) + (e % 12)];
      });
      sweepFrame(frame, own, sweep);
    }
  },
);

/** What sweeps over the bones of a frame need besides their targets: slots of the kernels. */
export interface FrameSweep {
  pairs: Float64Array;
  axes: Float64Array;
  frozen: Uint32Array | undefined;
  boneCount: number;
  sweeps: number;
  kind: number;
  minMoment: number;
}

/** Sweeps over the bones of one frame, 3 x 4 boneCount, with targets of 12 numbers per bone. */
export function sweepFrame(t: Float64Array, targets: Float64Array, sweep: FrameSweep): void {
  const { pairs: c, axes, frozen, boneCount, sweeps, kind, minMoment } = sweep;
  const q = new Float64Array(12);
  const m = new Float64Array(12);
  for (let n = 0; n < sweeps; n++) {
    for (let j = 0; j < boneCount; j++) {
      const own = pairOffset(boneCount, j, j);
      if (c[own + SYM4_11] <= minMoment || frozen?.[j]) continue;
      for (let e = 0; e < 12; e++) q[e] = targets[12 * j + e];
      for (let l = 0; l < boneCount; l++) {
        const pair = pairOffset(boneCount, j, l);
        if (l === j || c[pair + SYM4_11] === 0) continue;
        for (let r = 0; r < 3; r++) {
          const row = r * 4 * boneCount + 4 * l;
          for (let x = 0; x < 4; x++)
            for (let y = 0; y < 4; y++) q[4 * r + x] -= t[row + y] * c[pair + SYM4_INDEX[x][y]];
        }
      }
      const cj = c.subarray(own, own + SYM4_SIZE);
      for (let r = 0; r < 3; r++) for (let x = 0; x < 4; x++) m[4 * r + x] = t[r * 4 * boneCount + 4 * j + x];
      if (kind === 2) fitAffine(q, cj, m);
      else fitTurned(q, cj, kind === 1 ? axes.subarray(9 * j, 9 * j + 9) : undefined, m);
      for (let r = 0; r < 3; r++) for (let x = 0; x < 4; x++) t[r * 4 * boneCount + 4 * j + x] = m[4 * r + x];
    }
  }
}

/** Rigid, or a similarity if axes are given. q and m are 3x4 row-major. */
function fitTurned(q: Float64Array, c: Float64Array, axes: Float64Array | undefined, m: Float64Array): void {
  const a = SYM4_FIRST.map((n) => c[n]);
  const s = c[SYM4_11];
  const x = new Float64Array(9);
  const r = new Float64Array(9);
  for (let col = 0; col < 3; col++)
    for (let row = 0; row < 3; row++) x[3 * col + row] = q[4 * row + col] - (q[4 * row + 3] * a[col]) / s;
  if (axes) {
    const y = new Float64Array(9);
    const spread = [0, 0, 0];
    const scale = [1, 1, 1];
    const g = new Float64Array(9);
    for (let col = 0; col < 3; col++) {
      for (let e = 0; e < 3; e++) {
        for (let row = 0; row < 3; row++) y[3 * col + row] += x[3 * e + row] * axes[3 * col + e];
        for (let f = 0; f < 3; f++)
          spread[col] += (c[SYM4_INDEX[e][f]] - (a[e] * a[f]) / s) * axes[3 * col + e] * axes[3 * col + f];
      }
    }
    const second = c[SYM4_XX] + c[SYM4_YY] + c[SYM4_ZZ];
    const floor = SCALE_RIDGE * (spread[0] + spread[1] + spread[2]) + SCALE_ROUNDING * second + SMALLEST;
    for (let iteration = 0; iteration < SCALE_ITERATIONS; iteration++) {
      for (let e = 0; e < 9; e++) g[e] = y[e] * scale[Math.floor(e / 3)];
      nearestRotationInto(g, r);
      for (let col = 0; col < 3; col++) {
        const top = r[3 * col] * y[3 * col] + r[3 * col + 1] * y[3 * col + 1] + r[3 * col + 2] * y[3 * col + 2];
        scale[col] = (top + floor) / (spread[col] + floor);
      }
    }
    x.fill(0);
    for (let e = 0; e < 3; e++) {
      for (let col = 0; col < 3; col++)
        for (let row = 0; row < 3; row++) x[3 * col + row] += scale[e] * r[3 * e + row] * axes[3 * e + col];
    }
    r.set(x);
  } else nearestRotationInto(x, r);
  for (let row = 0; row < 3; row++) {
    let t = q[4 * row + 3];
    for (let col = 0; col < 3; col++) {
      m[4 * row + col] = r[3 * col + row];
      t -= r[3 * col + row] * a[col];
    }
    m[4 * row + 3] = t / s;
  }
}

/** Solves M (C + μI) = Q + μ M by Cholesky. */
function fitAffine(q: Float64Array, c: Float64Array, m: Float64Array): void {
  const mu = AFFINE_RIDGE * (c[SYM4_XX] + c[SYM4_YY] + c[SYM4_ZZ] + c[SYM4_11]);
  const l = new Float64Array(16);
  for (let a = 0; a < 4; a++) {
    for (let b = 0; b <= a; b++) {
      let h = c[SYM4_INDEX[a][b]] + (a === b ? mu : 0);
      for (let e = 0; e < b; e++) h -= l[4 * a + e] * l[4 * b + e];
      l[4 * a + b] = a === b ? Math.sqrt(Math.max(h, mu)) : h / l[5 * b];
    }
  }
  const x = [0, 0, 0, 0];
  for (let r = 0; r < 3; r++) {
    for (let a = 0; a < 4; a++) {
      let h = q[4 * r + a] + mu * m[4 * r + a];
      for (let b = 0; b < a; b++) h -= l[4 * a + b] * x[b];
      x[a] = h / l[5 * a];
    }
    for (let a = 3; a >= 0; a--) {
      let h = x[a];
      for (let b = a + 1; b < 4; b++) h -= l[4 * b + a] * m[4 * r + b];
      m[4 * r + a] = h / l[5 * a];
    }
  }
}
