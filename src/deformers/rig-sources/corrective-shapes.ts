// SPDX-License-Identifier: MIT
// Corrective shapes: morph targets driven by the skeleton, added at rest, before linear blend skinning:
//   v' = Σⱼ wⱼ Mⱼ (v + Σ_m a_m(p) δ_m),   a_m(p) = Σ over drivers, Σ_k s_k(p) a_mk,
// a_mk the weight of target m at example k of a driver, s_k the weights of pose-space-weights.ts over the joints of that driver.

import type { Deformer } from '../../core/model/deformed/deformer.ts';
import type { MorphDriver } from '../../core/model/deformed/morph-drivers.ts';
import { checkMorphDrivers } from '../../core/model/deformed/morph-drivers.ts';
import type { Morphs } from '../../core/model/deformed/morphs.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { checkPose, makeLinearBlend, makeSurfaceNormals } from '../linear-blend/index.ts';
import { makePoseRotations } from './pose-rotations.ts';
import { makePoseWeights, type PoseWeights } from './pose-space-weights.ts';

/** A linear blend skin with morph targets. */
export interface CorrectedRig {
  /** The rest shape. */
  mesh: Mesh;
  /** The bones, which poses move. */
  skeleton: Skeleton;
  /** Weights of bones, by vertex. */
  skin: Skin;
  /** Displacements at rest. Weights at rest are not read: only drivers set the targets. */
  morphs: Morphs;
}

/** A deformer with driven morph targets. */
export interface CorrectiveShapes extends Deformer {
  /** Fills the weight of each morph target at a pose: targetCount. */
  weighInto(bones: Float64Array, weights: Float32Array): void;
}

/** A prepared driver: the joints that it reads and the targets that it moves. */
interface Drive {
  joints: Uint32Array;
  rotations: Float64Array;
  poseWeights: PoseWeights;
  shares: Float64Array;
  /** A target, an example and the weight: a_mk. */
  entries: { target: number; pose: number; amount: number }[];
}

/**
 * Corrective shapes on a linear blend skin. Targets are stored sparsely, so a pose only costs the moved vertices. Normals are those of the result's surface.
 * @example
 * ```ts
 * import { readMorphDrivers } from 'ossify';
 * import { makeCorrectiveShapes } from 'ossify/deform';
 *
 * const { mesh, rig, morphs } = asset;
 * if (!rig || !morphs) throw new Error('the file has no skin or no morph targets');
 * const shapes = makeCorrectiveShapes({ mesh, ...rig, morphs }, readMorphDrivers(bytes));
 * shapes.deformInto({ bones }, positions);
 * ```
 */
export function makeCorrectiveShapes(rig: CorrectedRig, drivers: readonly MorphDriver[]): CorrectiveShapes {
  const { mesh, skeleton, skin, morphs } = rig;
  const boneCount = skeleton.names.length;
  checkMorphDrivers(drivers, skeleton, morphs);
  const drives = drivers.map((driver) => makeDrive(driver, skeleton, morphs));
  const targets = morphs.targets.map((target) => packTarget(target.positions, target.vertexStart));
  const targetCount = targets.length;
  const amounts = new Float64Array(targetCount);
  const turns = makePoseRotations(skeleton);
  const shaped: Mesh = { ...mesh, positions: mesh.positions.slice() };
  const blend = makeLinearBlend(shaped, skin, boneCount);
  const normalsInto = makeSurfaceNormals(mesh);
  const weigh = (bones: Float64Array): void => {
    amounts.fill(0);
    for (const { joints, rotations, poseWeights, shares, entries } of drives) {
      turns.readInto(bones, joints, rotations);
      poseWeights.weighInto(rotations, shares);
      for (const { target, pose, amount } of entries) amounts[target] += amount * shares[pose];
    }
  };
  return {
    vertexCount: mesh.positions.length / 3,
    boneCount,
    weighInto(bones, weights) {
      checkPose('corrective shapes', { bones }, boneCount);
      if (weights.length !== targetCount)
        throw new InputError('corrective shapes', `weights must have ${targetCount} numbers, got ${weights.length}`);
      weigh(bones);
      weights.set(amounts);
    },
    deformInto(pose, positions, normals) {
      checkPose('corrective shapes', pose, boneCount);
      weigh(pose.bones);
      shaped.positions.set(mesh.positions);
      for (let m = 0; m < targetCount; m++) if (amounts[m] !== 0) addInto(targets[m], amounts[m], shaped.positions);
      blend.deformInto(pose, positions);
      if (normals) normalsInto(positions, normals);
    },
  };
}

/** A target's displacements that are not zero. */
interface SparseTarget {
  /** Index of the first coordinate of each moved vertex. */
  places: Uint32Array;
  /** places.length x 3 */
  deltas: Float32Array;
}

function packTarget(positions: Float32Array, vertexStart: number): SparseTarget {
  const places: number[] = [];
  for (let c = 0; c < positions.length; c += 3) {
    if (positions[c] !== 0 || positions[c + 1] !== 0 || positions[c + 2] !== 0) places.push(3 * vertexStart + c);
  }
  const deltas = new Float32Array(3 * places.length);
  places.forEach((place, n) => {
    for (let c = 0; c < 3; c++) deltas[3 * n + c] = positions[place - 3 * vertexStart + c];
  });
  return { places: Uint32Array.from(places), deltas };
}

function addInto({ places, deltas }: SparseTarget, amount: number, positions: Float32Array): void {
  for (let n = 0; n < places.length; n++) {
    const o = places[n];
    positions[o] += amount * deltas[3 * n];
    positions[o + 1] += amount * deltas[3 * n + 1];
    positions[o + 2] += amount * deltas[3 * n + 2];
  }
}

function makeDrive(driver: MorphDriver, skeleton: Skeleton, morphs: Morphs): Drive {
  const jointCount = driver.joints.length;
  const poses = new Float64Array(4 * jointCount * driver.poses.length);
  const entries: Drive['entries'] = [];
  driver.poses.forEach((pose, k) => {
    pose.rotations.forEach((q, n) => {
      poses.set(q, 4 * (k * jointCount + n));
    });
    for (const [name, amount] of Object.entries(pose.targets)) {
      // several parts may each have a target of that name
      morphs.targets.forEach((known, target) => {
        if (known.name === name) entries.push({ target, pose: k, amount });
      });
    }
  });
  const who = `corrective shapes: the driver of ${driver.joints.join(', ')}`;
  return {
    joints: Uint32Array.from(driver.joints, (name) => skeleton.names.indexOf(name)),
    rotations: new Float64Array(4 * jointCount),
    poseWeights: makePoseWeights(poses, jointCount, driver.radius, who),
    shares: new Float64Array(driver.poses.length),
    entries,
  };
}
