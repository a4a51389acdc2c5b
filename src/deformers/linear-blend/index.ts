// SPDX-License-Identifier: MIT
export { alignEntries, NO_ENTRY } from './align-entries.ts';
export { checkFits, checkPose, makeLinearBlend } from './make-linear-blend.ts';
export { mendInfluences, sumsToOne } from './mend-influences.ts';
export { narrowDeformer } from './narrow-deformer.ts';
export { FLOAT_STEPS, packInfluences, roundToSteps } from './pack-influences.ts';
export { MAX_BONES, packSkin } from './pack-skin.ts';
export { isSameBlend, PoseEvaluator } from './pose-evaluator.ts';
export { lazyRestNormals, makeRestNormals } from './rest-normals.ts';
export { makePackRunner, type PosedShapes } from './run-pack.ts';
export { sortByBone } from './sort-by-bone.ts';
export { makeSurfaceNormals } from './surface-normals.ts';
