// SPDX-License-Identifier: MIT
// Corrects sliding along the surface with a skin that all frames share.
//
// Where a body bends, its surface stretches. Registration of one frame cannot tell where: rigidity spreads the stretch over the limb, and points slide. Measured with remeshed creatures, started at the true positions: 99 % of the
// vertices stay within 1 % if only all points move (detail-solver.ts), and 85 % if the nodes move the template. Errors are along the surface, and grow with the stretch, not with time. A bone cannot slide along its own
// surface, and weights that hold for all frames average errors. So three iterations
// - make bones from all frames (make-bone-graph.ts),
// - alternate between the weights of all points, from the planes of all frames (bone-weights.ts), and the poses of the bones in each frame, from its planes (graph-solver.ts),
// - and take the skin as the positions of the next iteration.
// Then every point moves again, in register-frame.ts.
import type { Compute } from '../kernels/compute.ts';
import { BoneWeights } from './bone-weights.ts';
import { findHidden } from './find-hidden.ts';
import { findMatches, refreshSurface } from './find-matches.ts';
import { GraphSolver, type JointArms, listJointArms } from './graph-solver.ts';
import type { KeptFrames } from './kept-frames.ts';
import { makeBoneGraph } from './make-bone-graph.ts';
import { type DeformationGraph, deformByGraphInto, type GraphPose } from './make-deformation-graph.ts';
import { placeJoints } from './place-joints.ts';
import { poseGraph } from './pose-graph.ts';
import type { TargetFrame, TemplateModel } from './register-frame.ts';

/**
 * Chosen with a prototype on two motions of the fox (run and death) and on the flapping bird, 10 frames each; 15 to 40 bones were also compared on the snake and the spider. Prototype, within 1 %: 85.0, 93.5 and 94.8 %
 * without this step, 89.6, 96.8 and 96.2 % with it; 50 bones: 89.6, 95.4 and 95.3 %; six iterations: 89.9, 96.8 and 96.2 %. docs/track.md has the figures of this code.
 */
const BONES = 30;
const ITERATIONS = 3;
/** Times that weights are solved in an iteration. */
const ALTERNATIONS = 2;
/** Steps of the poses after weights have changed. */
const STEPS = 3;
/** Weight of the coupling between bones; joints bend freely. */
const STIFFNESS = 0.01;
/** Reach of matches, relative to the box diagonal. */
const SIGMA = 0.01;
/** Share of distances to points, beside those to planes. */
const POINT_SHARE = 0.02;

export interface RefineOptions {
  /** The frame that stays as it is. */
  template?: number;
  /** Ends the correction with an AbortError. */
  signal?: AbortSignal;
}

/**
 * Improves tracked positions in place.
 * @param found for each frame pointCount x 3
 * @param frames frames that are ready for searches
 */
export async function refineBySkin(
  compute: Compute,
  model: TemplateModel,
  found: readonly Float64Array[],
  frames: KeptFrames,
  { template, signal }: RefineOptions,
): Promise<void> {
  const surface = { ...model.placed.surface, positions: model.rest };
  const { placed } = model;
  const fine = model.levels[model.levels.length - 1];
  const useFrame = (k: number, use: (frame: TargetFrame) => Promise<void>): Promise<void> => {
    signal?.throwIfAborted();
    return frames.use(k, use);
  };
  /** For each frame: points that another part hides. */
  const hidden: Uint8Array[] = [];
  const moving = found.map((_, k) => k).filter((k) => k !== template);
  for (let n = 0; n < ITERATIONS; n++) {
    const graph = await makeBoneGraph(compute, surface, fine.graph, found, BONES);
    const joints = listJointArms(graph, model.rest, placeJoints(graph, surface, model.medialCenters));
    const poses = found.map((positions) => poseGraph(graph, model.rest, positions));
    for (let m = 0; m < ALTERNATIONS; m++) {
      const weights = new BoneWeights(graph, model.rest, surface.adjacency);
      for (const k of moving)
        await useFrame(k, async (frame) => {
          placePose(model, graph, poses[k]);
          hidden[k] = await findHidden(placed);
          const matches = await findMatches(placed, frame.placed, { sigma: SIGMA, isHidden: hidden[k] });
          weights.add(poses[k], placed.positions, matches, POINT_SHARE);
        });
      weights.solve();
      const solver = new GraphSolver(compute, graph);
      try {
        for (const k of moving)
          await useFrame(k, (frame) => solvePose(model, { graph, joints, solver }, poses[k], frame, hidden[k]));
      } finally {
        solver.dispose();
      }
    }
    for (const k of moving) deformByGraphInto(graph, model.rest, poses[k], found[k]);
  }
}

/** Moves the template to a pose. */
function placePose({ placed, rest }: TemplateModel, graph: DeformationGraph, pose: GraphPose): void {
  deformByGraphInto(graph, rest, pose, placed.positions);
  refreshSurface(placed);
}

async function solvePose(
  model: TemplateModel,
  { graph, joints, solver }: { graph: DeformationGraph; joints: JointArms; solver: GraphSolver },
  pose: GraphPose,
  frame: TargetFrame,
  isHidden: Uint8Array,
): Promise<void> {
  const { placed, rest } = model;
  const samples = [model.samples, frame.samples] as const;
  const options = { joints, stiffness: STIFFNESS, pointShare: POINT_SHARE };
  for (let n = 0; n < STEPS; n++) {
    placePose(model, graph, pose);
    const matches = await findMatches(placed, frame.placed, { sigma: SIGMA, samples, isHidden });
    await solver.step(rest, placed.positions, pose, matches, options);
  }
}
