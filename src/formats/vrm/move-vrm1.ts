// SPDX-License-Identifier: MIT
// VRM 1.0: extensions of the root, of materials and of nodes. Specification: vrm-c/vrm-specification, specification/VRMC_*-1.0.
import {
  fieldOf,
  isObject,
  type Json,
  moveField,
  moveIndices,
  moveList,
  objectsOf,
  placeOf,
  placesIn,
  putList,
} from './json-walk.ts';
import type { NewPlaces } from './new-places.ts';

/** A copy of VRMC_vrm with its indices in the new places. Entries whose part is gone are left out. */
export function moveVrm1(vrm: Json, places: NewPlaces): Json {
  const moved: Json = { ...vrm };
  if ('meta' in vrm) moved.meta = moveField(fieldOf(vrm, 'meta'), 'thumbnailImage', places.image);
  if ('humanoid' in vrm) {
    const humanoid = fieldOf(vrm, 'humanoid');
    const bones = Object.entries(fieldOf(humanoid, 'humanBones')).flatMap(([name, bone]) => {
      const node = isObject(bone) ? placeOf(bone.node, places.node) : undefined;
      return node === undefined ? [] : [[name, { ...(bone as Json), node }]];
    });
    moved.humanoid = { ...humanoid, humanBones: Object.fromEntries(bones) };
  }
  if ('firstPerson' in vrm) {
    const first = fieldOf(vrm, 'firstPerson');
    moved.firstPerson = putList(first, 'meshAnnotations', moveList(first.meshAnnotations, 'node', places.node).list);
  }
  if ('expressions' in vrm) {
    const expressions: Json = { ...fieldOf(vrm, 'expressions') };
    for (const kind of ['preset', 'custom'])
      if (kind in expressions)
        expressions[kind] = Object.fromEntries(
          Object.entries(fieldOf(expressions, kind)).map(([name, one]) => [
            name,
            isObject(one) ? moveExpression(one, places) : one,
          ]),
        );
    moved.expressions = expressions;
  }
  return moved;
}

function moveExpression(expression: Json, { node, material, targetOfNode }: NewPlaces): Json {
  const targets = objectsOf(expression.morphTargetBinds).flatMap((bind) => {
    const place = placeOf(bind.node, node);
    const index = placeOf(bind.index, (target) => targetOfNode(bind.node as number, target));
    return place === undefined || index === undefined ? [] : [{ ...bind, node: place, index }];
  });
  const colors = moveList(expression.materialColorBinds, 'material', material).list;
  const textures = moveList(expression.textureTransformBinds, 'material', material).list;
  const moved = putList(putList(expression, 'morphTargetBinds', targets), 'materialColorBinds', colors);
  return putList(moved, 'textureTransformBinds', textures);
}

/** A copy of VRMC_springBone. Springs without joints and groups without colliders are left out. */
export function moveSpringBones(bones: Json, { node }: NewPlaces): Json {
  const colliders = moveList(bones.colliders, 'node', node);
  const groups: Json[] = [];
  const placeOfGroup = objectsOf(bones.colliderGroups).map((group) => {
    const own = moveIndices(group.colliders, placesIn(colliders.placeOfOld));
    return own.length === 0 ? -1 : groups.push({ ...group, colliders: own }) - 1;
  });
  const springs = objectsOf(bones.springs).flatMap((spring) => {
    const { list } = moveList(spring.joints, 'node', node);
    if (list.length === 0) return [];
    const own = moveIndices(spring.colliderGroups, placesIn(placeOfGroup));
    return [putList({ ...moveField(spring, 'center', node), joints: list }, 'colliderGroups', own)];
  });
  const moved = putList(putList(bones, 'colliders', colliders.list), 'colliderGroups', groups);
  return putList(moved, 'springs', springs);
}

/** A copy of VRMC_node_constraint of a node; undefined if its source is gone. */
export function moveConstraint(extension: Json, { node }: NewPlaces): Json | undefined {
  const constraint = fieldOf(extension, 'constraint');
  const moved = Object.entries(constraint).map(([kind, one]) => {
    if (!isObject(one) || !('source' in one)) return [kind, one];
    const source = placeOf(one.source, node);
    return source === undefined ? undefined : [kind, { ...one, source }];
  });
  const kept = moved.filter((one) => one !== undefined);
  if (kept.length < moved.length) return undefined;
  return { ...extension, constraint: Object.fromEntries(kept) };
}

/** A copy of VRMC_materials_mtoon of a material. Maps whose texture is gone are left out. */
export function moveMtoon(mtoon: Json, { texture }: NewPlaces): Json {
  const fields = Object.entries(mtoon).flatMap(([key, value]): [string, unknown][] => {
    if (!key.endsWith('Texture') || !isObject(value)) return [[key, value]];
    const index = placeOf(value.index, texture);
    return index === undefined ? [] : [[key, { ...value, index }]];
  });
  return Object.fromEntries(fields);
}
