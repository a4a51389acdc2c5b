// SPDX-License-Identifier: MIT
import type { Compute } from '../../core/kernels/compute.ts';
import type { Motion } from '../../core/model/clip/motion.ts';
import type { DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import type { TwoLayer } from '../../core/model/deformed/two-layer.ts';
import type { ProgressInfo } from '../../core/progress/solve-monitor.ts';
import type { RangeTable } from '../../fit/poses/index.ts';
import type { MapSwitches } from './examples/continuous-joints.ts';
import type { CompressValues, TuningValues } from './options.ts';

/** Switches of the maps of the formulation (Le et al. 2021, §3), for ablation. */
export interface CompressMaps extends MapSwitches {
  /** Each joint has its own range; otherwise all have the same. */
  ranges?: boolean;
}

/** Options of compressDdm. */
export interface CompressOptions extends Partial<Omit<CompressValues, 'ranges'>>, Partial<TuningValues> {
  /** Number of virtual bones, at least 1 and at most the number of distinct vertices. */
  virtualBones?: number;
  /** Ranges of joints in example poses: the paper's defaults, those of the motions ('auto'), or a table by bone name. */
  ranges?: 'default' | 'auto' | RangeTable;
  /** Switches of the maps of §3, for ablation. */
  maps?: CompressMaps;
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

/** What is compressed. */
export interface CompressInput {
  ddm: DirectDeltaMush;
  /** Number of virtual bones, unless a solve has its own. */
  virtualBones?: number;
  tuning: TuningValues;
  maps?: CompressMaps;
  /** Motions for ranges 'auto' and for examples. */
  motions?: readonly Motion[];
}

/** A compressed model and the error of its fit. */
export interface CompressResult {
  /** The compressed model. */
  model: TwoLayer;
  /** RMSE_fit = √E of Eq. 11a, file units. */
  rmseFit: number;
  /** The same without the division by the number of bones; the paper may have published this value. */
  rmseFitUndivided: number;
  /** The root of the minimized objective, file units: √E of Eq. 11a, or of its nonlinear form. */
  objective: number;
  /** The objective after each update of the weights; it rises only after relocations. */
  history: number[];
  /** The longest side of the box, file units: the reference length of relative errors. */
  size: number;
  /** Number of iterations. */
  iterations: number;
  /** Why the solve ended. */
  status: 'converged' | 'max-iterations' | 'stopped';
}

/** Options that may differ between models of one compressor. */
export interface CompressCount
  extends Pick<CompressOptions, 'virtualBones' | 'influences' | 'iterations' | 'onProgress' | 'signal'> {
  /** A model of the same compressor with at most as many virtual bones. The solve continues from it: its virtual bones are kept at first, and new ones are added. */
  from?: TwoLayer;
}

/** Compresses one model to several numbers of virtual bones; the shared part is computed once. Options and results are those of compressDdm. */
export interface DdmCompressor {
  /** Number of distinct vertices: the maximum number of virtual bones. */
  readonly pointCount: number;
  /** Maximum number of iterations of a solve, unless it is given. */
  readonly iterations: number;
  /** Compresses the model to one number of virtual bones. */
  compress(count?: CompressCount): Promise<CompressResult>;
}
