// SPDX-License-Identifier: MIT
// Strengths of smoothing steps from a length. A step of strength λ smooths over edges: with the cotangent Laplacian L₀ and its diagonal D, D⁻¹L₀ is −(Aᵢ/Dᵢ) times the Laplace operator of the
// surface (Aᵢ the area of a point). p steps with λᵢ = ℓ² Dᵢ / (4 p Aᵢ) are therefore diffusion of the surface over the length ℓ (the root mean square distance of a point from where its values come
// from), whatever the mesh: √(pλ) edges of length √(4A/D) are ℓ. Λ⁻¹D, the matrix of the smoother, is 4p/ℓ² times the areas.
import { makeSmoothLaplacian } from '../deform/smooth-laplacian.ts';
import { measurePointAreas } from '../mesh/measure-point-areas.ts';
import { pointTriangles, pointValues, weldVertices } from '../mesh/weld.ts';
import type { Mesh } from '../model/mesh.ts';
import { DDM_DEFAULTS } from './ddm-options.ts';

/** Strengths of both smoothings, one per vertex. */
export interface ReachStrengths {
  lambda: Float32Array;
  kappa: Float32Array;
}

/** κ relative to λ, as in the settings of the slides. */
const KAPPA_RATIO = DDM_DEFAULTS.kappa / DDM_DEFAULTS.lambda;

/**
 * The strengths for which a number of steps smooths over a length; 0 for vertices without triangles.
 * @param length file units
 */
export function lambdaOfReach(mesh: Mesh, length: number, iterations: number): ReachStrengths {
  const weld = weldVertices(mesh.positions);
  const points = pointValues(mesh.positions, 3, weld);
  const triangles = pointTriangles(mesh.triangles, weld);
  const laplacian = makeSmoothLaplacian(points, triangles);
  const areas = measurePointAreas(points, triangles);
  const strengths = new Float32Array(weld.pointCount);
  for (let p = 0; p < weld.pointCount; p++) {
    for (let e = laplacian.columnStart[p]; e < laplacian.columnStart[p + 1]; e++)
      if (laplacian.rowIndices[e] === p && areas[p] > 0)
        strengths[p] = (length * length * laplacian.values[e]) / (4 * iterations * areas[p]);
  }
  const lambda = Float32Array.from(weld.pointOfVertex, (p) => strengths[p]);
  return { lambda, kappa: lambda.map((l) => KAPPA_RATIO * l) };
}
