// SPDX-License-Identifier: MIT
// J. Mancewicz, M. L. Derksen, H. Rijpkema, C. A. Wilson, "Delta Mush: smoothing deformations while preserving detail", DigiPro 2014,
// doi:10.1145/2633374.2633376. Smooth the posed surface, and add the detail that smoothing removes from the rest surface, rotated with
// the smoothed surface. The indirect form: every pose is smoothed. Two ways to rotate the detail:
//
// 'tangent'        the paper's frames of the smoothed surface. Here a frame per corner of a triangle (first edge, normal, and across), the detail
//                  transferred by each and averaged over the corners of a point, at its rest length.
// 'least-squares'  by F⁻ᵀ, F the least-squares map of the patch that smoothing averages: with rest positions u, posed v, smoothing A and sums over
//                  row i of A, [P p; pᵀ 1] = Σ A u uᵀ, [Q q] = Σ A v uᵀ: F = (Q − q pᵀ)(P − p pᵀ)⁻¹. It is variant 1 of Direct Delta Mush
//                  (make-ddm.ts) for a linear base and one strength of smoothing, and works with any base.

import { nearestRotationInto } from '../../core/math/rotation.ts';
import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';
import { pointTriangles, type Weld, weldVertices } from '../../core/mesh/topology/weld.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import { cofactorsInto, type DoubleDeformer, type FloatArray, isDoubleDeformer } from '../direct-delta-mush/index.ts';
import { makeDetailFrames } from './delta-mush-frames.ts';
import { makeSmoothLaplacian } from './smooth-laplacian.ts';
import { makeSmoother, type Smoother, type SmoothMethod } from './smoother.ts';

/** Options of makeDeltaMush. */
export interface DeltaMushOptions {
  /** Number of smoothing steps, at least 1. Default 20. */
  iterations?: number;
  /** Strength of each step, one for all or one per vertex; at most 1 for explicit steps. Default 1. */
  lambda?: number | Float32Array;
  /** Kind of smoothing steps. Default 'implicit'. */
  method?: SmoothMethod;
  /** How the detail is rotated: by frames of the surface, or by a least-squares fit of the neighbourhood. Default 'tangent'. */
  frames?: 'tangent' | 'least-squares';
}

/** Similar to the defaults of animation tools: removes detail, keeps limbs. Not tuned. */
export const DELTA_MUSH_DEFAULTS: Required<DeltaMushOptions> = {
  iterations: 20,
  lambda: 1,
  method: 'implicit',
  frames: 'tangent',
};

/** Thickening of flat patches, relative to their spread; see ddm-patches.ts. */
const THICKNESS = 1e-12;

/**
 * Delta Mush over any deformer of the mesh. Works on welded points (the base must move all vertices of a point equally; the first is used) and in
 * double precision, which the base provides if it can. Normals are those of the result's surface. The mesh is kept, not copied.
 * @example
 * ```ts
 * import { makeDeltaMush, makeLinearBlend } from 'ossify/deform';
 *
 * const base = makeLinearBlend(mesh, skin, skeleton.names.length);
 * const mushed = makeDeltaMush(base, mesh, { iterations: 10 });
 * mushed.deformInto({ bones }, positions);
 * ```
 */
export function makeDeltaMush(base: Deformer, mesh: Mesh, options: DeltaMushOptions = {}): DoubleDeformer {
  const iterations = options.iterations ?? DELTA_MUSH_DEFAULTS.iterations;
  const lambda = options.lambda ?? DELTA_MUSH_DEFAULTS.lambda;
  const method = options.method ?? DELTA_MUSH_DEFAULTS.method;
  const frames = options.frames ?? DELTA_MUSH_DEFAULTS.frames;
  const vertexCount = mesh.positions.length / 3;
  if (base.vertexCount !== vertexCount)
    throw new InputError('delta mush', `the base deforms ${base.vertexCount} vertices, the mesh has ${vertexCount}`);
  if (frames !== 'tangent' && frames !== 'least-squares')
    throw new InputError('delta mush', `frames must be 'tangent' or 'least-squares', got '${frames}'`);
  if (typeof lambda !== 'number' && lambda.length !== vertexCount)
    throw new InputError('delta mush', `the map of lambda has ${lambda.length} numbers for ${vertexCount} vertices`);
  const weld = weldVertices(mesh.positions);
  const triangles = pointTriangles(mesh.triangles, weld);
  const rest = new Float64Array(weld.pointCount * 3);
  gatherInto(mesh.positions, weld, rest);
  const smoother = makeSmoother(makeSmoothLaplacian(rest, triangles), {
    iterations,
    method,
    lambda: typeof lambda === 'number' ? lambda : Float64Array.from(weld.vertexOfPoint, (i) => lambda[i]),
  });
  const carry = frames === 'tangent' ? makeTangentCarry(rest, triangles, smoother) : makePatchCarry(rest, smoother);

  // in double precision if the base provides it
  const isDouble = isDoubleDeformer(base);
  const moved: FloatArray = isDouble ? new Float64Array(3 * vertexCount) : new Float32Array(3 * vertexCount);
  const points = new Float64Array(3 * weld.pointCount);
  const shape = new Float32Array(3 * vertexCount);
  return {
    isDouble: true,
    vertexCount,
    boneCount: base.boneCount,
    deformInto(pose, positions, normals) {
      if (isDouble) base.deformInto(pose, moved);
      else base.deformInto(pose, moved as Float32Array);
      gatherInto(moved, weld, points);
      carry(points);
      for (let i = 0; i < vertexCount; i++) {
        const p = 3 * weld.pointOfVertex[i];
        for (let c = 0; c < 3; c++) positions[3 * i + c] = points[p + c];
      }
      if (!normals) return;
      vertexNormalsInto(positions, mesh.triangles, shape, weld);
      normals.set(shape);
    },
  };
}

/** Replaces posed points by the result, in place. */
type Carry = (points: Float64Array) => void;

function gatherInto(values: FloatArray, weld: Weld, points: Float64Array): void {
  for (let p = 0; p < weld.pointCount; p++) {
    const from = 3 * weld.vertexOfPoint[p];
    for (let c = 0; c < 3; c++) points[3 * p + c] = values[from + c];
  }
}

function makeTangentCarry(rest: Float64Array, triangles: Uint32Array, smoother: Smoother): Carry {
  const smoothed = rest.slice();
  smoother.smoothInto(smoothed, 3);
  const details = rest.map((x, c) => x - smoothed[c]);
  const frames = makeDetailFrames(smoothed, triangles, details);
  return (points) => {
    smoother.smoothInto(points, 3);
    frames.addDetailsInto(points);
  };
}

function makePatchCarry(rest: Float64Array, smoother: Smoother): Carry {
  const pointCount = rest.length / 3;
  // sums of u uᵀ about the centroid of the points: xx xy xz x yy yz y zz z
  const middle = middleOf(rest);
  const u = rest.map((x, c) => x - middle[c % 3]);
  const moments = new Float64Array(pointCount * 9);
  for (let p = 0; p < pointCount; p++) {
    const x = u[3 * p],
      y = u[3 * p + 1],
      z = u[3 * p + 2];
    moments.set([x * x, x * y, x * z, x, y * y, y * z, y, z * z, z], 9 * p);
  }
  smoother.smoothInto(moments, 9);
  const centers = new Float64Array(pointCount * 3);
  const details = new Float64Array(pointCount * 3);
  /** pointCount x 6 */
  const spreads = new Float64Array(pointCount * 6);
  let size = 0;
  for (let c = 0; c < u.length; c++) size = Math.max(size, u[c] * u[c]);
  for (let p = 0; p < pointCount; p++) {
    const o = 9 * p;
    const x = moments[o + 3],
      y = moments[o + 6],
      z = moments[o + 8];
    centers.set([x, y, z], 3 * p);
    details.set([u[3 * p] - x, u[3 * p + 1] - y, u[3 * p + 2] - z], 3 * p);
    const xx = moments[o] - x * x,
      yy = moments[o + 4] - y * y,
      zz = moments[o + 7] - z * z;
    spreads.set([xx, moments[o + 1] - x * y, moments[o + 2] - x * z, yy, moments[o + 5] - y * z, zz], 6 * p);
  }
  const products = new Float64Array(pointCount * 12);
  const patches: RestPatches = { centers, details, spreads, size };
  const scratch = { m: new Float64Array(9), r: new Float64Array(9), cofactors: new Float64Array(9) };
  return (points) => {
    // [Q q] by columns: v x, v y, v z, v. The posed shape is relative to its own center: F does not depend on it, and nothing cancels far from the origin.
    const shift = middleOf(points);
    for (let p = 0; p < pointCount; p++) {
      for (let column = 0; column < 4; column++) {
        const f = column < 3 ? u[3 * p + column] : 1;
        for (let row = 0; row < 3; row++) {
          products[12 * p + 3 * column + row] = (points[3 * p + row] - shift[row]) * f;
        }
      }
    }
    smoother.smoothInto(products, 12);
    for (let p = 0; p < pointCount; p++) {
      carryDetail(patches, products, p, scratch, points);
      for (let row = 0; row < 3; row++) points[3 * p + row] += shift[row];
    }
  };
}

function middleOf(points: Float64Array): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0];
  for (let c = 0; c < points.length; c++) sum[c % 3] += points[c];
  const count = Math.max(1, points.length / 3);
  return [sum[0] / count, sum[1] / count, sum[2] / count];
}

/** The patches of points at rest. */
interface RestPatches {
  /** pointCount x 3 */
  centers: Float64Array;
  /** pointCount x 3: from the center to the point */
  details: Float64Array;
  /** pointCount x 6: xx xy xz yy yz zz */
  spreads: Float64Array;
  /** Added to the thickness. */
  size: number;
}

/** points_p = q + F⁻ᵀ detail, F⁻ᵀ = (Q − q pᵀ + ε R)⁻ᵀ (P − p pᵀ + ε I), R the nearest rotation: the thickening rotates with the patch. */
function carryDetail(
  { centers, details, spreads, size }: RestPatches,
  products: Float64Array,
  p: number,
  { m, r, cofactors }: { m: Float64Array; r: Float64Array; cofactors: Float64Array },
  points: Float64Array,
): void {
  const o = 12 * p;
  const s = 6 * p;
  for (let column = 0; column < 3; column++) {
    for (let row = 0; row < 3; row++)
      m[3 * column + row] = products[o + 3 * column + row] - products[o + 9 + row] * centers[3 * p + column];
  }
  nearestRotationInto(m, r);
  const thickness = THICKNESS * (Math.max(0, spreads[s] + spreads[s + 3] + spreads[s + 5]) + size) || THICKNESS;
  for (let c = 0; c < 9; c++) m[c] += thickness * r[c];
  const inv = 1 / cofactorsInto(m, cofactors);
  const dx = details[3 * p],
    dy = details[3 * p + 1],
    dz = details[3 * p + 2];
  // the detail times P − p pᵀ + ε I, then times the inverse transpose
  const x = (spreads[s] + thickness) * dx + spreads[s + 1] * dy + spreads[s + 2] * dz;
  const y = spreads[s + 1] * dx + (spreads[s + 3] + thickness) * dy + spreads[s + 4] * dz;
  const z = spreads[s + 2] * dx + spreads[s + 4] * dy + (spreads[s + 5] + thickness) * dz;
  const isDefined = Number.isFinite(inv);
  for (let row = 0; row < 3; row++) {
    const carried = isDefined
      ? inv * (cofactors[row] * x + cofactors[3 + row] * y + cofactors[6 + row] * z)
      : r[row] * dx + r[3 + row] * dy + r[6 + row] * dz;
    points[3 * p + row] = products[o + 9 + row] + carried;
  }
}
