// SPDX-License-Identifier: MIT
// From free bones with weights to a skeleton in its strict form: the tree and first joints (Eq. 21, 23), poses that hold them, and weights, poses and joints refit
// together; joints that end up outside the body are placed inside, and the rest is refit around them.
import type { SkinFit } from '../fit/skin-fit.ts';
import type { SolveMonitor } from '../fit/solve-monitor.ts';
import type { Compute } from '../kernels/compute.ts';
import { skinMomentsInto } from '../kernels/skin-moments.ts';
import { jointTopology } from './joint-topology.ts';
import { type JointEdge, type JointTree, makeJointTree } from './joint-tree.ts';
import type { JointSolver } from './pair-joints.ts';
import { type Inside, listOutside, placeInside } from './place-inside.ts';
import { StrictFit } from './strict-fit.ts';

/** Springs that hold joints, relative and absolute (strict-joints.ts); tidy is the stronger of the absolute ones. */
const RELATIVE = 1e-4;
const ABSOLUTE = 0.1;
const TIDY = 1;
/** Steps of poses before the first refit: two to three converge. */
const FIRST_STEPS = 4;
/** Alternations after joints were placed inside, in so many rounds. */
const MAX_PLACEMENTS = 4;
const PLACE_ITERATIONS = 4;

export interface SolveStrictOptions {
  /** Most alternations; 0: poses alone. */
  iterations: number;
  /** Alternations end when two in a row lower the error by less than this ratio. */
  tolerance: number;
  jointSolver: JointSolver;
  /** Box diagonal of the rest pose, solver units. */
  size: number;
  /** Joints closer to where their bones blend, for a larger error. */
  tidy: boolean;
  /** What is inside the body, and whether joints may be anywhere all the same. */
  inside: Inside;
  anywhere: boolean;
  /** Half the length of a joint when bones are linked (joint-topology.ts); 0 unless said. */
  rod?: number;
  /** A tree that is given, with its joints. */
  tree?: JointTree;
  monitor: SolveMonitor;
}

export interface StrictSolution {
  tree: JointTree;
  iterations: number;
  /** Joints outside the body before they were placed inside, and after. */
  outsideBefore: number;
  outside: number;
  status: 'converged' | 'max-iterations';
}

/** Brings a fit with solved weights into strict form, in place. */
export function solveStrict(fit: SkinFit, options: SolveStrictOptions): Promise<StrictSolution> {
  return fit.compute.scope((memory) => solve(memory, fit, options));
}

async function solve(memory: Compute, fit: SkinFit, options: SolveStrictOptions): Promise<StrictSolution> {
  const { monitor, inside, iterations, tolerance } = options;
  const isPlaced = iterations > 0 && !options.anywhere;
  await measureMoments(fit);
  const tree =
    options.tree ?? makeCentralTree(fit.boneCount, jointTopology(fit, options.jointSolver, options.rod).edges);
  const absolute = options.tidy ? TIDY : ABSOLUTE;
  const hold = options.tree !== undefined;
  const springs = { relative: RELATIVE, absolute, hinges: isPlaced, hold };
  const strict = new StrictFit(memory, fit, tree, { size: options.size, ...springs });
  await strict.pose(FIRST_STEPS);
  await fit.solveWeights('warm');
  if (isPlaced) strict.center(await strict.measure(), inside.winding);
  let count = 0;
  const settle = async (maxIterations: number): Promise<boolean> => {
    let before = fit.error;
    let slow = 0;
    await strict.alternate(maxIterations, async () => {
      count++;
      slow = fit.error > before * (1 - tolerance) ** 2 ? slow + 1 : 0;
      before = fit.error;
      return (await monitor.tick(count / (iterations + MAX_PLACEMENTS * PLACE_ITERATIONS), fit.eRms)) || slow >= 2;
    });
    return slow >= 2;
  };
  const isSettled = await settle(iterations);
  const outsideBefore = listOutside(tree, inside.winding).length;
  for (let placement = 0; isPlaced && placement < MAX_PLACEMENTS && !monitor.isStopped; placement++) {
    // where joints would be if they were free now, and from there the cheapest places inside
    strict.unpin();
    const blends = await strict.measure();
    strict.center(blends, inside.winding);
    strict.solveJoints(blends);
    const placed = placeInside(tree, inside, strict.springs, strict.isAnchored, strict.measureReach());
    strict.dropHistory();
    await settle(PLACE_ITERATIONS);
    if (placed === 0 && placement > 0) break;
  }
  if (isPlaced) await pinLast(strict, inside);
  return {
    tree,
    iterations: count,
    outsideBefore,
    outside: listOutside(tree, inside.winding).length,
    status: isSettled ? 'converged' : 'max-iterations',
  };
}

/** Joints that left the body in the last alternations are brought back, with poses and weights that go with them; again where that moves others out. */
async function pinLast(strict: StrictFit, inside: Inside): Promise<void> {
  for (let placement = 0; placement < MAX_PLACEMENTS && inside.places.length > 0; placement++) {
    const blends = await strict.measure();
    if (placeInside(strict.tree, inside, strict.springs, strict.isAnchored, strict.measureReach()) === 0) return;
    strict.solveJoints(blends);
    await strict.pose(FIRST_STEPS);
    await strict.fit.solveWeights('warm');
  }
}

/** Sums over the vertices, for the weights of a fit as they are. */
export async function measureMoments(fit: SkinFit): Promise<void> {
  const { compute, trajectories, weights, boneCount, moments } = fit;
  await skinMomentsInto(compute, trajectories, weights.bones, weights.weights, boneCount, moments);
}

/** A tree that hangs on a bone of the joint nearest to the centroid (Course 2014, §2.2.1): of its two bones, the one with more neighbours. */
function makeCentralTree(boneCount: number, edges: readonly JointEdge[]): JointTree {
  if (edges.length === 0) return makeJointTree(boneCount, edges, 0);
  const away = ({ joint: [x, y, z] }: JointEdge): number => x * x + y * y + z * z;
  let central = edges[0];
  for (const edge of edges) if (away(edge) < away(central)) central = edge;
  const degree = new Uint32Array(boneCount);
  for (const { a, b } of edges) {
    degree[a]++;
    degree[b]++;
  }
  return makeJointTree(boneCount, edges, degree[central.b] > degree[central.a] ? central.b : central.a);
}
