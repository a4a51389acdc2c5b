// SPDX-License-Identifier: MIT
// Makes a rough mirror map of a surface exact. The map gives every point an image on the same surface. Around each point, the map of a patch is fitted by one reflection with a rotation and a translation,
//   min Σ |Q (x − c) − (y − d)|²,  QᵀQ = I, det Q = −1:   Q = −R, R the rotation nearest to −Σ (y − d)(x − c)ᵀ,
// which predicts the image of the point; the nearest point of the surface that faces the same way is the next image. Patches become smaller, so that limbs in different poses follow their own reflections.
import { nearestRotationInto } from '../../../core/math/rotation.ts';
import type { NearestSurface, SurfacePoints } from './nearest-surface.ts';

/** Minimum cosine between the normal of a predicted image and the surface. Chosen by hand. */
const MIN_COSINE = 0.3;
/** Minimum number of points with an image in a patch, and relative to its points. Chosen by hand. */
const MIN_KNOWN = 6;
const MIN_RATIO = 0.2;
/** Coordinate of a point without a prediction: no surface is near it. */
const NOWHERE = 1e20;

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

/** The patches of all points, from the inside out. */
export interface MirrorPatches {
  /** pointCount x width; the first is the point itself */
  patches: Uint32Array;
  /** pointCount: number of points of each patch */
  sizes: Uint32Array;
}

/**
 * One iteration.
 * @param images pointCount x 3; NaN: unknown
 * @param maxSize maximum number of points of a patch that are used
 */
export async function refineMirror(
  surface: MirrorSurface,
  images: Float64Array,
  patches: MirrorPatches,
  maxSize: number,
): Promise<MirrorMap> {
  const { positions, normals, nearest, reach } = surface;
  const { predicted, turns } = predictImages(positions, images, patches, maxSize);
  const points = new Float64Array(2 * positions.length);
  for (let i = 0; 3 * i < positions.length; i++) {
    for (let r = 0; r < 3; r++) {
      points[6 * i + r] = Number.isNaN(predicted[3 * i]) ? NOWHERE : predicted[3 * i + r];
      for (let c = 0; c < 3; c++) points[6 * i + 3 + r] += turns[9 * i + 3 * c + r] * normals[3 * i + c];
    }
  }
  const found = await nearest.find(points, MIN_COSINE, reach);
  return { ...found, images: placePoints(found, positions), predicted };
}

/** Positions of points on a surface; NaN where there is no triangle. */
export function placePoints({ corners, shares }: SurfacePoints, positions: ArrayLike<number>): Float64Array {
  const out = new Float64Array(corners.length);
  for (let i = 0; 3 * i < corners.length; i++) {
    const isFound = shares[3 * i] + shares[3 * i + 1] + shares[3 * i + 2] > 0;
    for (let r = 0; r < 3; r++) {
      out[3 * i + r] = isFound
        ? shares[3 * i] * positions[3 * corners[3 * i] + r] +
          shares[3 * i + 1] * positions[3 * corners[3 * i + 1] + r] +
          shares[3 * i + 2] * positions[3 * corners[3 * i + 2] + r]
        : Number.NaN;
    }
  }
  return out;
}

function predictImages(
  positions: Float64Array,
  images: Float64Array,
  { patches, sizes }: MirrorPatches,
  maxSize: number,
): { predicted: Float64Array; turns: Float64Array } {
  const predicted = new Float64Array(positions.length).fill(Number.NaN);
  const turns = new Float64Array(3 * positions.length);
  const sums = new Float64Array(SUMS);
  const m = new Float64Array(9);
  const width = patches.length / sizes.length;
  for (let i = 0; i < sizes.length; i++) {
    const size = Math.min(sizes[i], maxSize);
    const count = sumImagesInto(positions, images, patches, i * width, size, sums);
    // fewer points do not determine a reflection
    if (count < MIN_KNOWN || count < MIN_RATIO * size) continue;
    for (let a = 0; a < 3; a++)
      for (let r = 0; r < 3; r++) m[3 * a + r] = (sums[a] * sums[3 + r]) / count - sums[6 + 3 * a + r];
    nearestRotationInto(m, m);
    for (let e = 0; e < 9; e++) turns[9 * i + e] = -m[e];
    for (let r = 0; r < 3; r++) {
      const turned = m[r] * sums[0] + m[3 + r] * sums[1] + m[6 + r] * sums[2];
      predicted[3 * i + r] = positions[3 * i + r] + (sums[3 + r] + turned) / count;
    }
  }
  return { predicted, turns };
}

/** Number of sums. */
const SUMS = 15;

/** Fills Σ x, Σ y and Σ x yᵀ (a row per coordinate of x) of a patch, all relative to its first point; returns the number of points with an image. */
function sumImagesInto(
  positions: Float64Array,
  images: Float64Array,
  patches: Uint32Array,
  begin: number,
  size: number,
  sums: Float64Array,
): number {
  const ox = positions[3 * patches[begin]];
  const oy = positions[3 * patches[begin] + 1];
  const oz = positions[3 * patches[begin] + 2];
  let count = 0;
  sums.fill(0);
  for (let n = begin; n < begin + size; n++) {
    const p = 3 * patches[n];
    const u = images[p] - ox;
    if (Number.isNaN(u)) continue;
    const v = images[p + 1] - oy;
    const w = images[p + 2] - oz;
    const x = positions[p] - ox;
    const y = positions[p + 1] - oy;
    const z = positions[p + 2] - oz;
    count++;
    sums[0] += x;
    sums[1] += y;
    sums[2] += z;
    sums[3] += u;
    sums[4] += v;
    sums[5] += w;
    sums[6] += x * u;
    sums[7] += x * v;
    sums[8] += x * w;
    sums[9] += y * u;
    sums[10] += y * v;
    sums[11] += y * w;
    sums[12] += z * u;
    sums[13] += z * v;
    sums[14] += z * w;
  }
  return count;
}
