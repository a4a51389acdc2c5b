// SPDX-License-Identifier: MIT
// A given topology: names, parents and initial joints are input, and weights, poses and joint positions are solved. Every point is initially bound to the bone
// with the nearest segment (from its joint to its children's; at the end of a chain, an extension of the same length); springs hold joints near their given positions.

import type { Compute } from '../../../core/kernels/compute.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { pointTriangles } from '../../../core/mesh/topology/weld.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { placeBone, RigidPatches } from '../../../fit/clusters/index.ts';
import { assignLabels, normalizeClip, SkinFit } from '../../../fit/skin/index.ts';
import type { BodyOptions } from '../body/normalize-body.ts';
import type { SolvedBody } from '../body/solved-body.ts';
import { type JointEdge, type JointTree, makeJointTree } from '../joints/joint-tree.ts';
import { solveStrict } from '../joints/solve-strict.ts';
import { describeBody } from '../model/describe-body.ts';
import { listInside } from '../place/place-inside.ts';
import type { GivenHierarchy } from '../skeleton-input.ts';

export interface GivenProblem {
  clip: Clip;
  hierarchy: GivenHierarchy;
  options: Pick<BodyOptions, 'fit' | 'joints'>;
  monitor: SolveMonitor;
}

/** Solves a clip for a given topology. */
export async function solveGiven(compute: Compute, problem: GivenProblem): Promise<SolvedBody> {
  const root = checkHierarchy(problem.hierarchy);
  return compute.scope((memory) => solve(memory, problem, root));
}

async function solve(
  compute: Compute,
  { clip, hierarchy, options, monitor }: GivenProblem,
  root: number,
): Promise<SolvedBody> {
  const normalized = normalizeClip(compute, clip);
  const { trajectories } = normalized;
  const size = measureBounds(clip.mesh.positions).diagonal / normalized.size;
  const joints = hierarchy.positions.map((x, e) => (x - normalized.restCenter[e % 3]) / normalized.size);
  const tree = makeGivenTree(hierarchy, joints, root);
  const fit = new SkinFit(compute, trajectories, hierarchy.parents.length, options.fit);
  await startNearest(fit, hierarchy, joints);
  monitor.enter('strict joints', 0.1, 1);
  const triangles = pointTriangles(clip.mesh.triangles, normalized.weld);
  const solution = await solveStrict(fit, {
    ...{ ...options.joints, jointSolver: 'soft', asPublished: false },
    ...{ size, inside: listInside(trajectories, triangles, size), tree, hold: true, monitor },
  });
  const body = await describeBody(clip, normalized, fit, tree);
  // the motion does not determine the position of the root
  body.joints.set(hierarchy.positions.subarray(3 * root, 3 * root + 3), 3 * root);
  const { iterations, outside, outsideBefore, status } = solution;
  return { ...body, iterations, outside, outsideBefore, status: monitor.isStopped ? 'stopped' : status };
}

function makeGivenTree({ parents }: GivenHierarchy, joints: Float64Array, root: number): JointTree {
  const edges: JointEdge[] = [];
  for (let b = 0; b < parents.length; b++) {
    if (parents[b] >= 0) edges.push({ a: parents[b], b, joint: [joints[3 * b], joints[3 * b + 1], joints[3 * b + 2]] });
  }
  return makeJointTree(parents.length, edges, root);
}

/** Binds every point to the bone with the nearest segment, and solves bones and weights. */
async function startNearest(fit: SkinFit, { parents }: GivenHierarchy, joints: Float64Array): Promise<void> {
  const { trajectories, boneCount } = fit;
  const labels = labelNearest(trajectories.rest.view(), parents, joints);
  // bones without points move with the whole body
  const motion = new Float64Array(12 * trajectories.frameCount);
  new RigidPatches(trajectories).fitInto(Uint32Array.from(labels.keys()), motion, 0, 1);
  for (let j = 0; j < boneCount; j++) placeBone(motion, 0, 1, fit.bones.view(), j, boneCount);
  assignLabels(fit.weights, labels);
  await fit.solveBones(1);
  await fit.solveWeights('cold');
}

/** The root; throws unless there is at least one bone and exactly one root. */
function checkHierarchy({ names, parents, positions }: GivenHierarchy): number {
  if (names.length === 0) throw new InputError('skeleton', 'the given hierarchy has no bones');
  if (parents.length !== names.length || positions.length !== 3 * names.length)
    throw new InputError(
      'skeleton',
      `the given hierarchy has ${names.length} names, ${parents.length} parents and ${positions.length / 3} positions; the numbers must be equal`,
    );
  const roots = Array.from(parents.keys()).filter((j) => parents[j] < 0);
  if (roots.length !== 1)
    throw new InputError(
      'skeleton',
      `the given hierarchy has ${roots.length} roots (${roots
        .slice(0, 4)
        .map((j) => names[j])
        .join(', ')}); it must have one`,
    );
  parents.forEach((p, j) => {
    if (p >= j) throw new InputError('skeleton', `the parent of "${names[j]}" must come before it`);
  });
  if (!positions.every(Number.isFinite))
    throw new InputError('skeleton', 'a joint position of the given hierarchy is not finite');
  return roots[0];
}

/** By point: the bone with the nearest segment; ties by index. */
function labelNearest(rest: Float64Array, parents: Int32Array, joints: Float64Array): Uint32Array {
  const segments: { bone: number; from: number[]; to: number[] }[] = [];
  const at = (j: number): number[] => [...joints.subarray(3 * j, 3 * j + 3)];
  for (let j = 0; j < parents.length; j++) {
    const children = Array.from(parents.keys()).filter((c) => parents[c] === j);
    for (const child of children) segments.push({ bone: j, from: at(j), to: at(child) });
    if (children.length > 0) continue;
    const up = parents[j] < 0 ? at(j) : at(parents[j]);
    segments.push({ bone: j, from: at(j), to: at(j).map((x, r) => 2 * x - up[r]) });
  }
  return Uint32Array.from({ length: rest.length / 3 }, (_, i) => {
    let best = 0;
    let closest = Number.POSITIVE_INFINITY;
    for (const { bone, from, to } of segments) {
      let along = 0;
      let square = 0;
      for (let r = 0; r < 3; r++) {
        along += (rest[3 * i + r] - from[r]) * (to[r] - from[r]);
        square += (to[r] - from[r]) ** 2;
      }
      const t = square > 0 ? Math.max(0, Math.min(1, along / square)) : 0;
      let away = 0;
      for (let r = 0; r < 3; r++) away += (rest[3 * i + r] - from[r] - t * (to[r] - from[r])) ** 2;
      if (away < closest) {
        closest = away;
        best = bone;
      }
    }
    return best;
  });
}
