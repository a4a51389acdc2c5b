// SPDX-License-Identifier: MIT
// T. Mukai, "Sampling-based rig conversion into non-rigid helper bones", I3D 2018, doi:10.1145/3203190. Any skeleton-driven deformer, as a black box, is converted to
// linear blend skinning with helper bones, and controllers that compute the helper bones from the joints.
//
// step                      paper           here
// training poses            §4.2–4.4        sample-poses.ts
// weights of joints         §4.1, Eq. 3–6   HelperFit without helpers (core/kernels/weights/convex-weights.ts)
// helper insertion          §5.2            search-helpers.ts, insert-helpers.ts
// decomposition             §5.1, §5.3      helper-fit.ts
// controllers               §5.4            fit-controller.ts
//
// refinement                none            refine-helpers.ts

import { type Compute, uploadUint32 } from '../../core/kernels/compute.ts';
import { makeRandom } from '../../core/math/random.ts';
import { type Clip, makeTimes } from '../../core/model/clip/clip.ts';
import type { HelperBones, HelperFollow } from '../../core/model/deformed/helper-bones.ts';
import type { SkinBlend } from '../../core/model/deformed/skin-blend.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { RigSource } from '../../core/model/skin/rig-source.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { SolveMonitor } from '../../core/progress/solve-monitor.ts';
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
import {
  type ConvertRigOptions,
  defaultConvertRanges,
  listTurned,
  type SettledConvertOptions,
  settleConvertOptions,
} from './convert-options.ts';
import { fitGoal, type HelperGoal } from './fit-goal.ts';
import { carryBones } from './helpers/carry-bones.ts';
import { dropStillHelpers, type KeptHelpers } from './helpers/drop-still-helpers.ts';
import { dualQuaternionWeights } from './helpers/dual-quaternion-weights.ts';
import { HelperFit, weighTrajectories } from './helpers/helper-fit.ts';
import { listFollowed, narrowProblem } from './helpers/narrow-problem.ts';
import { normalWeights } from './helpers/normal-weights.ts';
import { refineHelpers } from './helpers/refine-helpers.ts';
import { listPointsOff, type SearchedHelpers, searchHelpers } from './helpers/search-helpers.ts';
import { keepOwnSkin } from './keep-own-skin.ts';
import { hopfGrid } from './sample/hopf-grid.ts';
import { listJointRotations } from './sample/joint-rotations.ts';
import { enlargePoses, samplePoses, type TrainingSet } from './sample/sample-poses.ts';
import { SourceProbe } from './sample/source-probe.ts';

/** A rig with helper bones, and facts about the conversion. */
export interface ConvertRigResult {
  /** The converted model. */
  model: HelperBones;
  /** By controller: name and parent of the helper, its controlling joints, the number of terms, and the held-out error of its region (root mean square, file units). */
  helpers: { name: string; parent: string; joints: string[]; terms: number; heldOut: number }[];
  /** Number of evaluations of the source. */
  evaluations: number;
  /** Number of training poses. */
  poses: number;
  /** Joints that can rotate but move no vertex. */
  idle: string[];
  /**
   * Root mean square distance over welded vertices and training poses, file units: with the joints only, and with helpers and their first
   * controllers.
   */
  rmse: { joints: number; helpers: number };
  /** By joint, count x 4: the rotations for random poses. */
  rotations: Float64Array[];
  /** 'stalled': no tried number of helpers meets the maximum error. */
  status: 'converged' | 'stalled' | 'stopped';
  /** With a maximum error: the tried numbers of helpers and their errors. */
  tried: { helpers: number; max: number }[];
}

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

/**
 * Converts a source. Same source, options and seed give the same bytes, for any number of threads.
 * @param goal a maximum error, instead of a number of helpers
 */
export async function convertRig(
  compute: Compute,
  source: RigSource,
  options: ConvertRigOptions = {},
  goal?: HelperGoal,
): Promise<ConvertRigResult> {
  const o = settleConvertOptions(options, source.skeleton);
  if (o.delay === 'auto')
    throw new UsageError(
      'convert',
      "delay 'auto' requires a clip, whose frames show the lag; for a rig without one, give seconds",
    );
  const probe = new SourceProbe(source);
  const monitor = new SolveMonitor(o);
  const rotations = listRotations(source, o);
  monitor.enter('sample', 0, 0.4);
  const set = await samplePoses(probe, rotations, {
    ...{ samples: o.samples, epsilon: o.epsilon, epsilonOf: o.epsilonOf, sampling: o.sampling, seed: o.seed },
    onJoint: (part) => monitor.tick(part),
  });
  if (monitor.isStopped && source.skin)
    return { ...keepOwnSkin(source, source.skin, o.influences), evaluations: probe.evaluations, rotations };
  if (set.frameCount === 0)
    throw new InputError(
      'convert',
      `no joint of "${source.name}" that can rotate moves a vertex; check the weights and the joint ranges`,
    );
  const enlarge = (joints: readonly number[]): Promise<TrainingSet> =>
    enlargePoses(probe, rotations, set, joints, (part) => monitor.tick(part));
  let normals: Float32Array | undefined;
  const solve = (helpers: number, own: SolveMonitor, from?: FittedSet): Promise<FittedSet> =>
    fitSet(compute, source, set, { ...o, helpers }, own, {
      normalsOf: () => (normals ??= probe.listNormals(set.rotations)),
      enlarge: o.sampling === 'importance' ? enlarge : undefined,
      from: from?.search,
    });
  const { search: _search, ...fitted } = goal
    ? await fitGoal(solve, goal, monitor)
    : { ...(await solve(o.helpers, monitor)), tried: [] };
  return { ...fitted, evaluations: probe.evaluations, idle: set.idle.map((j) => source.skeleton.names[j]), rotations };
}

/** The candidate rotations of every joint. */
export function listRotations(source: RigSource, o: Pick<ConvertRigOptions, 'ranges'>): Float64Array[] {
  const grid = hopfGrid(1);
  const ranges = o.ranges ?? defaultConvertRanges(source.skeleton);
  return listTurned(source.skeleton).map((turns, j) =>
    turns ? listJointRotations(grid, ranges[j]) : new Float64Array(0),
  );
}

/** A fit to training poses. */
export interface FittedSet extends Omit<ConvertRigResult, 'evaluations' | 'idle' | 'rotations' | 'tried'> {
  /** The searched helpers, for a fit of more that continues from them. */
  search?: SearchedHelpers;
}

export interface FitSetOptions {
  /** Normals of the source in the training poses, frameCount x vertexCount x 3. */
  normalsOf(): Float32Array;
  /** Adds poses of given joints. */
  enlarge?: (joints: readonly number[]) => Promise<TrainingSet>;
  /** The helpers of a fit of fewer, of the same set and options. */
  from?: SearchedHelpers;
}

/** Fits a model to training poses. */
export async function fitSet(
  compute: Compute,
  source: Pick<RigSource, 'name' | 'mesh' | 'skeleton'>,
  set: TrainingSet,
  o: SettledConvertOptions,
  monitor: SolveMonitor,
  { normalsOf, enlarge, from }: FitSetOptions,
): Promise<FittedSet> {
  const clip: Clip = {
    kind: 'clip',
    name: source.name,
    mesh: source.mesh,
    positions: set.positions,
    times: makeTimes(set.frameCount, 1),
  };
  return compute.scope(async (memory) => {
    const normalized = normalizeClip(memory, clip);
    const points = normalized.trajectories;
    const joints = normalizeBones(normalized, carryBones(set, source.skeleton), source.skeleton.names.length);
    const fitOptions: SkinFitOptions = {
      influences: o.influences,
      transforms: o.transforms,
      ridge: RIDGE,
      sweeps: SWEEPS,
      support: 'exchange',
    };
    const rmseOf = (error: number): number =>
      normalized.size * Math.sqrt(error / (points.vertexCount * set.frameCount));
    monitor.enter('weights', 0.4, 0.5);
    const roots = weighTrajectories(points, set.weights);
    let fit = new HelperFit(memory, points, roots, joints, 0, fitOptions);
    await fit.solveWeights('cold');
    await fit.solveWeights('both');
    const rmse = { joints: rmseOf(fit.error), helpers: rmseOf(fit.error) };
    await monitor.tick(1, fit.eRms);

    const stress = (all: TrainingSet): TrainingSet => stressPoses(all, source.skeleton.names, o.around);
    const isOpen = o.around.length > 0 ? openAround(fit, source.skeleton, o.around) : undefined;
    let learned: LearnedHelpers | undefined;
    let search: SearchedHelpers | undefined;
    if (o.edited) learned = startEdited(o.edited, fit.jointCount);
    else if (o.helpers > 0 && rmse.joints > ROUNDING * normalized.size && !monitor.isStopped) {
      monitor.enter('helpers', 0.5, 0.9);
      const random = makeRandom(o.seed);
      const off = listPointsOff(fit, isOpen, random);
      if (off.length > 0) {
        const followed = listFollowed(fit, source.skeleton, off, set.inputs);
        const problem = narrowProblem(source, normalized, stress(set), off, followed);
        const { jointCount } = fit;
        const found = await memory.scope((own) =>
          searchHelpers(own, problem, jointCount, o, fitOptions, random, monitor, from),
        );
        learned = found?.learned;
        search = found?.search;
      }
    }
    if (learned) {
      // points that are not near the joints of `around` may not use helpers
      const locked =
        isOpen &&
        uploadUint32(
          memory,
          isOpen.map((open) => 1 - open),
        );
      const helped = new HelperFit(memory, points, roots, joints, learned.controllers.length, fitOptions, locked);
      helped.adopt(fit);
      fit = helped;
      predictInto(fit, normalized, source.skeleton, set, learned);
      await fit.solveWeights('both');
      rmse.helpers = rmseOf(fit.error);
      monitor.enter('controllers', 0.9, 1);
      const widen = enlarge && (async (read: readonly number[]) => stress(await enlarge(read)));
      const given = o.edited?.map((one) => one.given);
      const problem = { fit, normalized, source, set: stress(set), enlarge: widen, given };
      learned = await refineHelpers(problem, learned, o, monitor);
      predictInto(fit, normalized, source.skeleton, set, learned);
    }
    if (o.normals > 0) normalWeights(fit, normalized, source.mesh, normalsOf(), o.normals);
    const kept = dropStillHelpers(learned ?? { controllers: [], binds: [], facts: [] }, fit.jointCount);
    // inputs do not carry points
    for (const j of set.inputs ?? []) kept.boneOf[j] = source.skeleton.parents[j];
    // still poses do not depend on the delay
    const follow = set.times ? undefined : listFollows(o.delay, undefined)[0];
    const blend = fitBlend(fit, normalized, source.mesh, normalsOf, o, kept.boneOf);
    const edited = o.edited?.length === kept.controllers.length ? o.edited : undefined;
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
    const status = monitor.isStopped ? 'stopped' : 'converged';
    return { model, helpers, poses: set.frameCount, rmse, status, search };
  });
}

/** Weights for other blending than linear, and for normals. The weights of the fit are restored. */
function fitBlend(
  fit: HelperFit,
  normalized: NormalizedClip,
  mesh: Mesh,
  normalsOf: () => Float32Array,
  { target, normalWeights: isSeparate }: SettledConvertOptions,
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
