// SPDX-License-Identifier: MIT
// VRM 0.0: the extension "VRM" of a glTF. Specification: vrm-c/vrm-specification, specification/0.0.
import { fieldOf, type Json, moveField, moveIndices, moveList, objectsOf, placeOf, placesIn } from './json-walk.ts';
import type { NewPlaces } from './new-places.ts';

/** An index that stands for none. */
const NONE = -1;

/** A copy of the extension with its indices in the new places. Entries whose part is gone are left out. */
export function moveVrm0(vrm: Json, places: NewPlaces): Json {
  const { node, mesh, texture } = places;
  const moved: Json = { ...vrm };
  if ('meta' in vrm) moved.meta = moveField(fieldOf(vrm, 'meta'), 'texture', texture);
  if ('humanoid' in vrm) {
    const humanoid = fieldOf(vrm, 'humanoid');
    moved.humanoid = { ...humanoid, humanBones: moveList(humanoid.humanBones, 'node', node).list };
  }
  if ('firstPerson' in vrm) {
    const first = fieldOf(vrm, 'firstPerson');
    moved.firstPerson = {
      ...orNone(first, 'firstPersonBone', places),
      ...('meshAnnotations' in first ? { meshAnnotations: moveList(first.meshAnnotations, 'mesh', mesh).list } : {}),
    };
  }
  if ('blendShapeMaster' in vrm) moved.blendShapeMaster = moveShapes(fieldOf(vrm, 'blendShapeMaster'), places);
  if ('secondaryAnimation' in vrm) moved.secondaryAnimation = moveSprings(fieldOf(vrm, 'secondaryAnimation'), places);
  if (Array.isArray(vrm.materialProperties)) moved.materialProperties = moveMaterials(vrm.materialProperties, places);
  return moved;
}

/** Moves an index of a node that may be none. */
function orNone(object: Json, key: string, { node }: NewPlaces): Json {
  return key in object ? { ...object, [key]: placeOf(object[key], node) ?? NONE } : object;
}

/** Expressions bind morph targets of meshes. */
function moveShapes(master: Json, { mesh, targetOfMesh }: NewPlaces): Json {
  const blendShapeGroups = objectsOf(master.blendShapeGroups).map((group) => ({
    ...group,
    binds: objectsOf(group.binds).flatMap((bind) => {
      const place = placeOf(bind.mesh, mesh);
      const index = placeOf(bind.index, (target) => targetOfMesh(bind.mesh as number, target));
      return place === undefined || index === undefined ? [] : [{ ...bind, mesh: place, index }];
    }),
  }));
  return { ...master, blendShapeGroups };
}

function moveSprings(springs: Json, places: NewPlaces): Json {
  const colliders = moveList(springs.colliderGroups, 'node', places.node);
  const boneGroups = objectsOf(springs.boneGroups).map((group) => ({
    ...orNone(group, 'center', places),
    bones: moveIndices(group.bones, places.node),
    colliderGroups: moveIndices(group.colliderGroups, placesIn(colliders.placeOfOld)),
  }));
  return { ...springs, boneGroups, colliderGroups: colliders.list };
}

/** The list has one entry per material of the glTF. */
function moveMaterials(list: readonly unknown[], { oldMaterials, texture }: NewPlaces): Json[] {
  const stored = list.map((one) => (typeof one === 'object' && one !== null ? (one as Json) : {}));
  return oldMaterials.map((m): Json => {
    const own = stored[m];
    if (!own) return { name: '', shader: 'VRM_USE_GLTFSHADER' };
    if (!('textureProperties' in own)) return own;
    const maps = Object.entries(fieldOf(own, 'textureProperties')).flatMap(([name, index]) => {
      const place = placeOf(index, texture);
      return place === undefined ? [] : [[name, place]];
    });
    return { ...own, textureProperties: Object.fromEntries(maps) };
  });
}
