// SPDX-License-Identifier: MIT
// Makes a rough mirror map of a surface exact. The map gives every point an image on the same surface. Around each point, the map of a patch is fitted by one reflection with a rotation and a translation,
//   min Σ |Q (x − c) − (y − d)|²,  QᵀQ = I, det Q = −1:   Q = −R, R the rotation nearest to −Σ (y − d)(x − c)ᵀ,
// which predicts the image of the point; the nearest point of the surface that faces the same way is the next image. Patches become smaller, so that limbs in different poses follow their own reflections.
import { nearestRotationInto } from '../math/rotation.ts';
import type { NearestSurface, SurfacePoints } from './nearest-surface.ts';

/** Minimum cosine between the normal of a predicted image and the surface. Chosen by hand. */
const MIN_COSINE = 0.3;
/** Minimum number of points with an image in a patch, and relative to its points. Chosen by hand. */
const MIN_KNOWN = 6;
const MIN_RATIO = 0.2;

export interface MirrorMap extends SurfacePoints {
  /** pointCount x 3: positions of the images */
  images: Float64Array;
  /** pointCount x 3: images that the reflections of the patches predict */
  predicted: Float64Array;
}

/** A surface that is compared with itself. */
export interface MirrorSurface {
  /** pointCount x 3 */
  positions: Float64Array;
  /** pointCount x 3 */
  normals: Float32Array;
  nearest: NearestSurface;
  /** Maximum distance of an image from its prediction. */
  reach: number;
}

/**
 * One iteration.
 * @param images pointCount x 3; NaN: unknown
 * @param patches by point: the points around it, itself included, from the inside out
 * @param maxSize maximum number of points of a patch that are used
 */
export function refineMirror(
  surface: MirrorSurface,
  images: Float64Array,
  patches: readonly number[][],
  maxSize: number,
): MirrorMap {
  const { positions, normals, nearest, reach } = surface;
  const { predicted, turns } = predictImages(positions, images, patches, maxSize);
  const points = new Float64Array(2 * positions.length);
  for (let i = 0; 3 * i < positions.length; i++) {
    for (let r = 0; r < 3; r++) {
      // nothing is near a point at infinity
      points[6 * i + r] = Number.isNaN(predicted[3 * i]) ? Number.POSITIVE_INFINITY : predicted[3 * i + r];
      for (let c = 0; c < 3; c++) points[6 * i + 3 + r] += turns[9 * i + 3 * c + r] * normals[3 * i + c];
    }
  }
  const found = nearest.find(points, MIN_COSINE, reach);
  return { ...found, images: placePoints(found, positions), predicted };
}

/** Positions of points on a surface; NaN where there is no triangle. */
export function placePoints({ corners, shares }: SurfacePoints, positions: ArrayLike<number>): Float64Array {
  const out = new Float64Array(corners.length);
  for (let i = 0; 3 * i < corners.length; i++) {
    const isFound = shares[3 * i] + shares[3 * i + 1] + shares[3 * i + 2] > 0;
    for (let r = 0; r < 3; r++) {
      let sum = isFound ? 0 : Number.NaN;
      for (let e = 3 * i; e < 3 * i + 3 && isFound; e++) sum += shares[e] * positions[3 * corners[e] + r];
      out[3 * i + r] = sum;
    }
  }
  return out;
}

function predictImages(
  positions: Float64Array,
  images: Float64Array,
  patches: readonly number[][],
  maxSize: number,
): { predicted: Float64Array; turns: Float64Array } {
  const predicted = new Float64Array(positions.length).fill(Number.NaN);
  const turns = new Float64Array(3 * positions.length);
  const m = new Float64Array(9);
  for (let i = 0; i < patches.length; i++) {
    const patch = patches[i];
    const size = Math.min(patch.length, maxSize);
    // sums of x, y and x yᵀ about the point itself
    const [ox, oy, oz] = [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
    let count = 0;
    let [cx, cy, cz, dx, dy, dz] = [0, 0, 0, 0, 0, 0];
    let [m0, m1, m2, m3, m4, m5, m6, m7, m8] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
    for (let n = 0; n < size; n++) {
      const p = 3 * patch[n];
      const u = images[p] - ox;
      if (Number.isNaN(u)) continue;
      const v = images[p + 1] - oy;
      const w = images[p + 2] - oz;
      const x = positions[p] - ox;
      const y = positions[p + 1] - oy;
      const z = positions[p + 2] - oz;
      count++;
      cx += x;
      cy += y;
      cz += z;
      dx += u;
      dy += v;
      dz += w;
      m0 += x * u;
      m1 += x * v;
      m2 += x * w;
      m3 += y * u;
      m4 += y * v;
      m5 += y * w;
      m6 += z * u;
      m7 += z * v;
      m8 += z * w;
    }
    // fewer points do not determine a reflection
    if (count < MIN_KNOWN || count < MIN_RATIO * size) continue;
    const [ex, ey, ez] = [dx / count, dy / count, dz / count];
    m[0] = cx * ex - m0;
    m[1] = cx * ey - m1;
    m[2] = cx * ez - m2;
    m[3] = cy * ex - m3;
    m[4] = cy * ey - m4;
    m[5] = cy * ez - m5;
    m[6] = cz * ex - m6;
    m[7] = cz * ey - m7;
    m[8] = cz * ez - m8;
    nearestRotationInto(m, m);
    for (let e = 0; e < 9; e++) turns[9 * i + e] = -m[e];
    predicted[3 * i] = ox + ex + (m[0] * cx + m[3] * cy + m[6] * cz) / count;
    predicted[3 * i + 1] = oy + ey + (m[1] * cx + m[4] * cy + m[7] * cz) / count;
    predicted[3 * i + 2] = oz + ez + (m[2] * cx + m[5] * cy + m[8] * cz) / count;
  }
  return { predicted, turns };
}
