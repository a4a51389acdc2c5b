// SPDX-License-Identifier: MIT
import { type Clip, frameCountOf, frameOf } from '../model/clip.ts';

export interface RigidEdgeOptions {
  /** An edge is near-rigid in a frame when its length is within this ratio of its rest length. */
  tolerance?: number;
  /** Maximum number of frames to measure, evenly spaced: a ratio needs few samples. */
  frames?: number;
}

export const RIGID_EDGE_DEFAULTS: Required<RigidEdgeOptions> = { tolerance: 0.05, frames: 16 };

/**
 * The ratio, 0 to 1, of (triangle edge, frame) pairs whose length stays near that at rest. Bones keep lengths inside
 * their regions and stretch them only in between, so at a high ratio few bones can follow the clip.
 * A mesh without any edge of positive length counts as rigid.
 */
export function measureRigidEdges(clip: Clip, options: RigidEdgeOptions = {}): number {
  const tolerance = options.tolerance ?? RIGID_EDGE_DEFAULTS.tolerance;
  const frameCount = frameCountOf(clip);
  const sampleCount = Math.min(frameCount, options.frames ?? RIGID_EDGE_DEFAULTS.frames);
  const { triangles, positions: rest } = clip.mesh;
  let pairs = 0;
  let rigid = 0;
  for (let n = 0; n < sampleCount; n++) {
    const k = sampleCount < 2 ? 0 : Math.round((n * (frameCount - 1)) / (sampleCount - 1));
    const posed = frameOf(clip, k);
    for (let c = 0; c < triangles.length; c++) {
      const a = triangles[c] * 3;
      const b = triangles[c % 3 === 2 ? c - 2 : c + 1] * 3;
      const restLength = distance(rest, a, b);
      if (!(restLength > 0)) continue;
      pairs++;
      if (Math.abs(distance(posed, a, b) - restLength) <= tolerance * restLength) rigid++;
    }
  }
  return pairs === 0 ? 1 : rigid / pairs;
}

function distance(p: Float32Array, a: number, b: number): number {
  return Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2]);
}
