// SPDX-License-Identifier: MIT
import { InputError } from './errors.ts';
import type { Morphs } from './morphs.ts';
import type { Skeleton } from './skeleton.ts';

/** What morph targets are at one pose of the driving joints. */
export interface MorphDriverPose {
  /** Per driving joint, its turn since the bind pose, in its own frame: unit quaternion x y z w. */
  rotations: (readonly [number, number, number, number])[];
  /** By name of the target; those not named are 0. */
  targets: Readonly<Record<string, number>>;
}

/** Morph targets driven by rotations of a few joints, interpolated between examples. At rest all are 0, unless an example says otherwise. */
export interface MorphDriver {
  /** Names of the joints whose turns are read. */
  joints: readonly string[];
  /** Radians over which an example fades. */
  radius: number;
  poses: readonly MorphDriverPose[];
}

/** Throws, in one sentence, on a joint or target that is not there, and on numbers that cannot be used. */
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
