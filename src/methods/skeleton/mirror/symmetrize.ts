// SPDX-License-Identifier: MIT
// A symmetric skeleton where the rest pose is symmetric. The search of a structure treats left and right alike only by chance: noise of the fit decides which of two equal joints is missing. Here weights are averaged with their
// images, bones without a partner get one, the tree is made of orbits, bones are removed in pairs, and joints of a pair share their unknowns:
//
// pair-bones.ts      which bones are images of each other
// mirror-bones.ts    bones and weights
// mirror-tree.ts     the tree
// contract-pairs.ts  removal in pairs
// share-joints.ts    joints
//
// A skeleton each of whose joints is near the image of another one is kept: joints and weights are better without the constraint. Adding mirrored frames to the search instead ends with more bones, and with less precision. On bodies that no bones explain, bones overlap with no image; then, and if the error rises much, the given skeleton is kept.

import { findMirrorPlane, type MirrorPlane } from '../../../core/mesh/geometry/find-mirror-plane.ts';
import { type FitState, SkinFit } from '../../../fit/skin/index.ts';
import { measureJointSymmetry } from '../../../measure/index.ts';
import { type JointTree, listJointEdges, makeJointTree } from '../joints/joint-tree.ts';
import { invisibleError, reconnect } from '../joints/release-joints.ts';
import { makeStrictFit, type SolveStrictOptions, type StrictSolution } from '../joints/solve-strict.ts';
import type { StrictFit } from '../joints/strict-fit.ts';
import { listOutside } from '../place/place-inside.ts';
import { contractPairs, type MirroredTree } from './contract-pairs.ts';
import { type MirroredFit, mirrorBones } from './mirror-bones.ts';
import { mirrorTree } from './mirror-tree.ts';
import { pairBones } from './pair-bones.ts';
import { shareJoints } from './share-joints.ts';

/** Maximum mean distance of the rest pose from its image, relative to the size. */
const SYMMETRIC = 0.015;
/** Maximum part of the weights of bones without a partner: 16 rigs have at most 0.047, a soft cow 0.31. */
const MAX_LONE = 0.1;
/** The symmetric skeleton is kept if its squared error is below this multiple of the given one, or its RMSE below this ratio of the size. */
const MAX_RISE = 4;
const UNSEEN = 2e-4;
/** Factors on the cost of joints of the present tree. */
const PREFERENCES = [0.1, 1];
/** Iterations before bones are removed, after that, and between rounds in which joints are shared. */
const FIRST_ITERATIONS = 10;
const ITERATIONS = 20;
const ROUNDS = 4;
const ROUND_ITERATIONS = 3;
/** Iterations at the end, with held joints, and Gauss-Newton steps of poses in each. */
const HELD_ITERATIONS = 5;
const STEPS = 2;

/** What became of a skeleton. */
export interface Symmetrized {
  solution: StrictSolution;
  /** boneCount: the image of each bone; absent if the skeleton was kept as it is */
  partners?: Int32Array;
}

/** Makes a skeleton symmetric, or returns the given one. */
export async function symmetrize(
  given: StrictSolution,
  triangles: Uint32Array,
  options: SolveStrictOptions,
): Promise<Symmetrized> {
  const plane = findMirrorPlane(given.fit.trajectories.rest.view(), triangles);
  if (!plane || !(plane.error < SYMMETRIC) || given.fit.boneCount < 3) return { solution: given };
  if (measureJointSymmetry(listJoints(given.tree), plane, options.size) === 1) return { solution: given };
  const pairs = pairBones(given.fit, plane);
  if (pairs.lonePart > MAX_LONE || options.monitor.isStopped) return { solution: given };
  const mirrored = await mirrorBones(given.fit, pairs);
  let skeleton = await chooseTree(mirrored, given, plane, options);
  if (!skeleton) return { solution: given };
  for (let next = await contractPairs(skeleton, options); next; next = await contractPairs(skeleton, options))
    skeleton = keepTrial(skeleton, next);
  if (skeleton.tree.released) {
    const { fit, tree, partners } = skeleton;
    skeleton = { ...skeleton, tree: await reconnect(fit, tree, partners, invisibleError(fit, options.size), options) };
  }
  await settle(skeleton, plane, options);
  const { fit, tree, partners } = skeleton;
  const { vertexCount, frameCount } = fit.trajectories;
  const unseen = vertexCount * frameCount * (UNSEEN * options.size) ** 2;
  if (!(fit.error <= Math.max(MAX_RISE * given.fit.error, unseen))) return { solution: given };
  const outside = listOutside(tree, options.inside.winding).length;
  return { solution: { ...given, fit, tree, outside }, partners };
}

/** The joints of all bones but the root. */
function listJoints({ joints, parents }: JointTree): Float64Array {
  return joints.filter((_, o) => parents[Math.floor(o / 3)] >= 0);
}

/** The better of two symmetric trees: one that prefers joints of the present tree, which was improved with connected joints, and one by the free bones alone, since the present one may be wrong on one side. */
async function chooseTree(
  mirrored: MirroredFit,
  given: StrictSolution,
  plane: MirrorPlane,
  options: SolveStrictOptions,
): Promise<MirroredTree | undefined> {
  const { fit, partners } = mirrored;
  const start = fit.save();
  const root = findMiddleRoot(partners, given.tree.order[0]);
  let best: { tree: JointTree; state: FitState } | undefined;
  const tried = new Set<string>();
  for (const preference of PREFERENCES) {
    fit.restore(start);
    await fit.measureMoments();
    const edges = mirrorTree(fit, listJointEdges(given.tree), preference, {
      ...{ partners, plane, size: options.size },
    });
    const key = String(edges?.map(({ a, b }) => `${Math.min(a, b)} ${Math.max(a, b)}`).sort());
    if (!edges || tried.has(key)) continue;
    tried.add(key);
    const tree = makeJointTree(fit.boneCount, edges, root);
    await iterate({ ...mirrored, tree }, FIRST_ITERATIONS, options);
    if (!best || fit.error < best.state.error) best = { tree, state: fit.save() };
  }
  if (!best) return undefined;
  fit.restore(best.state);
  return { ...mirrored, tree: best.tree };
}

/** A bone in the middle, the present root if it is one. */
function findMiddleRoot(partners: Int32Array, root: number): number {
  if (partners[root] === root) return root;
  const middle = partners.findIndex((b, a) => a === b);
  return middle < 0 ? root : middle;
}

function iterate({ fit, tree }: MirroredTree, iterations: number, options: SolveStrictOptions): Promise<void> {
  return fit.compute.scope(async (memory) => {
    const strict = makeStrictFit(memory, fit, tree, options);
    await strict.measure();
    await strict.pose(STEPS);
    await fit.solveWeights('warm');
    await strict.alternate(iterations, () => options.monitor.tick(0.5, fit.eRms));
  });
}

function keepTrial(
  { fit, partners, isLone }: MirroredTree,
  { trial, kept }: NonNullable<Awaited<ReturnType<typeof contractPairs>>>,
): MirroredTree {
  const next = new SkinFit(fit.compute, fit.trajectories, trial.boneCount, fit.options);
  next.restore(trial.state);
  const places = new Int32Array(partners.length).fill(-1);
  kept.forEach((j, n) => {
    places[j] = n;
  });
  return {
    fit: next,
    tree: trial.tree,
    partners: Int32Array.from(kept, (j) => places[partners[j]]),
    isLone: Uint8Array.from(kept, (j) => isLone[j]),
  };
}

/** The last iterations. They end with shared joints, and poses and weights for these. */
function settle({ fit, tree, partners }: MirroredTree, plane: MirrorPlane, options: SolveStrictOptions): Promise<void> {
  return fit.compute.scope(async (memory) => {
    const strict = makeStrictFit(memory, fit, tree, options);
    await strict.measure();
    await strict.pose(STEPS);
    await fit.solveWeights('warm');
    await strict.alternate(ITERATIONS, () => options.monitor.tick(0.5, fit.eRms));
    for (let round = 0; round < ROUNDS; round++) {
      await share(strict, partners, plane);
      await hold(strict, 1);
      strict.dropHistory();
      if (round + 1 < ROUNDS) await strict.alternate(ROUND_ITERATIONS, () => options.monitor.tick(0.5, fit.eRms));
    }
    await hold(strict, HELD_ITERATIONS);
  });
}

async function share(strict: StrictFit, partners: Int32Array, plane: MirrorPlane): Promise<void> {
  await strict.solveJoints(await strict.measure());
  shareJoints(strict.tree, strict.springs.blocks, partners, plane);
}

/** Poses and weights for the present joints. */
async function hold(strict: StrictFit, iterations: number): Promise<void> {
  for (let n = 0; n < iterations; n++) {
    await strict.measure();
    await strict.pose(STEPS);
    await strict.fit.solveWeights('warm');
  }
}
