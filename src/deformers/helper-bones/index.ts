// SPDX-License-Identifier: MIT
export { decodeHelperBone, decodeTerms } from './decode-helper-bones.ts';
export { jointTermsInto } from './helper-bones-terms.ts';
export {
  type ControllerInput,
  type ControllersFile,
  listControllers,
  type NamedController,
} from './list-controllers.ts';
export {
  type HelperControllers,
  MIN_HELPER_SCALE,
  makeHelperBones,
  makeHelperControllers,
  makeJointRotations,
} from './make-helper-bones.ts';
export { type HelperFollower, makeHelperFollower } from './make-helper-follower.ts';
export { makeSpring } from './make-spring.ts';
export { HELPER_EXTENSION, type HelperTerm, packHelperFollow, packHelperTerms } from './pack-helper-bones.ts';
export { writeBlenderDrivers } from './write-blender-drivers.ts';
