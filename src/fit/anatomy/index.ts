// SPDX-License-Identifier: MIT
export type { Anatomy, BodyKind, BodyPart, JointLabel, Side } from './anatomy.ts';
export { FINGERS } from './anatomy.ts';
export { labelByName } from './by-name/label-by-name.ts';
export { describeRig, type RigDescription } from './describe-rig.ts';
export { type LabelOptions, labelJoints } from './label-joints.ts';
export { nameJoints } from './name-joints.ts';
export { NAME_SETS, type NameSet } from './name-sets.ts';
export { type RigShape, shapeOfNodes, shapeOfSkin } from './rig-shape.ts';
