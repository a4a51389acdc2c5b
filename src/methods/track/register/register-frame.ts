// SPDX-License-Identifier: MIT
// Registers the template to one frame: one rigid motion first, then few nodes, then more, then every point. Each level starts from the result of the one before it, and within a level the
// coupling gets softer and the reach of matches shorter.
import { aimLimbs } from '../limbs/aim-limbs.ts';
import { findHidden } from '../limbs/find-hidden.ts';
import type { Limb } from '../limbs/find-limbs.ts';
import { type LimbedSurface, type LimbPairs, matchLimbs, measureLimbGap } from '../limbs/match-limbs.ts';
import type { DetailSolver } from '../solve/detail-solver.ts';
import { type GraphSolver, listJointArms, moveJoints } from '../solve/graph-solver.ts';
import { type DeformationGraph, deformByGraphInto } from '../solve/make-deformation-graph.ts';
import { poseGraph } from '../solve/pose-graph.ts';
import { findMatches, type PlacedSurface, refreshSurface } from './find-matches.ts';

/** The template, and everything that is made once for it. */
export interface TemplateModel {
  /** The template, placed; its positions are the result. */
  placed: PlacedSurface;
  /** pointCount x 3: the template itself */
  rest: Float64Array;
  /** pointCount x 3: the middle of the body below each point of the template */
  medialCenters: Float64Array;
  /** Graphs from one node to many. */
  levels: readonly {
    graph: DeformationGraph;
    /** edgeCount x 3: joints of the edges in the template */
    joints: Float64Array;
    solver: GraphSolver;
  }[];
  detail: DetailSolver;
  /** Limbs of the template. */
  limbs: readonly Limb[];
  /** Points that are matched while there are only nodes. */
  samples: Uint32Array;
}

/** A frame to register to. */
export interface TargetFrame {
  placed: PlacedSurface;
  /** Default: none, limbs are followed like everything else. */
  limbs?: readonly Limb[];
  /** Points that are matched while there are only nodes. */
  samples: Uint32Array;
}

/**
 * Rounds of Gauss-Newton steps. σ is relative to the box diagonal of the template. The first rounds move the last result, which is near in time: between two frames, parts move nearly rigidly. Their errors
 * would add up over frames as sliding along the surface, so that the last rounds move the template itself, from few nodes to many, with a reach that is wide enough for the ends of limbs.
 *
 * Measured before joints were inside of the body, with remeshed creatures (bench/track/track-suite.ts; 10 frames of a fox that runs, a bird that flaps, a snake that bites, a spider that dies): vertices within 1 % of their place are 83, 87, 99.9 and 77 %. With
 * the 400 nodes alone moving the template they are 78, 65, 95 and 65 %; if no round moves the template, 71, 60, 88 and 54 %. The weights were chosen on these four. Matches by distance and normals
 * together, and a share of distances to points of 0.1, are worse. Three times the steps gain nothing.
 */
const MOTION_ROUNDS: readonly NodeRound[] = [
  { level: 0, sigma: 0.05, stiffness: 1, steps: 5, from: 'last' },
  { level: 1, sigma: 0.05, stiffness: 1, steps: 5, from: 'last' },
  { level: 2, sigma: 0.04, stiffness: 1, steps: 5, from: 'last' },
  { level: 2, sigma: 0.03, stiffness: 0.5, steps: 5, from: 'last' },
  { level: 3, sigma: 0.02, stiffness: 0.3, steps: 4, from: 'last' },
];
const TEMPLATE_ROUNDS: readonly NodeRound[] = [
  { level: 2, sigma: 0.03, stiffness: 0.5, steps: 4, from: 'template' },
  { level: 3, sigma: 0.02, stiffness: 0.2, steps: 4, from: 'template' },
  { level: 4, sigma: 0.01, stiffness: 0.1, steps: 5, from: 'template' },
];
/** Rounds with paired limbs. Rounds of the motion from MOTION_LEVEL on follow. */
const LIMB_ROUNDS: readonly NodeRound[] = [
  { level: 1, sigma: 0.05, stiffness: 1, steps: 5, from: 'last' },
  { level: 2, sigma: 0.04, stiffness: 1, steps: 5, from: 'last' },
  { level: 3, sigma: 0.03, stiffness: 0.5, steps: 5, from: 'last' },
];
const MOTION_LEVEL = 2;
/** Distance between a limb and its pair above which they are registered as a pair: more than limbs of two meshes of the same shape differ. */
const MAX_LIMB_GAP = 0.025;

interface NodeRound {
  level: number;
  sigma: number;
  stiffness: number;
  steps: number;
  /** The shape that the nodes move. */
  from: 'last' | 'template';
}

/**
 * Rounds of all points. The last ones reach farther again: folds that were out of reach are all that is left. On the dancer scan they lower the root mean square distance of a frame from 0.049 to
 * 0.031 % of the diagonal.
 */
const POINT_ROUNDS: readonly { sigma: number; stiffness: number }[] = [
  { sigma: 0.01, stiffness: 3 },
  { sigma: 0.007, stiffness: 1 },
  { sigma: 0.005, stiffness: 0.3 },
  { sigma: 0.015, stiffness: 0.15 },
  { sigma: 0.015, stiffness: 0.05 },
];
/** Rounds of all points in a first registration: enough for the start of the next frame, and for bones. */
const FIRST_ROUNDS = 1;
/** Share of distances to points beside those to planes: more of it holds the surface where it slides. */
const POINT_SHARE = 0.02;
/** Alternating steps per round of all points. */
const POINT_STEPS = 4;
/** Maximum motion of a node, relative to σ, at which a round has converged: its matches would be the same. */
const CONVERGED = 0.05;
/** σ at which starts are compared. */
const START_SIGMA = 0.02;

/**
 * Moves the template onto a frame, without all of its detail (registerPoints).
 * @param starts positions to start from; the one that fits best is used
 */
export async function registerFrame(
  model: TemplateModel,
  frame: TargetFrame,
  starts: readonly Float64Array[],
): Promise<void> {
  const { placed } = model;
  let best = { fit: -1, start: starts[0] };
  for (const start of starts.length > 1 ? starts : []) {
    placed.positions.set(start);
    const fit = await measureFit(model, frame);
    if (fit > best.fit) best = { fit, start };
  }
  placed.positions.set(best.start);
  for (const round of MOTION_ROUNDS) await registerNodes(model, frame, round);
  await correctLimbs(model, frame, starts);
  for (const round of TEMPLATE_ROUNDS) await registerNodes(model, frame, round);
  await registerPoints(model, frame, { rounds: FIRST_ROUNDS });
}

/**
 * Moves every point of the template onto a frame, from where it is.
 * @param options.held pointCount x 3: a shape whose places along the surface are held (detail-solver.ts)
 */
export async function registerPoints(
  { placed, detail }: TemplateModel,
  frame: TargetFrame,
  { rounds = POINT_ROUNDS.length, held }: { rounds?: number; held?: Float64Array } = {},
): Promise<void> {
  for (const { sigma, stiffness } of POINT_ROUNDS.slice(0, rounds)) {
    refreshSurface(placed);
    const isHidden = await findHidden(placed);
    const matches = await findMatches(placed, frame.placed, { sigma, isHidden });
    await detail.solve(placed.positions, matches, { stiffness, pointShare: POINT_SHARE, steps: POINT_STEPS, held });
  }
}

/** How well the template fits a frame where it is: the mean robust weight of matches, 0 to about 1. */
export async function measureFit({ placed, samples }: TemplateModel, frame: TargetFrame): Promise<number> {
  refreshSurface(placed);
  const matches = await findMatches(placed, frame.placed, { sigma: START_SIGMA, samples: [samples, frame.samples] });
  const sum = matches.weights.reduce((total, weight) => total + weight, 0);
  return sum / Math.max(1, samples.length + frame.samples.length);
}

/**
 * Registers again with paired limbs, if the result has some of them at other places than its pairs, and keeps what fits better. Pairs depend on where limbs are before, so those of all starts are tried.
 */
async function correctLimbs(model: TemplateModel, frame: TargetFrame, starts: readonly Float64Array[]): Promise<void> {
  const { placed, limbs } = model;
  const { areas } = placed.surface;
  const target = limbedFrame(frame);
  const first = placed.positions.slice();
  let best = { fit: await measureFit(model, frame), positions: first };
  const tried = new Set<string>();
  for (const start of [first, ...starts]) {
    const pairs = matchLimbs({ limbs, positions: start, areas }, target);
    if (tried.has(pairs.join())) continue;
    tried.add(pairs.join());
    if (measureLimbGap({ limbs, positions: first, areas }, target, pairs) < MAX_LIMB_GAP) continue;
    placed.positions.set(start);
    for (const round of LIMB_ROUNDS) await registerNodes(model, frame, round, pairs);
    for (const round of MOTION_ROUNDS) if (round.level >= MOTION_LEVEL) await registerNodes(model, frame, round);
    const fit = await measureFit(model, frame);
    if (fit > best.fit) best = { fit, positions: placed.positions.slice() };
  }
  placed.positions.set(best.positions);
}

function limbedFrame({ limbs = [], placed }: TargetFrame): LimbedSurface {
  return { limbs, positions: placed.positions, areas: placed.surface.areas };
}

async function registerNodes(
  { placed, rest, levels, samples, limbs }: TemplateModel,
  frame: TargetFrame,
  { level, sigma, stiffness, steps, from: kind }: NodeRound,
  pairs?: LimbPairs,
): Promise<void> {
  const { graph, joints, solver } = levels[Math.min(level, levels.length - 1)];
  const from = kind === 'last' ? placed.positions.slice() : rest;
  const pose = poseGraph(graph, from, placed.positions);
  const moved = kind === 'last' ? moveJoints(graph, rest, joints, poseGraph(graph, rest, from)) : joints;
  const arms = listJointArms(graph, from, moved);
  deformByGraphInto(graph, from, pose, placed.positions);
  let isHidden: Uint8Array | undefined;
  for (let n = 0; n < steps; n++) {
    refreshSurface(placed);
    isHidden ??= await findHidden(placed, samples);
    let matches = await findMatches(placed, frame.placed, { sigma, samples: [samples, frame.samples], isHidden });
    if (pairs) {
      const own = { limbs, positions: placed.positions, areas: placed.surface.areas };
      matches = aimLimbs(matches, own, limbedFrame(frame), pairs);
    }
    const before = pose.centers.slice();
    await solver.step(from, placed.positions, pose, matches, { joints: arms, stiffness, pointShare: POINT_SHARE });
    deformByGraphInto(graph, from, pose, placed.positions);
    if (pose.centers.every((x, c) => Math.abs(x - before[c]) < CONVERGED * sigma)) break;
  }
}
