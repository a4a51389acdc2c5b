// SPDX-License-Identifier: MIT
export { type Collider, makeCollider } from './collider.ts';
export type { CollisionModel, CollisionTree } from './collision-tree.ts';
export { type ClosestPoints, DISTANCE_DEFAULTS, type DistanceOptions, distance } from './distance.ts';
export { type Contact, listContacts } from './list-contacts.ts';
export { COLLISION_TREE_DEFAULTS, type CollisionTreeOptions, makeCollisionTree } from './make-collision-tree.ts';
export { type Overlap, overlap } from './overlap.ts';
export { randomPlace, randomPose } from './random-pose.ts';
export { type Ray, type RayHit, raycast } from './raycast.ts';
export { intersectTriangles } from './triangles/intersect-triangles.ts';
