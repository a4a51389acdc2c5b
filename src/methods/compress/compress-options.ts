// SPDX-License-Identifier: MIT

import type { Compute } from '../../core/kernels/compute.ts';
import type { Motion } from '../../core/model/clip/motion.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { ProgressInfo } from '../../core/progress/solve-monitor.ts';
import { checkNorm, type DistanceNorm } from '../../fit/norm/index.ts';
import type { RangeTable } from '../../fit/poses/index.ts';
import type { MapSwitches } from './examples/continuous-joints.ts';

/** Switches of the maps of the formulation (Le et al. 2021, §3), for ablation. */
export interface CompressMaps extends MapSwitches {
  /** Each joint has its own range; otherwise all have the same. */
  ranges?: boolean;
}

/** Options of compressDdm. */
export interface CompressOptions {
  /** Number of virtual bones, at least 1 and at most the number of distinct vertices. */
  virtualBones?: number;
  /** Maximum number of virtual bones per vertex. */
  influences?: number;
  /** Ranges of joints in example poses: the paper's defaults, those of the motions ('auto'), or a table by bone name. */
  ranges?: 'default' | 'auto' | RangeTable;
  /** What is minimized: 'nonlinear': the error of the true transform; 'linear': the paper's Eq. 11a. */
  objective?: 'nonlinear' | 'linear';
  /** Maximum number of iterations over weights and multi-weights. */
  iterations?: number;
  /** Multi-weights of virtual bones with a weight below this are added to the nearest kept bone. */
  threshold?: number;
  /** Nonlinear: rotations per joint. */
  poses?: number;
  /** Nonlinear: factor on the ranges; 0: 1 for 'auto', otherwise one half. */
  rangeRatio?: number;
  /** Number of candidate virtual bones per vertex, the nearest ones. */
  candidates?: number;
  /** Nonlinear: fraction of the virtual bones that are relocated per iteration. */
  relocate?: number;
  /** Linear: the update of multi-weights with a scalar Φ and a line search ('guarded'), the published one with determinants ('printed'), or none. Nonlinear: any value except 'none' is Gauss-Newton. */
  update?: 'guarded' | 'printed' | 'none';
  /** Nonlinear: the minimized norm over points, 1 to 8, or 'max' for the largest error; above 2, large errors have more weight. */
  norm?: DistanceNorm;
  /**
   * Nonlinear: weight of the frames of motions relative to the continuous examples. 0: frames are not used; 1: the mean over frames has the weight of one pose of every
   * joint together, about one half of the objective.
   */
  examples?: number;
  /** Linear: regularization of weights towards those of neighbours (§4.2), relative to the error of the initial virtual bones; 0.01 in the paper. */
  smoothness?: number;
  /** Switches of the maps of §3, for ablation. */
  maps?: CompressMaps;
  /** Random seed. */
  seed?: number;
  /** Motions for ranges 'auto' and for examples. */
  motions?: readonly Motion[];
  /** Compute to use. Default: one that is made for this call. */
  compute?: Compute;
  /** Number of threads without compute; 0: one per core. */
  threads?: number;
  /** Called with the progress of the solve. */
  onProgress?: (info: ProgressInfo) => void;
  /** Stops the solve; the best result so far is returned. */
  signal?: AbortSignal;
}

/** Defaults of CompressOptions. */
export const COMPRESS_DEFAULTS = {
  virtualBones: 200,
  influences: 8,
  ranges: 'default',
  objective: 'nonlinear',
  iterations: 16,
  threshold: 3e-4,
  poses: 24,
  rangeRatio: 0,
  candidates: 28,
  relocate: 0.05,
  update: 'guarded',
  norm: 2,
  examples: 0,
  smoothness: 0,
  seed: 0,
} as const satisfies CompressOptions;

type Given = Required<
  Pick<
    CompressOptions,
    | 'virtualBones'
    | 'influences'
    | 'objective'
    | 'iterations'
    | 'threshold'
    | 'poses'
    | 'candidates'
    | 'relocate'
    | 'update'
    | 'norm'
    | 'examples'
    | 'smoothness'
    | 'seed'
  >
>;

/** Options with their defaults. Throws on invalid values. */
export function checkCompressOptions(options: CompressOptions, pointCount: number): Given {
  const d = COMPRESS_DEFAULTS;
  const given: Given = {
    virtualBones: options.virtualBones ?? Math.min(d.virtualBones, pointCount),
    influences: options.influences ?? d.influences,
    objective: options.objective ?? d.objective,
    iterations: options.iterations ?? d.iterations,
    threshold: options.threshold ?? d.threshold,
    poses: options.poses ?? d.poses,
    candidates: options.candidates ?? d.candidates,
    relocate: options.relocate ?? d.relocate,
    update: options.update ?? d.update,
    norm: options.norm ?? d.norm,
    examples: options.examples ?? d.examples,
    smoothness: options.smoothness ?? d.smoothness,
    seed: options.seed ?? d.seed,
  };
  if (options.influences === undefined) given.influences = Math.min(given.influences, given.virtualBones);
  checkWhole('virtualBones', given.virtualBones, 1);
  if (given.virtualBones > pointCount)
    throw new InputError(
      'compress',
      `${given.virtualBones} virtual bones are more than the model's ${pointCount} distinct vertices; ask for fewer`,
    );
  checkWhole('influences', given.influences, 1);
  if (given.influences > given.virtualBones)
    throw new InputError(
      'compress',
      `${given.influences} influences per vertex are more than ${given.virtualBones} virtual ${given.virtualBones === 1 ? 'bone' : 'bones'}; ask for fewer`,
    );
  checkWhole('iterations', given.iterations, 0);
  checkWhole('poses', given.poses, 1);
  checkWhole('candidates', given.candidates, 1);
  if (given.objective !== 'nonlinear' && given.objective !== 'linear')
    throw new InputError('compress', `objective must be 'nonlinear' or 'linear', got '${given.objective}'`);
  if (!['guarded', 'printed', 'none'].includes(given.update))
    throw new InputError('compress', `update must be 'guarded', 'printed' or 'none', got '${given.update}'`);
  if (!(given.threshold >= 0 && given.threshold < 1))
    throw new UsageError('compress', `threshold must be at least 0 and below 1, got ${given.threshold}`);
  if (!(given.relocate >= 0 && given.relocate < 1))
    throw new UsageError('compress', `relocate must be at least 0 and below 1, got ${given.relocate}`);
  checkNorm('compress', given.norm);
  if (!(given.examples >= 0 && given.examples < Number.POSITIVE_INFINITY))
    throw new UsageError('compress', `examples must be a weight of at least 0, got ${given.examples}`);
  if (given.objective === 'linear') {
    if (given.examples > 0) throw new InputError('compress', "examples above 0 require objective 'nonlinear'");
    if (given.norm !== 2) throw new InputError('compress', "a norm other than 2 requires objective 'nonlinear'");
  } else if (given.smoothness > 0) throw new InputError('compress', "smoothness above 0 requires objective 'linear'");
  if (!(given.smoothness >= 0 && given.smoothness < Number.POSITIVE_INFINITY))
    throw new UsageError('compress', `smoothness must be at least 0, got ${given.smoothness}`);
  const ratio = options.rangeRatio ?? d.rangeRatio;
  if (!(ratio >= 0 && ratio <= 2)) throw new UsageError('compress', `rangeRatio must be from 0 to 2, got ${ratio}`);
  return given;
}

function checkWhole(name: string, value: number, min: number): void {
  if (!(Number.isInteger(value) && value >= min))
    throw new UsageError('compress', `${name} must be a whole number of at least ${min}, got ${value}`);
}
