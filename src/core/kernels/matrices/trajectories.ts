// SPDX-License-Identifier: MIT
// The clip as the fitting kernels use it: rest positions and trajectories, in double precision, in resident arrays.
import type { Compute, Resident } from '../compute.ts';

export interface Trajectories {
  vertexCount: number;
  frameCount: number;
  /** vertexCount x 3 */
  rest: Resident<Float64Array>;
  /** vertexCount x (3 frameCount): x y z of frame 0, of frame 1 … */
  posed: Resident<Float64Array>;
  /** vertexCount: the squared length of each row of posed */
  squares: Resident<Float64Array>;
  /** vertexCount: the connected part of every point, if the mesh has several */
  parts?: Uint32Array;
  /** Coordinates of the rows of posed in a small orthonormal basis: if present, products with bones go through it. */
  reduced?: ReducedRows;
}

/** Rows of length 3 frameCount in rank coordinates: posed ≈ coordinates x basis, with an orthonormal basis. */
export interface ReducedRows {
  /** A multiple of four. */
  rank: number;
  /** vertexCount x rank */
  coordinates: Resident<Float64Array>;
  /** rank x (3 frameCount) */
  basis: Resident<Float64Array>;
  /** (3 frameCount) x rank: its transpose */
  transposed: Resident<Float64Array>;
}

/** Reserves trajectories; fill rest and posed, then call squareTrajectories. */
export function reserveTrajectories(compute: Compute, vertexCount: number, frameCount: number): Trajectories {
  return {
    vertexCount,
    frameCount,
    rest: compute.float64(vertexCount * 3),
    posed: compute.float64(vertexCount * 3 * frameCount),
    squares: compute.float64(vertexCount),
  };
}

export function squareTrajectories(trajectories: Trajectories): void {
  const posed = trajectories.posed.view();
  const squares = trajectories.squares.view();
  const rows = 3 * trajectories.frameCount;
  for (let i = 0; i < trajectories.vertexCount; i++) {
    let sum = 0;
    for (let c = i * rows; c < (i + 1) * rows; c++) sum += posed[c] * posed[c];
    squares[i] = sum;
  }
}

/** Reference implementation of multiplyTrajectories in vectors.as.ts: out[i − begin][c] = Σ V[i][row] T[row][c]. */
export function multiplyTrajectories(
  v: Float64Array,
  t: Float64Array,
  out: Float64Array,
  begin: number,
  end: number,
  rows: number,
  columns: number,
): void {
  out.fill(0, 0, (end - begin) * columns);
  for (let i = begin; i < end; i++) {
    const o = (i - begin) * columns;
    for (let row = 0; row < rows; row++) {
      const s = v[i * rows + row];
      for (let c = 0; c < columns; c++) out[o + c] += s * t[row * columns + c];
    }
  }
}
