// SPDX-License-Identifier: MIT
import { InputError } from '../errors.ts';
import type { Skeleton } from '../skin/skeleton.ts';
import type { Morphs } from './morphs.ts';

/** Weights of morph targets at one pose of the driving joints. */
export interface MorphDriverPose {
  /** Per driving joint, its rotation relative to the bind pose, in its own frame: unit quaternion x y z w. */
  rotations: (readonly [number, number, number, number])[];
  /** Weight by name of the target; the others are 0. */
  targets: Readonly<Record<string, number>>;
}

/** Morph targets driven by rotations of a few joints, interpolated between examples. At rest all weights are 0, unless an example sets them. */
export interface MorphDriver {
  /** Names of the driving joints. */
  joints: readonly string[];
  /** Falloff radius of an example, radians. */
  radius: number;
  /** The examples. */
  poses: readonly MorphDriverPose[];
}

/** Throws an InputError if a joint or target does not exist or a number is out of range. */
export function checkMorphDrivers(drivers: readonly MorphDriver[], skeleton: Skeleton, morphs: Morphs): void {
  const targets = new Set(morphs.targets.map(({ name }) => name));
  drivers.forEach(({ joints, radius, poses }, n) => {
    if (joints.length === 0) throw new InputError('morph drivers', `driver ${n} names no joint`);
    for (const joint of joints) {
      if (!skeleton.names.includes(joint))
        throw new InputError(
          'morph drivers',
          `driver ${n} reads the joint "${joint}", which is not in the skeleton; the first joint is "${skeleton.names[0]}"`,
        );
    }
    if (!(radius > 0 && Number.isFinite(radius)))
      throw new InputError('morph drivers', `the radius of driver ${n} must be above 0, got ${radius}`);
    if (poses.length === 0) throw new InputError('morph drivers', `driver ${n} has no pose`);
    poses.forEach((pose, k) => {
      if (pose.rotations.length !== joints.length)
        throw new InputError(
          'morph drivers',
          `pose ${k} of driver ${n} has ${pose.rotations.length} rotations for ${joints.length} joints`,
        );
      for (const [name, amount] of Object.entries(pose.targets)) {
        if (!targets.has(name))
          throw new InputError(
            'morph drivers',
            `pose ${k} of driver ${n} names the target "${name}", which is not there`,
          );
        if (!Number.isFinite(amount))
          throw new InputError(
            'morph drivers',
            `pose ${k} of driver ${n} gives the target "${name}" the weight ${amount}`,
          );
      }
    });
  });
}
