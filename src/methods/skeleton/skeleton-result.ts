// SPDX-License-Identifier: MIT
import type { SkinnedModel } from '../../core/model/asset.ts';
import type { SolvedBody } from './body/solved-body.ts';

/** A skeleton with its skin and motion, and facts about the solve. */
export interface SkeletonResult {
  /** The skinned model. */
  model: SkinnedModel;
  /** RMSE of the solver in percent of the box diagonal; welded points, all frames. */
  rmsePercent: number;
  /** Number of bodies. */
  bodies: number;
  /** Number of bodies without joints, which move rigidly or not at all. */
  rigidBodies: number;
  /** Number of bodies that do not move. */
  stillBodies: number;
  /** Number of bones before pruning. */
  bonesBefore: number;
  /** Number of joints. */
  joints: number;
  /** Names of the joints that slide: their bones have translations of their own. */
  sliding: string[];
  /** Number of joints outside the body before they were moved inside. */
  outsideBefore: number;
  /** Number of joints outside the body. */
  outside: number;
  /** Number of passes with soft joints. */
  passes: number;
  /** Number of iterations with exact joints. */
  iterations: number;
  /** Why the solve ended. */
  status: SolvedBody['status'];
}
