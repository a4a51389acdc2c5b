// SPDX-License-Identifier: MIT
// Principal components of vertex trajectories: a trajectory is the 3 × frameCount numbers of a point over time. With S the covariance of the trajectories, the eigenvectors of S with
// the largest eigenvalues are the basis in which points need the fewest numbers.
import { eigenSymmetric } from '../../src/core/algebra/eigen-symmetric.ts';

export interface PcaBasis {
  /** Numbers of a trajectory: 3 × frameCount. */
  size: number;
  pointCount: number;
  /** pointCount x size, frame by frame */
  trajectories: Float64Array;
  /** size: the mean trajectory */
  mean: Float64Array;
  /** size, falling: squared coefficients, summed over points */
  energies: Float64Array;
  /** size x size, a vector per row */
  vectors: Float64Array;
}

/** @param trajectories pointCount x size */
export function makePcaBasis(trajectories: Float64Array, pointCount: number): PcaBasis {
  const size = trajectories.length / pointCount;
  const mean = new Float64Array(size);
  for (let n = 0; n < trajectories.length; n++) mean[n % size] += trajectories[n] / pointCount;
  const { values, vectors } = eigenSymmetric(covarianceOf(trajectories, mean, pointCount), size);
  return { size, pointCount, trajectories, mean, energies: values.map((x) => Math.max(0, x)), vectors };
}

function covarianceOf(trajectories: Float64Array, mean: Float64Array, pointCount: number): Float64Array {
  const size = mean.length;
  const covariance = new Float64Array(size * size);
  // four points at a time: the matrix is read and written a quarter as often
  const rows = [0, 1, 2, 3].map(() => new Float64Array(size));
  const [p, q, r, s] = rows;
  for (let i = 0; i < pointCount; i += 4) {
    rows.forEach((row, n) => {
      if (i + n >= pointCount) row.fill(0);
      else for (let c = 0; c < size; c++) row[c] = trajectories[(i + n) * size + c] - mean[c];
    });
    for (let a = 0; a < size; a++) {
      const [pa, qa, ra, sa] = [p[a], q[a], r[a], s[a]];
      for (let b = 0, o = a * size; b <= a; b++, o++) covariance[o] += pa * p[b] + qa * q[b] + ra * r[b] + sa * s[b];
    }
  }
  for (let a = 0; a < size; a++) for (let b = 0; b < a; b++) covariance[b * size + a] = covariance[a * size + b];
  return covariance;
}
