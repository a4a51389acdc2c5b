// SPDX-License-Identifier: MIT
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { weldVertices } from '../../core/mesh/topology/weld.ts';

/** Cosine of the angle between faces past which an edge is drawn sharp: 50 degrees, so a cube has edges and a coarse tube has none. */
const CREASE_COSINE = 0.6427876;

/** Points closer than this share of the box diagonal are one: exporters round the two sides of a seam differently. */
const SEAM_TOLERANCE = 1e-6;

/**
 * Maximum number of faces around a point for smoothing; with more, corners have the normals of their own faces. The difference is not visible,
 * and comparing all pairs would take minutes where a hundred thousand faces meet.
 */
const MAX_FACES = 1024;

/**
 * Normals for drawing, one per triangle corner: triangleCount x 9, unit length (zero at triangles without area). A corner takes
 * the area-weighted mean of the faces around its point that meet its own face at less than the crease angle. Points are
 * welded first, so that UV seams do not show.
 * @param positions vertexCount x 3
 * @param triangles triangleCount x 3
 */
export function cornerNormals(
  positions: ArrayLike<number>,
  triangles: ArrayLike<number>,
  creaseCosine = CREASE_COSINE,
): Float32Array {
  const triangleCount = Math.floor(triangles.length / 3);
  const vertexCount = Math.floor(positions.length / 3);
  const { diagonal } = measureBounds(positions);
  const { pointCount, pointOfVertex } = weldVertices(
    positions instanceof Float32Array ? positions : Float32Array.from(positions),
    { tolerance: Number.isFinite(diagonal) ? SEAM_TOLERANCE * diagonal : 0 },
  );
  const faces = new Float64Array(triangleCount * 4); // normal times twice the area, then one over its length
  const rowStart = new Uint32Array(pointCount + 1);
  for (let f = 0; f < triangleCount; f++) {
    faceNormalInto(positions, triangles, f, faces);
    if (faces[4 * f + 3] === 0) continue;
    for (let c = 3 * f; c < 3 * f + 3; c++) rowStart[pointOfVertex[triangles[c]] + 1]++;
  }
  for (let i = 0; i < pointCount; i++) rowStart[i + 1] += rowStart[i];
  const facesOf = new Uint32Array(rowStart[pointCount]);
  const fill = rowStart.slice(0, pointCount);
  for (let f = 0; f < triangleCount; f++) {
    if (faces[4 * f + 3] === 0) continue;
    for (let c = 3 * f; c < 3 * f + 3; c++) facesOf[fill[pointOfVertex[triangles[c]]]++] = f;
  }

  const normals = new Float32Array(triangleCount * 9);
  for (let f = 0; f < triangleCount; f++) {
    const inverse = faces[4 * f + 3];
    if (inverse === 0) continue;
    const nx = faces[4 * f] * inverse;
    const ny = faces[4 * f + 1] * inverse;
    const nz = faces[4 * f + 2] * inverse;
    for (let c = 0; c < 3; c++) {
      const i = triangles[3 * f + c];
      if (i >= vertexCount) continue;
      const point = pointOfVertex[i];
      let x = 0;
      let y = 0;
      let z = 0;
      const isCrowded = rowStart[point + 1] - rowStart[point] > MAX_FACES;
      if (isCrowded) [x, y, z] = [nx, ny, nz];
      for (let e = rowStart[point]; !isCrowded && e < rowStart[point + 1]; e++) {
        const o = 4 * facesOf[e];
        const cosine = (faces[o] * nx + faces[o + 1] * ny + faces[o + 2] * nz) * faces[o + 3];
        if (cosine < creaseCosine) continue;
        x += faces[o];
        y += faces[o + 1];
        z += faces[o + 2];
      }
      const length = Math.sqrt(x * x + y * y + z * z);
      const o = 9 * f + 3 * c;
      normals[o] = x / length;
      normals[o + 1] = y / length;
      normals[o + 2] = z / length;
    }
  }
  return normals;
}

/** Normal times twice the area, and one over that; all zero for a face that has no area or no finite corners. */
function faceNormalInto(
  positions: ArrayLike<number>,
  triangles: ArrayLike<number>,
  f: number,
  faces: Float64Array,
): void {
  const a = triangles[3 * f] * 3;
  const b = triangles[3 * f + 1] * 3;
  const c = triangles[3 * f + 2] * 3;
  const ux = positions[b] - positions[a];
  const uy = positions[b + 1] - positions[a + 1];
  const uz = positions[b + 2] - positions[a + 2];
  const vx = positions[c] - positions[a];
  const vy = positions[c + 1] - positions[a + 1];
  const vz = positions[c + 2] - positions[a + 2];
  const x = uy * vz - uz * vy;
  const y = uz * vx - ux * vz;
  const z = ux * vy - uy * vx;
  const inverse = 1 / Math.sqrt(x * x + y * y + z * z);
  if (!(inverse > 0 && inverse < Infinity)) return;
  faces[4 * f] = x;
  faces[4 * f + 1] = y;
  faces[4 * f + 2] = z;
  faces[4 * f + 3] = inverse;
}
