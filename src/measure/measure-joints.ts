// SPDX-License-Identifier: MIT
// Distances of the joints of a rig from the nearest joints of another rig of the same mesh. The index of a joint is that of its bone.

import { measureBounds } from '../core/mesh/geometry/bounds.ts';
import type { Asset, AssetRig } from '../core/model/asset.ts';
import type { Animation } from '../core/model/clip/animation.ts';
import { poseOf } from '../core/model/clip/motion.ts';
import { sampleAnimation } from '../deformers/playback/index.ts';
import { quantileOfSorted } from './error/quantile.ts';
import { compareSkeletons, type SkeletonReport } from './rigs/compare-skeletons.ts';
import { RotationRange } from './rotation-range.ts';

/** A joint moves if its rotations relative to its parent in two frames of one animation differ by this angle, degrees. */
const MOVING_DEGREES = 5;
/** Two rest shapes are the same if no vertex differs by more than this ratio of the box diagonal. Corrections of the rest pose stay below it. */
const SAME_REST = 0.01;
/** Frames per batch of bone matrices: bounds memory for long animations. */
const BATCH = 64;

/** Distance of a joint of the reference from the nearest joint of the result. */
export interface JointDistance {
  /** Name of the joint of the reference. */
  name: string;
  /** Name of the nearest joint of the result. */
  nearest: string;
  /** Distance in percent of the size: the box diagonal of the reference's rest mesh. */
  percent: number;
}

/** Distances of the moving joints of a reference from the nearest joints of a result, in percent of the box diagonal of the reference's rest mesh. */
export interface JointReport {
  /** Where positions are compared: in the rest pose, or as the mean distance over all frames. */
  pose: 'rest' | 'frames';
  /** Number of joints of the reference that move. */
  moving: number;
  medianPercent: number;
  maxPercent: number;
  /** Name of the joint with the largest distance. */
  worst: string;
  /** Number of moving joints within 1, 3 and 5 %. */
  within1: number;
  within3: number;
  within5: number;
  /** One per moving joint, in the order of the reference's bones. */
  distances: JointDistance[];
  /** How well the skeleton of the result is that of the reference, if both have the same rest shape. */
  skeleton?: SkeletonReport;
}

/** One animation of both assets, sampled at the same times. */
export interface SharedAnimation {
  reference: Animation;
  /** Absent if the result has no such animation. */
  result?: Animation;
  /** frameCount, seconds, ascending */
  times: Float64Array;
}

/**
 * Measures how far each moving joint of a reference is from the nearest joint of a result. A joint moves if it rotates by 5° or more relative to its parent joint within
 * an animation, and it or a joint below it has weights. If the two rest shapes are the same, positions are those of the rest pose; otherwise the distance is the mean over
 * the frames of the animations that both have.
 * @returns undefined if a file has no joints, no joint of the reference moves, or the rest shapes differ and no animation is shared
 * @example
 * ```ts
 * import { measureJoints, readAsset } from 'ossify';
 *
 * const found = await readAsset([{ name: 'out.glb', bytes }]);
 * const shared = { reference: asset.animations[0], result: found.animations[0], times: clip.times };
 * const joints = measureJoints(asset, found, [shared]);
 * console.log(joints?.medianPercent, joints?.worst);
 * ```
 */
export function measureJoints(
  reference: Asset,
  result: Asset,
  animations: readonly SharedAnimation[],
): JointReport | undefined {
  const { rig } = reference;
  const { rig: found } = result;
  if (!rig || !found) return undefined;
  const moving = listMovingJoints(reference, rig, animations);
  const targets = [...found.isJoint.keys()].filter((j) => found.isJoint[j] === 1);
  const { diagonal } = measureBounds(reference.mesh.positions);
  if (moving.length === 0 || targets.length === 0 || !(diagonal > 0)) return undefined;
  const pose = haveSameRest(reference, result, SAME_REST * diagonal) ? 'rest' : 'frames';
  const table = new Float64Array(moving.length * targets.length);
  if (pose === 'rest') {
    addDistances(restOrigins(rig, moving), restOrigins(found, targets), table);
  } else {
    const shared = animations.flatMap(({ reference: a, result: b, times }) =>
      b && times.length > 0 ? [{ a, b, times }] : [],
    );
    if (shared.length === 0) return undefined;
    const frameCount = shared.reduce((sum, { times }) => sum + times.length, 0);
    for (const { a, b, times } of shared) {
      for (let first = 0; first < times.length; first += BATCH) {
        const batch = times.subarray(first, first + BATCH);
        const from = originsAt(reference, rig, { animation: a, times: batch }, moving);
        const to = originsAt(result, found, { animation: b, times: batch }, targets);
        for (let k = 0; k < batch.length; k++) addDistances(from[k], to[k], table);
      }
    }
    for (let n = 0; n < table.length; n++) table[n] /= frameCount;
  }
  const distances = moving.map((j, n): JointDistance => {
    const row = table.subarray(n * targets.length, (n + 1) * targets.length);
    let least = 0;
    for (let m = 1; m < row.length; m++) if (row[m] < row[least]) least = m;
    return {
      name: rig.skeleton.names[j],
      nearest: found.skeleton.names[targets[least]],
      percent: (100 * row[least]) / diagonal,
    };
  });
  const skeleton = pose === 'rest' ? compareSkeletons(reference, result, animations) : undefined;
  return { pose, ...summarize(distances), distances, ...(skeleton && { skeleton }) };
}

function summarize(distances: readonly JointDistance[]): Omit<JointReport, 'pose' | 'distances' | 'skeleton'> {
  const worst = distances.reduce((most, joint) => (joint.percent > most.percent ? joint : most));
  const within = (percent: number) => distances.filter((joint) => joint.percent <= percent).length;
  return {
    moving: distances.length,
    medianPercent: quantileOfSorted(Float32Array.from(distances, ({ percent }) => percent).sort(), 0.5),
    maxPercent: worst.percent,
    worst: worst.name,
    within1: within(1),
    within3: within(3),
    within5: within(5),
  };
}

/** Joints that move vertices and rotate relative to their parent. A node that several skins use as a joint is listed once. */
function listMovingJoints(asset: Asset, rig: AssetRig, animations: readonly SharedAnimation[]): number[] {
  const { parents } = rig.skeleton;
  const hasWeights = listWeighted(rig);
  const seen = new Set<number>();
  const candidates = [...parents.keys()].filter((j) => {
    if (!rig.isJoint[j] || parents[j] < 0 || !hasWeights[j] || seen.has(rig.nodeOfBone[j])) return false;
    seen.add(rig.nodeOfBone[j]);
    return true;
  });
  const range = new RotationRange(candidates.map((j) => [j, parents[j]]));
  for (const { reference, times } of animations) {
    for (let first = 0; first < times.length; first += BATCH) {
      const batch = times.subarray(first, first + BATCH);
      const { motion } = sampleAnimation(asset, reference, batch);
      for (let k = 0; k < batch.length; k++) range.add(poseOf(motion, k));
    }
    range.endAnimation();
  }
  return candidates.filter((_, n) => range.isTurning(n, MOVING_DEGREES));
}

/** boneCount: 1 for a bone with weights, and for all bones above it. */
function listWeighted({ skeleton: { parents }, skin: { boneIndices, weights } }: AssetRig): Uint8Array {
  const weighted = new Uint8Array(parents.length);
  for (let e = 0; e < weights.length; e++) if (weights[e] > 0) weighted[boneIndices[e]] = 1;
  // parents come before their children
  for (let j = parents.length - 1; j >= 0; j--) if (weighted[j] && parents[j] >= 0) weighted[parents[j]] = 1;
  return weighted;
}

function haveSameRest(
  { mesh: { positions: a } }: Asset,
  { mesh: { positions: b } }: Asset,
  tolerance: number,
): boolean {
  if (a.length !== b.length) return false;
  for (let c = 0; c < a.length; c += 3) {
    const [x, y, z] = [a[c] - b[c], a[c + 1] - b[c + 1], a[c + 2] - b[c + 2]];
    if (x * x + y * y + z * z > tolerance * tolerance) return false;
  }
  return true;
}

/** Origins of joints in the bind pose, which is that of the mesh: joints x 3. */
function restOrigins({ skeleton: { bindMatrices } }: AssetRig, joints: readonly number[]): Float64Array {
  return Float64Array.from(joints.flatMap((j) => [...bindMatrices.subarray(16 * j + 12, 16 * j + 15)]));
}

/** Origins of joints, by frame: joints x 3. */
function originsAt(
  asset: Asset,
  rig: AssetRig,
  { animation, times }: { animation: Animation; times: Float64Array },
  joints: readonly number[],
): Float64Array[] {
  const rest = restOrigins(rig, joints);
  const { motion } = sampleAnimation(asset, animation, times);
  return Array.from(times, (_, k) => {
    const bones = poseOf(motion, k);
    const origins = new Float64Array(rest.length);
    joints.forEach((j, n) => {
      for (let r = 0; r < 3; r++) {
        let x = bones[16 * j + 12 + r];
        for (let c = 0; c < 3; c++) x += bones[16 * j + 4 * c + r] * rest[3 * n + c];
        origins[3 * n + r] = x;
      }
    });
    return origins;
  });
}

/** Adds the distance of each point of a from each point of b to a table, a x b. */
function addDistances(a: Float64Array, b: Float64Array, table: Float64Array): void {
  const width = b.length / 3;
  for (let n = 0; 3 * n < a.length; n++) {
    for (let m = 0; m < width; m++) {
      const [x, y, z] = [0, 1, 2].map((r) => a[3 * n + r] - b[3 * m + r]);
      table[n * width + m] += Math.sqrt(x * x + y * y + z * z);
    }
  }
}
