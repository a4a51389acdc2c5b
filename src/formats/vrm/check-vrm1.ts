// SPDX-License-Identifier: MIT
import { checkHumanoid } from './check-humanoid.ts';
import { checkTarget } from './check-vrm0.ts';
import { fieldOf, isObject, type Json, objectsOf } from './json-walk.ts';
import type { VrmCheck } from './vrm-faults.ts';

const META_CHOICES: Readonly<Record<string, readonly string[]>> = {
  avatarPermission: ['onlyAuthor', 'onlySeparatelyLicensedPerson', 'everyone'],
  commercialUsage: ['personalNonProfit', 'personalProfit', 'corporation'],
  creditNotation: ['required', 'unnecessary'],
  modification: ['prohibited', 'allowModification', 'allowModificationRedistribution'],
};
const OVERRIDES = ['none', 'block', 'blend'];
const COLORS = ['color', 'emissionColor', 'shadeColor', 'matcapColor', 'rimColor', 'outlineColor'];
const FIRST_PERSON = ['auto', 'both', 'thirdPersonOnly', 'firstPersonOnly'];
const AXES: Readonly<Record<string, readonly [key: string, choices: readonly string[]]>> = {
  roll: ['rollAxis', ['X', 'Y', 'Z']],
  aim: ['aimAxis', ['PositiveX', 'NegativeX', 'PositiveY', 'NegativeY', 'PositiveZ', 'NegativeZ']],
};

/** Checks the extension VRMC_vrm. */
export function checkVrm1(check: VrmCheck, vrm: Json): void {
  const root = 'extensions.VRMC_vrm';
  checkVersion(check, vrm, root);
  checkHumanoid(check, vrm, 1, root);
  checkMeta(check, fieldOf(vrm, 'meta'), `${root}.meta`);
  const first = fieldOf(vrm, 'firstPerson');
  check.list(first, 'meshAnnotations', `${root}.firstPerson`).forEach(({ node, type }, n) => {
    check.index(node, 'nodes', `${root}.firstPerson.meshAnnotations[${n}].node`);
    check.choice(type, FIRST_PERSON, `${root}.firstPerson.meshAnnotations[${n}].type`);
  });
  const lookAt = fieldOf(vrm, 'lookAt');
  check.numbers(lookAt.offsetFromHeadBone, 3, `${root}.lookAt.offsetFromHeadBone`);
  check.choice(lookAt.type, ['bone', 'expression'], `${root}.lookAt.type`);
  const expressions = fieldOf(vrm, 'expressions');
  for (const kind of ['preset', 'custom'])
    for (const [name, expression] of Object.entries(fieldOf(expressions, kind)))
      if (isObject(expression)) checkExpression(check, expression, `${root}.expressions.${kind}.${name}`);
}

function checkVersion(check: VrmCheck, extension: Json, root: string): void {
  if (!/^1\.0(-beta)?$/.test(String(extension.specVersion)))
    check.add(
      'version',
      `${root}.specVersion`,
      `must be "1.0", got ${JSON.stringify(extension.specVersion) ?? 'nothing'}`,
    );
}

function checkMeta(check: VrmCheck, meta: Json, root: string): void {
  const isText = (value: unknown): boolean => typeof value === 'string' && value.length > 0;
  for (const key of ['name', 'licenseUrl'])
    if (!isText(meta[key])) check.add('meta', `${root}.${key}`, 'must be a text that is not empty');
  const { authors } = meta;
  if (!Array.isArray(authors) || authors.length === 0 || !authors.every(isText))
    check.add('meta', `${root}.authors`, 'must be a list of at least one name');
  for (const [key, choices] of Object.entries(META_CHOICES)) check.choice(meta[key], choices, `${root}.${key}`);
  if (meta.thumbnailImage !== undefined) check.index(meta.thumbnailImage, 'images', `${root}.thumbnailImage`);
}

function checkExpression(check: VrmCheck, expression: Json, root: string): void {
  check.list(expression, 'morphTargetBinds', root).forEach(({ node, index, weight }, n) => {
    const where = `${root}.morphTargetBinds[${n}]`;
    if (check.index(node, 'nodes', `${where}.node`))
      checkTarget(check, check.nodes[node].mesh, index, `${where}.index`);
    if (weight === undefined) check.add('value', `${where}.weight`, 'is missing');
    check.number(weight, `${where}.weight`);
  });
  check.list(expression, 'materialColorBinds', root).forEach(({ material, type, targetValue }, n) => {
    const where = `${root}.materialColorBinds[${n}]`;
    check.index(material, 'materials', `${where}.material`);
    check.choice(type, COLORS, `${where}.type`);
    check.numbers(targetValue, 4, `${where}.targetValue`);
  });
  check.list(expression, 'textureTransformBinds', root).forEach(({ material, scale, offset }, n) => {
    const where = `${root}.textureTransformBinds[${n}]`;
    check.index(material, 'materials', `${where}.material`);
    check.numbers(scale, 2, `${where}.scale`);
    check.numbers(offset, 2, `${where}.offset`);
  });
  for (const key of ['overrideBlink', 'overrideLookAt', 'overrideMouth'])
    check.choice(expression[key], OVERRIDES, `${root}.${key}`);
}

/** Checks the extension VRMC_springBone. */
export function checkSpringBones(check: VrmCheck, bones: Json): void {
  const root = 'extensions.VRMC_springBone';
  checkVersion(check, bones, root);
  const colliders = check.list(bones, 'colliders', root);
  colliders.forEach(({ node, shape }, n) => {
    check.index(node, 'nodes', `${root}.colliders[${n}].node`);
    const kinds = Object.keys(isObject(shape) ? shape : {}).filter((key) => key === 'sphere' || key === 'capsule');
    if (kinds.length !== 1) check.add('shape', `${root}.colliders[${n}].shape`, 'must be a sphere or a capsule');
  });
  const inList = (value: unknown, count: number, where: string): void => {
    for (const [n, index] of Array.isArray(value) ? value.entries() : [])
      if (!(index >= 0 && index < count))
        check.add('index', `${where}[${n}]`, `names item ${String(index)} of ${count}`);
  };
  const groups = check.list(bones, 'colliderGroups', root);
  groups.forEach((group, n) => {
    check.list(group, 'colliders', `${root}.colliderGroups[${n}]`);
    inList(group.colliders, colliders.length, `${root}.colliderGroups[${n}].colliders`);
  });
  const seen = new Set<number>();
  check.list(bones, 'springs', root).forEach((spring, n) => {
    const where = `${root}.springs[${n}]`;
    inList(spring.colliderGroups, groups.length, `${where}.colliderGroups`);
    if (spring.center !== undefined) check.index(spring.center, 'nodes', `${where}.center`);
    checkJoints(check, objectsOf(spring.joints), seen, `${where}.joints`);
  });
}

/** Joints of a spring lie below one another, and belong to one spring. */
function checkJoints(check: VrmCheck, joints: readonly Json[], seen: Set<number>, root: string): void {
  if (joints.length === 0) check.add('list', root, 'must be a list of at least one item');
  let above = -1;
  joints.forEach((joint, n) => {
    const where = `${root}[${n}]`;
    check.number(joint.dragForce, `${where}.dragForce`, [0, 1]);
    for (const key of ['hitRadius', 'stiffness', 'gravityPower'])
      check.number(joint[key], `${where}.${key}`, [0, Infinity]);
    check.numbers(joint.gravityDir, 3, `${where}.gravityDir`);
    const { node } = joint;
    if (!check.index(node, 'nodes', `${where}.node`)) return;
    if (seen.has(node)) check.add('spring-joint', where, `nodes[${node}] belongs to two springs`);
    seen.add(node);
    if (above >= 0 && !check.isAbove(above, node)) check.add('spring-order', where, `is not below the joint before it`);
    above = node;
  });
}

/** Checks VRMC_node_constraint of the nodes and VRMC_materials_mtoon of the materials. */
export function checkNodesAndMaterials(check: VrmCheck): void {
  check.nodes.forEach(({ extensions }, n) => {
    const extension = isObject(extensions) ? extensions.VRMC_node_constraint : undefined;
    if (!isObject(extension)) return;
    const root = `nodes[${n}].extensions.VRMC_node_constraint`;
    checkVersion(check, extension, root);
    const kinds = Object.entries(fieldOf(extension, 'constraint')).filter(([kind]) =>
      /^(roll|aim|rotation)$/.test(kind),
    );
    if (kinds.length !== 1) check.add('constraint', `${root}.constraint`, 'must be one of roll, aim and rotation');
    for (const [kind, one] of kinds) {
      if (!isObject(one)) continue;
      check.index(one.source, 'nodes', `${root}.constraint.${kind}.source`);
      check.number(one.weight, `${root}.constraint.${kind}.weight`, [0, 1]);
      const [key, choices] = AXES[kind] ?? [];
      if (key && !choices.includes(one[key] as string))
        check.add('value', `${root}.constraint.${kind}.${key}`, `must be one of ${choices.join(', ')}`);
    }
  });
  objectsOf(check.json.materials).forEach(({ extensions }, n) => {
    const mtoon = isObject(extensions) ? extensions.VRMC_materials_mtoon : undefined;
    if (!isObject(mtoon)) return;
    const root = `materials[${n}].extensions.VRMC_materials_mtoon`;
    checkVersion(check, mtoon, root);
    for (const [key, value] of Object.entries(mtoon))
      if (key.endsWith('Texture'))
        check.index(isObject(value) ? value.index : undefined, 'textures', `${root}.${key}.index`);
    for (const key of ['shadeColorFactor', 'matcapFactor', 'parametricRimColorFactor', 'outlineColorFactor'])
      check.numbers(mtoon[key], 3, `${root}.${key}`, [0, 1]);
    check.choice(mtoon.outlineWidthMode, ['none', 'worldCoordinates', 'screenCoordinates'], `${root}.outlineWidthMode`);
  });
}
