// SPDX-License-Identifier: MIT
// The skeleton of one body, by any method, in steps over one state:
//
// open       normalize-body.ts   solver space, and whether the body needs joints at all
//            open-search.ts      what is sought, and on which frames
// start      start-clusters.ts   clusters, a decomposition, or clusters from another rest pose
// search     multipass.ts        bones and joints, on some frames and points; or single-pass.ts
// extend     extend-points.ts, extend-frames.ts
// refine     refine-noisy.ts     of clips with noise
// describe   describe-body.ts    file space

import type { Compute } from '../../../core/kernels/compute.ts';
import { makeAdjacency } from '../../../core/mesh/topology/adjacency.ts';
import { weldClip } from '../../../core/mesh/topology/weld.ts';
import { type Clip, frameOf } from '../../../core/model/clip/clip.ts';
import { chooseRest, isRestFrame } from '../../../fit/rest/index.ts';
import { listJointEdges, makeJointTree } from '../joints/joint-tree.ts';
import { refineNoisy } from '../joints/refine-noisy.ts';
import { describeBody } from '../model/describe-body.ts';
import { findRoot } from '../model/find-root.ts';
import { singlePass } from '../published/single-pass.ts';
import { extendFrames } from '../search/extend-frames.ts';
import { type BoneSearch, openSearch } from '../search/open-search.ts';
import { openPasses, searchFrom, startFromClusters } from '../search/search-passes.ts';
import { findMirror } from '../symmetry/find-mirror.ts';
import { poseSymmetric } from '../symmetry/pose-symmetric.ts';
import type { MultipassSolution } from './multipass.ts';
import { type BodyProblem, normalizeBody, type OpenBody, solveRigid } from './normalize-body.ts';
import type { SolvedBody } from './solved-body.ts';

/** Noise of a built rest shape relative to that of a frame: 0.27 to 0.45 for the clips of docs/benchmarks/noise.md. */
const REST_NOISE = 0.4;

/** Solves one body. */
export function solveBody(compute: Compute, problem: BodyProblem): Promise<SolvedBody> {
  return compute.scope(async (memory) => {
    const body = normalizeBody(memory, problem);
    return (await solveRigid(body)) ?? solveMoving(body);
  });
}

async function solveMoving(body: OpenBody): Promise<SolvedBody> {
  const search = openSearch(body);
  const { method, multipass } = body.options;
  if (method !== 'multipass') return finish(search, await singlePass(search));
  const passes = openPasses(search);
  const wantsClusters = search.isFree && multipass.prune === 'cost';
  const clusters = wantsClusters ? await startFromClusters(passes) : undefined;
  // the first frame of a clip without a rest pose may be a bad one
  const other = wantsClusters && !clusters && isRestFrame(body.clip) ? await solveFromOtherRest(body) : undefined;
  return other ?? finish(search, await searchFrom(passes, clusters));
}

/** Solves a body from the frame that is least distorted against the others; undefined if clusters do not explain the motion from it. */
async function solveFromOtherRest(first: OpenBody): Promise<SolvedBody | undefined> {
  const body = normalizeBody(first.compute, { ...first, clip: withChosenRest(first.clip) }, true);
  const rigid = await solveRigid(body);
  if (rigid) return rigid;
  const search = openSearch(body);
  const passes = openPasses(search);
  const clusters = await startFromClusters(passes);
  return clusters && finish(search, await searchFrom(passes, clusters));
}

/** A clip whose rest pose is the frame that is least distorted against the others. */
function withChosenRest(clip: Clip): Clip {
  const positions = frameOf(clip, chooseRest(clip, weldClip(clip).vertexOfPoint)).slice();
  return { ...clip, mesh: { ...clip.mesh, positions } };
}

/** From a skeleton on some frames to a body. */
async function finish(search: BoneSearch, found: MultipassSolution): Promise<SolvedBody> {
  const { clip, normalized, noise, isChosen, monitor, triangles } = search;
  const solution = await extend(search, found);
  if (noise > 0) await refine(search, solution);
  const root = findRoot(solution.fit, solution.tree, triangles);
  const tree = makeJointTree(solution.tree.boneCount, listJointEdges(solution.tree), root);
  const body = await describeBody(clip, normalized, solution.fit, tree, noise > 0 || isChosen);
  const { passes, iterations, outsideBefore, outside, status } = solution;
  return {
    ...{ ...body, boneCountBefore: search.wanted, passes, iterations, outsideBefore, outside },
    status: monitor.isStopped ? 'stopped' : status,
  };
}

/** The skeleton on all frames. */
async function extend(search: BoneSearch, solution: MultipassSolution): Promise<MultipassSolution> {
  const { compute, monitor, isPart, normalized } = search;
  if (!isPart) return solution;
  monitor.enter('all frames', 0.95, 1);
  const extended = await extendFrames(compute, solution, normalized.trajectories, monitor);
  return { ...extended, passes: solution.passes };
}

/** The rest shape, joints, poses and weights of a clip with noise, in place. */
async function refine(search: BoneSearch, solution: MultipassSolution): Promise<void> {
  const { monitor, input, noise, normalized, triangles, strict } = search;
  monitor.enter('refine', 0.97, 1);
  if (input.isRestBuilt) await makeSymmetric(solution, triangles, input.noise / normalized.size);
  const adjacency = makeAdjacency(normalized.trajectories.vertexCount, triangles);
  await refineNoisy(solution, adjacency, noise, strict, monitor);
}

/** Poses a solution symmetrically if its body is symmetric. The rest shape has less noise than a frame. */
async function makeSymmetric(solution: MultipassSolution, triangles: Uint32Array, noise: number): Promise<void> {
  const { compute, trajectories } = solution.fit;
  const mirror = await findMirror(compute, trajectories.rest.view().slice(), triangles, REST_NOISE * noise);
  if (mirror) poseSymmetric(solution, mirror);
}
