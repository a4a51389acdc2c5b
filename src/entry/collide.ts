// SPDX-License-Identifier: MIT
/**
 * Collisions of skins: overlap, distance, rays and contacts of posed models, without deforming them. makeCollisionTree prepares a model once; each instance is a
 * Collider.
 *
 * @module ossify/collide
 */

export { type Collider, makeCollider } from '../methods/collide/collider.ts';
export type { CollisionModel, CollisionTree } from '../methods/collide/collision-tree.ts';
export {
  type ClosestPoints,
  DISTANCE_DEFAULTS,
  type DistanceOptions,
  distance,
} from '../methods/collide/distance.ts';
export { type Contact, listContacts } from '../methods/collide/list-contacts.ts';
export {
  COLLISION_TREE_DEFAULTS,
  type CollisionTreeOptions,
  makeCollisionTree,
} from '../methods/collide/make-collision-tree.ts';
export { type Overlap, overlap } from '../methods/collide/overlap.ts';
export { type Ray, type RayHit, raycast } from '../methods/collide/raycast.ts';
