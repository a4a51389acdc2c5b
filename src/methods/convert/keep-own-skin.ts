// SPDX-License-Identifier: MIT
import type { RigSource } from '../../core/model/skin/rig-source.ts';
import { makeSkin, type Skin } from '../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../deformers/linear-blend/index.ts';
import type { ConvertRigResult } from './helper-input.ts';
import type { TrainingSet } from './sample/sample-poses.ts';

/**
 * Root mean square distance of a skin from its source in training poses, file units. A skin that reproduces its source is kept: other weights may agree with it while
 * joints only rotate, and not where an animation moves or stretches them.
 */
export function measureOwnSkin({ mesh, skeleton }: RigSource, skin: Skin, set: TrainingSet): number {
  const deformer = makeLinearBlend(mesh, skin, skeleton.names.length);
  const stride = mesh.positions.length;
  const found = new Float32Array(stride);
  let sum = 0;
  for (let k = 0; k < set.frameCount; k++) {
    const size = 16 * deformer.boneCount;
    deformer.deformInto({ bones: set.bones.subarray(k * size, (k + 1) * size) }, found);
    for (let c = 0; c < stride; c++) sum += (found[c] - set.positions[k * stride + c]) ** 2;
  }
  return Math.sqrt((3 * sum) / Math.max(1, set.frameCount * stride));
}

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
