// SPDX-License-Identifier: MIT
// D. L. James and C. D. Twigg, "Skinning mesh animations", SIGGRAPH 2005, §4.1: the rotation of every triangle in every frame.
//
// With O = [v₂₁ v₃₁ n̂] at rest and in a frame, the deformation gradient F = O Õ⁻¹ maps the plane of the triangle to its plane and the unit normal to the
// unit normal. In orthonormal frames B = [e₁ e₂ n̂] that follow the first edge, F = B' diag(G, 1) Bᵀ with a 2x2 matrix G of positive determinant
// (both frames are right-handed, the triangle is the same), so its polar factor is a rotation in the plane:
//   R = B' rot(φ) Bᵀ,  (cos φ, sin φ) ∝ (G₀₀ + G₁₁, G₁₀ − G₀₁).
// So R is a rotation for any triangle: one that folds over rotates by up to 180°, and none is ever a reflection. With first edges
// along e₁, the edges are (a, 0), (b, c) at rest and (a', 0), (b', c') in the frame, and G = [a'/a, (b' − a' b/a)/c; 0, c'/c].
//
// A triangle without area in a frame has no rotation there: it gets the mean rotation of the triangles at its corners in that frame, or else its own rotation
// of the previous frame. A triangle without area at rest is skipped.
import { nearestRotationInto } from '../../../core/math/rotation.ts';
import { weldClip } from '../../../core/mesh/topology/weld.ts';
import { type Clip, frameCountOf, frameOf } from '../../../core/model/clip/clip.ts';

export interface TriangleRotations {
  /** count: the triangles that have an area at rest, ascending */
  triangles: Uint32Array;
  /** count: their areas at rest, file units squared */
  areas: Float64Array;
  /** count x (9 frameCount): row-major rotations of frame 0, of frame 1 … */
  rotations: Float32Array;
  /** Number of triangle frames without area, of triangles that have one at rest. */
  degenerateCount: number;
}

/** Minimum of twice the area over the square of the longest edge: below it, float32 positions do not determine the normal. */
const FLAT = 1e-5;

/** The rotation of every triangle in every frame. */
export function triangleRotations(clip: Clip): TriangleRotations {
  const { positions, triangles: corners } = clip.mesh;
  const frameCount = frameCountOf(clip);
  const width = 9 * frameCount;
  const shape = new Float64Array(SHAPE);
  const listed: number[] = [];
  for (let f = 0; f < corners.length / 3; f++) if (shapeInto(positions, corners, f, shape)) listed.push(f);
  const count = listed.length;
  const areas = new Float64Array(count);
  const rests = new Float64Array(count * SHAPE);
  for (let n = 0; n < count; n++) {
    shapeInto(positions, corners, listed[n], shape);
    rests.set(shape, n * SHAPE);
    areas[n] = 0.5 * shape[9] * shape[11];
  }
  const rotations = new Float32Array(count * width);
  const flat: number[] = [];
  for (let k = 0; k < frameCount; k++) {
    const frame = frameOf(clip, k);
    for (let n = 0; n < count; n++) {
      if (shapeInto(frame, corners, listed[n], shape)) turnInto(rests, n * SHAPE, shape, rotations, n * width + 9 * k);
      else flat.push(k * count + n);
    }
  }
  const result = { triangles: Uint32Array.from(listed), areas, rotations, degenerateCount: flat.length };
  if (flat.length > 0) fillFlat(clip, result, flat);
  return result;
}

/** Nine numbers of the frame [e₁ e₂ n̂], columns, and a, b, c of the edges in it. */
const SHAPE = 12;

/** Fills the shape of a triangle; false if it has no area. */
function shapeInto(positions: Float32Array, corners: Uint32Array, f: number, out: Float64Array): boolean {
  const p = 3 * corners[3 * f],
    q = 3 * corners[3 * f + 1],
    r = 3 * corners[3 * f + 2];
  const ux = positions[q] - positions[p],
    uy = positions[q + 1] - positions[p + 1],
    uz = positions[q + 2] - positions[p + 2];
  const vx = positions[r] - positions[p],
    vy = positions[r + 1] - positions[p + 1],
    vz = positions[r + 2] - positions[p + 2];
  const nx = uy * vz - uz * vy,
    ny = uz * vx - ux * vz,
    nz = ux * vy - uy * vx;
  const uu = ux * ux + uy * uy + uz * uz;
  const vv = vx * vx + vy * vy + vz * vz;
  const third = uu + vv - 2 * (ux * vx + uy * vy + uz * vz);
  const twice = Math.sqrt(nx * nx + ny * ny + nz * nz);
  if (!(twice > FLAT * Math.max(uu, vv, third))) return false;
  const a = Math.sqrt(uu);
  const e0 = ux / a,
    e1 = uy / a,
    e2 = uz / a;
  const n0 = nx / twice,
    n1 = ny / twice,
    n2 = nz / twice;
  out[0] = e0;
  out[1] = e1;
  out[2] = e2;
  out[3] = n1 * e2 - n2 * e1;
  out[4] = n2 * e0 - n0 * e2;
  out[5] = n0 * e1 - n1 * e0;
  out[6] = n0;
  out[7] = n1;
  out[8] = n2;
  out[9] = a;
  out[10] = e0 * vx + e1 * vy + e2 * vz;
  out[11] = twice / a;
  return true;
}

/** R = B' rot(φ) Bᵀ, row-major. */
function turnInto(
  rest: Float64Array,
  restOffset: number,
  posed: Float64Array,
  out: Float32Array,
  outOffset: number,
): void {
  const a = rest[restOffset + 9],
    b = rest[restOffset + 10],
    c = rest[restOffset + 11];
  const g00 = posed[9] / a;
  const g01 = (posed[10] - g00 * b) / c;
  const g11 = posed[11] / c;
  const length = Math.sqrt((g00 + g11) ** 2 + g01 * g01);
  const cos = (g00 + g11) / length;
  const sin = -g01 / length;
  for (let row = 0; row < 3; row++) {
    const x = posed[row] * cos + posed[3 + row] * sin;
    const y = posed[3 + row] * cos - posed[row] * sin;
    const z = posed[6 + row];
    for (let col = 0; col < 3; col++) {
      out[outOffset + 3 * row + col] =
        x * rest[restOffset + col] + y * rest[restOffset + 3 + col] + z * rest[restOffset + 6 + col];
    }
  }
}

/** Rotations of triangles without area in a frame, from their neighbours in that frame or from their own previous frame. */
function fillFlat(clip: Clip, { triangles, areas, rotations }: TriangleRotations, flat: readonly number[]): void {
  const count = triangles.length;
  const width = rotations.length / count;
  const corners = clip.mesh.triangles;
  const { pointOfVertex, pointCount } = weldClip(clip);
  const isFlat = new Set(flat);
  const around: number[][] = Array.from({ length: pointCount }, () => []);
  for (let n = 0; n < count; n++) {
    for (let c = 0; c < 3; c++) around[pointOfVertex[corners[3 * triangles[n] + c]]].push(n);
  }
  const sum = new Float64Array(9);
  // by ascending frame: the previous frame is already complete
  for (const one of flat) {
    const k = Math.floor(one / count);
    const n = one - k * count;
    const o = n * width + 9 * k;
    sum.fill(0);
    for (let c = 0; c < 3; c++) {
      for (const m of around[pointOfVertex[corners[3 * triangles[n] + c]]]) {
        if (isFlat.has(k * count + m)) continue;
        for (let e = 0; e < 9; e++) sum[e] += areas[m] * rotations[m * width + 9 * k + e];
      }
    }
    if (sum.some((value) => value !== 0)) nearestRotationInto(sum, rotations, 0, o);
    else for (let e = 0; e < 9; e++) rotations[o + e] = k > 0 ? rotations[o - 9 + e] : e % 4 === 0 ? 1 : 0;
  }
}
