// SPDX-License-Identifier: MIT
import { measureTriangleAreas } from './triangle-areas.ts';

/**
 * The surface each vertex stands for: a third of every triangle around it. They add up to the area of the mesh; a vertex
 * without triangles has none.
 * @param positions vertexCount x 3
 * @param triangles triangleCount x 3
 */
export function measureVertexAreas(positions: ArrayLike<number>, triangles: Uint32Array): Float64Array {
  const areas = new Float64Array(positions.length / 3);
  const triangleAreas = measureTriangleAreas(positions, triangles);
  for (let c = 0; c < triangles.length; c++) areas[triangles[c]] += triangleAreas[Math.floor(c / 3)] / 3;
  return areas;
}
