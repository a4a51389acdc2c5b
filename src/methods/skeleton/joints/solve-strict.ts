// SPDX-License-Identifier: MIT
// From free bones with weights to a skeleton with exactly connected joints (strict form): the tree and initial joints (Course 2014, Eq. 21 and 23), poses with these joints, then iterations over weights, poses and joints.
// Joints outside the body are moved inside, and everything else is fitted again. Everything except the tree and the initial joints is ours.

import type { Compute } from '../../../core/kernels/compute.ts';
import type { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import type { SkinFit } from '../../../fit/skin/index.ts';
import type { JointSolver } from '../options.ts';
import { type Inside, listOutside, placeInside } from '../place/place-inside.ts';
import { hangBones } from '../published/hang-bones.ts';
import { jointTopology } from './joint-topology.ts';
import { type JointEdge, type JointTree, makeJointTree } from './joint-tree.ts';
import { StrictFit } from './strict-fit.ts';

/** Strengths of the springs of joints, relative and absolute (strict-joints.ts); TIDY replaces ABSOLUTE with the option tidy, and for rigs, whose small error makes springs weak: with it, the Khronos fox has no joint outside
 * instead of two, and 0.0023 instead of 0.0051 %. The first two were chosen on horse-gallop, samba, pdance and lion-poses, TIDY by hand. */
const RELATIVE = 1e-4;
const ABSOLUTE = 0.1;
const TIDY = 1;
/** Gauss-Newton steps of poses before the first iteration: two to three converge. */
const FIRST_STEPS = 4;
/** Maximum number of times that joints are moved inside, and iterations after each. */
const MAX_PLACEMENTS = 4;
const PLACE_ITERATIONS = 4;
/** A joint of a rig is moved inside if the squared error rises by at most this ratio: the joints of animated rigs are often just outside of a thin surface. Chosen on the fox: its joints that are not determined have
 * at most 0.06, those of the rig that are outside at least 0.28. */
const MAX_PLACEMENT_RISE = 0.1;

/** Options of the method that concern connected joints. */
export interface JointOptions {
  /** Maximum number of iterations; 0: only poses and weights are solved, once. */
  iterations: number;
  /** Stops when two consecutive iterations lower the error by less than this ratio. */
  tolerance: number;
  jointSolver: JointSolver;
  /** Keeps joints nearer to the blend of their bones, at a larger error. */
  tidy?: boolean;
  /** Whether joints may be outside the body. */
  anywhere?: boolean;
  /** Bones keep the rotations of their own fits and are hung on their joints; nothing is solved again. */
  asPublished?: boolean;
}

export interface SolveStrictOptions extends JointOptions {
  /** Box diagonal of the rest pose, solver units. */
  size: number;
  /** Poses reuse factorizations (strict-fit.ts): the search of a structure solves poses hundreds of times. */
  reuse?: boolean;
  /** Variance of the noise per coordinate, solver units; 0: none. */
  noise?: number;
  /** The inside of the body. */
  inside: Inside;
  /** Whether bones explain the motion almost exactly, as that of an animated rig: joints that the motion determines stay where they are, also outside. */
  isRig?: boolean;
  /** A given tree with its joints. Default: it is found. */
  tree?: JointTree;
  /** Keeps joints near their given positions. */
  hold?: boolean;
  monitor: SolveMonitor;
}

/** The options without the progress of a solve. */
export type StrictSettings = Omit<SolveStrictOptions, 'monitor'>;

export interface StrictSolution {
  /** Bones and weights. */
  fit: SkinFit;
  tree: JointTree;
  iterations: number;
  /** Number of joints outside the body before and after they were moved inside. */
  outsideBefore: number;
  outside: number;
  status: 'converged' | 'max-iterations';
}

/** Solves the strict form of a fit with solved weights, in place. */
export function solveStrict(fit: SkinFit, options: SolveStrictOptions): Promise<StrictSolution> {
  return fit.compute.scope((memory) => solve(memory, fit, options));
}

async function solve(memory: Compute, fit: SkinFit, options: SolveStrictOptions): Promise<StrictSolution> {
  const { monitor, inside, iterations, tolerance } = options;
  const isPlaced = iterations > 0 && !options.anywhere;
  await fit.measureMoments();
  const tree = options.tree ?? makeCentralTree(fit.boneCount, jointTopology(fit, options.jointSolver).edges);
  if (options.asPublished) {
    hangBones(fit, tree);
    const outside = listOutside(tree, inside.winding).length;
    return { fit, tree, iterations: 0, outsideBefore: outside, outside, status: 'converged' };
  }
  const strict = makeStrictFit(memory, fit, tree, options);
  await strict.pose(FIRST_STEPS);
  await fit.solveWeights('warm');
  if (isPlaced) await strict.center(await strict.measure(), inside.winding);
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
    // solve joints without pins, and find the cheapest positions inside from there
    strict.unpin();
    const blends = await strict.measure();
    await strict.center(blends, inside.winding);
    await strict.solveJoints(blends);
    const placed = placeInside(strict, inside, placementLimit(fit, options));
    strict.dropHistory();
    await settle(PLACE_ITERATIONS);
    if (placed === 0 && placement > 0) break;
  }
  if (isPlaced) await pinLast(strict, inside, options);
  return {
    fit,
    tree,
    iterations: count,
    outsideBefore,
    outside: listOutside(tree, inside.winding).length,
    status: isSettled ? 'converged' : 'max-iterations',
  };
}

/** A fit with exactly connected joints and the springs of the options. */
export function makeStrictFit(memory: Compute, fit: SkinFit, tree: JointTree, options: SolveStrictOptions): StrictFit {
  return new StrictFit(memory, fit, tree, {
    size: options.size,
    relative: RELATIVE,
    absolute: options.tidy || options.isRig ? TIDY : ABSOLUTE,
    hinges: options.iterations > 0 && !options.anywhere,
    hold: options.hold ?? false,
    reuse: options.reuse,
  });
}

/** Moves joints inside that left the body in the last iterations, and solves poses and weights again; repeated if this moves others outside. */
async function pinLast(strict: StrictFit, inside: Inside, options: SolveStrictOptions): Promise<void> {
  for (let placement = 0; placement < MAX_PLACEMENTS; placement++) {
    const blends = await strict.measure();
    if (placeInside(strict, inside, placementLimit(strict.fit, options)) === 0) return;
    await strict.solveJoints(blends);
    await strict.pose(FIRST_STEPS);
    await strict.fit.solveWeights('warm');
  }
}

/** The maximum rise of the squared error by a joint that is moved inside. */
export function placementLimit({ error }: SkinFit, { isRig }: SolveStrictOptions): number {
  return isRig ? MAX_PLACEMENT_RISE * error : Number.POSITIVE_INFINITY;
}

/** A tree whose root is a bone of the joint nearest to the centroid (Course 2014, §2.2.1): of its two bones, the one with more neighbours. */
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
