// SPDX-License-Identifier: MIT
// Corrections of normals, Eq. 13 of James & Twigg 2005 (after EigenSkin, Kry et al. 2002):
//   n = F⁻ᵀ (ñ + Ñ q)   or   n = F (ñ + Ñ' q),
// so the rest normal that a frame requires is m = Fᵀn, or m = F⁻¹n (damped as in rest-displacement.ts), normalized: only its direction is visible.
// m − ñ is reduced in the same way as displacements. With given coefficients q (morph targets have one weight for both) Ñ is the least squares fit:
//   Ñᵢ = (Σₖ (mᵢₖ − ñᵢ) qₖᵀ) (Σₖ qₖqₖᵀ)⁻¹.

import { factorCholesky, solveCholesky } from '../../core/algebra/dense-cholesky.ts';
import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';
import type { Weld } from '../../core/mesh/topology/weld.ts';
import type { SkinnedModel } from '../../core/model/asset.ts';
import { type Clip, frameCountOf, frameOf } from '../../core/model/clip/clip.ts';
import type { NormalRule } from '../../core/model/deformed/skin-correction.ts';
import { makeRestNormals } from '../../deformers/linear-blend/index.ts';
import type { CorrectionProblem } from './correction-problem.ts';
import type { LowRank, PointRows } from './rest-basis.ts';
import { restDisplacementsInto } from './rest-displacement.ts';

/** Pivots below this ratio of the largest diagonal entry are rounding errors. */
const PIVOT_RATIO = 1e-12;
const DEGREES = 180 / Math.PI;

export interface NormalRows extends PointRows {
  /** Root mean square angle, degrees, between the drawn normals and those of the frames, with the first r components, r = 0 … rank. */
  measure(fit: LowRank): Float64Array;
}

/**
 * The displacements of the rest normals that each frame requires. Normals of a frame are area-weighted over vertices with the same position and rest normal, so that
 * hard edges stay hard.
 * @param problem made with withNormals
 */
export function makeNormalRows(
  clips: readonly Clip[],
  model: SkinnedModel,
  problem: CorrectionProblem,
  rule: NormalRule,
): NormalRows {
  const { pointCount, frameCount, weld, blends } = problem;
  const rest = model.mesh.normals ?? makeRestNormals(model.mesh);
  const wanted = makeWantedNormals(clips, weld);
  const normals = new Float64Array(3 * frameCount);
  const readWanted = (i: number): void => {
    problem.read(i);
    for (let k = 0; k < frameCount; k++)
      for (let a = 0; a < 3; a++) normals[3 * k + a] = wanted[3 * (k * pointCount + i) + a];
  };
  return {
    pointCount,
    frameCount,
    readInto(i, rows) {
      readWanted(i);
      if (rule === 'blend') restDisplacementsInto(blends, normals, rows);
      else for (let k = 0; k < frameCount; k++) turnBack(blends, 9 * k, normals, rows, 3 * k);
      const v = 3 * weld.vertexOfPoint[i];
      for (let k = 0; k < frameCount; k++) {
        const [x, y, z] = [rows[3 * k], rows[3 * k + 1], rows[3 * k + 2]];
        const length = Math.sqrt(x * x + y * y + z * z);
        // where the blend collapses, no rest normal reduces the error
        for (let a = 0; a < 3; a++) rows[3 * k + a] = length > 0 ? rows[3 * k + a] / length - rest[v + a] : 0;
      }
    },
    measure: ({ rank, basis, coefficients }) => {
      const sums = new Float64Array(rank + 1);
      const [n, out] = [new Float64Array(3), new Float64Array(3)];
      for (let i = 0; i < pointCount; i++) {
        readWanted(i);
        const v = 3 * weld.vertexOfPoint[i];
        for (let k = 0; k < frameCount; k++) {
          for (let a = 0; a < 3; a++) n[a] = rest[v + a];
          for (let r = 0; r <= rank; r++) {
            turnNormal(blends, 9 * k, n, out, rule);
            sums[r] += angleBetween(out, normals, 3 * k) ** 2;
            if (r < rank)
              for (let a = 0; a < 3; a++) n[a] += coefficients[k * rank + r] * basis[3 * (i * rank + r) + a];
          }
        }
      }
      return sums.map((sum) => Math.sqrt(sum / Math.max(1, pointCount * frameCount)));
    },
  };
}

/** The basis of normals for given coefficients. */
export function fitNormals(rows: NormalRows, coefficients: Float64Array, rank: number): LowRank {
  const { pointCount, frameCount } = rows;
  const gram = new Float64Array(rank * rank);
  for (let k = 0; k < frameCount; k++)
    for (let r = 0; r < rank; r++)
      for (let s = 0; s <= r; s++) gram[r * rank + s] += coefficients[k * rank + r] * coefficients[k * rank + s];
  let largest = 0;
  for (let r = 0; r < rank; r++) largest = Math.max(largest, gram[r * rank + r]);
  const basis = new Float64Array(3 * rank * pointCount);
  if (!(largest > 0)) return { rank, basis, coefficients };
  factorCholesky(gram, rank, PIVOT_RATIO * largest);
  const own = new Float64Array(3 * frameCount);
  const side = new Float64Array(rank);
  for (let i = 0; i < pointCount; i++) {
    rows.readInto(i, own);
    for (let a = 0; a < 3; a++) {
      side.fill(0);
      for (let k = 0; k < frameCount; k++)
        for (let r = 0; r < rank; r++) side[r] += coefficients[k * rank + r] * own[3 * k + a];
      solveCholesky(gram, rank, side);
      for (let r = 0; r < rank; r++) basis[3 * (i * rank + r) + a] = side[r];
    }
  }
  return { rank, basis, coefficients };
}

/** Normals of all frames at the points of a weld: frameCount x pointCount x 3. */
function makeWantedNormals(clips: readonly Clip[], weld: Weld): Float32Array {
  const { pointCount, vertexOfPoint } = weld;
  const frameCount = clips.reduce((sum, clip) => sum + frameCountOf(clip), 0);
  const out = new Float32Array(3 * frameCount * pointCount);
  const normals = new Float32Array(clips[0].mesh.positions.length);
  let row = 0;
  for (const clip of clips) {
    for (let k = 0; k < frameCountOf(clip); k++, row++) {
      vertexNormalsInto(frameOf(clip, k), clip.mesh.triangles, normals, weld);
      for (let i = 0; i < pointCount; i++)
        for (let a = 0; a < 3; a++) out[3 * (row * pointCount + i) + a] = normals[3 * vertexOfPoint[i] + a];
    }
  }
  return out;
}

/** Fᵀ n. */
function turnBack(f: Float64Array, b: number, n: Float64Array, out: Float64Array, o: number): void {
  for (let a = 0; a < 3; a++)
    out[o + a] = f[b + 3 * a] * n[o] + f[b + 3 * a + 1] * n[o + 1] + f[b + 3 * a + 2] * n[o + 2];
}

/** F n, or the cofactors of F times n with the sign of its determinant: F⁻ᵀn up to its length. */
function turnNormal(f: Float64Array, b: number, n: Float64Array, out: Float64Array, rule: NormalRule): void {
  if (rule === 'blend') {
    for (let a = 0; a < 3; a++) out[a] = f[b + a] * n[0] + f[b + 3 + a] * n[1] + f[b + 6 + a] * n[2];
    return;
  }
  let det = 0;
  for (let a = 0; a < 3; a++) {
    const [p, q] = [(a + 1) % 3, (a + 2) % 3];
    let sum = 0;
    for (let c = 0; c < 3; c++) {
      const [d, e] = [3 * ((c + 1) % 3), 3 * ((c + 2) % 3)];
      const cofactor = f[b + d + p] * f[b + e + q] - f[b + d + q] * f[b + e + p];
      sum += cofactor * n[c];
      if (a === 0) det += cofactor * f[b + 3 * c];
    }
    out[a] = sum;
  }
  if (det < 0) for (let a = 0; a < 3; a++) out[a] = -out[a];
}

function angleBetween(a: Float64Array, b: Float64Array, o: number): number {
  const x = a[1] * b[o + 2] - a[2] * b[o + 1],
    y = a[2] * b[o] - a[0] * b[o + 2],
    z = a[0] * b[o + 1] - a[1] * b[o];
  const dot = a[0] * b[o] + a[1] * b[o + 1] + a[2] * b[o + 2];
  return DEGREES * Math.atan2(Math.sqrt(x * x + y * y + z * z), dot);
}
