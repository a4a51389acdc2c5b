// SPDX-License-Identifier: MIT

/** Adds factor · row rowᵀ to the lower triangle of a matrix. @param h count x count */
export function addSquareInto(h: Float64Array, row: Float64Array, count: number, factor: number): void {
  for (let a = 0; a < count; a++) {
    const s = factor * row[a];
    for (let b = 0; b <= a; b++) h[a * count + b] += s * row[b];
  }
}
