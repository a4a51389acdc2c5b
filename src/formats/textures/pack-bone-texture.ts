// SPDX-License-Identifier: MIT
// Bone matrices of all clips in one texture of 16-bit texels. A row is a frame, a bone is two or three texels:
// - matrix: the first three rows of the rest-to-posed matrix, a texel each. Any affine bone.
// - rotation: a quaternion, then translation and scale. Bones that rotate, translate and scale uniformly.
// Matrices are those of positions relative to `center`, so that the rotation of a model far from its origin keeps its precision.
import { quaternionFromMatrix } from '../../core/math/quaternion.ts';
import type { Motion } from '../../core/model/clip/motion.ts';
import { InputError } from '../../core/model/errors.ts';
import { quantizeChannels } from '../../deformers/layout/index.ts';

/** How a bone is stored in texels. */
export type BoneEncoding = 'matrix' | 'rotation';

/** One clip of an animation texture. */
export interface TextureClip {
  name: string;
  /** First frame of the clip, counted over all clips. */
  start: number;
  /** Number of frames. */
  frames: number;
  /** Frames per second. */
  fps: number;
}

/** An animation texture: 16-bit integers and the ranges that they stand for. */
export interface AnimationTexture {
  width: number;
  height: number;
  /** width x height x 4: value = min + (max - min) texel / 65535 */
  texels: Uint16Array<ArrayBuffer>;
  /** By channel: 4 per texel of a bone or vertex. */
  min: Float64Array;
  max: Float64Array;
  clips: TextureClip[];
}

/** Bones of all clips as a texture. */
export interface BoneTexture extends AnimationTexture {
  encoding: BoneEncoding;
  boneCount: number;
  /** Positions are taken relative to this point. */
  center: [number, number, number];
}

/** Texels of a bone in one frame. */
export const TEXELS_PER_BONE: Readonly<Record<BoneEncoding, number>> = { matrix: 3, rotation: 2 };
/** Maximum width and height of a texture that all current GPUs support. */
export const MAX_TEXTURE_SIZE = 8192;
/** Maximum difference of a bone from a uniformly scaled rotation, relative to its scale, that counts as rounding. */
const SHEAR_TOLERANCE = 1e-4;

/** Packs motions of the same bones into a texture. Without an encoding: 'rotation' if it is exact. */
export function packBoneTexture(
  motions: readonly Motion[],
  center: readonly [number, number, number],
  frameRates: readonly number[],
  encoding: BoneEncoding = motions.every(isUniform) ? 'rotation' : 'matrix',
): BoneTexture {
  const frameCount = motions.reduce((sum, { times }) => sum + times.length, 0);
  const boneCount = motions[0].matrices.length / (16 * motions[0].times.length);
  const size = 4 * TEXELS_PER_BONE[encoding];
  const width = boneCount * TEXELS_PER_BONE[encoding];
  checkTextureSize(width, frameCount);
  const values = new Float64Array(frameCount * boneCount * size);
  const clips: TextureClip[] = [];
  let row = 0;
  motions.forEach(({ name, times, matrices }, n) => {
    clips.push({ name, start: row, frames: times.length, fps: frameRates[n] });
    for (let k = 0; k < times.length; k++, row++)
      for (let j = 0; j < boneCount; j++) {
        const m = centered(matrices.subarray((k * boneCount + j) * 16, (k * boneCount + j + 1) * 16), center);
        const o = (row * boneCount + j) * size;
        if (encoding === 'matrix')
          for (let r = 0; r < 3; r++) for (let c = 0; c < 4; c++) values[o + 4 * r + c] = m[4 * c + r];
        else rotationInto(m, values, o, k > 0 ? o - boneCount * size : -1);
      }
  });
  const { texels, min, max } = quantizeChannels(values, size);
  return { width, height: frameCount, texels, min, max, clips, encoding, boneCount, center: [...center] };
}

/** Throws an InputError if a texture is larger than GPUs support. */
export function checkTextureSize(width: number, height: number): void {
  if (width > MAX_TEXTURE_SIZE)
    throw new InputError(
      'texture',
      `needs ${width} texels per row, the maximum is ${MAX_TEXTURE_SIZE}; use fewer bones`,
    );
  if (height > MAX_TEXTURE_SIZE)
    throw new InputError(
      'texture',
      `needs ${height} rows, the maximum is ${MAX_TEXTURE_SIZE}; use fewer frames with --rate, --frames or --animation`,
    );
}

/** The matrix for positions relative to a point: T(-c) M T(c). */
function centered(m: Float64Array, center: readonly number[]): Float64Array {
  const out = m.slice();
  for (let r = 0; r < 3; r++) out[12 + r] += m[r] * center[0] + m[4 + r] * center[1] + m[8 + r] * center[2] - center[r];
  return out;
}

/** Whether all matrices rotate, translate and scale uniformly. */
function isUniform({ matrices }: Motion): boolean {
  for (let o = 0; o < matrices.length; o += 16) {
    const dot = (a: number, b: number): number =>
      matrices[o + a] * matrices[o + b] +
      matrices[o + a + 1] * matrices[o + b + 1] +
      matrices[o + a + 2] * matrices[o + b + 2];
    const square = dot(0, 0);
    const limit = SHEAR_TOLERANCE * square;
    if (!(square > 0) || Math.abs(dot(4, 4) - square) > limit || Math.abs(dot(8, 8) - square) > limit) return false;
    if (Math.abs(dot(0, 4)) > limit || Math.abs(dot(0, 8)) > limit || Math.abs(dot(4, 8)) > limit) return false;
    const [a, b, c] = [o, o + 4, o + 8];
    const across =
      matrices[a] * (matrices[b + 1] * matrices[c + 2] - matrices[b + 2] * matrices[c + 1]) -
      matrices[a + 1] * (matrices[b] * matrices[c + 2] - matrices[b + 2] * matrices[c]) +
      matrices[a + 2] * (matrices[b] * matrices[c + 1] - matrices[b + 1] * matrices[c]);
    if (!(across > 0)) return false;
  }
  return true;
}

/** Stores quaternion, translation and scale. The sign of the quaternion is that closer to the previous frame, so that shaders may interpolate. */
function rotationInto(m: Float64Array, out: Float64Array, o: number, previous: number): void {
  const scale = Math.hypot(m[0], m[1], m[2]);
  const q = new Float64Array(4);
  quaternionFromMatrix(
    m.map((x, c) => (c < 12 ? x / scale : x)),
    q,
  );
  const dot = previous < 0 ? q[3] : q.reduce((sum, x, c) => sum + x * out[previous + c], 0);
  for (let c = 0; c < 4; c++) out[o + c] = dot < 0 ? -q[c] : q[c];
  for (let c = 0; c < 3; c++) out[o + 4 + c] = m[12 + c];
  out[o + 7] = scale;
}
