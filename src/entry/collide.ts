// SPDX-License-Identifier: MIT
/**
 * Collisions of skins: overlap, distance, rays and contacts of posed models, without deforming them. makeCollisionTree prepares a model once; each instance is a
 * Collider.
 *
 * @module ossify/collide
 */

export {
  type ClosestPoints,
  COLLISION_TREE_DEFAULTS,
  type Collider,
  type CollisionModel,
  type CollisionTree,
  type CollisionTreeOptions,
  type Contact,
  DISTANCE_DEFAULTS,
  type DistanceOptions,
  distance,
  listContacts,
  makeCollider,
  makeCollisionTree,
  type Overlap,
  overlap,
  type Ray,
  type RayHit,
  raycast,
} from '../methods/collide/index.ts';
