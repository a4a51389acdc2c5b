// SPDX-License-Identifier: MIT
// D. L. James and C. D. Twigg, "Skinning mesh animations", SIGGRAPH 2005, §5 on given bones: influences by Eq. 5 and weights by Eq. 7 to 10, one vertex at a time.

import type { Compute } from '../../../core/kernels/compute.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { boneCountOfMotion } from '../../../core/model/clip/motion.ts';
import { InputError, UsageError } from '../../../core/model/errors.ts';
import { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { makeSkinnedModel, normalizeBones, normalizeClip, SkinFit } from '../../../fit/skin/index.ts';
import type { GivenParts } from '../given-parts.ts';
import { checkGiven } from '../ssdr/fit-given.ts';
import { type SmaOptions, type SmaSettings, settleSmaOptions } from './options.ts';
import { checkSmaClip, type SmaResult } from './sma.ts';
import { chooseInfluences, solveVertexWeights } from './vertex-weights.ts';

/** Solves the weights of given bones. Throws unless the parts have a motion, and unless weights are not negative: others need more bones than are given. */
export async function smaGiven(
  compute: Compute,
  clip: Clip,
  given: GivenParts,
  options: SmaOptions = {},
): Promise<SmaResult> {
  return solveGivenBones(compute, clip, given, settleSmaOptions(options));
}

/** The same with all options. */
export async function solveGivenBones(
  compute: Compute,
  clip: Clip,
  given: GivenParts,
  o: SmaSettings,
): Promise<SmaResult> {
  checkSmaClip(clip);
  const { motion, skeleton } = given;
  if (!motion) throw new InputError('sma', 'weights alone are given; sma keeps bones with their motion');
  if (o.weightsBy !== 'nnls')
    throw new UsageError('sma', `weightsBy ${o.weightsBy} adds bones for negative weights; use nnls with given bones`);
  const boneCount = boneCountOfMotion(motion);
  checkGiven(clip, given, boneCount);
  const monitor = new SolveMonitor(o);
  return compute.scope(async (memory) => {
    const normalized = normalizeClip(memory, clip);
    const points = normalized.trajectories;
    const influences = Math.min(o.influences, boneCount);
    const fitOptions = { influences, transforms: o.transforms, ridge: 0, sweeps: 1, support: 'exchange' } as const;
    const fit = new SkinFit(memory, points, boneCount, fitOptions);
    fit.bones.view().set(normalizeBones(normalized, motion.matrices, boneCount));
    monitor.enter('weights', 0, 1);
    await monitor.tick(0);
    const chosen = await chooseInfluences(memory, points, fit.bones, boneCount, fit.products, influences);
    const bones = fit.bones.view().slice();
    const solved = solveVertexWeights(points, bones, boneCount, chosen, o.weightsBy, o.negativity);
    fit.weights.bones.view().set(solved.bones);
    fit.weights.weights.view().set(solved.weights);
    fit.error = solved.error;
    await monitor.tick(1, fit.eRms);
    const model = makeSkinnedModel(clip, normalized, fit, false);
    return {
      model: { ...model, skeleton: skeleton ?? model.skeleton },
      eRms: fit.eRms,
      status: monitor.isStopped ? 'stopped' : 'converged',
      epsilon: o.epsilon,
      // no triangles are clustered
      eta: 1,
      bonesFound: boneCount,
      minWeight: solved.weights.reduce((min, w) => Math.min(min, w), 1),
      maxWeight: solved.weights.reduce((max, w) => Math.max(max, w), 0),
      unsureRotations: 0,
      degenerateTriangles: 0,
    };
  });
}
