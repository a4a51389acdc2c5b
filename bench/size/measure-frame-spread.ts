// SPDX-License-Identifier: MIT
import { weldClip } from '../../src/core/mesh/topology/weld.ts';
import type { Clip } from '../../src/core/model/clip/clip.ts';

/**
 * Root mean square distance of the points of a clip from the mean of their frame: the denominator of the distortion in the literature of mesh compression
 * (measureSpread is ours: the distance from the time average of each point).
 */
export function measureFrameSpread(clip: Clip): number {
  const { vertexOfPoint } = weldClip(clip);
  const stride = clip.mesh.positions.length;
  const pointCount = vertexOfPoint.length;
  let sum = 0;
  for (let k = 0; k < clip.times.length; k++)
    for (let r = 0; r < 3; r++) {
      let mean = 0;
      for (const v of vertexOfPoint) mean += clip.positions[k * stride + 3 * v + r] / pointCount;
      for (const v of vertexOfPoint) sum += (clip.positions[k * stride + 3 * v + r] - mean) ** 2;
    }
  return Math.sqrt(sum / Math.max(1, pointCount * clip.times.length));
}
