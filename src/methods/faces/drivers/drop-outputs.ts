// SPDX-License-Identifier: MIT
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';

/**
 * Sets the outputs with the smallest effect to zero, in place, until a budget is met; for rotations, whose effects cannot be refitted by a linear solve. The effect of an output is
 * its square times the squared displacement per unit of it, summed over the vertices of the bone with squared weights.
 * @param outputs shapeCount x boneCount x 9: translation, rotation vector, scale
 * @param positions vertexCount x 3
 */
export function dropOutputs(
  outputs: Float64Array,
  nonzeros: number,
  positions: Float32Array,
  skin: Skin,
  { bindMatrices }: Skeleton,
): void {
  const boneCount = bindMatrices.length / 16;
  const reach = new Float64Array(9 * boneCount);
  for (let i = 0; i + 1 < skin.rowStart.length; i++)
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      const j = skin.boneIndices[e];
      const w = skin.weights[e] ** 2;
      const d = [0, 1, 2].map((r) => positions[3 * i + r] - bindMatrices[16 * j + 12 + r]);
      for (let c = 0; c < 3; c++) {
        const axis = bindMatrices.subarray(16 * j + 4 * c, 16 * j + 4 * c + 3);
        reach[9 * j + c] += w;
        // a rotation about an axis of the model moves a point by its distance from that axis
        reach[9 * j + 3 + c] += w * (d[(c + 1) % 3] ** 2 + d[(c + 2) % 3] ** 2);
        reach[9 * j + 6 + c] += w * (d[0] * axis[0] + d[1] * axis[1] + d[2] * axis[2]) ** 2;
      }
    }
  const effect = outputs.map((value, e) => value * value * reach[e % reach.length]);
  const order = Uint32Array.from(outputs.keys()).sort((a, b) => effect[a] - effect[b] || a - b);
  for (let n = 0; n < order.length - nonzeros; n++) outputs[order[n]] = 0;
}
