// SPDX-License-Identifier: MIT
// What is converted to driven bones, and what comes out.

import type { TransformKind } from '../../core/kernels/bones/bone-sweep.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import type { Motion } from '../../core/model/clip/motion.ts';
import type { ShapeDrivenSkin, ShapeTrack } from '../../core/model/deformed/shape-drivers.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import type { SolveMonitorOptions } from '../../core/progress/solve-monitor.ts';
import type { DrivenError } from './measure-driven.ts';
import type { FaceShapes } from './shape-examples.ts';

/** Bones of a decomposition: the start of a fit of drivers. */
export interface FreeBones {
  model: { skeleton: Skeleton; skin: Skin; motions: Motion[] };
  status: string;
}

/** Decomposes a clip; the rest shape is kept. */
export type FindBones = (
  compute: Compute,
  clip: Clip,
  options: { bones: number; influences: number; seed: number; transforms: TransformKind } & SolveMonitorOptions,
) => Promise<FreeBones>;

/** Shapes, and how their bones are found. */
export interface FaceInput {
  shapes: FaceShapes;
  /** Weights of the shapes in the animations. */
  tracks: readonly ShapeTrack[];
  /** Maximum vertex error at every shape, file units: without bones, the number of bones is found. */
  maxError?: number;
  /** Methods do not import one another: the caller decomposes. */
  findBones: FindBones;
}

/** A face of driven bones. */
export interface DrivenFace {
  model: ShapeDrivenSkin;
  /** Errors at every shape alone, weight one: of the drivers, and of free bones (any transform per shape). */
  driven: DrivenError;
  free: { rmse: number; max: number };
  status: 'converged' | 'stalled' | 'stopped';
  /** Numbers of bones that were tried for maxError, and the maximum errors reached. */
  tried: { bones: number; max: number }[];
}
