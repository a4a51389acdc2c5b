// SPDX-License-Identifier: MIT

import type { SkinLight } from '../../core/model/deformed/skin-light.ts';
import { lightInto } from '../../deformers/light/index.ts';
import type { LitMotion } from '../../methods/light/index.ts';

/** The mean light of some poses, for a file without animations: its light has no tracks, so that writers store the mean colours alone. */
export interface MeanLight {
  model: SkinLight;
  /** Frobenius norm of the difference between the mean colours and those of the poses, divided by that of the latter. */
  relativeError: number;
}

/** Makes the mean light of poses. Each motion has its track in the model. */
export function makeMeanLight(model: SkinLight, motions: readonly LitMotion[], vertexCount: number): MeanLight {
  const { rank } = model;
  const sums = new Float64Array(3 * vertexCount);
  const [positions, normals, colors] = [0, 1, 2].map(() => new Float32Array(3 * vertexCount));
  let squares = 0;
  let poseCount = 0;
  for (const [n, { times, frameInto }] of motions.entries())
    for (let k = 0; k < times.length; k++) {
      frameInto(k, positions, normals);
      const { values } = model.tracks[n];
      lightInto({ ...model, colors: undefined }, values.subarray(k * rank, (k + 1) * rank), colors, { normals });
      for (let c = 0; c < colors.length; c++) {
        sums[c] += colors[c];
        squares += colors[c] ** 2;
      }
      poseCount++;
    }
  const mean = Float32Array.from(sums, (sum) => sum / Math.max(1, poseCount));
  // Σ |c - m|² = Σ |c|² - n |m|²
  const kept = sums.reduce((sum, value) => sum + (value * value) / Math.max(1, poseCount), 0);
  const relativeError = squares > 0 ? Math.sqrt(Math.max(0, squares - kept) / squares) : 0;
  return { model: { ...model, mean, tracks: [] }, relativeError };
}
