// SPDX-License-Identifier: MIT
import { checkHumanoid } from './check-humanoid.ts';
import { fieldOf, type Json, objectsOf } from './json-walk.ts';
import type { VrmCheck } from './vrm-faults.ts';

const USERS = ['OnlyAuthor', 'ExplicitlyLicensedPerson', 'Everyone'];
const USAGE = ['Disallow', 'Allow'];
const LICENSES = [
  ...['Redistribution_Prohibited', 'CC0', 'CC_BY', 'CC_BY_NC', 'CC_BY_SA'],
  ...['CC_BY_NC_SA', 'CC_BY_ND', 'CC_BY_NC_ND', 'Other'],
];
const PRESETS = [
  ...['unknown', 'neutral', 'a', 'i', 'u', 'e', 'o', 'blink', 'joy', 'angry', 'sorrow', 'fun'],
  ...['lookup', 'lookdown', 'lookleft', 'lookright', 'blink_l', 'blink_r'],
];

/** An index that may stand for none. */
const isNone = (value: unknown): boolean => value === undefined || value === -1;

/** Checks the extension VRM of version 0. */
export function checkVrm0(check: VrmCheck, vrm: Json): void {
  const root = 'extensions.VRM';
  checkHumanoid(check, vrm, 0, root);
  const meta = fieldOf(vrm, 'meta');
  if (!isNone(meta.texture)) check.index(meta.texture, 'textures', `${root}.meta.texture`);
  check.choice(meta.allowedUserName, USERS, `${root}.meta.allowedUserName`);
  for (const key of ['violentUssageName', 'sexualUssageName', 'commercialUssageName'])
    check.choice(meta[key], USAGE, `${root}.meta.${key}`);
  check.choice(meta.licenseName, LICENSES, `${root}.meta.licenseName`);
  const first = fieldOf(vrm, 'firstPerson');
  if (!isNone(first.firstPersonBone))
    check.index(first.firstPersonBone, 'nodes', `${root}.firstPerson.firstPersonBone`);
  check.choice(first.lookAtTypeName, ['Bone', 'BlendShape'], `${root}.firstPerson.lookAtTypeName`);
  objectsOf(first.meshAnnotations).forEach(({ mesh }, n) => {
    check.index(mesh, 'meshes', `${root}.firstPerson.meshAnnotations[${n}].mesh`);
  });
  checkShapes(check, fieldOf(vrm, 'blendShapeMaster'), `${root}.blendShapeMaster`);
  checkSprings(check, fieldOf(vrm, 'secondaryAnimation'), `${root}.secondaryAnimation`);
  checkMaterials(check, vrm, `${root}.materialProperties`);
}

function checkShapes(check: VrmCheck, master: Json, root: string): void {
  objectsOf(master.blendShapeGroups).forEach((group, g) => {
    const where = `${root}.blendShapeGroups[${g}]`;
    check.choice(group.presetName, PRESETS, `${where}.presetName`);
    objectsOf(group.binds).forEach(({ mesh, index, weight }, n) => {
      const place = `${where}.binds[${n}]`;
      if (check.index(mesh, 'meshes', `${place}.mesh`)) checkTarget(check, mesh, index, `${place}.index`);
      check.number(weight, `${place}.weight`, [0, 100]);
    });
  });
}

/** Notes an index beyond the morph targets of a mesh. */
export function checkTarget(check: VrmCheck, mesh: unknown, index: unknown, where: string): void {
  const count = check.targetCount(mesh);
  if (!(Number.isSafeInteger(index) && (index as number) >= 0 && (index as number) < count))
    check.add('index', where, `names morph target ${String(index)}, but the mesh has ${count}`);
}

function checkSprings(check: VrmCheck, springs: Json, root: string): void {
  const colliders = objectsOf(springs.colliderGroups);
  colliders.forEach(({ node }, n) => {
    check.index(node, 'nodes', `${root}.colliderGroups[${n}].node`);
  });
  objectsOf(springs.boneGroups).forEach((group, g) => {
    const where = `${root}.boneGroups[${g}]`;
    if (!isNone(group.center)) check.index(group.center, 'nodes', `${where}.center`);
    for (const [n, bone] of Array.isArray(group.bones) ? group.bones.entries() : [])
      check.index(bone, 'nodes', `${where}.bones[${n}]`);
    for (const [n, own] of Array.isArray(group.colliderGroups) ? group.colliderGroups.entries() : [])
      if (!colliders[own]) check.add('index', `${where}.colliderGroups[${n}]`, `names colliderGroups[${String(own)}]`);
  });
}

function checkMaterials(check: VrmCheck, vrm: Json, root: string): void {
  if (vrm.materialProperties === undefined) return;
  const list = objectsOf(vrm.materialProperties);
  const count = objectsOf(check.json.materials).length;
  if (list.length !== count)
    check.add('materials', root, `has ${list.length} entries, but the file has ${count} materials`);
  list.forEach((material, n) => {
    for (const [name, index] of Object.entries(fieldOf(material, 'textureProperties')))
      check.index(index, 'textures', `${root}[${n}].textureProperties.${name}`);
  });
}
