// SPDX-License-Identifier: MIT
// The skeleton of one body, by any method: converts the clip to solver space, solves, and converts the result to file space.

import type { Compute } from '../../core/kernels/compute.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { makeAdjacency } from '../../core/mesh/topology/adjacency.ts';
import { labelParts } from '../../core/mesh/topology/label-parts.ts';
import { pointTriangles, weldClip } from '../../core/mesh/topology/weld.ts';
import { type Clip, frameCountOf, frameOf } from '../../core/model/clip/clip.ts';
import { InputError } from '../../core/model/errors.ts';
import type { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import { placeBone, RigidPatches } from '../../fit/clusters/index.ts';
import { chooseRest, isRestFrame } from '../../fit/rest/index.ts';
import {
  makeSkinnedModel,
  type NormalizedClip,
  normalizeBones,
  normalizeClip,
  SkinFit,
  type SkinFitOptions,
} from '../../fit/skin/index.ts';
import { measureBlends } from './joints/bone-blends.ts';
import { type JointTree, listJointEdges, makeJointTree, meanOfJoints } from './joints/joint-tree.ts';
import type { JointSolver } from './joints/pair-joints.ts';
import { refineNoisy } from './joints/refine-noisy.ts';
import { findRoot } from './model/find-root.ts';
import { type MultipassProblem, type MultipassSolution, multipass } from './multipass.ts';
import { listInside } from './place/place-inside.ts';
import { singlePass } from './published/single-pass.ts';
import { chooseFrames } from './search/choose-frames.ts';
import { coarsenPoints } from './search/coarsen-points.ts';
import { extendFrames } from './search/extend-frames.ts';
import { extendPoints } from './search/extend-points.ts';
import { type StartBones, startClusters } from './search/start-clusters.ts';
import { takeFrames } from './search/take-frames.ts';
import type { Decomposer, SKELETON_DEFAULTS, SolvedBody } from './skeleton-options.ts';
import { findMirror } from './symmetry/find-mirror.ts';
import { poseSymmetric } from './symmetry/pose-symmetric.ts';

/** Maximum RMSE, relative to the size, of a body that moves rigidly and needs no joints; also the maximum displacement of a static body. */
const RIGID = 1e-4;
/** …and, for a clip with noise, the maximum squared error of a rigid body relative to the noise. Chosen by hand. */
const MAX_NOISE = 1.3;
/** Minimum number of points per initial bone if the number of bones is not given. Chosen by hand. */
const POINTS_PER_BONE = 12;
/** If the number of bones is not given: maximum number of frames for everything that seeks the structure. Chosen on four rigs (bird, fox, snake, spider). */
const SEARCH_FRAMES = 48;
/** …and their number in a clip with noise, which more frames average out. */
const NOISY_FRAMES = 96;
/** Initial clusters of a rig, relative to the number of bones to start from: some clusters are blends of bones. */
const CLUSTERS = 4 / 3;
/** …and of points: a denser mesh is coarsened, to the number of cells. On five rigs and ten generated creatures, 600 to 1000 cells find as many joints. */
const SEARCH_POINTS = 2000;
const SEARCH_CELLS = 800;
/** …and the effort of its decomposition, of which bones are then removed. On horse-gallop, samba, cat-poses, camel-poses, horse-collapse and two generated clips, 0.4 to 1 give bones and errors alike, and 0.4 takes half of the time. */
const DENSE_EFFORT = 0.5;
/** Noise of a built rest shape relative to that of a frame: 0.27 to 0.45 for the clips of docs/benchmarks/noise.md. */
const REST_NOISE = 0.4;
const RIDGE = 1e-9;
const SWEEPS = 2;

export type SolveOptions = typeof SKELETON_DEFAULTS;

/** Solves one body with the given number of bones; 0: the number is found from the motion. */
export async function solveBody(
  compute: Compute,
  clip: Clip,
  bones: number,
  decomposer: Decomposer,
  options: SolveOptions,
  monitor: SolveMonitor,
): Promise<SolvedBody> {
  const solved = await compute.scope((memory) => solve(memory, clip, { bones, decomposer, options, monitor }));
  if (!solved) throw new InputError('skeleton', 'starts must be at least 1');
  return solved;
}

interface BodyProblem {
  bones: number;
  decomposer: Decomposer;
  options: SolveOptions;
  monitor: SolveMonitor;
  /** Whether the rest pose was chosen among the frames. */
  isChosen?: boolean;
}

/** Returns undefined if the rest pose was chosen and clusters do not explain the motion from it. */
async function solve(compute: Compute, clip: Clip, problem: BodyProblem): Promise<SolvedBody | undefined> {
  const { bones, decomposer, options, monitor, isChosen = false } = problem;
  const normalized = normalizeClip(compute, clip);
  const { trajectories } = normalized;
  // a pose that was chosen may be a small one, such as a bird with folded wings
  const size = (isChosen ? measureLargest(clip) : measureBounds(clip.mesh.positions).diagonal) / normalized.size;
  const noise = (options.noise / normalized.size) ** 2;
  const rigid = await fitRigid(compute, normalized, options);
  const limit = trajectories.vertexCount * trajectories.frameCount * ((RIGID * size) ** 2 + MAX_NOISE * 3 * noise);
  if (rigid.error <= limit || trajectories.vertexCount < 2) {
    const tree = makeJointTree(1, [], 0);
    const body = await describeBody(clip, normalized, rigid, tree);
    return { ...body, isRigid: true, isStill: isStill(clip), status: 'converged', passes: 0, iterations: 0 };
  }
  const triangles = pointTriangles(clip.mesh.triangles, normalized.weld);
  const parts = labelParts(trajectories.vertexCount, triangles);
  if (parts.some((part) => part > 0)) trajectories.parts = parts;
  const isFree = bones === 0;
  const room = Math.max(2, Math.floor(trajectories.vertexCount / POINTS_PER_BONE));
  const wanted = isFree ? Math.min(options.overestimate, room) : Math.min(bones, trajectories.vertexCount);
  // extending the frames would solve poses again
  const frames = chooseFrames(
    trajectories,
    isFree && !options.asPublished ? (noise > 0 ? NOISY_FRAMES : SEARCH_FRAMES) : trajectories.frameCount,
  );
  const isPart = frames.length < trajectories.frameCount;
  const searched = isPart ? takeFrames(compute, clip, normalized, frames) : { clip, normalized };
  const strict: MultipassProblem['strict'] = {
    iterations: options.iterations,
    tolerance: options.tolerance,
    jointSolver: jointSolverOf(options),
    size,
    tidy: options.tidy,
    reuse: isFree,
    noise,
    inside: listInside(trajectories, triangles, size),
    anywhere: options.anywhere,
    asPublished: options.asPublished,
  };
  const fitOptions = fitOptionsOf(options);
  let solution: MultipassSolution | undefined;
  if (options.method === 'multipass') {
    const all = searched.normalized.trajectories;
    const isDense = isFree && trajectories.vertexCount > SEARCH_POINTS;
    const coarse = isDense
      ? coarsenPoints(compute, all, triangles, SEARCH_CELLS, noise > 0)
      : { trajectories: all, triangles, noise: 1 };
    const adjacency = makeAdjacency(coarse.trajectories.vertexCount, coarse.triangles);
    const own = { ...strict, noise: noise * coarse.noise };
    const decompose = async (n: number): Promise<StartBones> => {
      const { boneCount, matrices } = await decomposer(searched.clip, wanted, n, isDense ? DENSE_EFFORT : 1);
      return { boneCount, bones: normalizeBones(searched.normalized, matrices, boneCount) };
    };
    const clusters =
      isFree && options.prune === 'cost'
        ? await startClusters(
            ...([compute, coarse.trajectories, coarse.triangles] as const),
            ...([
              Math.min(Math.ceil(CLUSTERS * options.overestimate), 2 * room),
              size,
              fitOptions,
              monitor,
              own.noise,
            ] as const),
          )
        : undefined;
    if (isFree && options.prune === 'cost' && !clusters) {
      if (isChosen) return undefined;
      // the first frame of a clip without a rest pose may be a bad one
      const other = isRestFrame(clip)
        ? await solve(compute, withChosenRest(clip), { ...problem, isChosen: true })
        : undefined;
      if (other) return other;
    }
    for (let n = 0; n < options.starts && !(n > 0 && monitor.isStopped); n++) {
      const start = (n === 0 ? clusters : undefined) ?? (await decompose(n));
      const fit = new SkinFit(compute, coarse.trajectories, start.boneCount, fitOptions);
      fit.bones.view().set(start.bones);
      const isRig = start === clusters && noise === 0;
      const next = await multipass({ fit, adjacency, isFree, isDense, strict: { ...own, isRig }, options, monitor });
      if (!solution || next.fit.error < solution.fit.error) solution = next;
    }
    if (solution && isDense) {
      monitor.enter('all points', 0.95, 0.97);
      solution = { ...(await extendPoints(compute, solution, all, monitor)), passes: solution.passes };
    }
  } else {
    solution = await singlePass({
      ...{ ...searched, compute, triangles, wanted, isFree, decomposer, strict, options, monitor, fitOptions },
    });
  }
  if (!solution) return undefined;
  if (isPart) {
    monitor.enter('all frames', 0.95, 1);
    solution = { ...(await extendFrames(compute, solution, trajectories, monitor)), passes: solution.passes };
  }
  if (noise > 0) {
    monitor.enter('refine', 0.97, 1);
    if (options.isRestBuilt) await makeSymmetric(solution, triangles, options.noise / normalized.size);
    await refineNoisy(solution, makeAdjacency(trajectories.vertexCount, triangles), noise, strict, monitor);
  }
  const root = findRoot(solution.fit, solution.tree, triangles);
  const tree = makeJointTree(solution.tree.boneCount, listJointEdges(solution.tree), root);
  const body = await describeBody(clip, normalized, solution.fit, tree, noise > 0 || isChosen);
  return {
    ...body,
    boneCountBefore: wanted,
    passes: solution.passes,
    iterations: solution.iterations,
    outsideBefore: solution.outsideBefore,
    outside: solution.outside,
    status: monitor.isStopped ? 'stopped' : solution.status,
  };
}

/** Poses a solution symmetrically if its body is symmetric. The rest shape has less noise than a frame. */
async function makeSymmetric(solution: MultipassSolution, triangles: Uint32Array, noise: number): Promise<void> {
  const { compute, trajectories } = solution.fit;
  const mirror = await findMirror(compute, trajectories.rest.view().slice(), triangles, REST_NOISE * noise);
  if (mirror) poseSymmetric(solution, mirror);
}

/** Options of the alternating solve of weights and bones. */
export function fitOptionsOf({ influences }: SolveOptions): SkinFitOptions {
  return { influences, transforms: 'rigid', ridge: RIDGE, sweeps: SWEEPS, support: 'exchange' };
}

/** The solver of each paper: the pseudo-inverse for Schaefer and Yuksel, soft for the others. */
function jointSolverOf({ jointSolver, method }: SolveOptions): JointSolver {
  if (jointSolver !== 'auto') return jointSolver;
  return method === 'schaefer' ? 'pseudo-inverse' : 'soft';
}

/** One rigid bone for all points. */
async function fitRigid(compute: Compute, { trajectories }: NormalizedClip, options: SolveOptions): Promise<SkinFit> {
  const fit = new SkinFit(compute, trajectories, 1, fitOptionsOf(options));
  const motion = new Float64Array(12 * trajectories.frameCount);
  const all = Uint32Array.from({ length: trajectories.vertexCount }, (_, i) => i);
  new RigidPatches(trajectories).fitInto(all, motion, 0, 1);
  placeBone(motion, 0, 1, fit.bones.view(), 0, 1);
  await fit.solveWeights('cold');
  return fit;
}

/** A clip whose rest pose is the frame that is least distorted against the others. */
function withChosenRest(clip: Clip): Clip {
  const positions = frameOf(clip, chooseRest(clip, weldClip(clip).vertexOfPoint)).slice();
  return { ...clip, mesh: { ...clip.mesh, positions } };
}

/** The largest box diagonal of a frame. */
function measureLargest(clip: Clip): number {
  let largest = 0;
  for (let k = 0; k < frameCountOf(clip); k++) largest = Math.max(largest, measureBounds(frameOf(clip, k)).diagonal);
  return largest;
}

/** Whether every frame is the rest pose. */
function isStill({ mesh, positions }: Clip): boolean {
  const limit = RIGID * measureBounds(mesh.positions).diagonal;
  const stride = mesh.positions.length;
  for (let e = 0; e < positions.length; e++) {
    if (Math.abs(positions[e] - mesh.positions[e % stride]) > limit) return false;
  }
  return true;
}

/** The position of a root, which the motion does not determine: the mean of its joints, as for the hips of a rig; with fewer than two joints, the center of its points. */
function placeRoot(tree: JointTree, centroids: Float64Array, root: number): ArrayLike<number> {
  const count = tree.parents.reduce((sum, p) => sum + Number(p === root), 0);
  return count > 1 ? meanOfJoints(tree, root) : centroids.subarray(3 * root, 3 * root + 3);
}

/** A solved fit and its tree in file space. */
export async function describeBody(
  clip: Clip,
  normalized: NormalizedClip,
  fit: SkinFit,
  tree: JointTree,
  newRest = false,
): Promise<SolvedBody> {
  const { trajectories, boneCount } = fit;
  await fit.measureMoments();
  const { centroids } = measureBlends(fit);
  const { skin, motions, mesh } = makeSkinnedModel(clip, normalized, fit, newRest);
  const joints = new Float64Array(3 * boneCount);
  for (let j = 0; j < boneCount; j++) {
    const from = tree.parents[j] < 0 ? placeRoot(tree, centroids, j) : tree.joints.subarray(3 * j, 3 * j + 3);
    for (let r = 0; r < 3; r++) joints[3 * j + r] = from[r] * normalized.size + normalized.restCenter[r];
  }
  return {
    boneCount,
    parents: tree.parents,
    joints,
    matrices: motions[0].matrices,
    skin,
    ...(newRest ? { rest: mesh.positions } : {}),
    error: fit.error * normalized.size ** 2,
    samples: trajectories.vertexCount * trajectories.frameCount,
    boneCountBefore: boneCount,
    passes: 0,
    iterations: 0,
    outsideBefore: 0,
    outside: 0,
    status: 'converged',
    isRigid: false,
    isStill: false,
  };
}
