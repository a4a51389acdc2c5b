// SPDX-License-Identifier: MIT
// Makes plain glTF of a file with OSSIFY_compact_skin: the meshes, joints, skins and animations of its stream become accessors and nodes, after those of the JSON.

import { compose, IDENTITY, invertAffine, multiply } from '../../../core/math/mat4.ts';
import { FormatError } from '../../../core/model/errors.ts';
import { indexField, integerField, type JsonObject, listField } from '../../../deformers/layout/index.ts';
import { decodeCompactSkin } from '../codec/code-compact-skin.ts';
import type { CompactDisplacements, CompactJoints, CompactMotion, CompactSkin } from '../codec/compact-skin.ts';
import { makeCompactPrimitive } from './compact-primitive.ts';
import {
  COMPACT_EXTENSION,
  type CompactMeshJson,
  listRestNodes,
  type RestNode,
  readCompactSkinJson,
} from './compact-skin-json.ts';
import { ExpandedViews } from './expanded-views.ts';

/** A glTF and its binary chunk. */
export interface GltfParts {
  json: JsonObject;
  binary?: Uint8Array;
}

/**
 * Returns the file without the extension; a file that has none is returned unchanged. Throws only FormatErrors.
 * @param file the JSON, parsed, and the binary chunk of a GLB; they are not changed
 */
export function expandCompactSkin(file: GltfParts): GltfParts {
  const own = readCompactSkinJson(file.json);
  if (!own) return file;
  const stream = readStream(file, own.bufferView);
  const restNodes = listRestNodes(file.json);
  const skin = decodeCompactSkin(stream, restNodes);
  checkSteps(skin);
  const nodes: JsonObject[] = listField(file.json, 'nodes').map((node) => ({ ...node }));
  const rest: RestNode[] = [...restNodes, ...skin.nodes];
  const roots: number[] = [];
  skin.nodes.forEach(({ name, translation, rotation, scale, parent }, n) => {
    nodes.push({
      ...(name === '' ? {} : { name }),
      ...(translation.some((x) => x !== 0) ? { translation } : {}),
      ...(rotation.some((x, c) => x !== (c === 3 ? 1 : 0)) ? { rotation } : {}),
      ...(scale.some((x) => x !== 1) ? { scale } : {}),
    });
    const index = restNodes.length + n;
    if (parent < 0) roots.push(index);
    else nodes[parent].children = [...((nodes[parent].children as number[] | undefined) ?? []), index];
  });
  const views = new ExpandedViews(file);
  const meshes = makeMeshes(skin, own.meshes, views);
  const firstMesh = listField(file.json, 'meshes').length;
  const firstSkin = listField(file.json, 'skins').length;
  own.meshes.forEach(({ nodes: drawnBy, skin: used }, n) => {
    for (const node of drawnBy) {
      nodes[node].mesh = firstMesh + n;
      if (used !== undefined) nodes[node].skin = firstSkin + used;
    }
  });
  const displaced = listDisplaced(skin, own.meshes);
  const skins = skin.skins.map((joints) => makeSkin(joints, rest, views));
  const animations = skin.animationNames.map((name, n) =>
    makeAnimation(
      name,
      skin.motions.filter(({ animation }) => animation === n),
      displaced.filter(({ displacements }) => displacements.animation === n),
      views,
    ),
  );
  const json: JsonObject = { ...file.json, nodes };
  const append = (key: string, list: JsonObject[]) => {
    if (list.length > 0) json[key] = [...listField(file.json, key), ...list];
  };
  append('meshes', meshes);
  append('skins', skins);
  append(
    'animations',
    animations.filter(({ channels }) => (channels as unknown[]).length > 0),
  );
  if (roots.length > 0) json.scenes = addRoots(file.json, roots);
  return { json: dropExtension(views.finish(json)), binary: views.binary };
}

/** The bytes of the stream. */
function readStream({ json, binary = new Uint8Array(0) }: GltfParts, index: number): Uint8Array {
  const view = listField(json, 'bufferViews')[index];
  const where = `bufferViews[${index}]`;
  const buffer = indexField(view.buffer, listField(json, 'buffers').length, `${where}.buffer`, 'buffer');
  const start = view.byteOffset === undefined ? 0 : integerField(view.byteOffset, `${where}.byteOffset`);
  const length = integerField(view.byteLength, `${where}.byteLength`, 1);
  if (buffer !== 0 || listField(json, 'buffers')[0].uri !== undefined)
    throw new FormatError('gltf', 'unsupported', `${COMPACT_EXTENSION} is read from the binary chunk of a GLB only`);
  if (start + length > binary.length)
    throw new FormatError(
      'gltf',
      'truncated',
      `${where} ends at byte ${start + length} of a chunk of ${binary.length}`,
    );
  return binary.subarray(start, start + length);
}

function checkSteps({ positionStep, nodeStep }: CompactSkin): void {
  for (const step of [positionStep, nodeStep])
    if (!(step > 1e-30 && step < 1e20))
      throw new FormatError('gltf', 'value', `${COMPACT_EXTENSION} has a step of ${step}, which is out of range`);
}

function makeMeshes(skin: CompactSkin, meshes: readonly CompactMeshJson[], views: ExpandedViews): JsonObject[] {
  const count = meshes.reduce((sum, { primitives }) => sum + primitives.length, 0);
  if (count !== skin.primitives.length)
    throw new FormatError(
      'gltf',
      'mismatch',
      `${COMPACT_EXTENSION} has ${count} primitives, but its stream has ${skin.primitives.length}`,
    );
  let at = 0;
  return meshes.map(({ name, primitives, skin: used }, n) => {
    if (primitives.length === 0) throw new FormatError('gltf', 'empty', `${COMPACT_EXTENSION}.meshes[${n}] is empty`);
    const jointCount = used === undefined ? undefined : skin.skins[used]?.joints.length;
    if (used !== undefined && jointCount === undefined)
      throw new FormatError('gltf', 'index', `${COMPACT_EXTENSION}.meshes[${n}] names skin ${used}, which is missing`);
    const made = primitives.map(({ material, extensions }) => {
      const primitive = skin.primitives[at++];
      if (jointCount !== undefined && (primitive.weights?.boneCount ?? 0) > jointCount)
        throw new FormatError('gltf', 'mismatch', `${COMPACT_EXTENSION}.meshes[${n}] has more bones than its skin`);
      const own = makeCompactPrimitive(primitive, skin.positionStep, views);
      return {
        ...own,
        ...(material === undefined ? {} : { material }),
        ...(extensions === undefined ? {} : { extensions }),
      };
    });
    return { ...(name === undefined ? {} : { name }), primitives: made };
  });
}

function makeSkin(
  { name, joints, skeleton, inverseBindMatrices }: CompactJoints,
  rest: readonly RestNode[],
  views: ExpandedViews,
) {
  const matrices = inverseBindMatrices ?? Float32Array.from(invertRest(joints, rest));
  return {
    ...(name === '' ? {} : { name }),
    joints,
    ...(skeleton < 0 ? {} : { skeleton }),
    inverseBindMatrices: views.add(matrices, 'MAT4'),
  };
}

/** Inverses of the world matrices of nodes at rest. */
function invertRest(joints: readonly number[], rest: readonly RestNode[]): Float64Array {
  const worlds = new Map<number, Float64Array>();
  const worldOf = (n: number): Float64Array => {
    // nodes above, from the root on: a chain may be deeper than the stack allows
    const chain: number[] = [];
    let top = n;
    for (; top >= 0 && !worlds.has(top); top = rest[top].parent) chain.push(top);
    let world = worlds.get(top);
    for (const at of chain.reverse()) {
      const { translation, rotation, scale, matrix } = rest[at];
      const own = new Float64Array(16);
      if (matrix) own.set(matrix);
      else compose(translation, rotation, scale, own);
      if (world) multiply(world, own, own);
      worlds.set(at, own);
      world = own;
    }
    return world ?? Float64Array.from(IDENTITY);
  };
  const inverses = new Float64Array(16 * joints.length);
  joints.forEach((node, j) => {
    if (!invertAffine(worldOf(node), inverses, 0, 16 * j))
      throw new FormatError('gltf', 'value', `${COMPACT_EXTENSION} has a joint ${j} that cannot be inverted`);
  });
  return inverses;
}

/** A node whose mesh has displacements. */
interface DisplacedNode {
  node: number;
  displacements: CompactDisplacements;
}

/** The nodes of meshes with displacements. All primitives of a mesh have the same frames, since a node has one weight per morph target. */
function listDisplaced({ primitives }: CompactSkin, meshes: readonly CompactMeshJson[]): DisplacedNode[] {
  let at = 0;
  return meshes.flatMap((mesh, n) => {
    const own = primitives.slice(at, at + mesh.primitives.length);
    at += mesh.primitives.length;
    const [first, ...others] = own.map(({ displacements }) => displacements);
    const frames = first?.times.join();
    if (others.some((other) => other?.times.join() !== frames || other?.animation !== first?.animation))
      throw new FormatError(
        'gltf',
        'mismatch',
        `${COMPACT_EXTENSION}.meshes[${n}] has primitives with displacements of other frames`,
      );
    return first ? mesh.nodes.map((node) => ({ node, displacements: first })) : [];
  });
}

function makeAnimation(
  name: string,
  motions: readonly CompactMotion[],
  displaced: readonly DisplacedNode[],
  views: ExpandedViews,
): JsonObject {
  const channels: JsonObject[] = [];
  const samplers: JsonObject[] = [];
  for (const { times, tracks, isStepped } of motions) {
    if (times.length === 0) continue;
    const input = views.add(times, 'SCALAR', true);
    for (const { node, translation, rotation, numbers } of tracks)
      for (const [path, values] of Object.entries({ translation, rotation, scale: numbers })) {
        if (!values) continue;
        const output = views.add(values, path === 'rotation' ? 'VEC4' : 'VEC3');
        channels.push({ sampler: samplers.length, target: { node, path } });
        samplers.push({ input, output, ...(isStepped ? { interpolation: 'STEP' } : {}) });
      }
  }
  for (const { node, displacements } of displaced) {
    const frameCount = displacements.times.length;
    if (frameCount === 0) continue;
    // each frame shows its own target, and players blend it into the next
    const weights = new Float32Array(frameCount * frameCount);
    for (let k = 0; k < frameCount; k++) weights[k * frameCount + k] = 1;
    channels.push({ sampler: samplers.length, target: { node, path: 'weights' } });
    samplers.push({ input: views.add(displacements.times, 'SCALAR', true), output: views.add(weights, 'SCALAR') });
  }
  return { ...(name === '' ? {} : { name }), channels, samplers };
}

/** The scenes, with more roots in the default one. */
function addRoots(json: JsonObject, roots: readonly number[]): JsonObject[] {
  const scenes = listField(json, 'scenes').map((scene) => ({ ...scene }));
  if (scenes.length === 0) scenes.push({});
  const shown = json.scene === undefined ? 0 : indexField(json.scene, scenes.length, 'scene', 'scene');
  const { nodes } = scenes[shown] as { nodes?: unknown };
  scenes[shown] = { ...scenes[shown], nodes: [...(Array.isArray(nodes) ? nodes : []), ...roots] };
  return scenes;
}

function dropExtension(json: JsonObject): JsonObject {
  const { [COMPACT_EXTENSION]: _own, ...others } = json.extensions as JsonObject;
  const result = { ...json, extensions: others };
  if (Object.keys(others).length === 0) delete (result as JsonObject).extensions;
  for (const key of ['extensionsUsed', 'extensionsRequired'] as const) {
    const names = (result as JsonObject)[key];
    if (!Array.isArray(names)) continue;
    const left = names.filter((name) => name !== COMPACT_EXTENSION);
    if (left.length > 0) (result as JsonObject)[key] = left;
    else delete (result as JsonObject)[key];
  }
  return result;
}
