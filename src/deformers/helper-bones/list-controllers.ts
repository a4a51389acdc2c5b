// SPDX-License-Identifier: MIT
// Controllers for other programs: JSON with names in place of node indices. src/methods/convert/README.md describes how to evaluate it.

import { orthonormalizeInto } from '../../core/math/orthonormalize.ts';
import { quaternionFromMatrix } from '../../core/math/quaternion.ts';
import { FADE_FROM, type HelperBones, type HelperFollow } from '../../core/model/deformed/helper-bones.ts';
import { LOCAL_SIZE, restLocalInto, restRotationOf } from '../../core/model/skin/rest-local.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import { HELPER_EXTENSION_VERSION, type HelperTerm, packHelperTerms } from './pack-helper-bones.ts';

/** A joint whose rotation a controller reads. */
export interface ControllerInput {
  joint: string;
  /** What the joint's rotation is relative to; absent for a root. */
  parent?: string;
  /** Unit quaternion x y z w: the joint relative to its parent at rest. */
  rest: number[];
  /** Radians: longer rotation vectors are clamped to it. */
  reach: number;
}

/** The controller of one helper bone, with bones by name. */
export interface NamedController {
  name: string;
  /** Its parent joint. */
  parent: string;
  /** In the parent's space, at rest. */
  translation: number[];
  rotation: number[];
  scale: number[];
  inputs: ControllerInput[];
  /** Names of the joints that `input` of the terms counts; `inputs` may be edited. */
  basis: string[];
  /** How late it follows: seconds, and damping ratio. */
  follow?: HelperFollow;
  terms: HelperTerm[];
}

/** The controllers of a rig as JSON, for other programs. */
export interface ControllersFile {
  format: 'ossify-helper-bones';
  version: number;
  /** Degrees from which terms of odd degree fade to zero at 180. */
  fadeFrom: number;
  helpers: NamedController[];
}

/**
 * The controllers of a model, by name.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { listControllers } from 'ossify';
 *
 * await writeFile('controllers.json', JSON.stringify(listControllers(helperBones)));
 * ```
 */
export function listControllers(model: HelperBones): ControllersFile {
  const { skeleton, controllers } = model;
  const { names, parents } = skeleton;
  const helpers = controllers.map((controller): NamedController => {
    const { bone, joints, reaches } = controller;
    const local = new Float64Array(LOCAL_SIZE);
    restLocalInto(skeleton, bone, local);
    return {
      name: names[bone],
      parent: names[parents[bone]],
      translation: [...local.subarray(0, 3)],
      rotation: [...local.subarray(3, 7)],
      scale: [...local.subarray(7)],
      inputs: [...joints].map((joint, n) => ({
        joint: names[joint],
        ...(parents[joint] >= 0 ? { parent: names[parents[joint]] } : {}),
        rest: quaternionOf(restRotationOf(skeleton, joint)),
        reach: reaches[n],
      })),
      basis: [...joints].map((joint) => names[joint]),
      ...(controller.follow ? { follow: controller.follow } : {}),
      terms: packHelperTerms(controller),
    };
  });
  const fadeFrom = Math.round((FADE_FROM * 180) / Math.PI);
  return { format: 'ossify-helper-bones', version: HELPER_EXTENSION_VERSION, fadeFrom, helpers };
}

/** The rotation of a bone in model space at rest: unit quaternion x y z w. */
export function bindRotationOf({ bindMatrices }: Skeleton, bone: number): number[] {
  const m = bindMatrices.slice(16 * bone, 16 * bone + 16);
  orthonormalizeInto(m);
  return quaternionOf(m);
}

function quaternionOf(m: Float64Array): number[] {
  const q = [0, 0, 0, 1];
  quaternionFromMatrix(m, q);
  return q;
}
