// SPDX-License-Identifier: MIT
// A body in solver space. A body that moves rigidly, or not at all, is solved here: it needs no joints.

import type { Compute } from '../../../core/kernels/compute.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { type Clip, frameCountOf, frameOf } from '../../../core/model/clip/clip.ts';
import type { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { placeBone, RigidPatches } from '../../../fit/clusters/index.ts';
import { type NormalizedClip, normalizeClip, SkinFit, type SkinFitOptions } from '../../../fit/skin/index.ts';
import { makeJointTree } from '../joints/joint-tree.ts';
import type { JointOptions } from '../joints/solve-strict.ts';
import { describeBody } from '../model/describe-body.ts';
import type { SkeletonMethod } from '../options.ts';
import type { SkeletonInput } from '../skeleton-input.ts';
import type { MultipassOptions } from './multipass.ts';
import type { SolvedBody } from './solved-body.ts';

/** Maximum RMSE, relative to the size, of a body that moves rigidly and needs no joints; also the maximum displacement of a static body. */
const RIGID = 1e-4;
/** …and, for a clip with noise, the maximum squared error of a rigid body relative to the noise. Chosen by hand. */
const MAX_NOISE = 1.3;
const RIDGE = 1e-9;
const SWEEPS = 2;

/** Options of the method, by the step that reads them. */
export interface BodyOptions {
  method: SkeletonMethod;
  /** Of the solves for weights and bones. */
  fit: SkinFitOptions;
  multipass: MultipassOptions;
  /** Number of initial decompositions. */
  starts: number;
  /** Keeps left and right as they are found. */
  asymmetric?: boolean;
  joints: JointOptions;
}

/** A body of a clip, and how it is solved. */
export interface BodyProblem {
  /** The vertices of the body. */
  clip: Clip;
  /** Number of bones; 0: it is found from the motion. */
  bones: number;
  input: Omit<SkeletonInput, 'clip' | 'hierarchy'>;
  options: BodyOptions;
  monitor: SolveMonitor;
}

/** A body in solver space. */
export interface OpenBody extends BodyProblem {
  compute: Compute;
  normalized: NormalizedClip;
  /** Box diagonal of the rest pose, solver units. */
  size: number;
  /** Variance of the noise per coordinate, solver units; 0: none. */
  noise: number;
  /** Whether the rest pose was chosen among the frames. */
  isChosen: boolean;
}

/** Options of the solves for weights and bones. */
export function fitOptionsOf(influences: number): SkinFitOptions {
  return { influences, transforms: 'rigid', ridge: RIDGE, sweeps: SWEEPS, support: 'exchange' };
}

/** Converts a body to solver space. */
export function normalizeBody(compute: Compute, problem: BodyProblem, isChosen = false): OpenBody {
  const { clip, input } = problem;
  const normalized = normalizeClip(compute, clip);
  // a pose that was chosen may be a small one, such as a bird with folded wings
  const size = (isChosen ? measureLargest(clip) : measureBounds(clip.mesh.positions).diagonal) / normalized.size;
  const noise = (input.noise / normalized.size) ** 2;
  return { ...problem, compute, normalized, size, noise, isChosen };
}

/** The body as one bone; undefined if it bends. */
export async function solveRigid(body: OpenBody): Promise<SolvedBody | undefined> {
  const { clip, normalized, size, noise } = body;
  const { vertexCount, frameCount } = normalized.trajectories;
  const rigid = await fitRigid(body);
  const limit = vertexCount * frameCount * ((RIGID * size) ** 2 + MAX_NOISE * 3 * noise);
  if (rigid.error > limit && vertexCount >= 2) return undefined;
  const described = await describeBody(clip, normalized, rigid, makeJointTree(1, [], 0));
  return { ...described, isRigid: true, isStill: isStill(clip) };
}

/** One rigid bone for all points. */
async function fitRigid({ compute, normalized: { trajectories }, options }: OpenBody): Promise<SkinFit> {
  const fit = new SkinFit(compute, trajectories, 1, options.fit);
  const motion = new Float64Array(12 * trajectories.frameCount);
  const all = Uint32Array.from({ length: trajectories.vertexCount }, (_, i) => i);
  new RigidPatches(trajectories).fitInto(all, motion, 0, 1);
  placeBone(motion, 0, 1, fit.bones.view(), 0, 1);
  await fit.solveWeights('cold');
  return fit;
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
