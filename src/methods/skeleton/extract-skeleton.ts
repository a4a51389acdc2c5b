// SPDX-License-Identifier: MIT
// Extracts the skeleton of a clip: each body is solved by the chosen method, and all are joined into one model with a root per body.

import type { Compute } from '../../core/kernels/compute.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { cutClip } from '../../core/mesh/topology/cut-clip.ts';
import type { SkinnedModel } from '../../core/model/asset.ts';
import { type Clip, frameCountOf } from '../../core/model/clip/clip.ts';
import { dropUndefined } from '../../core/model/drop-undefined.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import { solveGiven } from './given/solve-given.ts';
import { JOINT_SOLVERS } from './joints/pair-joints.ts';
import { listBodies } from './list-bodies.ts';
import { chooseRoot } from './model/choose-root.ts';
import { type BodyOfClip, makeSkeletonModel } from './model/make-skeleton-model.ts';
import {
  type Decomposer,
  PRUNE_RULES,
  SKELETON_DEFAULTS,
  SKELETON_METHODS,
  type SkeletonOptions,
  type SolvedBody,
} from './skeleton-options.ts';
import { solveBody } from './solve-body.ts';

/** A skeleton with its skin and motion, and facts about the solve. */
export interface SkeletonResult {
  /** The skinned model. */
  model: SkinnedModel;
  /** RMSE of the solver in percent of the box diagonal; welded points, all frames. */
  rmsePercent: number;
  /** Number of bodies. */
  bodies: number;
  /** Number of bodies without joints, which move rigidly or not at all. */
  rigidBodies: number;
  /** Number of bodies that do not move. */
  stillBodies: number;
  /** Number of bones before pruning. */
  bonesBefore: number;
  /** Number of joints. */
  joints: number;
  /** Number of joints outside the body before they were moved inside. */
  outsideBefore: number;
  /** Number of joints outside the body. */
  outside: number;
  /** Number of passes with soft joints. */
  passes: number;
  /** Number of iterations with exact joints. */
  iterations: number;
  /** Why the solve ended. */
  status: SolvedBody['status'];
}

/** Extracts a skeleton. Same clip, options and seed give the same bytes for any number of threads. */
export async function extractSkeleton(
  compute: Compute,
  clip: Clip,
  decomposer: Decomposer,
  options: SkeletonOptions = {},
): Promise<SkeletonResult> {
  const o = { ...SKELETON_DEFAULTS, ...dropUndefined(options) };
  checkOptions(clip, o);
  const monitor = new SolveMonitor(o);
  const { diagonal } = measureBounds(clip.mesh.positions);
  const bodies: BodyOfClip[] = [];
  if (o.hierarchy) {
    const vertices = Uint32Array.from({ length: clip.mesh.positions.length / 3 }, (_, i) => i);
    bodies.push({ vertices, solved: await solveGiven(compute, clip, o.hierarchy, o, monitor) });
  } else {
    const parts = listBodies(clip, diagonal, o.noise);
    const shares = shareBones(parts, o.bones);
    for (const [n, vertices] of parts.entries()) {
      const own = parts.length === 1 ? clip : cutClip(clip, vertices);
      bodies.push({ vertices, solved: await solveBody(compute, own, shares[n], decomposer, o, monitor) });
    }
  }
  const modelOptions = { endJoints: o.endJoints, names: o.hierarchy?.names };
  const shown = withRest(clip, bodies);
  let model = makeSkeletonModel(shown, bodies, modelOptions);
  if (o.root !== undefined && !o.hierarchy) {
    chooseRoot(model.skeleton, bodies, o.root);
    model = makeSkeletonModel(shown, bodies, modelOptions);
  }
  return { model, ...sumUp(bodies, diagonal) };
}

/** The clip with the corrected rest shapes of its bodies, if there are any. */
function withRest(clip: Clip, bodies: readonly BodyOfClip[]): Clip {
  if (bodies.every(({ solved }) => !solved.rest)) return clip;
  const positions = clip.mesh.positions.slice();
  for (const { vertices, solved } of bodies)
    vertices.forEach((v, n) => {
      if (solved.rest) positions.set(solved.rest.subarray(3 * n, 3 * n + 3), 3 * v);
    });
  return { ...clip, mesh: { ...clip.mesh, positions } };
}

function sumUp(bodies: readonly BodyOfClip[], diagonal: number): Omit<SkeletonResult, 'model'> {
  const solved = bodies.map((body) => body.solved);
  const sum = (of: (one: SolvedBody) => number): number => solved.reduce((total, one) => total + of(one), 0);
  const error = Math.sqrt(
    sum((one) => one.error) /
      Math.max(
        1,
        sum((one) => one.samples),
      ),
  );
  const statuses = solved.map((one) => one.status);
  return {
    rmsePercent: diagonal > 0 ? (100 * error) / diagonal : 0,
    bodies: solved.length,
    rigidBodies: sum((one) => Number(one.isRigid)),
    stillBodies: sum((one) => Number(one.isStill)),
    bonesBefore: sum((one) => one.boneCountBefore),
    joints: sum((one) => one.boneCount - 1),
    outsideBefore: sum((one) => one.outsideBefore),
    outside: sum((one) => one.outside),
    passes: Math.max(...solved.map((one) => one.passes)),
    iterations: sum((one) => one.iterations),
    status:
      statuses.find((one) => one === 'stopped') ?? statuses.find((one) => one === 'max-iterations') ?? 'converged',
  };
}

/** Bones of each body: in proportion to its vertices, at least one; 0 if the number is to be found. */
function shareBones(parts: readonly Uint32Array[], bones: number): number[] {
  if (bones === 0) return parts.map(() => 0);
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const shares = parts.map((part) => Math.max(1, Math.floor((bones * part.length) / total)));
  // the difference goes to the largest body, which comes first
  shares[0] = Math.max(1, bones - shares.slice(1).reduce((sum, share) => sum + share, 0));
  return shares;
}

function checkOptions(clip: Clip, o: typeof SKELETON_DEFAULTS): void {
  const whole = (name: string, value: number, min: number): void => {
    if (!Number.isInteger(value) || value < min)
      throw new UsageError('skeleton', `${name} must be a whole number, at least ${min}, got ${value}`);
  };
  if (frameCountOf(clip) < 1) throw new InputError('skeleton', 'the clip has no frames');
  if (clip.mesh.positions.length === 0) throw new InputError('skeleton', 'the mesh has no vertices');
  whole('bones', o.bones, 0);
  whole('influences', o.influences, 1);
  whole('starts', o.starts, 1);
  whole('overestimate', o.overestimate, 1);
  whole('passes', o.passes, 0);
  whole('iterations', o.iterations, 0);
  if (!SKELETON_METHODS.includes(o.method))
    throw new UsageError('skeleton', `method must be ${SKELETON_METHODS.join(', ')}, got ${o.method}`);
  if (o.asPublished && o.method === 'multipass')
    throw new UsageError('skeleton', 'asPublished requires a method that solves once: schaefer, deaguiar or hasler');
  if (!PRUNE_RULES.includes(o.prune))
    throw new UsageError('skeleton', `prune must be ${PRUNE_RULES.join(' or ')}, got ${o.prune}`);
  if (o.jointSolver !== 'auto' && !JOINT_SOLVERS.includes(o.jointSolver))
    throw new UsageError('skeleton', `jointSolver must be auto, ${JOINT_SOLVERS.join(' or ')}, got ${o.jointSolver}`);
  if (!(o.tolerance >= 0)) throw new UsageError('skeleton', `tolerance must not be negative, got ${o.tolerance}`);
  if (!(o.smoothness >= 0)) throw new UsageError('skeleton', `smoothness must not be negative, got ${o.smoothness}`);
}
