// SPDX-License-Identifier: MIT
// Prepares a clip with noise for a solve: estimates the noise, closes seams that it has torn, replaces positions of vertices that jump, and builds a rest shape if the clip has none of its own, or a noisy one. Clips without noise are returned unchanged, so their results do not change.

import type { Compute } from '../../../core/kernels/compute.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { vertexNormalsInto } from '../../../core/mesh/geometry/vertex-normals.ts';
import { weldClip } from '../../../core/mesh/topology/weld.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { UsageError } from '../../../core/model/errors.ts';
import { isRestFrame } from '../../../fit/rest/index.ts';
import { buildRest, estimateNoise, joinSeams, limitJumps } from '../../../methods/noise/index.ts';

/** The noise of a clip: its standard deviation per coordinate in file units, or 'auto' to estimate it. */
export type NoiseOption = number | 'auto';

/** Minimum noise relative to the box diagonal: of ten clean clips, a simulated flag has the largest estimate, 0.00009. */
const MIN_NOISE = 5e-4;
/** A rest pose is noisy if it differs from the one that is built in its pose by more than this multiple of the noise. A clean one differs by 0.2 to 0.5, a noisy one by more than 1. */
const NOISY_REST = 0.75;

/** A clip that is ready for a solve. */
export interface PreparedClip {
  clip: Clip;
  /** Standard deviation of the noise per coordinate, file units; 0: none. */
  noise: number;
  /** Whether the rest shape was built in the pose of a frame. */
  isRestBuilt?: boolean;
}

/** The standard deviation of the noise of a clip. With 'auto', noise below 0.05 % of the box diagonal counts as none. */
export function settleNoise(clip: Clip, given: NoiseOption): number {
  if (given !== 'auto') return given;
  const estimate = estimateNoise(clip);
  return estimate < MIN_NOISE * measureBounds(clip.mesh.positions).diagonal ? 0 : estimate;
}

/** Prepares a clip (settleNoise). */
export async function prepareNoisy(compute: Compute, input: Clip, given: NoiseOption = 'auto'): Promise<PreparedClip> {
  if (given !== 'auto' && !(given >= 0 && given < Number.POSITIVE_INFINITY))
    throw new UsageError('noise', `must be 'auto' or a length of at least 0, got ${given}`);
  const noise = settleNoise(input, given);
  if (noise === 0) return { clip: input, noise };
  const isOwn = !isRestFrame(input);
  const clip = joinSeams(input, noise);
  const { positions } = await buildRest(compute, clip, noise, isOwn ? clip.mesh.positions : undefined);
  if (isOwn && measureApart(positions, clip.mesh.positions) < NOISY_REST * noise)
    return { clip: limitJumps(clip, noise).clip, noise };
  const mesh = { ...clip.mesh, positions };
  if (clip.mesh.normals) {
    mesh.normals = new Float32Array(positions.length);
    vertexNormalsInto(positions, mesh.triangles, mesh.normals, weldClip(clip));
  }
  return { clip: limitJumps({ ...clip, mesh }, noise).clip, noise, isRestBuilt: !isOwn };
}

/** Root mean square difference per coordinate. */
function measureApart(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let c = 0; c < a.length; c++) sum += (a[c] - b[c]) ** 2;
  return Math.sqrt(sum / a.length);
}
