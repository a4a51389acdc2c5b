// SPDX-License-Identifier: MIT
// How far a shape is from its own mirror image, in the best plane near a given one: x and the surface point y nearest to its reflection give the plane, min Σ |Q (x − c) − (y − d)|² over reflections with a rotation; its normal is the
// eigenvector of Q + Qᵀ with the smallest eigenvalue, and it is halfway between x and y. Both are repeated.

import { eigenSymmetric } from '../../../core/algebra/eigen-symmetric.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import { nearestRotationInto } from '../../../core/math/rotation.ts';
import { vertexNormalsInto } from '../../../core/mesh/geometry/vertex-normals.ts';
import { NearestSurface } from './nearest-surface.ts';
import { placePoints } from './refine-mirror.ts';

const ITERATIONS = 5;
/** Maximum number of points that are reflected. */
const SAMPLES = 1500;
/** Minimum cosine between the normals of a reflected point and of the surface. */
const MIN_COSINE = 0;

/** The points p with normal · p = offset. */
export interface MirrorPlane {
  normal: [number, number, number];
  offset: number;
}

export interface Asymmetry {
  /** Mean distance between the shape and its mirror image. */
  distance: number;
  /** The plane of the reflection. */
  plane: MirrorPlane;
}

/** The plane of a map from points to their mirror images; NaN: no image. */
export function fitMirrorPlane(positions: Float64Array, images: Float64Array): MirrorPlane {
  const [c, d, m] = [new Float64Array(3), new Float64Array(3), new Float64Array(9)];
  let count = 0;
  for (let i = 0; i < positions.length; i += 3) {
    if (Number.isNaN(images[i])) continue;
    count++;
    for (let r = 0; r < 3; r++) {
      c[r] += positions[i + r];
      d[r] += images[i + r];
    }
  }
  for (let r = 0; r < 3; r++) {
    c[r] /= Math.max(1, count);
    d[r] /= Math.max(1, count);
  }
  for (let i = 0; i < positions.length; i += 3) {
    if (Number.isNaN(images[i])) continue;
    for (let a = 0; a < 3; a++)
      for (let r = 0; r < 3; r++) m[3 * a + r] -= (positions[i + a] - c[a]) * (images[i + r] - d[r]);
  }
  nearestRotationInto(m, m);
  const symmetric = Float64Array.from(m, (_, e) => m[e] + m[3 * (e % 3) + Math.floor(e / 3)]);
  // −Q: its largest eigenvalue, which comes first, is that of the normal
  const { vectors } = eigenSymmetric(symmetric, 3);
  const normal: [number, number, number] = [vectors[0], vectors[1], vectors[2]];
  let offset = 0;
  for (let r = 0; r < 3; r++) offset += (normal[r] * (c[r] + d[r])) / 2;
  return { normal, offset };
}

/** Reflects a point of an array in a plane, into another array. */
export function reflectInto(
  { normal, offset }: MirrorPlane,
  from: ArrayLike<number>,
  at: number,
  out: Float64Array,
  to: number,
): void {
  const away = normal[0] * from[at] + normal[1] * from[at + 1] + normal[2] * from[at + 2] - offset;
  for (let r = 0; r < 3; r++) out[to + r] = from[at + r] - 2 * away * normal[r];
}

/**
 * Mean distance between a shape and its mirror image in the best plane near a given one, in the units of the shape.
 * @param positions pointCount x 3
 * @param triangles triangleCount x 3
 */
export function measureAsymmetry(
  compute: Compute,
  positions: Float64Array,
  triangles: Uint32Array,
  start: MirrorPlane,
): Promise<Asymmetry> {
  return compute.scope((memory) => measure(memory, positions, triangles, start));
}

async function measure(
  memory: Compute,
  positions: Float64Array,
  triangles: Uint32Array,
  start: MirrorPlane,
): Promise<Asymmetry> {
  const step = Math.max(1, positions.length / 3 / SAMPLES);
  const count = Math.floor(positions.length / 3 / step);
  const sample = new Float64Array(3 * count);
  const nearest = new NearestSurface(memory, positions, triangles);
  const normals = new Float32Array(positions.length);
  vertexNormalsInto(positions, triangles, normals);
  for (let i = 0; i < count; i++)
    for (let r = 0; r < 3; r++) sample[3 * i + r] = positions[3 * Math.floor(i * step) + r];
  const points = new Float64Array(6 * count);
  let plane = start;
  let best = { distance: Number.POSITIVE_INFINITY, plane };
  for (let n = 0; n < ITERATIONS; n++) {
    for (let i = 0; i < count; i++) {
      reflectInto(plane, sample, 3 * i, points, 6 * i);
      reflectInto({ ...plane, offset: 0 }, normals, 3 * Math.floor(i * step), points, 6 * i + 3);
    }
    const images = placePoints(await nearest.find(points, MIN_COSINE, Number.POSITIVE_INFINITY), positions);
    let [distance, found] = [0, 0];
    for (let i = 0; i < count; i++) {
      const [x, y, z] = [0, 1, 2].map((r) => points[6 * i + r] - images[3 * i + r]);
      if (Number.isNaN(x)) continue;
      distance += Math.sqrt(x * x + y * y + z * z);
      found++;
    }
    distance = found > 0 ? distance / found : Number.POSITIVE_INFINITY;
    if (distance < best.distance) best = { distance, plane };
    plane = fitMirrorPlane(sample, images);
  }
  return best;
}
