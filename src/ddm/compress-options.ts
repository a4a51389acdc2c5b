// SPDX-License-Identifier: MIT

import type { RangeTable } from '../fit/ranges-of-motion.ts';
import type { ProgressInfo } from '../fit/solve-monitor.ts';
import type { Compute } from '../kernels/compute.ts';
import { InputError, UsageError } from '../model/errors.ts';
import type { Motion } from '../model/motion.ts';
import type { MapSwitches } from './continuous-joints.ts';

export interface CompressMaps extends MapSwitches {
  /** Joints have ranges of their own; without, all have the same. */
  ranges?: boolean;
}

export interface CompressOptions {
  /** Virtual bones, at least 1 and at most the number of distinct vertices. */
  virtualBones?: number;
  /** Most virtual bones per vertex. */
  influences?: number;
  /** How far joints turn in example poses: the paper's defaults, those of the motions ('auto'), or a table by bone name. */
  ranges?: 'default' | 'auto' | RangeTable;
  /** 'nonlinear' lowers the true error, 'linear' the paper's Eq. 11a. */
  objective?: 'nonlinear' | 'linear';
  /** Alternations of weights and multi-weights. */
  iterations?: number;
  /** Multi-weights of virtual bones below this are folded into their nearest kept bone. */
  threshold?: number;
  /** Nonlinear: rotations per joint. */
  poses?: number;
  /** Nonlinear: what the ranges are scaled by; 0 takes 1 for 'auto', else one half. */
  rangeRatio?: number;
  /** Nearest virtual bones that a vertex may choose from. */
  candidates?: number;
  /** Nonlinear: part of the virtual bones that move per iteration. */
  relocate?: number;
  /** Linear: the update of multi-weights as printed, with a line search ('guarded'), or none. Nonlinear: any but 'none' is Gauss-Newton. */
  update?: 'guarded' | 'printed' | 'none';
  /** Nonlinear: the norm over points that is lowered, 2 to 8; above 2 large errors count for more. */
  norm?: number;
  /**
   * Nonlinear: what frames of motions count beside the continuous examples. 0: they are not looked at; 1: the mean frame counts as much as a pose of each joint
   * together, about one half of the objective.
   */
  examples?: number;
  /** Linear: how strongly weights keep to those of neighbours (§4.2), relative to the error that virtual bones start with; the paper has 0.01. */
  smoothness?: number;
  maps?: CompressMaps;
  seed?: number;
  /** What 'auto' takes ranges from, and examples their frames. */
  motions?: readonly Motion[];
  /** Where kernels run; made here where it is not given. */
  compute?: Compute;
  /** Threads to use where compute is not given; 0: as many as there are cores. */
  threads?: number;
  onProgress?: (info: ProgressInfo) => void;
  /** Stops the solve; the best so far is returned. */
  signal?: AbortSignal;
}

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

/** Options with their defaults. Throws on values that cannot be meant. */
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
  if (!(given.norm >= 2 && given.norm <= 8))
    throw new UsageError('compress', `norm must be from 2 to 8, got ${given.norm}`);
  if (!(given.examples >= 0 && given.examples < Number.POSITIVE_INFINITY))
    throw new UsageError('compress', `examples must be a weight of at least 0, got ${given.examples}`);
  if (given.objective === 'linear') {
    if (given.examples > 0) throw new InputError('compress', 'examples need the nonlinear objective');
    if (given.norm > 2) throw new InputError('compress', 'a norm above 2 needs the nonlinear objective');
  } else if (given.smoothness > 0) throw new InputError('compress', 'smoothness needs the linear objective');
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
