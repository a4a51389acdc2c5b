// SPDX-License-Identifier: MIT
// Helpers that follow their joints with a delay (Helper, §7: "helper bone-based dynamic skinning"): the outputs of a controller are the targets of damped springs (make-spring.ts).
import { CONTROLLER_OUTPUTS, type HelperBones } from '../../core/model/deformed/helper-bones.ts';
import { makeHelperControllers } from './make-helper-bones.ts';
import { makeSpring } from './make-spring.ts';

/** Evaluates helper bones over time. */
export interface HelperFollower {
  /** Forgets the past: helpers are at their targets in the next pose. */
  reset(): void;
  /**
   * Fills the matrices of the helpers from those of the joints, in place; allocates nothing.
   * @param bones boneCount x 16, column-major: rest to posed, model space
   * @param seconds since the previous pose
   */
  poseInto(bones: Float64Array, seconds: number): void;
  /** Fills the local transforms of the helpers, as HelperControllers.localsInto does. @param seconds since the previous pose */
  localsInto(bones: Float64Array, seconds: number, locals: Float64Array): void;
}

/**
 * Makes the evaluator of the helper bones of a model over time. Helpers without a delay follow at once, as makeHelperControllers computes them.
 * @example
 * ```ts
 * import { makeHelperFollower } from 'ossify/deform';
 *
 * const follower = makeHelperFollower(helperBones);
 * follower.poseInto(bones, 1 / 60); // in every frame of 60 per second
 * ```
 */
export function makeHelperFollower(model: HelperBones): HelperFollower {
  const controllers = makeHelperControllers(model);
  const springs = model.controllers.map(({ follow }) => follow && makeSpring(follow));
  const size = model.controllers.length * CONTROLLER_OUTPUTS;
  const values = new Float64Array(size);
  const speeds = new Float64Array(size);
  const targets = new Float64Array(size);
  const before = new Float64Array(size);
  let isNew = true;
  const advance = (bones: Float64Array, seconds: number): void => {
    before.set(targets);
    controllers.outputsInto(bones, targets);
    springs.forEach((spring, h) => {
      const part = (array: Float64Array) => array.subarray(h * CONTROLLER_OUTPUTS, (h + 1) * CONTROLLER_OUTPUTS);
      if (spring && !isNew) spring.advance(part(values), part(speeds), part(before), part(targets), seconds);
      else part(values).set(part(targets));
    });
    if (isNew) speeds.fill(0);
    isNew = false;
  };
  return {
    reset() {
      isNew = true;
    },
    poseInto(bones, seconds) {
      advance(bones, seconds);
      controllers.placeInto(values, bones);
    },
    localsInto(bones, seconds, locals) {
      advance(bones, seconds);
      controllers.localsOfInto(values, locals);
    },
  };
}
