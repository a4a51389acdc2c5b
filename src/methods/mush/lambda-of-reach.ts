// SPDX-License-Identifier: MIT
import { pointTriangles, pointValues, weldVertices } from '../../core/mesh/topology/weld.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import { DDM_DEFAULTS } from './ddm-options.ts';
import { strengthOfReach } from './strength-of-reach.ts';

/** Strengths of both smoothings, one per vertex. */
export interface ReachStrengths {
  lambda: Float32Array;
  kappa: Float32Array;
}

/** κ relative to λ, as in the settings of the slides. */
export const KAPPA_RATIO = DDM_DEFAULTS.kappa / DDM_DEFAULTS.lambda;

/**
 * The strengths for which a number of steps smooths over a length (strength-of-reach.ts); 0 for vertices without triangles.
 * @param length file units
 */
export function lambdaOfReach(mesh: Mesh, length: number, iterations: number): ReachStrengths {
  const weld = weldVertices(mesh.positions);
  const points = pointValues(mesh.positions, 3, weld);
  const strengths = strengthOfReach(points, pointTriangles(mesh.triangles, weld), length, iterations);
  const lambda = Float32Array.from(weld.pointOfVertex, (p) => strengths[p]);
  return { lambda, kappa: lambda.map((l) => KAPPA_RATIO * l) };
}
