// SPDX-License-Identifier: MIT

/** Colours of a surface, and how they change along it. */
export interface SurfaceColors {
  /** pointCount x 3, 0 to 1 */
  values: Float64Array;
  /** pointCount x 3 channels x 3: gradients along the surface, the mean of the triangles around each point */
  gradients: Float64Array;
}

/**
 * Measures how colours change along a surface.
 * @param positions pointCount x 3
 * @param values pointCount x 3
 */
export function makeSurfaceColors(
  positions: Float64Array,
  triangles: Uint32Array,
  values: Float64Array,
): SurfaceColors {
  const gradients = new Float64Array(3 * values.length);
  const areas = new Float64Array(values.length / 3);
  const sum = new Float64Array(9);
  for (let f = 0; f < triangles.length; f += 3) {
    const corners = [triangles[f], triangles[f + 1], triangles[f + 2]];
    const [u, v] = [edgeOf(positions, corners[0], corners[1]), edgeOf(positions, corners[0], corners[2])];
    const normal = cross(u, v);
    const length = Math.hypot(...normal);
    if (!(length > 0)) continue;
    sum.fill(0);
    for (let c = 0; c < 3; c++) {
      // the gradient of a linear function is the sum of its values times n × (opposite edge) / (2 area)
      const turned = cross(normal, edgeOf(positions, corners[(c + 1) % 3], corners[(c + 2) % 3]));
      for (let channel = 0; channel < 3; channel++)
        for (let a = 0; a < 3; a++)
          sum[3 * channel + a] += (values[3 * corners[c] + channel] * turned[a]) / (2 * length);
    }
    for (const i of corners) {
      areas[i] += length / 2;
      for (let n = 0; n < 9; n++) gradients[9 * i + n] += sum[n];
    }
  }
  for (let n = 0; n < gradients.length; n++) gradients[n] /= areas[Math.floor(n / 9)] || 1;
  return { values, gradients };
}

function edgeOf(p: Float64Array, i: number, j: number): number[] {
  return [p[3 * j] - p[3 * i], p[3 * j + 1] - p[3 * i + 1], p[3 * j + 2] - p[3 * i + 2]];
}

function cross(u: readonly number[], v: readonly number[]): number[] {
  return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
}
