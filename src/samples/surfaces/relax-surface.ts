// SPDX-License-Identifier: MIT

type Field = (x: number, y: number, z: number) => number;

/** Iterations. More make cells more uniform, but move vertices away from the tips of thin limbs. Chosen by hand. */
const ROUNDS = 6;
/** Step towards the mean of the neighbours per iteration, relative to the distance. */
const STRIDE = 0.6;
/** Step of the finite differences of the gradient, relative to the spacing. */
const DIFFERENCE = 0.01;

/**
 * Makes the vertices of a mesh on the zero surface of a field more uniform: every vertex moves towards the mean of its neighbours along the
 * surface, and is then projected onto it.
 * @param positions vertexCount x 3
 * @param quads quadCount x 4
 * @returns vertexCount x 3
 */
export function relaxSurface(positions: Float64Array, quads: Uint32Array, field: Field, spacing: number): Float64Array {
  const vertexCount = positions.length / 3;
  const current = positions.slice();
  const sums = new Float64Array(positions.length);
  const counts = new Uint32Array(vertexCount);
  const normals = new Float64Array(positions.length);
  for (let i = 0; i < vertexCount; i++) projectInPlace(field, current, 3 * i, spacing, normals);
  for (let round = 0; round < ROUNDS; round++) {
    sums.fill(0);
    counts.fill(0);
    for (let q = 0; q < quads.length; q++) {
      const i = quads[q],
        j = quads[q % 4 === 3 ? q - 3 : q + 1];
      // Every edge is visited once in each direction (by its two quads), so one addition per visit is enough.
      for (let c = 0; c < 3; c++) sums[3 * i + c] += current[3 * j + c];
      counts[i]++;
    }
    for (let i = 0; i < vertexCount; i++) {
      const o = 3 * i;
      let across = 0;
      for (let c = 0; c < 3; c++) across += normals[o + c] * (sums[o + c] / counts[i] - current[o + c]);
      for (let c = 0; c < 3; c++) {
        current[o + c] += STRIDE * (sums[o + c] / counts[i] - current[o + c] - across * normals[o + c]);
      }
      projectInPlace(field, current, o, spacing, normals);
    }
  }
  for (let i = 0; i < vertexCount; i++) projectInPlace(field, current, 3 * i, spacing, normals);
  return current;
}

/** One step of Newton's method onto the surface, nearly exact for a field that grows like distance; notes the normal. */
function projectInPlace(field: Field, p: Float64Array, o: number, spacing: number, normals: Float64Array): void {
  const e = DIFFERENCE * spacing;
  const x = p[o],
    y = p[o + 1],
    z = p[o + 2];
  const value = field(x, y, z);
  const gx = (field(x + e, y, z) - value) / e,
    gy = (field(x, y + e, z) - value) / e,
    gz = (field(x, y, z + e) - value) / e;
  // Where sheets meet in a crease the gradient may vanish; a minimum keeps the step short.
  const squared = Math.max(0.25, gx * gx + gy * gy + gz * gz);
  p[o] = x - (value / squared) * gx;
  p[o + 1] = y - (value / squared) * gy;
  p[o + 2] = z - (value / squared) * gz;
  const length = Math.sqrt(squared);
  normals[o] = gx / length;
  normals[o + 1] = gy / length;
  normals[o + 2] = gz / length;
}
