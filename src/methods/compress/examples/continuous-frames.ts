// SPDX-License-Identifier: MIT
// Whole poses in addition to the continuous examples (Le et al. 2021, §8: "mixing continuous examples with traditional discrete examples"): frames of animations,
// in which every bone moves independently.
//
// Frames are grouped by the number of poses of a joint, so that all blocks have the same shape; the last group is padded with poses of zero weight. All motions are relative
// to the rigid motion of the bone with the largest weight: this changes no error and keeps numbers small. The sums of turn-patch.ts have a term for every master bone of the patch.

import { invertAffine, multiply } from '../../../core/math/mat4.ts';
import { nearestRotationInto } from '../../../core/math/rotation.ts';
import { SYM4_11, SYM4_SIZE } from '../../../core/math/sym4.ts';
import type { Motion } from '../../../core/model/clip/motion.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { CompressPoints } from '../compress-points.ts';
import type { Joints } from './continuous-joints.ts';
import type { QuadratureSpace } from './continuous-quadrature.ts';
import { addMotion, finishTurn, makeTurnedRows, startTurn, type TurnInto } from './turn-patch.ts';

/** Maximum number of frames; of more, evenly spaced ones are used. Chosen by hand. */
export const MAX_EXAMPLE_FRAMES = 48;

export interface FrameSpace extends QuadratureSpace {
  /** Index of the first group of frames. */
  readonly jointCount: number;
  /** Offset of the motion of a bone in frameMotions; −1 for padding. */
  frameAt(g: number, pose: number, bone: number): number;
  /** frames x boneCount x 12: F, column-major, and τ, about the origin of the points */
  readonly frameMotions: Float64Array;
}

/**
 * The poses of joints, and frames.
 * @param weight weight of the mean squared error over frames, relative to the sum of the means over joints: 1 is about one half of the total
 */
export function addFrames(
  space: QuadratureSpace,
  joints: Joints,
  points: CompressPoints,
  motions: readonly Motion[],
  weight: number,
): FrameSpace {
  const { boneCount } = joints;
  const { poses } = space;
  const jointCount = joints.bones.length;
  const frames = chooseFrames(motions);
  if (frames.length === 0)
    throw new InputError('compress', 'examples above 0 requires an animation with at least one frame');
  const frameMotions = new Float64Array(12 * boneCount * frames.length);
  const main = heaviestBone(points, boneCount);
  frames.forEach(({ motion, frame }, k) => {
    if (motion.matrices.length !== motion.times.length * boneCount * 16)
      throw new InputError('compress', `the motion "${motion.name}" and the skeleton have different numbers of bones`);
    const matrices = motion.matrices.subarray(16 * boneCount * frame, 16 * boneCount * (frame + 1));
    fillFrame(matrices, main, points.origin, frameMotions, 12 * boneCount * k);
  });
  const groupCount = jointCount + Math.ceil(frames.length / poses);
  const full = new Float64Array(12 * poses * groupCount);
  full.set(space.full);
  const scale = Math.sqrt((weight * poses) / frames.length);
  const frameAt: FrameSpace['frameAt'] = (g, pose, bone) => {
    const k = (g - jointCount) * poses + pose;
    return k < frames.length ? 12 * (k * boneCount + bone) : -1;
  };

  const turnInto: TurnInto = (g, pose, patch, out) => {
    if (g < jointCount) {
      space.turnInto(g, pose, patch, out);
      return;
    }
    startTurn(out, patch);
    const { image, rotation } = out;
    const first = frameAt(g, pose, 0);
    if (first < 0) {
      rotation.fill(0);
      for (let r = 0; r < 9; r += 4) {
        image[r] = 1;
        rotation[r] = 1;
      }
      return;
    }
    for (let e = patch.start; e < patch.end; e++)
      addMotion(frameMotions, first + 12 * patch.bones[e], patch.deltas, SYM4_SIZE * e, out);
    finishTurn(patch, out);
  };
  const scaleOf = (g: number): number => (g < jointCount ? 1 : scale);

  return {
    ...{ ...space, groupCount, jointCount, full, frameAt, frameMotions, scaleOf, turnInto },
    ...makeTurnedRows(poses, turnInto, scaleOf),
  };
}

/** Frames of all motions, evenly spaced if there are too many. */
function chooseFrames(motions: readonly Motion[]): { motion: Motion; frame: number }[] {
  const all = motions.flatMap((motion) => Array.from(motion.times, (_, frame) => ({ motion, frame })));
  const count = Math.min(all.length, MAX_EXAMPLE_FRAMES);
  return Array.from({ length: count }, (_, n) => all[Math.floor(((n + 0.5) * all.length) / count)]);
}

function heaviestBone({ boneIndices, centered }: CompressPoints, boneCount: number): number {
  const weights = new Float64Array(boneCount);
  for (let e = 0; e < boneIndices.length; e++) weights[boneIndices[e]] += centered[SYM4_SIZE * e + SYM4_11];
  return weights.reduce((best, weight, j) => (weight > weights[best] ? j : best), 0);
}

/** F and τ of every bone, about the origin of the points, relative to the rigid motion of the main bone. */
function fillFrame(
  matrices: ArrayLike<number>,
  main: number,
  origin: readonly number[],
  out: Float64Array,
  o: number,
): void {
  const rigid = new Float64Array(16);
  const undo = new Float64Array(16);
  const relative = new Float64Array(16);
  const turn = new Float64Array(9);
  const m = 16 * main;
  for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) turn[3 * c + r] = matrices[m + 4 * c + r];
  nearestRotationInto(turn, turn);
  for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) rigid[4 * c + r] = turn[3 * c + r];
  // the image of the origin under the main bone
  for (let r = 0; r < 3; r++) {
    rigid[12 + r] = matrices[m + 12 + r];
    for (let c = 0; c < 3; c++) rigid[12 + r] += (matrices[m + 4 * c + r] - rigid[4 * c + r]) * origin[c];
  }
  rigid[15] = 1;
  invertAffine(rigid, undo);
  for (let j = 0; j < matrices.length / 16; j++) {
    multiply(undo, matrices, relative, 0, 16 * j);
    const t = o + 12 * j;
    for (let r = 0; r < 3; r++) {
      let moved = relative[12 + r];
      for (let c = 0; c < 3; c++) {
        const f = relative[4 * c + r] - (r === c ? 1 : 0);
        out[t + 3 * c + r] = f;
        moved += f * origin[c];
      }
      out[t + 9 + r] = moved;
    }
  }
}
