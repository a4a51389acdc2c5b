// SPDX-License-Identifier: MIT
import type { CompactPrimitive } from '../codec/compact-skin.ts';

/** The displacements of a primitive as morph targets, one per frame, vertexCount x 3 each. Directions are the normals of its points on the grid, weighted by area. */
export function listDisplacementTargets(primitive: CompactPrimitive): Float32Array<ArrayBuffer>[] {
  const { displacements, pointOfVertex, pointCount, vertexCount } = primitive;
  if (!displacements) return [];
  const normals = makePointNormals(primitive);
  const { step, values } = displacements;
  return Array.from(displacements.times, (_, k) => {
    const target = new Float32Array(3 * vertexCount);
    for (let v = 0; v < vertexCount; v++) {
      const p = pointOfVertex[v];
      const length = step * values[k * pointCount + p];
      for (let r = 0; r < 3; r++) target[3 * v + r] = length * normals[3 * p + r];
    }
    return target;
  });
}

function makePointNormals({ pointCount, pointOfVertex, positions, triangles }: CompactPrimitive): Float64Array {
  const normals = new Float64Array(3 * pointCount);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((corner) => 3 * pointOfVertex[triangles[t + corner]]);
    const ux = positions[b] - positions[a];
    const uy = positions[b + 1] - positions[a + 1];
    const uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a];
    const vy = positions[c + 1] - positions[a + 1];
    const vz = positions[c + 2] - positions[a + 2];
    for (const o of [a, b, c]) {
      normals[o] += uy * vz - uz * vy;
      normals[o + 1] += uz * vx - ux * vz;
      normals[o + 2] += ux * vy - uy * vx;
    }
  }
  for (let o = 0; o < normals.length; o += 3) {
    const length = Math.sqrt(normals[o] ** 2 + normals[o + 1] ** 2 + normals[o + 2] ** 2);
    if (length > 0) for (let r = 0; r < 3; r++) normals[o + r] /= length;
    else normals[o + 2] = 1;
  }
  return normals;
}
