// SPDX-License-Identifier: MIT
export { listBoneAxes } from './bone-axes.ts';
export { editRest } from './edit-rest.ts';
export { makeSkeletonPoser, type SkeletonPoser } from './make-skeleton-poser.ts';
export { listMirrorBones, mirrorPose } from './mirror-pose.ts';
export { type EditedRig, PoseEditor } from './pose-editor.ts';
export { chainOf, twoBoneIk } from './two-bone-ik.ts';
