// SPDX-License-Identifier: MIT
// J. P. Lewis, M. Cordner, N. Fong, "Pose space deformation: a unified approach to shape interpolation and skeleton-driven deformation",
// SIGGRAPH 2000, doi:10.1145/344779.344862: scattered data interpolation over poses by radial basis functions. Here as weights of the examples, so that
// one solve of the size of the examples serves everything that they drive:
//   s(p) = Φ⁻¹ φ(p),   φ_k(p) = K(p, p_k),   Φ_kl = K(p_k, p_l),   s_k(p_l) = 1 if k = l, otherwise 0.
// Poses are rotations of some joints, so the kernel is defined on rotations. With unit quaternions, d = q · q_k and angle θ between the rotations, 8(1 − |d|) =
// 16 sin²(θ/4) is θ² to leading order, and q is the same rotation as −q: per joint
//   K = exp(−8(1 − d)/r²) + exp(−8(1 + d)/r²) ∝ cosh(8d/r²),
// Lewis' Gaussian of width r for rotations below 180°, also smooth at 180°, and with a positive series in d: it is positive definite on
// rotations, and so is the product over joints. Φ has an inverse whenever no two poses are the same.

import { factorCholesky, solveCholesky } from '../../core/algebra/dense-cholesky.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';

/** Minimum pivot (the diagonal of Φ is about 1): below it, two poses cannot be distinguished. */
const PIVOT_FLOOR = 1e-12;

export interface PoseWeights {
  /** Number of given examples; the rest pose is added, unless it is among them. */
  readonly poseCount: number;
  readonly jointCount: number;
  /**
   * Fills the weights of the examples at a pose; zero at rest. Allocates nothing.
   * @param rotations jointCount x 4 unit quaternions
   * @param weights poseCount
   */
  weighInto(rotations: Float64Array, weights: Float64Array): void;
}

/**
 * Makes weights that interpolate examples over rotations of joints.
 * @param poses poseCount x jointCount x 4 unit quaternions: the rotations of the driving joints at each example
 * @param radius radians: the angle over which an example fades. About the angle between neighbouring examples, or more
 * @param who the caller, for errors
 */
export function makePoseWeights(
  poses: Float64Array,
  jointCount: number,
  radius: number,
  who = 'pose space',
): PoseWeights {
  const poseCount = poses.length / (4 * jointCount);
  if (!(jointCount >= 1 && Number.isInteger(poseCount)))
    throw new InputError(who, `${poses.length} numbers are not rotations of ${jointCount} joints`);
  if (!(radius > 0 && radius < Number.POSITIVE_INFINITY))
    throw new UsageError(who, `the radius must be above 0, got ${radius}`);
  if (radius > 2 * Math.PI) throw new InputError(who, `the radius is in radians, got ${radius}`);
  checkUnit(poses, jointCount, who);

  // the rest pose gives zero weights at rest
  const isRest = (k: number): boolean => {
    for (let n = 0; n < jointCount; n++) if (Math.abs(poses[4 * (k * jointCount + n) + 3]) < 1 - 1e-12) return false;
    return true;
  };
  const hasRest = Array.from({ length: poseCount }, (_, k) => k).some(isRest);
  const size = poseCount + (hasRest ? 0 : 1);
  const centers = new Float64Array(4 * jointCount * size);
  for (let n = 0; n < jointCount; n++) centers[4 * ((size - 1) * jointCount + n) + 3] = 1;
  centers.set(poses);
  const sharpness = 8 / (radius * radius);
  const kernel = (a: Float64Array, aOffset: number, k: number): number => {
    let product = 1;
    for (let n = 0; n < jointCount; n++) {
      const o = aOffset + 4 * n,
        c = 4 * (k * jointCount + n);
      const d = a[o] * centers[c] + a[o + 1] * centers[c + 1] + a[o + 2] * centers[c + 2] + a[o + 3] * centers[c + 3];
      product *= Math.exp(-sharpness * (1 - d)) + Math.exp(-sharpness * (1 + d));
    }
    return product;
  };
  const factor = new Float64Array(size * size);
  for (let k = 0; k < size; k++) {
    for (let l = 0; l <= k; l++) factor[k * size + l] = kernel(centers, 4 * jointCount * k, l);
  }
  if (factorCholesky(factor, size, PIVOT_FLOOR) > 0) {
    const [k, l] = findNearest(centers, jointCount, size);
    const name = (n: number): string => (n === poseCount ? 'the rest pose' : `pose ${n}`);
    throw new InputError(
      who,
      `${name(l)} and ${name(k)} are too close to tell apart at a radius of ${radius}; move one, or take a smaller radius`,
    );
  }
  const phi = new Float64Array(size);
  return {
    poseCount,
    jointCount,
    weighInto(rotations, weights) {
      for (let k = 0; k < size; k++) phi[k] = kernel(rotations, 0, k);
      solveCholesky(factor, size, phi);
      for (let k = 0; k < poseCount; k++) weights[k] = phi[k];
    },
  };
}

function checkUnit(poses: Float64Array, jointCount: number, who: string): void {
  for (let n = 0; 4 * n < poses.length; n++) {
    const o = 4 * n;
    const square = poses[o] ** 2 + poses[o + 1] ** 2 + poses[o + 2] ** 2 + poses[o + 3] ** 2;
    if (!(Math.abs(square - 1) <= 1e-4)) {
      throw new InputError(
        who,
        `pose ${Math.floor(n / jointCount)} has a rotation that is not a unit quaternion: ${poses.subarray(o, o + 4).join(' ')}`,
      );
    }
  }
}

/** The two most similar centers. */
function findNearest(centers: Float64Array, jointCount: number, size: number): [number, number] {
  let nearest: [number, number] = [size - 1, 0];
  let best = -1;
  for (let k = 0; k < size; k++) {
    for (let l = 0; l < k; l++) {
      let smallest = 1;
      for (let n = 0; n < jointCount; n++) {
        let d = 0;
        for (let c = 0; c < 4; c++) d += centers[4 * (k * jointCount + n) + c] * centers[4 * (l * jointCount + n) + c];
        smallest = Math.min(smallest, Math.abs(d));
      }
      if (smallest > best) {
        best = smallest;
        nearest = [k, l];
      }
    }
  }
  return nearest;
}
