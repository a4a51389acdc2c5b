// SPDX-License-Identifier: MIT

/** Factors of a matrix of frames: A[k][i] ≈ Σᵣ coefficients[k][r] basis[r][i]. */
export interface LowRank {
  rank: number;
  /** rank x size */
  basis: Float32Array;
  /** frameCount x rank, in [-1, 1] */
  coefficients: Float32Array;
  /** rank + 1 numbers: the relative error ‖A − BC‖ / ‖A‖ in the Frobenius norm with 0, 1, … components */
  errors: number[];
  status: 'converged' | 'max-iterations' | 'stopped';
}

/** Rows of a matrix of frames, and the monitor of the solve. */
export interface FrameMatrix {
  /** frameCount x size */
  values: Float32Array;
  frameCount: number;
  size: number;
}

/** The square of the Frobenius norm. */
export function squareOf(values: Float32Array): number {
  let sum = 0;
  for (let c = 0; c < values.length; c++) sum += values[c] * values[c];
  return sum;
}

/** Scales components so that their largest coefficient is one. */
export function makeLowRank(
  basis: readonly Float64Array[],
  coefficients: readonly Float64Array[],
  errors: number[],
  status: LowRank['status'],
): LowRank {
  const rank = basis.length;
  const size = basis[0].length;
  const frameCount = coefficients[0].length;
  const out = {
    rank,
    basis: new Float32Array(rank * size),
    coefficients: new Float32Array(frameCount * rank),
    errors,
    status,
  };
  for (let r = 0; r < rank; r++) {
    const scale = coefficients[r].reduce((max, x) => Math.max(max, Math.abs(x)), 0) || 1;
    for (let i = 0; i < size; i++) out.basis[r * size + i] = scale * basis[r][i];
    for (let k = 0; k < frameCount; k++) out.coefficients[k * rank + r] = coefficients[r][k] / scale;
  }
  return out;
}
