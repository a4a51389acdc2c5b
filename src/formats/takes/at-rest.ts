// SPDX-License-Identifier: MIT
import type { Track } from '../../core/model/clip/animation.ts';
import type { RestPose } from './rest-pose.ts';

/** Difference of components of unit quaternions, or of lengths relative to the skeleton, that no viewer shows. */
export const SAME = 1e-5;

/** Whether a track keeps its node where it is at rest. */
export function isTrackAtRest(
  { node, path, values, interpolation }: Track,
  { tree, sizes, size: whole }: RestPose,
): boolean {
  if (path === 'weights') return false;
  const size = path === 'rotation' ? 4 : 3;
  const list = path === 'rotation' ? tree.rotations : path === 'scale' ? tree.scales : tree.translations;
  const limit = path === 'translation' ? (SAME * whole) / sizes[node] : SAME;
  const isCubic = interpolation === 'CUBICSPLINE';
  for (let v = 0; v < values.length; v += size) {
    // tangents of a constant are zero
    const isTangent = isCubic && Math.floor(v / size) % 3 !== 1;
    let dot = 0;
    for (let c = 0; c < size; c++) dot += values[v + c] * list[size * node + c];
    const sign = path === 'rotation' && dot < 0 ? -1 : 1;
    for (let c = 0; c < size; c++)
      if (Math.abs(sign * values[v + c] - (isTangent ? 0 : list[size * node + c])) > limit) return false;
  }
  return true;
}
