// SPDX-License-Identifier: MIT
import type { Skin } from '../../../core/model/skin/skin.ts';

/** A solved body, file space. */
export interface SolvedBody {
  boneCount: number;
  /** boneCount; -1 for the root */
  parents: Int32Array;
  /** boneCount x 3: the joint of each bone with its parent; for the root, the mean of its joints, or the center of its vertices if it has fewer than two */
  joints: Float64Array;
  /** boneCount: 1 for a bone that moves away from its parent */
  released?: Uint8Array;
  /** frameCount x boneCount x 16 */
  matrices: Float64Array;
  skin: Skin;
  /** vertexCount x 3: the corrected rest shape of a clip with noise. */
  rest?: Float32Array;
  /** Sum of squared errors over welded points and frames, file units, and the number of these terms. */
  error: number;
  samples: number;
  /** Number of bones before pruning. */
  boneCountBefore: number;
  passes: number;
  iterations: number;
  outsideBefore: number;
  outside: number;
  status: 'converged' | 'max-iterations' | 'stopped';
  /** Whether the body moves rigidly, and whether it does not move. */
  isRigid: boolean;
  isStill: boolean;
}
