// SPDX-License-Identifier: MIT

import type { Compute } from '../../../core/kernels/compute.ts';
import { reserveTrajectories, squareTrajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { type Clip, frameOf } from '../../../core/model/clip/clip.ts';
import type { NormalizedClip } from '../../../fit/skin/index.ts';

/** Some frames of a clip, in file units and in solver units. */
export interface TakenFrames {
  clip: Clip;
  normalized: NormalizedClip;
}

/** Copies some frames of a clip; points, their order and the solver's units are kept. */
export function takeFrames(compute: Compute, clip: Clip, normalized: NormalizedClip, frames: Uint32Array): TakenFrames {
  const { vertexCount, frameCount, rest, posed } = normalized.trajectories;
  const trajectories = reserveTrajectories(compute, vertexCount, frames.length);
  trajectories.rest.view().set(rest.view());
  trajectories.parts = normalized.trajectories.parts;
  const [from, to] = [posed.view(), trajectories.posed.view()];
  const stride = clip.mesh.positions.length;
  const positions = new Float32Array(frames.length * stride);
  const frameCenters = new Float64Array(3 * frames.length);
  frames.forEach((k, n) => {
    positions.set(frameOf(clip, k), n * stride);
    frameCenters.set(normalized.frameCenters.subarray(3 * k, 3 * k + 3), 3 * n);
    for (let i = 0; i < vertexCount; i++) {
      const o = 3 * (i * frameCount + k);
      to.set(from.subarray(o, o + 3), 3 * (i * frames.length + n));
    }
  });
  squareTrajectories(trajectories);
  return {
    clip: { ...clip, positions, times: Float64Array.from(frames, (k) => clip.times[k]) },
    normalized: { ...normalized, trajectories, frameCenters },
  };
}
