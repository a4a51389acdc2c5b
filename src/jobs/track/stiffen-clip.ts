// SPDX-License-Identifier: MIT
// Scans of a body that does not bend differ by the errors of tracking alone. Bones of such a clip would play these errors.
import type { Compute } from '../../core/kernels/compute.ts';
import { transformPoint } from '../../core/math/mat4.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { fitRigidMotion } from '../../core/mesh/topology/list-rigid-pieces.ts';
import { type Clip, frameCountOf, frameOf } from '../../core/model/clip/clip.ts';
import type { ScanFrame } from '../../methods/track/index.ts';
import { measureTracked } from './measure-tracked.ts';

/** Distance of a vertex from the rigid motion, relative to the box diagonal, from which on a clip bends for certain. */
const MAX_BEND = 0.02;
/**
 * Maximum ratio of the distances from the frames, rigid to tracked. Still creatures that are remeshed have at most 1, slow motions (a tenth of the speed of the samples) 30 and more. Still scans with 0.2 % noise have 3.3:
 * the tracked surface follows the noise, and they count as bent.
 */
const MAX_RATIO = 2;
/** Distances that do not count, percent of the box diagonal: mean of a frame, and largest. */
const MIN_MEAN = 0.005;
const MIN_MAX = 0.1;

/** The clip with one rigid motion of its mesh, if that is as near to the frames as the clip is; otherwise undefined. */
export async function stiffenClip(
  compute: Compute,
  frames: readonly ScanFrame[],
  clip: Clip,
): Promise<Clip | undefined> {
  const { mesh } = clip;
  const isUsed = new Uint8Array(mesh.positions.length / 3);
  for (const i of mesh.triangles) isUsed[i] = 1;
  const vertices = Uint32Array.from(isUsed.keys()).filter((i) => isUsed[i] === 1);
  const limit = MAX_BEND * measureBounds(mesh.positions).diagonal;
  const matrices = fitRigidMotion(clip, vertices, new Float64Array(frameCountOf(clip)).fill(limit));
  if (!matrices) return undefined;
  const positions = new Float32Array(clip.positions.length);
  const stride = mesh.positions.length;
  for (let c = 0; c < positions.length; c += 3)
    transformPoint(matrices, mesh.positions, positions, 16 * Math.floor(c / stride), c % stride, c);
  const rigid: Clip = { ...clip, positions };
  const surfaces = [clip, rigid].map((moving) => ({
    triangles: mesh.triangles,
    positionsAt: (k: number) => frameOf(moving, k),
  }));
  const [own, other] = await measureTracked(compute, frames, surfaces);
  const isNear =
    other.max <= Math.max(MIN_MAX, MAX_RATIO * own.max) &&
    other.perFrame.every((mean, k) => mean <= Math.max(MIN_MEAN, MAX_RATIO * own.perFrame[k]));
  return isNear ? rigid : undefined;
}
