// SPDX-License-Identifier: MIT

/**
 * Bones as kernels read them: three rows of four per bone, in single precision.
 * @param bones boneCount x 16, column-major
 * @param out boneCount x 12, row-major
 */
export function writePalettesInto(bones: ArrayLike<number>, boneCount: number, out: Float32Array): void {
  for (let j = 0; j < boneCount; j++) {
    for (let row = 0; row < 3; row++) {
      for (let column = 0; column < 4; column++) out[12 * j + 4 * row + column] = bones[16 * j + 4 * column + row];
    }
  }
}
