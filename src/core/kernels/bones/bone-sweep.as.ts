// SPDX-License-Identifier: MIT
// One bone at a time on the residual, from moments; bone-sweep.ts has the algebra, the arguments and the reference implementation.
import { rotateOne } from '../patches/rotations.as';
import { f64s } from '../matrices/vectors.as';
import { BoneSweep } from '../slots.as';

const SCALE_ITERATIONS: i32 = 4;
const AFFINE_RIDGE: f64 = 1e-9, SCALE_RIDGE: f64 = 1e-9, SCALE_ROUNDING: f64 = 1e-12, SMALLEST: f64 = 1e-300;

export function boneSweep(args: usize, chunk: i32, thread: i32): void {
  const t = <usize>load<f64>(args, BoneSweep.bones), c = <usize>load<f64>(args, BoneSweep.pairs);
  const d = <usize>load<f64>(args, BoneSweep.targets), axes = <usize>load<f64>(args, BoneSweep.axes);
  const frozen = <usize>load<f64>(args, BoneSweep.frozen);
  const frameCount = <i32>load<f64>(args, BoneSweep.frameCount), boneCount = <i32>load<f64>(args, BoneSweep.boneCount);
  const sweeps = <i32>load<f64>(args, BoneSweep.sweeps);
  const kind = <i32>load<f64>(args, BoneSweep.kind), minMoment = load<f64>(args, BoneSweep.minMoment);
  const q = <usize>load<f64>(args, BoneSweep.scratch) + <usize>thread * <usize>load<f64>(args, BoneSweep.bytesPerThread);
  const size = <i32>load<f64>(args, BoneSweep.chunkSize);
  const stride = f64s(4 * boneCount), targetStride = f64s(12 * frameCount);
  const begin = chunk * size, end = min(frameCount, begin + size);
  for (let k = begin; k < end; k++) {
    sweepFrame(t + <usize>(3 * k) * stride, c, d + f64s(12 * k), targetStride, axes, frozen, boneCount, sweeps, kind, minMoment, q);
  }
}

/**
 * Sweeps over the bones of one frame: 3 x 4 boneCount at frame, moments c (boneCount x boneCount x 10) and d (12 numbers per bone, targetStride bytes apart).
 * q: scratch, 72 numbers, and boneCount x (boneCount + 1) u32 for lists of the bones that share vertices
 */
export function sweepFrame(
  frame: usize, c: usize, d: usize, targetStride: usize, axes: usize, frozen: usize, boneCount: i32, sweeps: i32, kind: i32, minMoment: f64, q: usize,
): void {
  const stride = f64s(4 * boneCount), lists = q + 576, listBytes = <usize>(boneCount + 1) << 2;
  listNeighbours(c, boneCount, lists, listBytes);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (let j = 0; j < boneCount; j++) {
      const own = c + f64s((j * boneCount + j) * 10);
      if (load<f64>(own, 72) <= minMoment || (frozen && load<u32>(frozen + (<usize>j << 2)))) continue;
      memory.copy(q, d + <usize>j * targetStride, 96);
      const list = lists + <usize>j * listBytes, listEnd = list + (<usize>load<u32>(list) << 2);
      for (let p = list; p < listEnd; p += 4) {
        const l = <i32>load<u32>(p, 4);
        subtract(q, frame + f64s(4 * l), stride, c + f64s((min(j, l) * boneCount + max(j, l)) * 10));
      }
      const bone = frame + f64s(4 * j);
      if (kind == 0) fitRigid(q, own, bone, stride);
      else if (kind == 1) fitSimilarity(q, own, axes + f64s(9 * j), bone, stride);
      else fitAffine(q, own, bone, stride);
    }
  }
}

/** Bytes of scratch memory of sweepFrame. */
export function sweepBytes(boneCount: i32): usize { return f64s(72 + ((boneCount * (boneCount + 1) + 1) >> 1)); }

/** By bone: the number of bones that it shares vertices with, then these bones, rising. Most pairs share none, and every sweep of every frame visits the others. */
function listNeighbours(c: usize, boneCount: i32, lists: usize, listBytes: usize): void {
  for (let j = 0; j < boneCount; j++) store<u32>(lists + <usize>j * listBytes, 0);
  for (let j = 0; j < boneCount; j++) {
    let m = c + f64s((j * boneCount + j) * 10);
    for (let l = j + 1; l < boneCount; l++) {
      m += 80;
      if (load<f64>(m, 72) == 0) continue;
      push(lists + <usize>j * listBytes, l);
      push(lists + <usize>l * listBytes, j);
    }
  }
}

// @ts-ignore: decorator
@inline function push(list: usize, bone: i32): void {
  const count = load<u32>(list) + 1;
  store<u32>(list, count);
  store<u32>(list + (<usize>count << 2), bone);
}

/** Q -= M_l C, C a symmetric 4x4 (core/math/sym4.ts). */
// @ts-ignore: decorator
@inline function subtract(q: usize, bone: usize, stride: usize, m: usize): void {
  // rows of C, as pairs: xx xy | xz x1, xy yy | yz y1, xz yz | zz z1, x1 y1 | z1 11
  const r0a = v128.load(m), r0b = v128.load(m, 16);
  const r1a = f64x2.replace_lane(v128.load64_splat(m, 8), 1, load<f64>(m, 32)), r1b = v128.load(m, 40);
  const r2a = f64x2.replace_lane(v128.load64_splat(m, 16), 1, load<f64>(m, 40)), r2b = v128.load(m, 56);
  const r3a = f64x2.replace_lane(v128.load64_splat(m, 24), 1, load<f64>(m, 48)), r3b = f64x2.replace_lane(v128.load64_splat(m, 64), 1, load<f64>(m, 72));
  for (let r: usize = 0; r < 3; r++) {
    const p = bone + r * stride, o = q + 32 * r;
    const x = v128.load64_splat(p), y = v128.load64_splat(p, 8), z = v128.load64_splat(p, 16), w = v128.load64_splat(p, 24);
    const a = f64x2.add(f64x2.add(f64x2.mul(x, r0a), f64x2.mul(y, r1a)), f64x2.add(f64x2.mul(z, r2a), f64x2.mul(w, r3a)));
    const b = f64x2.add(f64x2.add(f64x2.mul(x, r0b), f64x2.mul(y, r1b)), f64x2.add(f64x2.mul(z, r2b), f64x2.mul(w, r3b)));
    v128.store(o, f64x2.sub(v128.load(o), a));
    v128.store(o, f64x2.sub(v128.load(o, 16), b), 16);
  }
}

/** X = Q_3x3 - q a^T / s, column-major, at q + 96. */
// @ts-ignore: decorator
@inline function putCovariance(q: usize, own: usize): void {
  const inverse = 1 / load<f64>(own, 72);
  for (let c = 0; c < 3; c++) {
    const a = load<f64>(own + f64s(c == 0 ? 3 : c == 1 ? 6 : 8)) * inverse;
    for (let r = 0; r < 3; r++) store<f64>(q + 96 + f64s(3 * c + r), load<f64>(q + f64s(4 * r + c)) - load<f64>(q + f64s(4 * r + 3)) * a);
  }
}

/** Writes the 3x3 at matrix (column-major) and the translation (q - A a) / s that goes with it. */
// @ts-ignore: decorator
@inline function putBone(matrix: usize, q: usize, own: usize, bone: usize, stride: usize): void {
  const ax = load<f64>(own, 24), ay = load<f64>(own, 48), az = load<f64>(own, 64), inverse = 1 / load<f64>(own, 72);
  for (let r: usize = 0; r < 3; r++) {
    const p = bone + r * stride, m = matrix + (r << 3);
    const x = load<f64>(m), y = load<f64>(m, 24), z = load<f64>(m, 48);
    store<f64>(p, x); store<f64>(p, y, 8); store<f64>(p, z, 16);
    store<f64>(p, (load<f64>(q + 32 * r, 24) - x * ax - y * ay - z * az) * inverse, 24);
  }
}

function fitRigid(q: usize, own: usize, bone: usize, stride: usize): void {
  putCovariance(q, own);
  rotateOne(q + 96, q + 168);
  putBone(q + 168, q, own, bone, stride);
}

/** A = R F diag(s) F^T with F the bone's axes: rotation and scales alternate. */
function fitSimilarity(q: usize, own: usize, axes: usize, bone: usize, stride: usize): void {
  putCovariance(q, own);
  const y = q + 240, r = q + 312, spread = q + 384, s = q + 408, m = q + 432; // Y = X F, R, spread along the axes, scales
  const inverse = 1 / load<f64>(own, 72);
  for (let c = 0; c < 3; c++) {
    const fx = load<f64>(axes + f64s(3 * c)), fy = load<f64>(axes + f64s(3 * c), 8), fz = load<f64>(axes + f64s(3 * c), 16);
    for (let k = 0; k < 3; k++) {
      store<f64>(y + f64s(3 * c + k), load<f64>(q + 96 + f64s(k)) * fx + load<f64>(q + 96 + f64s(3 + k)) * fy + load<f64>(q + 96 + f64s(6 + k)) * fz);
    }
    const a = load<f64>(own, 24) * fx + load<f64>(own, 48) * fy + load<f64>(own, 64) * fz;
    const second = load<f64>(own) * fx * fx + load<f64>(own, 32) * fy * fy + load<f64>(own, 56) * fz * fz +
      2 * (load<f64>(own, 8) * fx * fy + load<f64>(own, 16) * fx * fz + load<f64>(own, 40) * fy * fz);
    store<f64>(spread + f64s(c), second - a * a * inverse);
    store<f64>(s + f64s(c), 1);
  }
  const floor = SCALE_RIDGE * (load<f64>(spread) + load<f64>(spread, 8) + load<f64>(spread, 16)) +
    SCALE_ROUNDING * (load<f64>(own) + load<f64>(own, 32) + load<f64>(own, 56)) + SMALLEST;
  for (let iteration = 0; iteration < SCALE_ITERATIONS; iteration++) {
    for (let c = 0; c < 3; c++) {
      for (let k = 0; k < 3; k++) store<f64>(m + f64s(3 * c + k), load<f64>(y + f64s(3 * c + k)) * load<f64>(s + f64s(c)));
    }
    rotateOne(m, r);
    for (let c = 0; c < 3; c++) {
      const top = load<f64>(r + f64s(3 * c)) * load<f64>(y + f64s(3 * c)) + load<f64>(r + f64s(3 * c + 1)) * load<f64>(y + f64s(3 * c + 1)) +
        load<f64>(r + f64s(3 * c + 2)) * load<f64>(y + f64s(3 * c + 2));
      // along a direction without extent the scale is undetermined and stays one
      store<f64>(s + f64s(c), (top + floor) / (load<f64>(spread + f64s(c)) + floor));
    }
  }
  // R here maps axes to posed axes: A = sum over c of s_c r_c f_c^T
  for (let c = 0; c < 3; c++) {
    for (let k = 0; k < 3; k++) {
      let sum: f64 = 0;
      for (let e = 0; e < 3; e++) sum += load<f64>(s + f64s(e)) * load<f64>(r + f64s(3 * e + k)) * load<f64>(axes + f64s(3 * e + c));
      store<f64>(m + f64s(3 * c + k), sum);
    }
  }
  putBone(m, q, own, bone, stride);
}

/** M (C_jj + mu I) = Q + mu M_before: the regularization towards the previous bone determines directions in which its region has no extent. */
function fitAffine(q: usize, own: usize, bone: usize, stride: usize): void {
  const l = q + 96; // 4x4 factor, row-major
  const mu = AFFINE_RIDGE * (load<f64>(own) + load<f64>(own, 32) + load<f64>(own, 56) + load<f64>(own, 72));
  for (let a = 0; a < 4; a++) {
    for (let b = 0; b <= a; b++) {
      let h = load<f64>(own + f64s(index(b, a)));
      if (a == b) h += mu;
      for (let c = 0; c < b; c++) h -= load<f64>(l + f64s(4 * a + c)) * load<f64>(l + f64s(4 * b + c));
      store<f64>(l + f64s(4 * a + b), a == b ? sqrt(max(h, mu)) : h / load<f64>(l + f64s(4 * b + b)));
    }
  }
  for (let r: usize = 0; r < 3; r++) {
    const p = bone + r * stride, x = q + 224;
    for (let a = 0; a < 4; a++) {
      let h = load<f64>(q + 32 * r + f64s(a)) + mu * load<f64>(p + f64s(a));
      for (let b = 0; b < a; b++) h -= load<f64>(l + f64s(4 * a + b)) * load<f64>(x + f64s(b));
      store<f64>(x + f64s(a), h / load<f64>(l + f64s(5 * a)));
    }
    for (let a = 3; a >= 0; a--) {
      let h = load<f64>(x + f64s(a));
      for (let b = a + 1; b < 4; b++) h -= load<f64>(l + f64s(4 * b + a)) * load<f64>(p + f64s(b));
      store<f64>(p + f64s(a), h / load<f64>(l + f64s(5 * a)));
    }
  }
}

/** Offset of element (a, b), a <= b, in a symmetric 4x4. */
// @ts-ignore: decorator
@inline function index(a: i32, b: i32): i32 { return a == 0 ? b : a == 1 ? 3 + b : a == 2 ? 5 + b : 9; }
