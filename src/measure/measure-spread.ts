// SPDX-License-Identifier: MIT
import { weldClip } from '../core/mesh/topology/weld.ts';
import type { Clip } from '../core/model/clip/clip.ts';

/** Root mean square distance of the points of a clip from their time averages: the length that the distortion of Karni and Gotsman refers to. */
export function measureSpread(clip: Clip): number {
  const { vertexOfPoint } = weldClip(clip);
  const stride = clip.mesh.positions.length;
  const frameCount = clip.times.length;
  let sum = 0;
  for (const v of vertexOfPoint) {
    for (let r = 0; r < 3; r++) {
      let mean = 0;
      for (let k = 0; k < frameCount; k++) mean += clip.positions[k * stride + 3 * v + r];
      mean /= frameCount;
      for (let k = 0; k < frameCount; k++) sum += (clip.positions[k * stride + 3 * v + r] - mean) ** 2;
    }
  }
  return Math.sqrt(sum / Math.max(1, vertexOfPoint.length * frameCount));
}
