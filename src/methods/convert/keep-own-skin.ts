// SPDX-License-Identifier: MIT
import type { Compute } from '../../core/kernels/compute.ts';
import type { RigSource } from '../../core/model/skin/rig-source.ts';
import { makeSkin, type Skin } from '../../core/model/skin/skin.ts';
import { makeLinearBlend, PoseEvaluator } from '../../deformers/linear-blend/index.ts';
import type { ConvertRigResult } from './helper-input.ts';
import type { TrainingSet } from './sample/shape-set.ts';

/** Poses that are evaluated at once. */
const BATCH = 32;

/**
 * Root mean square distance of a skin from its source in training poses, file units. A skin that reproduces its source is kept: other weights may agree with it while
 * joints only rotate, and not where an animation moves or stretches them.
 */
export function measureOwnSkin(
  compute: Compute,
  { mesh, skeleton }: RigSource,
  skin: Skin,
  set: TrainingSet,
): Promise<number> {
  const stride = mesh.positions.length;
  const size = 16 * skeleton.names.length;
  return compute.scope(async (memory) => {
    const evaluator = new PoseEvaluator(memory, makeLinearBlend(mesh, skin, skeleton.names.length));
    const found = memory.float32(BATCH * stride);
    let sum = 0;
    for (let first = 0; first < set.frameCount; first += BATCH) {
      const count = Math.min(BATCH, set.frameCount - first);
      await evaluator.evaluateInto(set.bones.subarray(first * size, (first + count) * size), count, found);
      const view = found.view();
      const truth = set.positions.subarray(first * stride, (first + count) * stride);
      for (let c = 0; c < truth.length; c++) sum += (view[c] - truth[c]) ** 2;
    }
    return Math.sqrt((3 * sum) / Math.max(1, set.frameCount * stride));
  });
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
