// SPDX-License-Identifier: MIT
// D. L. James and C. D. Twigg, "Skinning mesh animations", SIGGRAPH 2005, §4.3, §4.4 and Appendix A: a bone from the triangles that move with it.
//
// Rigid: the area-weighted mean R̄ of the triangles' rotations, projected to the nearest rotation R, which is meaningful where det R̄ > 0 (Moakher 2002);
// the translation maps the mean centroid to the mean centroid, its least-squares solution: t = ĉ − R c̄.
// If det R̄ ≤ 0 (inconsistent rotations) R is instead the rotation that best maps the rest centroids to the posed centroids.
// Flexible: (F, t) minimizes Σ a |c − F c̄ − t|² (Eq. 14): with centred centroids, F (Σ a c̄ c̄ᵀ) = Σ a c c̄ᵀ.
//
// Difference: Appendix A is undetermined for coplanar centroids and ill-conditioned for nearly coplanar ones. F is regularized towards the rigid R of the same
// bone, with the weight FLATNESS relative to the mean square extent: F (C + µI) = D + µR. The effect on patches that are not flat is negligible.
import { nearestRotationInto } from '../../../core/math/rotation.ts';

export interface CoreTriangles {
  count: number;
  /** count x 3 points */
  corners: Uint32Array;
  /** count: areas at rest */
  areas: Float64Array;
  /** count x (9 frameCount), row-major */
  rotations: Float32Array;
  /** count: the bone of each, -1 for none */
  labels: Int32Array;
}

export interface CorePoints {
  frameCount: number;
  /** pointCount x 3 */
  rest: Float64Array;
  /** pointCount x (3 frameCount) */
  posed: Float64Array;
}

/** Regularization, relative to the trace of the extent. Not tuned. */
const FLATNESS = 1e-4;

/**
 * Fills bones, 3 frameCount x 4 boneCount, from their core triangles.
 * @returns the number of frames of bones in which the mean rotation had no positive determinant
 */
export function coreBonesInto(
  triangles: CoreTriangles,
  points: CorePoints,
  kind: 'rigid' | 'affine',
  bones: Float64Array,
  boneCount: number,
): number {
  const members: number[][] = Array.from({ length: boneCount }, () => []);
  for (let f = 0; f < triangles.count; f++) if (triangles.labels[f] >= 0) members[triangles.labels[f]].push(f);
  const fit = new CoreFit(triangles, points, kind, bones, boneCount);
  return members.reduce((unsure, own, j) => unsure + fit.boneInto(own, j), 0);
}

/** Fits one bone after another; matrices are column-major. */
class CoreFit {
  readonly #triangles: CoreTriangles;
  readonly #points: CorePoints;
  readonly #kind: 'rigid' | 'affine';
  readonly #bones: Float64Array;
  readonly #boneCount: number;
  /** Of the present bone: area, mean centroid at rest, and its centroids relative to it. */
  #area = 0;
  readonly #restMean = new Float64Array(3);
  #restCentroids = new Float64Array(0);
  /** Of the present frame: mean centroid, R̄, and D = Σ a c c̄ᵀ. */
  readonly #mean = new Float64Array(3);
  readonly #turn = new Float64Array(9);
  readonly #moment = new Float64Array(9);
  readonly #centroid = new Float64Array(3);
  readonly #rotation = new Float64Array(9);
  readonly #linear = new Float64Array(9);

  constructor(
    triangles: CoreTriangles,
    points: CorePoints,
    kind: 'rigid' | 'affine',
    bones: Float64Array,
    boneCount: number,
  ) {
    this.#triangles = triangles;
    this.#points = points;
    this.#kind = kind;
    this.#bones = bones;
    this.#boneCount = boneCount;
  }

  /** Fits bone j to its triangles; returns the number of frames without a sure rotation. */
  boneInto(members: readonly number[], j: number): number {
    this.#measureRest(members);
    const extent = this.#extentOf(members);
    const mu = FLATNESS * (extent[0] + extent[4] + extent[8]);
    const inverse = this.#kind === 'affine' ? invertSymmetric(extent, mu) : undefined;
    const moment = this.#moment;
    const rotation = this.#rotation;
    let unsure = 0;
    for (let k = 0; k < this.#points.frameCount; k++) {
      this.#measureFrame(members, k);
      const isSure = determinant(this.#turn) > 0;
      if (!isSure) unsure++;
      nearestRotationInto(isSure ? this.#turn : moment, rotation);
      if (inverse && mu > 0) {
        for (let e = 0; e < 9; e++) moment[e] += mu * rotation[e];
        multiplyInto(moment, inverse, this.#linear);
      } else this.#linear.set(rotation);
      this.#put(k, j);
    }
    return unsure;
  }

  /** Area, mean centroid and centroids at rest. */
  #measureRest(members: readonly number[]): void {
    const { corners, areas } = this.#triangles;
    const { rest } = this.#points;
    const centroids = new Float64Array(3 * members.length);
    const mean = this.#restMean.fill(0);
    let area = 0;
    for (const [m, f] of members.entries()) {
      for (let r = 0; r < 3; r++) {
        for (let c = 0; c < 3; c++) centroids[3 * m + r] += rest[3 * corners[3 * f + c] + r] / 3;
        mean[r] += areas[f] * centroids[3 * m + r];
      }
      area += areas[f];
    }
    for (let r = 0; r < 3; r++) mean[r] /= area || 1;
    this.#area = area;
    this.#restCentroids = centroids;
  }

  /** C = Σ a c̄ c̄ᵀ, symmetric, of the centroids at rest, which become relative to their mean. */
  #extentOf(members: readonly number[]): Float64Array {
    const { areas } = this.#triangles;
    const centroids = this.#restCentroids;
    const extent = new Float64Array(9);
    for (const [m, f] of members.entries()) {
      for (let r = 0; r < 3; r++) centroids[3 * m + r] -= this.#restMean[r];
      for (let e = 0; e < 9; e++)
        extent[e] += areas[f] * centroids[3 * m + (e % 3)] * centroids[3 * m + Math.floor(e / 3)];
    }
    return extent;
  }

  /** Mean centroid, R̄ and D of a frame. */
  #measureFrame(members: readonly number[], k: number): void {
    const { corners, areas, rotations, count } = this.#triangles;
    const { posed, frameCount } = this.#points;
    const rows = 3 * frameCount;
    const width = count > 0 ? rotations.length / count : 0;
    const [mean, centroid] = [this.#mean.fill(0), this.#centroid];
    const [turn, moment] = [this.#turn.fill(0), this.#moment.fill(0)];
    for (const [m, f] of members.entries()) {
      const a = areas[f];
      const o = f * width + 9 * k;
      for (let r = 0; r < 3; r++) {
        centroid[r] = 0;
        for (let c = 0; c < 3; c++) centroid[r] += posed[corners[3 * f + c] * rows + 3 * k + r] / 3;
        mean[r] += a * centroid[r];
        for (let c = 0; c < 3; c++) {
          turn[3 * c + r] += a * rotations[o + 3 * r + c];
          moment[3 * c + r] += a * centroid[r] * this.#restCentroids[3 * m + c];
        }
      }
    }
    for (let r = 0; r < 3; r++) mean[r] /= this.#area || 1;
  }

  /** Writes the linear part, with the translation that maps the mean centroid to the mean centroid. */
  #put(k: number, j: number): void {
    const linear = this.#linear;
    for (let r = 0; r < 3; r++) {
      const b = (3 * k + r) * 4 * this.#boneCount + 4 * j;
      let t = this.#mean[r];
      for (let c = 0; c < 3; c++) {
        this.#bones[b + c] = linear[3 * c + r];
        t -= linear[3 * c + r] * this.#restMean[c];
      }
      this.#bones[b + 3] = t;
    }
  }
}

/** (C + µI)⁻¹ of a symmetric, positive semidefinite C. */
function invertSymmetric(c: Float64Array, mu: number): Float64Array {
  const [a, b, d, e, f, g] = [c[0] + mu, c[1], c[2], c[4] + mu, c[5], c[8] + mu];
  const [c0, c1, c2] = [e * g - f * f, d * f - b * g, b * f - d * e];
  const det = a * c0 + b * c1 + d * c2;
  const out = new Float64Array(9);
  if (!(det > 0)) return out;
  out[0] = c0 / det;
  out[1] = out[3] = c1 / det;
  out[2] = out[6] = c2 / det;
  out[4] = (a * g - d * d) / det;
  out[5] = out[7] = (b * d - a * f) / det;
  out[8] = (a * e - b * b) / det;
  return out;
}

/** A B, column-major. */
function multiplyInto(a: Float64Array, b: Float64Array, out: Float64Array): void {
  for (let c = 0; c < 3; c++) {
    for (let r = 0; r < 3; r++) out[3 * c + r] = a[r] * b[3 * c] + a[3 + r] * b[3 * c + 1] + a[6 + r] * b[3 * c + 2];
  }
}

function determinant(m: Float64Array): number {
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[3] * (m[1] * m[8] - m[2] * m[7]) + m[6] * (m[1] * m[5] - m[2] * m[4]);
}
