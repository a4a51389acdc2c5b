// SPDX-License-Identifier: MIT
import type { HelperController, HelperFollow } from '../../../core/model/deformed/helper-bones.ts';

/** Parts of a controller that are fixed while the rest is fitted. */
export interface GivenController {
  parent: number;
  /** 16 numbers: its frame at rest. Default: at the center of its region. */
  bind?: Float64Array;
  /** The joints that control it. Default: those whose rotations move it. */
  joints?: readonly number[];
  /** By joint: maximum angle, radians. Default: the largest angle in training. */
  reaches?: readonly number[];
  /** Its delay; null: none. Default: the best of the candidates. */
  follow?: HelperFollow | null;
  /** Poses in which its outputs are given. */
  keys?: readonly KeyPose[];
  /** The polynomial, of the given joints: nothing is fitted. */
  fixed?: { order: number; coefficients: Float64Array };
}

/** A pose in which the outputs of a controller are given. */
export interface KeyPose {
  /** joints x 4: rotations of its joints, in their order */
  turns: Float64Array;
  /** 9: Δt, Δr and Δs; NaN: not given */
  outputs: Float64Array;
}

/** A helper of an earlier conversion with edits: what is fixed, and the controller from which the fit starts. */
export interface EditedHelper {
  name: string;
  given: GivenController & Required<Pick<GivenController, 'bind' | 'joints' | 'reaches'>>;
  start: Pick<HelperController, 'joints' | 'reaches' | 'order' | 'coefficients'>;
}
