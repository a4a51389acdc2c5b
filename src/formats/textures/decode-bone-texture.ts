// SPDX-License-Identifier: MIT
import { compose } from '../../core/math/mat4.ts';
import type { Motion } from '../../core/model/clip/motion.ts';
import { restoreChannels } from '../../deformers/layout/index.ts';
import { type BoneTexture, TEXELS_PER_BONE } from './pack-bone-texture.ts';

/** The motions that shaders read from a bone texture, at its frames. */
export function decodeBoneTexture(texture: BoneTexture): Motion[] {
  const { clips, boneCount, center, encoding } = texture;
  const size = 4 * TEXELS_PER_BONE[encoding];
  const values = restoreChannels(texture);
  return clips.map(({ name, start, frames, fps }) => {
    const matrices = new Float64Array(frames * boneCount * 16);
    const m = new Float64Array(16);
    for (let k = 0; k < frames; k++)
      for (let j = 0; j < boneCount; j++) {
        const o = ((start + k) * boneCount + j) * size;
        if (encoding === 'matrix') {
          for (let r = 0; r < 3; r++) for (let c = 0; c < 4; c++) m[4 * c + r] = values[o + 4 * r + c];
          m[15] = 1;
        } else {
          const length = Math.hypot(values[o], values[o + 1], values[o + 2], values[o + 3]) || 1;
          const scale = values[o + 7];
          compose(
            values.subarray(o + 4, o + 7),
            values.subarray(o, o + 4).map((x) => x / length),
            [scale, scale, scale],
            m,
          );
        }
        for (let r = 0; r < 3; r++)
          m[12 + r] += center[r] - (m[r] * center[0] + m[4 + r] * center[1] + m[8 + r] * center[2]);
        matrices.set(m, (k * boneCount + j) * 16);
      }
    return { name, times: Float64Array.from({ length: frames }, (_, k) => k / fps), matrices };
  });
}
