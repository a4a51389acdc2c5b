// SPDX-License-Identifier: MIT
import type { Weld } from '../../core/mesh/topology/weld.ts';
import type { SkinnedModel } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import type { SkinCorrection } from '../../core/model/deformed/skin-correction.ts';
import type { LowRank } from './rest-basis.ts';

/**
 * Components in their stored form: coefficients of at most one in size, all numbers rounded to single precision. Components of zero size are dropped.
 */
export function roundComponents({ rank, basis, coefficients }: LowRank): LowRank {
  const sizes = new Float64Array(rank);
  for (let c = 0; c < coefficients.length; c++) sizes[c % rank] = Math.max(sizes[c % rank], Math.abs(coefficients[c]));
  const reaches = new Float64Array(rank);
  for (let c = 0; c < basis.length; c++) {
    const r = Math.floor(c / 3) % rank;
    reaches[r] = Math.max(reaches[r], Math.abs(Math.fround(basis[c] * sizes[r])));
  }
  const kept = [...sizes.keys()].filter((r) => reaches[r] > 0);
  const pointCount = rank > 0 ? basis.length / (3 * rank) : 0;
  const frameCount = rank > 0 ? coefficients.length / rank : 0;
  const outBasis = new Float64Array(3 * kept.length * pointCount);
  const outCoefficients = new Float64Array(kept.length * frameCount);
  kept.forEach((r, n) => {
    for (let i = 0; i < pointCount; i++)
      for (let a = 0; a < 3; a++)
        outBasis[3 * (i * kept.length + n) + a] = Math.fround(basis[3 * (i * rank + r) + a] * sizes[r]);
    for (let k = 0; k < frameCount; k++)
      outCoefficients[k * kept.length + n] = Math.fround(coefficients[k * rank + r] / sizes[r]);
  });
  return { rank: kept.length, basis: outBasis, coefficients: outCoefficients };
}

/** Converts components of points to a correction of vertices, with one track per motion. */
export function packCorrection(
  weld: Weld,
  { rank, basis, coefficients }: LowRank,
  clips: readonly Clip[],
  model: SkinnedModel,
): SkinCorrection {
  const vertexCount = weld.pointOfVertex.length;
  const own = new Float32Array(3 * rank * vertexCount);
  for (let r = 0; r < rank; r++)
    for (let v = 0; v < vertexCount; v++)
      for (let a = 0; a < 3; a++)
        own[3 * (r * vertexCount + v) + a] = basis[3 * (weld.pointOfVertex[v] * rank + r) + a];
  let frame = 0;
  const tracks = clips.map((clip, n) => {
    const end = frame + clip.times.length;
    const values = Float32Array.from(coefficients.subarray(frame * rank, end * rank));
    frame = end;
    return { name: model.motions[n].name, times: clip.times, values, normalValues: new Float32Array(0) };
  });
  return { rank, basis: own, normalRank: 0, tracks };
}
