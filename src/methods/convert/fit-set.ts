// SPDX-License-Identifier: MIT
// The fit of a skin, helper bones and controllers to training poses: those of a rig, or the frames of a clip.

import { uploadUint32 } from '../../core/kernels/compute.ts';
import { makeRandom } from '../../core/math/random.ts';
import { type Clip, makeTimes } from '../../core/model/clip/clip.ts';
import type { HelperBones, HelperFollow } from '../../core/model/deformed/helper-bones.ts';
import type { SkinBlend } from '../../core/model/deformed/skin-blend.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { RigSource } from '../../core/model/skin/rig-source.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import {
  makeFitSkin,
  type NormalizedClip,
  normalizeBones,
  normalizeClip,
  type SkinFitOptions,
} from '../../fit/skin/index.ts';
import type { EditedHelper } from './controllers/given-controller.ts';
import { type LearnedHelpers, predictInto } from './controllers/learn-controllers.ts';
import { listFollows } from './controllers/list-follows.ts';
import type { ConvertRigResult, ConvertRun, FitSettings } from './helper-input.ts';
import { carryBones } from './helpers/carry-bones.ts';
import { dropStillHelpers, type KeptHelpers } from './helpers/drop-still-helpers.ts';
import { dualQuaternionWeights } from './helpers/dual-quaternion-weights.ts';
import { HelperFit, weighTrajectories } from './helpers/helper-fit.ts';
import { listFollowed, narrowProblem } from './helpers/narrow-problem.ts';
import { normalWeights } from './helpers/normal-weights.ts';
import { refineHelpers } from './helpers/refine-helpers.ts';
import { listPointsOff, type SearchedHelpers, searchHelpers } from './helpers/search-helpers.ts';
import { HELPERS } from './options.ts';
import type { TrainingSet } from './sample/shape-set.ts';

/** Ridge of the weight solve: only guards against singular systems. */
const RIDGE = 1e-9;
/** Points with more than this weight on a joint, and on bones that do not rotate with it, are near the joint. Chosen by hand. */
const AROUND_WEIGHT = 0.02;
/** Factor on the weight of poses of the joints named by `around`. Chosen by hand. */
const STRESS = 30;
/** Root mean square error relative to the size that is due to single precision. */
const ROUNDING = 1e-6;
/** Sweeps over helpers per iteration. */
const SWEEPS = 2;

/** Training poses, and what else of their source a fit needs. */
export interface FitProblem {
  source: Pick<RigSource, 'name' | 'mesh' | 'skeleton'>;
  set: TrainingSet;
  edited?: readonly EditedHelper[];
  /** Normals of the source in the training poses, frameCount x vertexCount x 3. */
  normalsOf(): Float32Array;
  /** Adds poses of given joints. */
  enlarge?: (joints: readonly number[]) => Promise<TrainingSet>;
}

/** A fit to training poses. */
export interface FittedSet extends Omit<ConvertRigResult, 'evaluations' | 'idle' | 'rotations' | 'tried'> {
  /** The searched helpers, for a fit of more that continues from them. */
  search?: SearchedHelpers;
}

/** A fit in progress. */
interface Fitting {
  problem: FitProblem;
  options: FitSettings;
  normalized: NormalizedClip;
  joints: Float64Array;
  roots: Float64Array;
  fitOptions: SkinFitOptions;
  /** Points that may use helpers, if not all. */
  isOpen?: Uint8Array;
  /** The training poses, in which those of the joints of `around` have more weight. */
  stressed: TrainingSet;
}

/**
 * Fits a model to training poses.
 * @param from the helpers of a fit of fewer, of the same problem and options
 */
export async function fitSet(
  { compute, monitor }: ConvertRun,
  problem: FitProblem,
  options: FitSettings,
  from?: SearchedHelpers,
): Promise<FittedSet> {
  return compute.scope(async (memory) => {
    const run = { compute: memory, monitor };
    const { fitting, fit: joints } = await fitJoints(run, problem, options);
    const rmseOf = ({ error }: HelperFit): number => {
      const { size, trajectories } = fitting.normalized;
      return size * Math.sqrt(error / (trajectories.vertexCount * problem.set.frameCount));
    };
    const rmse = { joints: rmseOf(joints), helpers: rmseOf(joints) };
    await monitor.tick(1, joints.eRms);
    const found = await findHelpers(run, fitting, joints, rmse.joints, from);
    let [fit, learned] = [joints, found?.learned];
    if (learned) {
      fit = await addHelpers(run, fitting, joints, learned);
      rmse.helpers = rmseOf(fit);
      learned = await refine(run, fitting, fit, learned);
    }
    const { normals } = options;
    if (normals > 0) normalWeights(fit, fitting.normalized, problem.source.mesh, problem.normalsOf(), normals);
    const kept = dropStillHelpers(learned ?? { controllers: [], binds: [], facts: [] }, fit.jointCount);
    const status = monitor.isStopped ? 'stopped' : 'converged';
    return { ...describeFit(fitting, fit, kept), poses: problem.set.frameCount, rmse, status, search: found?.search };
  });
}

/** Weights of the joints, without helpers. */
async function fitJoints({ compute, monitor }: ConvertRun, problem: FitProblem, options: FitSettings) {
  const { source, set } = problem;
  const clip: Clip = {
    kind: 'clip',
    name: source.name,
    mesh: source.mesh,
    positions: set.positions,
    times: makeTimes(set.frameCount, 1),
  };
  const normalized = normalizeClip(compute, clip);
  const joints = normalizeBones(normalized, carryBones(set, source.skeleton), source.skeleton.names.length);
  const { influences, transforms, around } = options;
  const fitOptions: SkinFitOptions = { influences, transforms, ridge: RIDGE, sweeps: SWEEPS, support: 'exchange' };
  monitor.enter('weights', 0.4, 0.5);
  const roots = weighTrajectories(normalized.trajectories, set.weights);
  const fit = new HelperFit(compute, normalized.trajectories, { roots, joints, helperCount: 0 }, fitOptions);
  await fit.solveWeights('cold');
  await fit.solveWeights('both');
  const fitting: Fitting = {
    ...{ problem, options, normalized, joints, roots, fitOptions },
    isOpen: around.length > 0 ? openAround(fit, source.skeleton, around) : undefined,
    stressed: stressPoses(set, source.skeleton.names, around),
  };
  return { fitting, fit };
}

/** The helpers from which the fit starts: edited ones, or those that are searched. */
async function findHelpers(
  { compute, monitor }: ConvertRun,
  { problem: { source, set, edited }, options, normalized, fitOptions, isOpen, stressed }: Fitting,
  fit: HelperFit,
  rmse: number,
  from: SearchedHelpers | undefined,
): Promise<{ learned: LearnedHelpers; search?: SearchedHelpers } | undefined> {
  const { helpers = HELPERS, seed } = options;
  // an edit can remove all helpers
  if (edited) return edited.length === 0 ? undefined : { learned: startEdited(edited, fit.jointCount) };
  if (helpers === 0 || !(rmse > ROUNDING * normalized.size) || monitor.isStopped) return undefined;
  monitor.enter('helpers', 0.5, 0.9);
  const random = makeRandom(seed);
  const off = listPointsOff(fit, isOpen, random);
  if (off.length === 0) return undefined;
  const followed = listFollowed(fit, source.skeleton, off, set.inputs);
  const problem = narrowProblem(source, normalized, stressed, off, followed);
  return compute.scope((own) =>
    searchHelpers(
      { compute: own, monitor },
      problem,
      { ...options, helpers, fitOptions, random },
      fit.jointCount,
      from,
    ),
  );
}

/** Weights with helpers that are moved by their first controllers. */
async function addHelpers(
  { compute }: ConvertRun,
  { problem: { source, set }, normalized, joints, roots, fitOptions, isOpen }: Fitting,
  fit: HelperFit,
  learned: LearnedHelpers,
): Promise<HelperFit> {
  // points that are not near the joints of `around` may not use helpers
  const locked =
    isOpen &&
    uploadUint32(
      compute,
      isOpen.map((open) => 1 - open),
    );
  const count = learned.controllers.length;
  const helped = new HelperFit(
    compute,
    normalized.trajectories,
    { roots, joints, helperCount: count },
    fitOptions,
    locked,
  );
  helped.adopt(fit);
  predictInto(helped, normalized, source.skeleton, set, learned);
  await helped.solveWeights('both');
  return helped;
}

/** Fits weights, helpers and controllers to each other. */
async function refine(
  { monitor }: ConvertRun,
  { problem: { source, set, edited, enlarge }, options, normalized, stressed }: Fitting,
  fit: HelperFit,
  first: LearnedHelpers,
): Promise<LearnedHelpers> {
  monitor.enter('controllers', 0.9, 1);
  const { names } = source.skeleton;
  const widen = enlarge && (async (read: readonly number[]) => stressPoses(await enlarge(read), names, options.around));
  const given = edited?.map((one) => one.given);
  const problem = { fit, normalized, source, set: stressed, enlarge: widen, given };
  const learned = await refineHelpers(problem, first, options, monitor);
  predictInto(fit, normalized, source.skeleton, set, learned);
  return learned;
}

/** The model, and facts about its helpers. */
function describeFit(
  { problem, options, normalized }: Fitting,
  fit: HelperFit,
  kept: KeptHelpers,
): Pick<ConvertRigResult, 'model' | 'helpers'> {
  const { source, set, normalsOf } = problem;
  // inputs do not carry points
  for (const j of set.inputs ?? []) kept.boneOf[j] = source.skeleton.parents[j];
  // still poses do not depend on the delay
  const follow = set.times ? undefined : listFollows(options.delay, undefined)[0];
  const blend = fitBlend(fit, normalized, source.mesh, normalsOf, options, kept.boneOf);
  const edited = problem.edited?.length === kept.controllers.length ? problem.edited : undefined;
  const plain: HelperBones = makeModel(source, normalized, fit, kept, (h) => ({
    name: edited?.[h].name,
    follow: edited?.[h].given.follow ?? follow,
  }));
  const model = blend ? { ...plain, blend } : plain;
  const helpers = kept.facts.map((fact, h) => ({
    name: model.skeleton.names[fit.jointCount + h],
    parent: model.skeleton.names[fact.parent],
    joints: [...model.controllers[h].joints].map((j) => model.skeleton.names[j]),
    terms: model.controllers[h].coefficients.reduce((count, value) => count + Number(value !== 0), 0),
    heldOut: fact.heldOut,
  }));
  return { model, helpers };
}

/** Weights for other blending than linear, and for normals. The weights of the fit are restored. */
function fitBlend(
  fit: HelperFit,
  normalized: NormalizedClip,
  mesh: Mesh,
  normalsOf: () => Float32Array,
  { target, normalWeights: isSeparate }: FitSettings,
  boneOf: Int32Array,
): SkinBlend | undefined {
  if (target === 'linear' && !isSeparate) return undefined;
  const [ids, weights] = [fit.weights.bones.view(), fit.weights.weights.view()];
  const [plainIds, plainWeights] = [ids.slice(), weights.slice()];
  const solve = (change: () => void): Skin => {
    change();
    const skin = makeFitSkin(normalized.weld, fit.weights, boneOf);
    ids.set(plainIds);
    weights.set(plainWeights);
    return skin;
  };
  return {
    blend: target,
    ...(target === 'linear' ? {} : { skin: solve(() => dualQuaternionWeights(fit, normalized, mesh)) }),
    ...(isSeparate ? { normalSkin: solve(() => normalWeights(fit, normalized, mesh, normalsOf(), 1, true)) } : {}),
  };
}

/** The helpers from which a fit with edits starts. */
function startEdited(edited: readonly EditedHelper[], jointCount: number): LearnedHelpers {
  return {
    controllers: edited.map(({ start, given }, h) => ({ ...start, bone: jointCount + h, parent: given.parent })),
    binds: edited.map(({ given }) => given.bind),
    facts: edited.map(({ given }) => ({ parent: given.parent, heldOut: 0 })),
  };
}

/** Increases the weight of poses that rotate given joints. */
function stressPoses(set: TrainingSet, names: readonly string[], around: readonly string[]): TrainingSet {
  if (around.length === 0) return set;
  const isWanted = names.map((name) => around.includes(name));
  return { ...set, weights: set.weights.map((weight, k) => (isWanted[set.moved[k]] ? STRESS * weight : weight)) };
}

/** Points that are bound to one of the given joints and to bones that do not rotate with it: the surface bends there when the joint rotates. */
function openAround(fit: HelperFit, { names, parents }: Skeleton, around: readonly string[]): Uint8Array {
  const [ids, weights] = [fit.weights.bones.view(), fit.weights.weights.view()];
  const influences = fit.weights.influences;
  const isOpen = new Uint8Array(fit.trajectories.vertexCount);
  for (const name of around) {
    const joint = names.indexOf(name);
    const turns = new Uint8Array(names.length);
    for (let j = joint; j < names.length; j++) turns[j] = Number(j === joint || (parents[j] >= 0 && turns[parents[j]]));
    for (let i = 0; i < isOpen.length; i++) {
      let [own, others] = [0, 0];
      for (let e = i * influences; e < (i + 1) * influences; e++) {
        if (ids[e] === joint) own += weights[e];
        if (!turns[ids[e]]) others += weights[e];
      }
      if (own > AROUND_WEIGHT && others > AROUND_WEIGHT) isOpen[i] = 1;
    }
  }
  return isOpen;
}

function makeModel(
  source: Pick<RigSource, 'mesh' | 'skeleton'>,
  normalized: NormalizedClip,
  fit: HelperFit,
  { controllers, binds, boneOf }: KeptHelpers,
  settingsOf: (h: number) => { name?: string; follow?: HelperFollow },
): HelperBones {
  const { skeleton, mesh } = source;
  const names = [...skeleton.names];
  const parents = [...skeleton.parents];
  const bindMatrices = new Float64Array(16 * (fit.jointCount + controllers.length));
  bindMatrices.set(skeleton.bindMatrices);
  controllers.forEach(({ bone, parent }, h) => {
    let name = settingsOf(h).name ?? `${skeleton.names[parent]} helper ${h + 1}`;
    while (names.includes(name)) name += "'";
    names.push(name);
    parents.push(parent);
    bindMatrices.set(binds[h], 16 * bone);
  });
  return {
    kind: 'helper-bones',
    mesh,
    skeleton: { names, parents: Int32Array.from(parents), bindMatrices },
    skin: makeFitSkin(normalized.weld, fit.weights, boneOf),
    controllers: controllers.map(({ parent: _parent, ...own }, h) => {
      const { follow = settingsOf(h).follow, ...rest } = own;
      return follow ? { ...rest, follow } : rest;
    }),
  };
}
