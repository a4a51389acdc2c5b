// SPDX-License-Identifier: MIT
// Makes a rough mirror map of a surface exact. The map gives every point an image on the same surface. Around each point, the map of a patch is fitted by one reflection with a rotation and a translation,
//   min Σ |Q (x − c) − (y − d)|²,  QᵀQ = I, det Q = −1:   Q = −R, R the rotation nearest to −Σ (y − d)(x − c)ᵀ,
// which predicts the image of the point; the nearest point of the surface that faces the same way is the next image. Patches become smaller, so that limbs in different poses follow their own reflections.
import { nearestRotationInto } from '../math/rotation.ts';
import { vertexNormalsInto } from '../mesh/vertex-normals.ts';
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
  /** triangleCount x 3 */
  triangles: Uint32Array;
  nearest: NearestSurface;
  /** Maximum distance of an image from its prediction. */
  reach: number;
}

/**
 * One iteration.
 * @param images pointCount x 3; NaN: unknown
 * @param patches by point: the points around it, itself included
 */
export function refineMirror(surface: MirrorSurface, images: Float64Array, patches: readonly number[][]): MirrorMap {
  const { positions, triangles, nearest, reach } = surface;
  const normals = new Float32Array(positions.length);
  vertexNormalsInto(positions, triangles, normals);
  const { predicted, turns } = predictImages(positions, images, patches);
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
): { predicted: Float64Array; turns: Float64Array } {
  const predicted = new Float64Array(positions.length).fill(Number.NaN);
  const turns = new Float64Array(3 * positions.length);
  const m = new Float64Array(9);
  for (const [i, patch] of patches.entries()) {
    let count = 0;
    let [cx, cy, cz, dx, dy, dz] = [0, 0, 0, 0, 0, 0];
    for (const p of patch) {
      const y = images[3 * p];
      if (Number.isNaN(y)) continue;
      count++;
      cx += positions[3 * p];
      cy += positions[3 * p + 1];
      cz += positions[3 * p + 2];
      dx += y;
      dy += images[3 * p + 1];
      dz += images[3 * p + 2];
    }
    // fewer points do not determine a reflection
    if (count < MIN_KNOWN || count < MIN_RATIO * patch.length) continue;
    const c = [cx / count, cy / count, cz / count];
    const d = [dx / count, dy / count, dz / count];
    m.fill(0);
    for (const p of patch) {
      const y = images[3 * p];
      if (Number.isNaN(y)) continue;
      for (let a = 0; a < 3; a++) {
        const x = positions[3 * p + a] - c[a];
        m[3 * a] -= x * (y - d[0]);
        m[3 * a + 1] -= x * (images[3 * p + 1] - d[1]);
        m[3 * a + 2] -= x * (images[3 * p + 2] - d[2]);
      }
    }
    nearestRotationInto(m, m);
    for (let r = 0; r < 3; r++) {
      let sum = d[r];
      for (let a = 0; a < 3; a++) {
        turns[9 * i + 3 * a + r] = -m[3 * a + r];
        sum -= m[3 * a + r] * (positions[3 * i + a] - c[a]);
      }
      predicted[3 * i + r] = sum;
    }
  }
  return { predicted, turns };
}
