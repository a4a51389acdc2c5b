// SPDX-License-Identifier: MIT
import type { RigSource } from '../../core/model/skin/rig-source.ts';
import { makeSkin, type Skin } from '../../core/model/skin/skin.ts';
import type { ConvertRigResult } from './helper-input.ts';

/**
 * The result of a conversion that was stopped before every joint was sampled. Weights cannot be solved then; the largest weights of the source skin
 * are used.
 */
export function keepOwnSkin(
  { mesh, skeleton }: RigSource,
  { rowStart, boneIndices, weights }: Skin,
  influences: number,
): Omit<ConvertRigResult, 'evaluations' | 'rotations'> {
  const vertexCount = rowStart.length - 1;
  const ids = new Uint32Array(vertexCount * influences);
  const largest = new Float64Array(vertexCount * influences);
  for (let i = 0; i < vertexCount; i++) {
    const end = Math.min(rowStart[i] + influences, rowStart[i + 1]);
    ids.set(boneIndices.subarray(rowStart[i], end), i * influences);
    largest.set(weights.subarray(rowStart[i], end), i * influences);
  }
  return {
    model: { kind: 'helper-bones', mesh, skeleton, skin: makeSkin(ids, largest, influences), controllers: [] },
    ...{ helpers: [], poses: 0, idle: [], status: 'stopped', tried: [] },
    rmse: { joints: Number.NaN, helpers: Number.NaN },
  };
}
