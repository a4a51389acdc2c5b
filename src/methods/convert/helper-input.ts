// SPDX-License-Identifier: MIT
// What is converted to helper bones, the options of its parts, and what comes out.

import type { Compute } from '../../core/kernels/compute.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import type { Motion } from '../../core/model/clip/motion.ts';
import type { HelperBones } from '../../core/model/deformed/helper-bones.ts';
import { InputError } from '../../core/model/errors.ts';
import type { RigSource } from '../../core/model/skin/rig-source.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import type { JointRange } from '../../fit/poses/index.ts';
import type { EditedHelper } from './controllers/given-controller.ts';
import type { HelperOptions } from './options.ts';

/** A skeleton-driven deformer that is evaluated in new poses. */
export interface RigInput {
  source: RigSource;
  /** Ranges of the joints. Default: ±90° about each axis. */
  ranges?: readonly JointRange[];
  /** Helpers of an earlier conversion, with edits: their joints, ranges, frames and key poses are kept, and the rest is fitted again. No helpers are added. */
  edited?: readonly EditedHelper[];
}

/** A clip with its skeleton animation. */
export interface ClipInput {
  clip: Clip;
  skeleton: Skeleton;
  /** One pose per frame of the clip. */
  motion: Motion;
  /** Joints that controllers may read and that carry no vertex. */
  inputs?: number[];
  edited?: readonly EditedHelper[];
}

/** What is converted, and the maximum vertex error for which helpers are added if their number is not given, file units. */
export type HelperInput = { maxError?: number } & (
  | ({
      kind: 'rig';
      /** Motions in which the error is measured; without them, it is measured in random poses. */
      motions: readonly Motion[];
    } & RigInput)
  | ({ kind: 'clip' } & ClipInput)
);

/** The options that training poses depend on. */
export type PoseSettings = Pick<HelperOptions, 'samples' | 'sampling' | 'epsilon' | 'epsilonOf' | 'seed'>;

/** The options of the fit to training poses. */
export type FitSettings = Omit<HelperOptions, 'samples' | 'sampling' | 'epsilon' | 'epsilonOf' | 'time'>;

/** All options except the time limit, which the monitor has. */
export interface HelperSettings {
  poses: PoseSettings;
  fit: FitSettings;
}

/** The threads and the progress of a conversion. */
export interface ConvertRun {
  compute: Compute;
  monitor: SolveMonitor;
}

/** A rig with helper bones, and facts about the conversion. */
export interface ConvertRigResult {
  /** The converted model. */
  model: HelperBones;
  /** By controller: name and parent of the helper, its controlling joints, the number of terms, and the held-out error of its region (root mean square, file units). */
  helpers: { name: string; parent: string; joints: string[]; terms: number; heldOut: number }[];
  /** Number of evaluations of the source. */
  evaluations: number;
  /** Number of training poses. */
  poses: number;
  /** Joints that can rotate but move no vertex. */
  idle: string[];
  /**
   * Root mean square distance over welded vertices and training poses, file units: with the joints only, and with helpers and their first
   * controllers.
   */
  rmse: { joints: number; helpers: number };
  /** By joint, count x 4: the rotations for random poses. */
  rotations: Float64Array[];
  /** 'stalled': no tried number of helpers meets the maximum error. */
  status: 'converged' | 'stalled' | 'stopped';
  /** With a maximum error: the tried numbers of helpers and their errors. */
  tried: { helpers: number; max: number }[];
}

/** Throws an InputError for joints in `around` that a skeleton does not have. */
export function checkAround({ around }: Pick<FitSettings, 'around'>, { names }: Skeleton): void {
  for (const name of around)
    if (!names.includes(name))
      throw new InputError('convert', `there is no joint named "${name}"; the first joint is "${names[0]}"`);
}
