// SPDX-License-Identifier: MIT
// Strengths of smoothing steps from a length. A step of strength λ smooths over edges: with the cotangent Laplacian L₀ and its diagonal D, D⁻¹L₀ is −(Aᵢ/Dᵢ) times the Laplace operator of the
// surface (Aᵢ the area of a point). p steps with λᵢ = ℓ² Dᵢ / (4 p Aᵢ) are therefore diffusion of the surface over the length ℓ (the root mean square distance of a point from where its values come
// from), whatever the mesh: √(pλ) edges of length √(4A/D) are ℓ. Λ⁻¹D, the matrix of the smoother, is 4p/ℓ² times the areas.

import { measurePointAreas } from '../../core/mesh/geometry/measure-point-areas.ts';
import { makeSmoothLaplacian } from '../../deformers/delta-mush/index.ts';

/**
 * The strengths for which a number of steps smooths over a length; 0 for points without triangles.
 * @param points pointCount x 3
 * @param triangles triangleCount x 3 points
 * @param length units of the points
 * @returns pointCount
 */
export function strengthOfReach(
  points: ArrayLike<number>,
  triangles: Uint32Array,
  length: number,
  iterations: number,
): Float64Array {
  const laplacian = makeSmoothLaplacian(points, triangles);
  const areas = measurePointAreas(points, triangles);
  const strengths = new Float64Array(areas.length);
  for (let p = 0; p < areas.length; p++) {
    for (let e = laplacian.columnStart[p]; e < laplacian.columnStart[p + 1]; e++)
      if (laplacian.rowIndices[e] === p && areas[p] > 0)
        strengths[p] = (length * length * laplacian.values[e]) / (4 * iterations * areas[p]);
  }
  return strengths;
}
