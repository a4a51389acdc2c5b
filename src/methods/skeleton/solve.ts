// SPDX-License-Identifier: MIT
// Extracts the skeleton of a clip: each body is solved by the chosen method, and all are joined into one model with a root per body.

import type { Compute } from '../../core/kernels/compute.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { cutClip } from '../../core/mesh/topology/cut-clip.ts';
import { type Clip, frameCountOf } from '../../core/model/clip/clip.ts';
import { InputError } from '../../core/model/errors.ts';
import { allRead, type Solve } from '../../core/options/method.ts';
import { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import { listBodies } from './body/list-bodies.ts';
import { type BodyOptions, type BodyProblem, fitOptionsOf } from './body/normalize-body.ts';
import { solveBody } from './body/solve-body.ts';
import type { SolvedBody } from './body/solved-body.ts';
import { solveGiven } from './given/solve-given.ts';
import { chooseRoot } from './model/choose-root.ts';
import { type BodyOfClip, listSliding, makeSkeletonModel } from './model/make-skeleton-model.ts';
import type { JointSolver, SKELETON_OPTIONS, SkeletonMethod, SkeletonValues } from './options.ts';
import type { SkeletonInput } from './skeleton-input.ts';
import type { SkeletonResult } from './skeleton-result.ts';

/** Extracts a skeleton. Same clip, options and seed give the same bytes for any number of threads. */
export const solve: Solve<typeof SKELETON_OPTIONS, SkeletonInput, SkeletonResult> = async (run, input, settings) => {
  const {
    method,
    bones = 0,
    influences,
    root,
    endJoints,
    tidy,
    asPublished,
    anywhere,
    asymmetric,
    joints,
    ...search
  } = settings;
  const { prune, starts, overestimate, smoothness, passes, iterations, tolerance, jointSolver, time, ...rest } = search;
  allRead(rest);
  const { clip, hierarchy } = input;
  checkClip(clip);
  const { signal } = run;
  const monitor = new SolveMonitor({ signal, time, onProgress: (info) => run.onProgress?.(info) });
  const options: BodyOptions = {
    ...{
      method,
      fit: fitOptionsOf(influences),
      multipass: { prune, overestimate, smoothness, passes, sliding: joints },
      starts,
      asymmetric,
    },
    joints: { iterations, tolerance, jointSolver: jointSolverOf(method, jointSolver), tidy, anywhere, asPublished },
  };
  const problem = { input, bones, options, monitor };
  const bodies = hierarchy
    ? [{ vertices: listVertices(clip), solved: await solveGiven(run.compute, { ...problem, clip, hierarchy }) }]
    : await solveBodies(run.compute, problem);
  return makeResult(input, bodies, { root, endJoints });
};

function checkClip(clip: Clip): void {
  if (frameCountOf(clip) < 1) throw new InputError('skeleton', 'the clip has no frames');
  if (clip.mesh.positions.length === 0) throw new InputError('skeleton', 'the mesh has no vertices');
}

/** The solver of each paper: the pseudo-inverse for Schaefer and Yuksel, soft for the others. */
function jointSolverOf(method: SkeletonMethod, jointSolver: SkeletonValues['jointSolver']): JointSolver {
  if (jointSolver !== 'auto') return jointSolver;
  return method === 'schaefer' ? 'pseudo-inverse' : 'soft';
}

function listVertices({ mesh }: Clip): Uint32Array {
  return Uint32Array.from({ length: mesh.positions.length / 3 }, (_, i) => i);
}

interface ClipProblem extends Omit<BodyProblem, 'clip'> {
  input: SkeletonInput;
}

/** Solves every body of a clip. */
async function solveBodies(compute: Compute, problem: ClipProblem): Promise<BodyOfClip[]> {
  const { clip, noise } = problem.input;
  const parts = listBodies(clip, measureBounds(clip.mesh.positions).diagonal, noise);
  const shares = shareBones(parts, problem.bones);
  const bodies: BodyOfClip[] = [];
  for (const [n, vertices] of parts.entries()) {
    const own = parts.length === 1 ? clip : cutClip(clip, vertices);
    bodies.push({ vertices, solved: await solveBody(compute, { ...problem, clip: own, bones: shares[n] }) });
  }
  return bodies;
}

/** Joins the bodies to a model, with the chosen root. */
function makeResult(
  { clip, hierarchy }: SkeletonInput,
  bodies: BodyOfClip[],
  { root, endJoints }: Pick<SkeletonValues, 'root' | 'endJoints'>,
): SkeletonResult {
  const options = { endJoints, names: hierarchy?.names };
  const shown = withRest(clip, bodies);
  let model = makeSkeletonModel(shown, bodies, options);
  if (root !== undefined && !hierarchy) {
    chooseRoot(model.skeleton, bodies, root);
    model = makeSkeletonModel(shown, bodies, options);
  }
  const sliding = listSliding(model.skeleton, bodies);
  return { model, sliding, ...sumUp(bodies, measureBounds(clip.mesh.positions).diagonal) };
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

function sumUp(bodies: readonly BodyOfClip[], diagonal: number): Omit<SkeletonResult, 'model' | 'sliding'> {
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
