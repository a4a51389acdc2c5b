// SPDX-License-Identifier: MIT
// The avatar data of a glTF after its nodes, meshes, materials or morph targets have moved.
import { listHumanBones, REQUIRED_BONES } from './human-bones.ts';
import { isObject, type Json } from './json-walk.ts';
import { moveVrm0 } from './move-vrm0.ts';
import { moveConstraint, moveMtoon, moveSpringBones, moveVrm1 } from './move-vrm1.ts';
import type { NewPlaces } from './new-places.ts';

type Move = (extension: Json, places: NewPlaces) => Json | undefined;

/** Extensions of avatars, and how their indices move. */
const MOVES: Readonly<Record<string, Move>> = {
  VRM: moveVrm0,
  VRMC_vrm: moveVrm1,
  VRMC_springBone: moveSpringBones,
  VRMC_node_constraint: moveConstraint,
  VRMC_materials_mtoon: moveMtoon,
  // numbers alone
  VRMC_materials_hdr_emissiveMultiplier: (extension) => extension,
  VRMC_springBone_extended_collider: (extension) => extension,
};

/** Whether an extension of a glTF is part of the avatar data. */
export function isAvatarExtension(name: string): boolean {
  return name in MOVES;
}

/** A copy of an extension with its indices in the new places; undefined if nothing is left of it. */
export function moveAvatarExtension(name: string, extension: unknown, places: NewPlaces): unknown {
  return isObject(extension) ? MOVES[name](extension, places) : undefined;
}

/** The first required human bone that an avatar had and whose node is gone; undefined if it is a whole humanoid still. */
export function findLostBone(extensions: Json, places: NewPlaces): string | undefined {
  for (const [name, version] of [
    ['VRM', 0],
    ['VRMC_vrm', 1],
  ] as const) {
    const vrm = extensions[name];
    if (!isObject(vrm)) continue;
    for (const { name: bone, node } of listHumanBones(vrm, version))
      if (
        REQUIRED_BONES[version].includes(bone) &&
        Number.isSafeInteger(node) &&
        places.node(node as number) === undefined
      )
        return bone;
  }
  return undefined;
}
