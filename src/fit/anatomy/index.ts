// SPDX-License-Identifier: MIT
export type { Anatomy, BodyKind, BodyPart, JointLabel, Side } from './anatomy.ts';
export { FINGERS } from './anatomy.ts';
export { describeRig, type RigDescription } from './describe-rig.ts';
export { labelByName } from './label-by-name.ts';
export { type LabelOptions, labelJoints } from './label-joints.ts';
export { type RigShape, shapeOfNodes, shapeOfSkin } from './rig-shape.ts';
