// SPDX-License-Identifier: MIT

import type { Asset } from '../core/model/asset.ts';
import { listPoseTimes, makeAssetDeformer } from '../deformers/playback/index.ts';
import { listPoses } from './list-vertex-maps.ts';
import { SurfaceMeter } from './measure-surface-distance.ts';

/** Distances between two surfaces over poses, in file units. */
export interface SurfaceErrors {
  /** The largest Hausdorff distance of all poses. */
  max: number;
  /** Mean over samples and poses. */
  mean: number;
  /** The Hausdorff distance of each pose. */
  perPose: number[];
}

/** Measures the distance between the surfaces of two assets with the same animations, at most in this many poses. Vertices need not match. */
export function measureSurfaces(reference: Asset, result: Asset, maxPoses: number): SurfaceErrors {
  const poses = listPoseTimes(reference, maxPoses);
  const own = poses.map(({ times }, n) => ({ animation: result.animations[n], times }));
  const others = listPoses(result, own);
  const [full, less] = [makeAssetDeformer(reference), makeAssetDeformer(result)];
  const meter = new SurfaceMeter(reference.mesh.triangles, result.mesh.triangles);
  const a = new Float32Array(reference.mesh.positions.length);
  const b = new Float32Array(result.mesh.positions.length);
  const errors: SurfaceErrors = { max: 0, mean: 0, perPose: [] };
  for (const pose of listPoses(reference, poses)) {
    full.deformInto(pose, a);
    const other = others.next();
    if (other.done) break;
    less.deformInto(other.value, b);
    const { max, mean } = meter.measure(a, b);
    errors.perPose.push(max);
    errors.max = Math.max(errors.max, max);
    errors.mean += mean;
  }
  errors.mean /= Math.max(1, errors.perPose.length);
  return errors;
}
