// SPDX-License-Identifier: MIT

type Field = (x: number, y: number, z: number) => number;

const ROUNDS = 12;
/** Part of the way to the neighbours' mean that a vertex goes in each round. */
const STRIDE = 0.6;
/** Steps back onto the surface after each round; Newton's method, nearly exact for a field that grows like distance. */
const PROJECTIONS = 2;

/**
 * Evens out a mesh on the zero surface of a field: every vertex moves towards the mean of its neighbours, along the surface
 * only, and is then put back onto it.
 * @param positions vertexCount x 3
 * @param quads quadCount x 4
 * @returns vertexCount x 3
 */
export function relaxSurface(positions: Float64Array, quads: Uint32Array, field: Field, spacing: number): Float64Array {
  const vertexCount = positions.length / 3;
  const current = positions.slice();
  const sums = new Float64Array(positions.length);
  const counts = new Uint32Array(vertexCount);
  const gradient = [0, 0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    sums.fill(0);
    counts.fill(0);
    for (let q = 0; q < quads.length; q++) {
      const i = quads[q],
        j = quads[q % 4 === 3 ? q - 3 : q + 1];
      // Every edge is walked once in each direction (by its two quads), so adding one way is enough.
      for (let c = 0; c < 3; c++) sums[3 * i + c] += current[3 * j + c];
      counts[i]++;
    }
    for (let i = 0; i < vertexCount; i++) {
      const o = 3 * i;
      gradientInto(field, current, o, spacing, gradient);
      let across = 0;
      for (let c = 0; c < 3; c++) across += gradient[c] * (sums[o + c] / counts[i] - current[o + c]);
      // The gradient has about unit length; divide by its square to take the part across the surface out exactly.
      across /= Math.max(1e-12, gradient[0] ** 2 + gradient[1] ** 2 + gradient[2] ** 2);
      for (let c = 0; c < 3; c++) {
        current[o + c] += STRIDE * (sums[o + c] / counts[i] - current[o + c] - across * gradient[c]);
      }
      for (let n = 0; n < PROJECTIONS; n++) {
        gradientInto(field, current, o, spacing, gradient);
        const squared = gradient[0] ** 2 + gradient[1] ** 2 + gradient[2] ** 2;
        const step = field(current[o], current[o + 1], current[o + 2]) / Math.max(0.25, squared);
        for (let c = 0; c < 3; c++) current[o + c] -= step * gradient[c];
      }
    }
  }
  return current;
}

/** Central differences over a tenth of the spacing. */
function gradientInto(field: Field, p: Float64Array, o: number, spacing: number, out: number[]): void {
  const e = 0.1 * spacing;
  const x = p[o],
    y = p[o + 1],
    z = p[o + 2];
  out[0] = (field(x + e, y, z) - field(x - e, y, z)) / (2 * e);
  out[1] = (field(x, y + e, z) - field(x, y - e, z)) / (2 * e);
  out[2] = (field(x, y, z + e) - field(x, y, z - e)) / (2 * e);
}
