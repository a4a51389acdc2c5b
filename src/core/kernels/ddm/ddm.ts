// SPDX-License-Identifier: MIT
// B. H. Le and J. P. Lewis, "Direct Delta Mush Skinning and Variants", ACM TOG 38(4), 2019, evaluated in single precision; the centered form is that of
// B. H. Le, K. Villeneuve, C. Gonzalez-Ochoa, "Direct Delta Mush Skinning Compression with Continuous Examples", ACM TOG 40(4), 2021, §5.
//
// With Ω* = T Ω Tᵀ, T = [I −p; 0 1], written [B b; bᵀ ω], and bone j taking p to sⱼ = Aⱼp + tⱼ:
//   Q* = Q − q pᵀ = Σⱼ Aⱼ Bⱼ + sⱼ bⱼᵀ,   q = Σⱼ Aⱼ bⱼ + sⱼ ωⱼ,   x = q + R d,   d = u − p.
// Σ bⱼ = 0, so a common part of all sⱼ has no effect on Q*. The rounding error of s changes Q* by |s| 2⁻²⁴ |b|, which is small if s is of the model's size and
// not of its distance from the origin. So the model has its own frame (pack-ddm.ts): rest positions are relative to the center of the box, in units of its
// diagonal; bones, in double precision, are relative to the posed center under the model's main bone. Positions are transformed back at the very end.
//
// variant   entry (numbers)     rest of a vertex            x and its rotation
//   0       B b ω (10)          d, p, n                     nearest rotation to Q*
//   1       G h b ω (16)        d, p, n                     F⁻ᵀ, by cofactors over the determinant
//   2       last column (4)     d, p, n                     normalized blend of quaternions by ω
//   3       last column (4)     d, p, n                     blend of the Aⱼ by ω
//   4       ω (1)               d, p, n                     as 2, with q = Σ ωⱼ(Aⱼp + tⱼ)
//   5       ω (1)               u, –, n                     linear blend; normals by its cofactors
// v1's (Q − q pᵀ)⁻ᵀ (P − p pᵀ) is F⁻ᵀ with F = Q* P*⁻¹, P* = Σ Bⱼ, the patch's least-squares map. For a flat patch, P* with singular values a to c, the
// product would lose a/c in single precision; with Gⱼ = Bⱼ P*⁻¹ and hⱼ = P*⁻¹ bⱼ made in double, F = Σⱼ Aⱼ Gⱼ + sⱼ hⱼᵀ loses √(a/c).
// Normals are turned by the vertex's rotation; in v1 by F⁻ᵀ, in v3 and v5 by the inverse transpose of the blend.
import { nearestRotationInto } from '../../math/rotation.ts';
import { SYM4_INDEX, SYM4_SIZE } from '../../math/sym4.ts';
import { kernel } from '../kernel.ts';
import { LANES } from '../skinning/group-vertices.ts';

/** Groups per chunk: about 20 µs of work, and 130 KB of v0's weights. */
export const DDM_CHUNK = 128;
/** Numbers per bone: three rows of four, and a quaternion x y z w (variants 2 and 4). */
export const DDM_BONE_SIZE = 16;
/** Bytes of scratch memory per thread. */
export const DDM_SCRATCH = 512;
/** Numbers per vertex and bone, by variant. */
export const DDM_ENTRY_SIZES = [SYM4_SIZE, 16, 4, 4, 1, 1] as const;

/** The reference implementation is in double precision. */
export const ddmKernel = kernel(
  'ddm',
  {
    groupStart: 'u32',
    groupBones: 'u32',
    /** group bones x entry size x 4 */
    entries: 'f32',
    /** groups x 9 x 4 */
    rests: 'f32',
    /** groups x 4 */
    vertices: 'u32',
    /** groups x 4: strongest bones */
    pivots: 'u32',
    /** poses x bones x 16 */
    bones: 'f32',
    /** poses x 4: x y z size */
    origins: 'f32',
    /** poses x vertexCount x 3, filled */
    positions: 'f32',
    /** poses x vertexCount x 3, filled */
    normals: 'f32?',
    groupCount: 'int',
    chunkSize: 'int',
    poseCount: 'int',
    boneCount: 'int',
    vertexCount: 'int',
    variant: 'int',
    scratch: 'f64',
    bytesPerThread: 'int',
  },
  (
    {
      groupStart,
      groupBones,
      entries,
      rests,
      vertices,
      pivots,
      bones,
      origins,
      positions,
      normals,
      groupCount,
      chunkSize: size,
      poseCount,
      boneCount,
      vertexCount,
      variant,
    },
    chunk,
  ) => {
    const width = DDM_ENTRY_SIZES[variant];
    const rest = new Float64Array(9);
    const sums = new Float64Array(16);
    const map = new Float64Array(9);
    const end = Math.min(groupCount, (chunk + 1) * size);
    for (let n = chunk * size * LANES; n < end * LANES; n++) {
      const g = Math.floor(n / LANES);
      const lane = n % LANES;
      for (let c = 0; c < 9; c++) rest[c] = rests[(g * 9 + c) * LANES + lane];
      for (let k = 0; k < poseCount; k++) {
        const pose = bones.subarray(k * boneCount * DDM_BONE_SIZE, (k + 1) * boneCount * DDM_BONE_SIZE);
        const pivot = pivots[n] * DDM_BONE_SIZE + 12;
        sums.fill(0);
        for (let e = groupStart[g]; e < groupStart[g + 1]; e++) {
          const at = e * width * LANES + lane;
          if (variant < 2) addMush(entries, at, width, pose, groupBones[e] * DDM_BONE_SIZE, rest, sums);
          else addBlend(entries, at, width, variant, pose, groupBones[e] * DDM_BONE_SIZE, pivot, rest, sums);
        }
        mapOf(variant, sums, map);
        const out = (k * vertexCount + vertices[n]) * 3;
        for (let r = 0; r < 3; r++) {
          const x = sums[9 + r] + map[r] * rest[0] + map[3 + r] * rest[1] + map[6 + r] * rest[2];
          positions[out + r] = Math.fround(x) * origins[4 * k + 3] + origins[4 * k + r];
        }
        if (normals) putNormal(variant, map, rest, normals, out);
      }
    }
  },
);

/** Offsets of the four columns of [B b; bᵀ ω] in an entry. */
const SYM4_COLUMNS = SYM4_INDEX.flat();

/** sums: Q* or F in columns (9), q (3) */
function addMush(
  entries: Float32Array,
  at: number,
  width: number,
  pose: Float32Array,
  m: number,
  rest: Float64Array,
  sums: Float64Array,
): void {
  const o = (n: number): number => entries[at + (width === SYM4_SIZE ? SYM4_COLUMNS[n] : n) * LANES];
  for (let r = 0; r < 3; r++) {
    const [x, y, z, t] = pose.subarray(m + 4 * r, m + 4 * r + 4);
    const s = x * rest[3] + y * rest[4] + z * rest[5] + t;
    for (let c = 0; c < 4; c++)
      sums[3 * c + r] += x * o(4 * c) + y * o(4 * c + 1) + z * o(4 * c + 2) + s * o(4 * c + 3);
  }
}

/** sums: blended matrix in columns (9), q (3), quaternion (4) */
function addBlend(
  entries: Float32Array,
  at: number,
  width: number,
  variant: number,
  pose: Float32Array,
  m: number,
  pivot: number,
  rest: Float64Array,
  sums: Float64Array,
): void {
  const w = entries[at + (width - 1) * LANES];
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) {
      const a = pose[m + 4 * r + c];
      sums[3 * c + r] += w * a;
      if (variant !== 5) sums[9 + r] += a * (width === 4 ? entries[at + c * LANES] : w * rest[3 + c]);
    }
    sums[9 + r] += w * pose[m + 4 * r + 3];
  }
  let dot = 0;
  for (let c = 0; c < 4; c++) dot += pose[m + 12 + c] * pose[pivot + c];
  for (let c = 0; c < 4; c++) sums[12 + c] += (dot < 0 ? -w : w) * pose[m + 12 + c];
}

/** A map is treated as singular if its determinant, relative to its size cubed, is smaller. */
const SINGULAR = 1e-6;

/** Fills the map of d: 9 numbers, columns. */
function mapOf(variant: number, sums: Float64Array, map: Float64Array): void {
  if (variant === 0) nearestRotationInto(sums, map);
  else if (variant === 1) {
    let square = 0;
    for (let c = 0; c < 9; c++) square += sums[c] * sums[c];
    const det = cofactorsInto(sums, map);
    if (Math.abs(det) > SINGULAR * square * Math.sqrt(square)) for (let c = 0; c < 9; c++) map[c] /= det;
    else nearestRotationInto(sums, map);
  } else if (variant === 2 || variant === 4) {
    const [x, y, z, w] = sums.subarray(12, 16);
    const t = 2 / Math.max(x * x + y * y + z * z + w * w, 1e-30);
    map.set([1 - t * (y * y + z * z), t * (x * y + z * w), t * (x * z - y * w)]);
    map.set([t * (x * y - z * w), 1 - t * (x * x + z * z), t * (y * z + x * w)], 3);
    map.set([t * (x * z + y * w), t * (y * z - x * w), 1 - t * (x * x + y * y)], 6);
  } else map.set(sums.subarray(0, 9));
}

/** Fills the cofactor matrix (columns) and returns the determinant. */
function cofactorsInto(m: Float64Array, out: Float64Array): number {
  for (let c = 0; c < 3; c++) {
    const a = 3 * ((c + 1) % 3);
    const b = 3 * ((c + 2) % 3);
    for (let r = 0; r < 3; r++) {
      const i = (r + 1) % 3;
      const j = (r + 2) % 3;
      out[3 * c + r] = m[a + i] * m[b + j] - m[a + j] * m[b + i];
    }
  }
  return m[0] * out[0] + m[1] * out[1] + m[2] * out[2];
}

function putNormal(variant: number, map: Float64Array, rest: Float64Array, normals: Float32Array, out: number): void {
  let turn = map;
  let sign = 1;
  if (variant === 3 || variant === 5) {
    turn = new Float64Array(9);
    sign = cofactorsInto(map, turn) < 0 ? -1 : 1;
  }
  const n = [0, 1, 2].map((r) => sign * (turn[r] * rest[6] + turn[3 + r] * rest[7] + turn[6 + r] * rest[8]));
  const length = Math.hypot(n[0], n[1], n[2]);
  for (let r = 0; r < 3; r++) normals[out + r] = length > 0 ? n[r] / length : rest[6 + r];
}
