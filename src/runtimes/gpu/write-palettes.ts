// SPDX-License-Identifier: MIT

/**
 * Writes bone matrices in the layout of the kernels: all first rows, then all second rows, then all third rows, in single precision.
 * @param bones boneCount x 16, column-major
 * @param out 3 x boneCount x 4
 * @example
 * ```ts
 * import { poseOf } from 'ossify';
 * import { writePalettesInto } from 'ossify/gpu';
 *
 * const boneCount = model.skeleton.names.length;
 * const palette = new Float32Array(12 * boneCount);
 * writePalettesInto(poseOf(model.motions[0], 0), boneCount, palette);
 * ```
 */
export function writePalettesInto(bones: ArrayLike<number>, boneCount: number, out: Float32Array): void {
  for (let row = 0; row < 3; row++) {
    for (let j = 0; j < boneCount; j++) {
      for (let column = 0; column < 4; column++)
        out[4 * (row * boneCount + j) + column] = bones[16 * j + 4 * column + row];
    }
  }
}
