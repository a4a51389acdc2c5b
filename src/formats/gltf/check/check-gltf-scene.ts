// SPDX-License-Identifier: MIT

import { quoteName } from '../../../core/model/plain-text.ts';
import {
  choiceField,
  fail,
  indexField,
  indexList,
  integerField,
  type JsonObject,
  listField,
  numbersField,
  objectField,
  optionalIndex,
  optionalNumbers,
  optionalObject,
  optionalString,
} from '../../../deformers/layout/index.ts';
import type { GltfRepairs } from '../repair/gltf-repairs.ts';
import { checkGltfAnimation } from './check-gltf-animation.ts';

/** Maximum number of joints of a skin: joints are 16-bit numbers. */
const MAX_JOINTS = 65536;

/**
 * Maximum number of pairs of a scene that lists a node and a skin or another scene that refers to it. glTF-Transform visits all references to a node
 * for each scene that lists it, so a small file with many scenes and skins could take minutes.
 */
const MAX_SCENE_PAIRS = 10_000_000;

/**
 * Checks meshes, nodes, skins, animations and scenes: types, indices, matching counts, and that nodes form trees. What viewers do without is removed.
 * Changed in place.
 */
export function checkGltfScene(json: JsonObject, repairs: GltfRepairs): void {
  const accessors = listField(json, 'accessors');
  const nodes = listField(json, 'nodes');
  const skins = listField(json, 'skins');
  const materialCount = listField(json, 'materials').length;
  const targetCounts = listField(json, 'meshes').map((mesh, n) =>
    checkMesh(mesh, { accessors, materialCount, repairs }, `meshes[${n}]`),
  );
  const cameraCount = listField(json, 'cameras').length;
  nodes.forEach((node, n) => {
    checkNode(node, targetCounts, { skinCount: skins.length, cameraCount, repairs }, `nodes[${n}]`);
  });
  const parents = checkTrees(nodes);
  /** Number of skins and scenes that refer to each node. */
  const references = new Uint32Array(nodes.length);
  skins.forEach((skin, n) => {
    for (const joint of checkSkin(skin, accessors, nodes.length, `skins[${n}]`, repairs)) references[joint]++;
  });
  listField(json, 'animations').forEach((animation, n) => {
    checkGltfAnimation(animation, { nodes, targetCounts, accessors, repairs }, `animations[${n}]`);
  });
  checkScenes(json, parents, references, repairs);
}

/** @param targetCounts number of morph targets by mesh */
function checkNode(
  node: JsonObject,
  targetCounts: readonly number[],
  { skinCount, cameraCount, repairs }: { skinCount: number; cameraCount: number; repairs: GltfRepairs },
  where: string,
): void {
  optionalString(node.name, `${where}.name`);
  optionalObject(node.extensions, `${where}.extensions`);
  optionalIndex(node.mesh, targetCounts.length, `${where}.mesh`, 'mesh');
  optionalIndex(node.skin, skinCount, `${where}.skin`, 'skin');
  if (!repairs.passes('reference', () => optionalIndex(node.camera, cameraCount, `${where}.camera`, 'camera')))
    delete node.camera;
  optionalNumbers(node.translation, `${where}.translation`, 3);
  optionalNumbers(node.rotation, `${where}.rotation`, 4);
  optionalNumbers(node.scale, `${where}.scale`, 3);
  optionalNumbers(node.matrix, `${where}.matrix`, 16);
  if (Array.isArray(node.rotation) && node.rotation.every((x) => x === 0)) {
    repairs.add('rotation', `${where}.rotation`);
    delete node.rotation;
  }
  fitWeights(node, node.mesh === undefined ? 0 : targetCounts[node.mesh as number], `${where}.weights`, repairs);
}

/** Fits the morph weights of a node or a mesh to its morph targets. */
function fitWeights(owner: JsonObject, targetCount: number, where: string, repairs: GltfRepairs): void {
  if (owner.weights === undefined) return;
  const weights = numbersField(owner.weights, where);
  if (weights.length === targetCount) return;
  repairs.add('morphWeights', `${where} must hold ${targetCount} numbers, got ${weights.length}`);
  if (targetCount === 0) delete owner.weights;
  else owner.weights = Array.from({ length: targetCount }, (_, t) => weights[t] ?? 0);
}

/** Returns the joints. */
function checkSkin(
  skin: JsonObject,
  accessors: JsonObject[],
  nodeCount: number,
  where: string,
  repairs: GltfRepairs,
): readonly number[] {
  const joints = indexList(skin.joints, nodeCount, `${where}.joints`, 'node');
  if (joints.length === 0) fail('empty', `${where} has no joints`);
  if (joints.length > MAX_JOINTS)
    fail('limit', `${where} has ${joints.length} joints; a skin can have at most ${MAX_JOINTS}`);
  optionalString(skin.name, `${where}.name`);
  if (!repairs.passes('reference', () => optionalIndex(skin.skeleton, nodeCount, `${where}.skeleton`, 'node')))
    delete skin.skeleton;
  if (skin.inverseBindMatrices === undefined) return joints;
  const place = `${where}.inverseBindMatrices`;
  const accessor = accessors[indexField(skin.inverseBindMatrices, accessors.length, place, 'accessor')];
  if (accessor.type !== 'MAT4' || accessor.componentType !== 5126)
    fail('syntax', `${place} must be 4x4 matrices of floats`);
  return joints;
}

/**
 * @param parents by node
 * @param references number of skins that refer to each node; references of scenes are added
 */
function checkScenes(json: JsonObject, parents: Int32Array, references: Uint32Array, repairs: GltfRepairs): void {
  const scenes = listField(json, 'scenes');
  let pairs = 0;
  scenes.forEach((scene, n) => {
    const listed = indexList(scene.nodes, parents.length, `scenes[${n}].nodes`, 'node');
    const roots = listed.filter((node) => parents[node] < 0);
    if (roots.length < listed.length) {
      const child = listed.find((node) => parents[node] >= 0) ?? 0;
      const fault = `scenes[${n}] lists node ${child}, which is a child of node ${parents[child]}`;
      repairs.add('sceneNode', fault, listed.length - roots.length);
      scene.nodes = roots;
    }
    for (const node of roots) pairs += references[node]++;
  });
  if (pairs > MAX_SCENE_PAIRS)
    fail(
      'limit',
      `scenes list nodes that skins and other scenes name ${pairs} times; at most ${MAX_SCENE_PAIRS} are read`,
    );
  if (!repairs.passes('reference', () => optionalIndex(json.scene, scenes.length, 'scene', 'scene'))) delete json.scene;
}

interface MeshContext {
  accessors: JsonObject[];
  materialCount: number;
  repairs: GltfRepairs;
}

/** Returns the number of morph targets. */
function checkMesh(mesh: JsonObject, { accessors, materialCount, repairs }: MeshContext, where: string): number {
  optionalString(mesh.name, `${where}.name`);
  const primitives = listField(mesh, 'primitives');
  if (primitives.length === 0) fail('empty', `${where} has no primitives`);
  let targetCount = -1;
  primitives.forEach((primitive, n) => {
    const place = `${where}.primitives[${n}]`;
    if (primitive.mode !== undefined && integerField(primitive.mode, `${place}.mode`) > 6)
      fail('value', `${place}.mode must be from 0 to 6, got ${primitive.mode}`);
    const checkMaterial = (): void => optionalIndex(primitive.material, materialCount, `${place}.material`, 'material');
    if (!repairs.passes('reference', checkMaterial)) delete primitive.material;
    optionalIndex(primitive.indices, accessors.length, `${place}.indices`, 'accessor');
    if (primitive.indices !== undefined) {
      const { type, componentType } = accessors[primitive.indices as number];
      if (type !== 'SCALAR') fail('syntax', `${place}.indices must be single numbers`);
      choiceField(componentType, [5121, 5123, 5125], `${place}.indices: componentType`);
    }
    const vertexCount = checkAttributes(primitive.attributes, accessors, undefined, `${place}.attributes`, repairs);
    const targets = listField(primitive, 'targets');
    if (targetCount >= 0 && targets.length !== targetCount)
      fail('mismatch', `${place} has ${targets.length} morph targets, the primitives before it have ${targetCount}`);
    targetCount = targets.length;
    targets.forEach((target, t) => {
      checkAttributes(target, accessors, vertexCount, `${place}.targets[${t}]`, repairs);
    });
  });
  fitWeights(mesh, targetCount, `${where}.weights`, repairs);
  return targetCount;
}

/** Attributes that place a vertex. Viewers can draw a mesh without the others. */
const PLACING = /^(POSITION|(JOINTS|WEIGHTS)_\d+)$/;

/** Checks the attributes of a primitive or a morph target and returns their number of vertices; removes those that viewers do without. */
function checkAttributes(
  value: unknown,
  accessors: JsonObject[],
  vertexCount: number | undefined,
  where: string,
  repairs: GltfRepairs,
): number | undefined {
  const attributes = objectField(value, where);
  let count = vertexCount;
  if (attributes.POSITION !== undefined && count === undefined)
    count = accessors[indexField(attributes.POSITION, accessors.length, `${where}.POSITION`, 'accessor')]
      .count as number;
  for (const [semantic, index] of Object.entries(attributes)) {
    // glTF-Transform stores attributes in a plain object, in which these names have another meaning.
    if (semantic in Object.prototype) fail('value', `${where} has an attribute of the name ${quoteName(semantic)}`);
    const check = (): void => {
      const accessor = accessors[indexField(index, accessors.length, `${where}.${semantic}`, 'accessor')];
      count ??= accessor.count as number;
      checkAttribute(accessor, semantic, count, where);
    };
    if (PLACING.test(semantic)) check();
    else if (!repairs.passes('attribute', check)) delete attributes[semantic];
  }
  return count;
}

function checkAttribute(
  { type, count: own, componentType }: JsonObject,
  semantic: string,
  count: number,
  where: string,
): void {
  if (own !== count) fail('mismatch', `${where}.${semantic} has ${own} vertices, others have ${count}`);
  const needed =
    semantic === 'POSITION' || semantic === 'NORMAL' ? 'VEC3' : /^(JOINTS|WEIGHTS)_/.test(semantic) ? 'VEC4' : type;
  if (type !== needed) fail('syntax', `${where}.${semantic} must be ${needed}, got ${type}`);
  if (/^JOINTS_/.test(semantic)) choiceField(componentType, [5121, 5123], `${where}.${semantic}: componentType`);
}

/** Parents by node, -1 for roots. Throws on a node with two parents and on a cycle. */
function checkTrees(nodes: JsonObject[]): Int32Array {
  const parents = new Int32Array(nodes.length).fill(-1);
  nodes.forEach((node, n) => {
    for (const child of indexList(node.children, nodes.length, `nodes[${n}].children`, 'node')) {
      if (parents[child] >= 0)
        fail('hierarchy', `node ${child} is a child of both node ${parents[child]} and node ${n}`);
      parents[child] = n;
    }
  });
  // With one parent each, the path upwards ends at a root or is a cycle. state: 0 new, 1 on this walk, 2 known good.
  const state = new Uint8Array(nodes.length);
  for (let n = 0; n < nodes.length; n++) {
    let m = n;
    for (; m >= 0 && state[m] === 0; m = parents[m]) state[m] = 1;
    if (m >= 0 && state[m] === 1) fail('hierarchy', `node ${m} is its own ancestor`);
    for (m = n; m >= 0 && state[m] === 1; m = parents[m]) state[m] = 2;
  }
  return parents;
}
