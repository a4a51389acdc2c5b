// SPDX-License-Identifier: MIT

import type { HelperBones, HelperController } from '../../../core/model/deformed/helper-bones.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { makeHelperFollower } from '../../../deformers/helper-bones/index.ts';
import { denormalizeBones, type NormalizedClip, normalizeBones } from '../../../fit/skin/index.ts';
import type { HelperFit } from '../helpers/helper-fit.ts';
import type { SolvedHelper } from '../helpers/helper-targets.ts';
import type { TrainingSet } from '../sample/shape-set.ts';
import { type FitControllerOptions, fitController } from './fit-controller.ts';
import type { GivenController } from './given-controller.ts';

export interface LearnedHelpers {
  controllers: (HelperController & { parent: number })[];
  /** By helper, 16 numbers. */
  binds: Float64Array[];
  facts: { parent: number; heldOut: number }[];
}

/** Minimum fraction of the weights of a region for a joint that influences it. Chosen by hand. */
const MIN_SHARE = 0.02;

/**
 * Fits controllers to the helpers of a fit, and replaces the helpers' motions by the output of the controllers in the training poses.
 * @param given fixed parents, and what else is fixed, by helper
 */
export async function learnControllers(
  fit: HelperFit,
  normalized: NormalizedClip,
  skeleton: Skeleton,
  set: TrainingSet,
  o: FitControllerOptions,
  given?: readonly GivenController[],
): Promise<LearnedHelpers> {
  const all = denormalizeBones(normalized, fit.bones.view(), fit.boneCount);
  const learned: LearnedHelpers = { controllers: [], binds: [], facts: [] };
  const squared = new Float64Array(fit.trajectories.vertexCount);
  const count = set.weights.reduce((total, weight) => total + weight, 0);
  for (let h = fit.jointCount; h < fit.boneCount; h++) {
    const sum = fit.squaredWeightsInto(h, squared);
    const own = given?.[h - fit.jointCount];
    const helper = solvedHelperOf(fit, normalized, all, h, { squared, sum }, own?.bind);
    const candidates = own ? [own] : listParents(fit, skeleton, squared, sum, set.inputs).map((parent) => ({ parent }));
    const fitted = await fitController(helper, skeleton, set, candidates, {
      ...o,
      onStep: (ratio) => Promise.resolve(o.onStep?.((h - fit.jointCount + ratio) / fit.helperCount)),
    });
    const { parent, heldOut, coefficients, order, follow } = fitted;
    const joints = Int32Array.from(fitted.joints);
    const reaches = Float64Array.from(fitted.reaches);
    const controller = { bone: h, parent, joints, reaches, order, coefficients };
    learned.controllers.push(follow ? { ...controller, follow } : controller);
    learned.binds.push(helper.bind);
    learned.facts.push({ parent, heldOut: Math.sqrt(heldOut / Math.max(sum * count, 1e-300)) });
  }
  predictInto(fit, normalized, skeleton, set, learned);
  return learned;
}

/**
 * Converts helpers of a narrow problem to joints of the whole skeleton.
 * @param joints by joint of the narrow problem, the joint of the whole skeleton
 */
export function widenLearned(learned: LearnedHelpers, joints: readonly number[], jointCount: number): LearnedHelpers {
  return {
    binds: learned.binds,
    facts: learned.facts.map((fact) => ({ ...fact, parent: joints[fact.parent] })),
    controllers: learned.controllers.map((controller, h) => ({
      ...controller,
      bone: jointCount + h,
      parent: joints[controller.parent],
      joints: controller.joints.map((joint) => joints[joint]),
    })),
  };
}

/** The inverse conversion: joints that are not in the narrow problem become -1. */
export function narrowLearned(learned: LearnedHelpers, joints: readonly number[]): LearnedHelpers {
  const placeOf = (joint: number): number => joints.indexOf(joint);
  return {
    binds: learned.binds,
    facts: learned.facts.map((fact) => ({ ...fact, parent: placeOf(fact.parent) })),
    controllers: learned.controllers.map((controller, h) => ({
      ...controller,
      bone: joints.length + h,
      parent: placeOf(controller.parent),
      joints: controller.joints.map(placeOf),
    })),
  };
}

/** Squared weights of a helper. */
interface HelperRegion {
  /** By point. */
  squared: Float64Array;
  sum: number;
}

/** The helper in file space, with its frame at the center and along the axes of its region. */
function solvedHelperOf(
  fit: HelperFit,
  { size, restCenter }: NormalizedClip,
  all: Float64Array,
  h: number,
  { squared, sum }: HelperRegion,
  given?: Float64Array,
): SolvedHelper {
  const rest = fit.trajectories.rest.view();
  const axes = fit.axes.view().subarray(9 * h, 9 * h + 9);
  const region = sum > 0 ? fit.centerOf(squared, sum) : [0, 0, 0];
  const center = given ? restCenter.map((c, r) => (given[12 + r] - c) / size) : region;
  const bind = new Float64Array(16);
  for (let c = 0; c < 3; c++) {
    for (let r = 0; r < 3; r++) bind[4 * c + r] = axes[3 * c + r];
    bind[12 + c] = size * center[c] + restCenter[c];
  }
  bind[15] = 1;
  const moments: [number, number, number, number] = [sum, 0, 0, 0];
  for (let i = 0; i < squared.length; i++) {
    if (squared[i] === 0) continue;
    for (let c = 0; c < 3; c++) {
      let y = 0;
      for (let r = 0; r < 3; r++) y += axes[3 * c + r] * (rest[3 * i + r] - center[r]);
      moments[1 + c] += squared[i] * (size * y) ** 2;
    }
  }
  const frameCount = fit.trajectories.frameCount;
  const matrices = new Float64Array(16 * frameCount);
  for (let k = 0; k < frameCount; k++) {
    const o = (k * fit.boneCount + h) * 16;
    matrices.set(all.subarray(o, o + 16), 16 * k);
  }
  return { bind, matrices, moments };
}

/** The joints that influence a region, in descending order of weight, with their parents. */
function listParents(
  fit: HelperFit,
  { parents }: Skeleton,
  squared: Float64Array,
  sum: number,
  inputs: readonly number[] = [],
): number[] {
  const share = new Float64Array(fit.jointCount);
  const [ids, weights] = [fit.weights.bones.view(), fit.weights.weights.view()];
  const influences = fit.weights.influences;
  for (let e = 0; e < ids.length; e++) {
    const square = squared[Math.floor(e / influences)];
    if (square > 0 && ids[e] < fit.jointCount) share[ids[e]] += square * weights[e];
  }
  const listed = Array.from(share.keys())
    .filter((j) => share[j] > MIN_SHARE * sum)
    .sort((a, b) => share[b] - share[a] || a - b);
  const all = new Set(listed);
  for (const j of listed) if (parents[j] >= 0) all.add(parents[j]);
  if (all.size === 0) for (let j = 0; j < fit.jointCount; j++) all.add(j);
  for (const j of inputs) all.delete(j);
  return [...all];
}

/** Writes the output of the controllers in the training poses to the bones of the fit. */
export function predictInto(
  fit: HelperFit,
  normalized: NormalizedClip,
  skeleton: Skeleton,
  set: TrainingSet,
  { controllers, binds }: LearnedHelpers,
): void {
  const { boneCount, jointCount } = fit;
  const bindMatrices = new Float64Array(16 * boneCount);
  bindMatrices.set(skeleton.bindMatrices);
  for (const [h, bind] of binds.entries()) bindMatrices.set(bind, 16 * (jointCount + h));
  const model: HelperBones = {
    kind: 'helper-bones',
    mesh: { name: '', positions: new Float32Array(0), triangles: new Uint32Array(0), attributes: [], parts: [] },
    skeleton: {
      names: Array.from({ length: boneCount }, (_, j) => skeleton.names[j] ?? `helper ${j}`),
      parents: Int32Array.from([...skeleton.parents, ...controllers.map(({ parent }) => parent)]),
      bindMatrices,
    },
    skin: { rowStart: new Uint32Array(1), boneIndices: new Uint32Array(0), weights: new Float32Array(0) },
    controllers,
  };
  const evaluator = makeHelperFollower(model);
  const matrices = new Float64Array(set.frameCount * boneCount * 16);
  for (let k = 0; k < set.frameCount; k++) {
    const pose = matrices.subarray(k * boneCount * 16, (k + 1) * boneCount * 16);
    pose.set(set.bones.subarray(k * jointCount * 16, (k + 1) * jointCount * 16));
    const { times } = set;
    evaluator.poseInto(pose, times && k > 0 ? times[k] - times[k - 1] : 0);
    for (const j of set.inputs ?? []) {
      const parent = 16 * skeleton.parents[j];
      pose.copyWithin(16 * j, parent, parent + 16);
    }
  }
  fit.bones.view().set(normalizeBones(normalized, matrices, boneCount));
}
