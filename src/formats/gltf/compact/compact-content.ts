// SPDX-License-Identifier: MIT
// Divides a plain glTF into a compact skin and the JSON that is left: materials, textures, cameras, and nodes that are more than a transform.
import type { GLTF } from '@gltf-transform/core';
import { compose, multiply } from '../../../core/math/mat4.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { JsonObject } from '../../../deformers/layout/index.ts';
import {
  COMPACT_EXTENSION,
  type CompactDisplacements,
  type CompactJoints,
  type CompactMeshJson,
  type CompactMotion,
  type CompactSkin,
  type CompactTracks,
  listRestNodes,
  type RestNode,
  stepPowerOf,
} from '../../compact-skin/index.ts';
import { readJsonFloats } from '../check/json-accessor.ts';
import { jsonAccessor, jsonNode, jsonSkin } from '../document/gltf-json.ts';
import { canReorder } from '../small/can-reorder.ts';
import type { MotionSteps } from '../small/motion-steps.ts';
import type { SmallPrecision } from '../small/small-precision.ts';
import { makeCompactMesh } from './compact-mesh.ts';

/** Extensions without references to nodes or accessors, and MSFT_lod, whose nodes are renumbered. */
const KEPT =
  /^(KHR_materials_|KHR_texture_|EXT_texture_|KHR_lights_punctual$|KHR_node_visibility$|KHR_mesh_quantization$|MSFT_lod$)/;
/** Grid of nodes at rest, relative to the step of positions. */
const NODE_STEP = 1 / 16;
/** Difference of inverse bind matrices from the inverses of nodes at rest, relative for rotations. */
const SAME_TURN = 1e-5;
/** Step of numbers that move nothing. */
const UNSEEN_STEP = 2 ** -12;

export interface CompactContent {
  skin: CompactSkin;
  /** What is left; the extension has no buffer view yet. */
  json: GLTF.IGLTF;
  jsonNodes: RestNode[];
}

/** @param displaced displacements by vertex of the asset instead of by point, and the first vertex of each primitive */
export function makeCompactContent(
  json: GLTF.IGLTF,
  binary: Uint8Array,
  precision: SmallPrecision,
  steps: MotionSteps,
  displaced?: { displacements: CompactDisplacements; vertexStarts: readonly number[] },
): CompactContent {
  checkContent(json);
  const nodeStep = NODE_STEP * precision.positionStep;
  const divided = divideNodes(json);
  const { numberOf } = divided;
  const meshes = listMeshes(json, divided);
  let index = 0;
  const primitives = (json.meshes ?? []).flatMap((mesh, n) =>
    mesh.primitives.map((primitive) => {
      const { skin } = meshes[n];
      const boneCount = skin === undefined ? 0 : jsonSkin(json, skin).joints.length;
      const { count } = jsonAccessor(json, primitive.attributes.POSITION);
      const own = displaced && sliceDisplacements(displaced.displacements, displaced.vertexStarts[index], count);
      index++;
      return makeCompactMesh(json, binary, primitive, precision, boneCount, own);
    }),
  );
  const rest = listRest(json, divided, { version: 1, bufferView: 0, meshes });
  const nodes = listCompactNodes(json, divided);
  const jsonNodes = listRestNodes({ ...rest });
  return {
    skin: {
      ...{ positionStep: precision.positionStep, primitives, nodeStep, nodes },
      skins: (json.skins ?? []).map((skin) =>
        makeJoints(json, binary, skin, numberOf, [...jsonNodes, ...nodes], nodeStep),
      ),
      ...makeMotions(json, binary, numberOf, steps),
    },
    json: rest,
    jsonNodes,
  };
}

/** The facts of each mesh that stay in the JSON. */
function listMeshes({ meshes = [], nodes = [] }: GLTF.IGLTF, { kept, numberOf }: DividedNodes): CompactMeshJson[] {
  return meshes.map(({ name, primitives }, n) => {
    const drawnBy = kept.filter((node) => nodes[node].mesh === n);
    const skins = new Set(drawnBy.map((node) => nodes[node].skin));
    if (skins.size > 1) refuse('a mesh is drawn with several skins');
    const [skin] = skins;
    return {
      ...(name === undefined ? {} : { name }),
      primitives: primitives.map(({ material, extensions }) => ({
        ...(material === undefined ? {} : { material }),
        ...(extensions ? { extensions } : {}),
      })),
      nodes: drawnBy.map((node) => numberOf[node]),
      ...(skin === undefined ? {} : { skin }),
    };
  });
}

/** The JSON without meshes, skins, animations and the nodes of the stream. */
function listRest(json: GLTF.IGLTF, { kept, numberOf }: DividedNodes, extension: object): GLTF.IGLTF {
  const isKept = (n: number): boolean => kept.includes(n);
  const left = kept.map((n): GLTF.INode => {
    const { mesh: _mesh, skin: _skin, children, extensions, ...node } = jsonNode(json, n);
    const own = children?.filter(isKept).map((child) => numberOf[child]) ?? [];
    return {
      ...node,
      ...(own.length > 0 ? { children: own } : {}),
      ...(extensions ? { extensions: renumberLevels(extensions as JsonObject, numberOf) as never } : {}),
    };
  });
  const rest: GLTF.IGLTF = {
    ...json,
    nodes: left,
    scenes: (json.scenes ?? []).map((scene) => {
      const own = (scene.nodes ?? []).filter(isKept).map((n) => numberOf[n]);
      const { nodes: _nodes, ...other } = scene;
      return (own.length > 0 ? { ...other, nodes: own } : other) as GLTF.IScene;
    }),
    extensions: { ...json.extensions, [COMPACT_EXTENSION]: extension } as never,
  };
  for (const key of ['meshes', 'skins', 'animations', 'accessors'] as const) delete rest[key];
  if (left.length === 0) delete rest.nodes;
  return rest;
}

/** The nodes of the stream at rest. */
function listCompactNodes({ nodes = [] }: GLTF.IGLTF, { made, numberOf }: DividedNodes): CompactSkin['nodes'] {
  const parents = parentsOf(nodes);
  return made.map((n) => {
    const { name = '', translation = [0, 0, 0], rotation = [0, 0, 0, 1], scale = [1, 1, 1] } = nodes[n];
    const parent = parents[n] < 0 ? -1 : numberOf[parents[n]];
    return { name, parent, translation: [...translation], rotation: [...rotation], scale: [...scale] };
  });
}

/** The displacements of some vertices. */
function sliceDisplacements(given: CompactDisplacements, first: number, count: number): CompactDisplacements {
  const frameCount = given.times.length;
  const vertexCount = given.values.length / Math.max(1, frameCount);
  const values = new Int32Array(frameCount * count);
  for (let k = 0; k < frameCount; k++)
    values.set(given.values.subarray(k * vertexCount + first, k * vertexCount + first + count), k * count);
  return { ...given, values };
}

function refuse(why: string): never {
  throw new InputError('--codec ossify', `${why}, which it cannot store; use --codec auto`);
}

function checkContent(json: GLTF.IGLTF): void {
  for (const name of json.extensionsUsed ?? []) if (!KEPT.test(name)) refuse(`the file uses the extension ${name}`);
  const primitives = (json.meshes ?? []).flatMap((mesh) => mesh.primitives);
  if (primitives.some(({ targets }) => targets && targets.length > 0)) refuse('the file has morph targets');
  if (!primitives.every((primitive) => canReorder(json, primitive)))
    refuse('a primitive is not an indexed list of triangles with its own vertices');
  for (const { channels, samplers } of json.animations ?? [])
    for (const { target, sampler } of channels) {
      if (target.path === 'weights') refuse('an animation moves something other than nodes');
      if (samplers[sampler].interpolation === 'CUBICSPLINE') refuse('an animation has spline keys');
    }
}

interface DividedNodes {
  /** Nodes that stay in the JSON. */
  kept: number[];
  /** Nodes of the stream, parents first. */
  made: number[];
  /** By node: its new number. */
  numberOf: Int32Array;
}

function divideNodes({ nodes = [], scenes = [], scene = 0 }: GLTF.IGLTF): DividedNodes {
  const parents = parentsOf(nodes);
  const isPlain = nodes.map(({ mesh, skin, camera, weights, matrix, extensions, extras }) =>
    [mesh, skin, camera, weights, matrix, extensions, extras].every((field) => field === undefined),
  );
  const roots = new Set(scenes[scene]?.nodes ?? []);
  const others = new Set(scenes.flatMap((one, n) => (n === scene ? [] : (one.nodes ?? []))));
  const isMade = new Uint8Array(nodes.length);
  const order = listParentsFirst(nodes, parents);
  for (const n of [...order].reverse())
    isMade[n] = isPlain[n] && (nodes[n].children ?? []).every((child) => isMade[child]) ? 1 : 0;
  // a root is drawn in the default scene alone
  for (const n of order) if (parents[n] < 0 && (!roots.has(n) || others.has(n))) isMade[n] = 0;
  const kept = [...nodes.keys()].filter((n) => !isMade[n]);
  const made = order.filter((n) => isMade[n]);
  const numberOf = new Int32Array(nodes.length);
  [...kept, ...made].forEach((n, number) => {
    numberOf[n] = number;
  });
  return { kept, made, numberOf };
}

function parentsOf(nodes: readonly GLTF.INode[]): Int32Array {
  const parents = new Int32Array(nodes.length).fill(-1);
  nodes.forEach(({ children = [] }, n) => {
    for (const child of children) parents[child] = n;
  });
  return parents;
}

function listParentsFirst(nodes: readonly GLTF.INode[], parents: Int32Array): number[] {
  const order = [...nodes.keys()].filter((n) => parents[n] < 0);
  for (let k = 0; k < order.length; k++) for (const child of nodes[order[k]].children ?? []) order.push(child);
  return order;
}

function renumberLevels(extensions: JsonObject, numberOf: Int32Array): JsonObject {
  const levels = extensions.MSFT_lod as { ids: number[] } | undefined;
  return levels ? { ...extensions, MSFT_lod: { ...levels, ids: levels.ids.map((n) => numberOf[n]) } } : extensions;
}

function makeJoints(
  json: GLTF.IGLTF,
  binary: Uint8Array,
  { name = '', joints, skeleton, inverseBindMatrices }: GLTF.ISkin,
  numberOf: Int32Array,
  rest: readonly RestNode[],
  tolerance: number,
): CompactJoints {
  const own = joints.map((n) => numberOf[n]);
  const matrices = inverseBindMatrices === undefined ? undefined : readJsonFloats(json, binary, inverseBindMatrices);
  const worlds = own.map((n) => worldOf(rest, n));
  const product = new Float64Array(16);
  const isRest =
    matrices !== undefined &&
    worlds.every((world, j) => {
      multiply(world, matrices, product, 0, 16 * j);
      return product.every((x, e) => Math.abs(x - (e % 5 === 0 ? 1 : 0)) < (e >= 12 ? tolerance : SAME_TURN));
    });
  const identities = Float32Array.from({ length: 16 * joints.length }, (_, e) => ((e % 16) % 5 === 0 ? 1 : 0));
  return {
    ...{ name, joints: own, skeleton: skeleton === undefined ? -1 : numberOf[skeleton] },
    ...(isRest ? {} : { inverseBindMatrices: matrices ?? identities }),
  };
}

function worldOf(rest: readonly RestNode[], n: number): Float64Array {
  const world = new Float64Array(16);
  const own = new Float64Array(16);
  compose([0, 0, 0], [0, 0, 0, 1], [1, 1, 1], world);
  for (let at = n; at >= 0; at = rest[at].parent) {
    const { translation, rotation, scale, matrix } = rest[at];
    if (matrix) own.set(matrix);
    else compose(translation, rotation, scale, own);
    multiply(own, world, world);
  }
  return world;
}

/** Tracks by animation, key times and node. */
function makeMotions(
  json: GLTF.IGLTF,
  binary: Uint8Array,
  numberOf: Int32Array,
  steps: MotionSteps,
): Pick<CompactSkin, 'animationNames' | 'motions'> {
  const motions: CompactMotion[] = [];
  (json.animations ?? []).forEach(({ channels, samplers }, animation) => {
    const byTimes = new Map<string, { motion: CompactMotion; tracks: Map<number, CompactTracks> }>();
    for (const { sampler, target } of channels) {
      const { input, output, interpolation } = samplers[sampler];
      const isStepped = interpolation === 'STEP';
      const times = readJsonFloats(json, binary, input);
      const key = `${isStepped} ${times.join()}`;
      const group = byTimes.get(key) ?? { motion: { animation, isStepped, times, tracks: [] }, tracks: new Map() };
      byTimes.set(key, group);
      const node = target.node ?? refuse('an animation moves something other than nodes');
      const own: CompactTracks = group.tracks.get(node) ?? {
        ...{ node: numberOf[node], steps: { translation: 0, rotation: 0, numbers: 0 } },
      };
      group.tracks.set(node, own);
      const path = target.path as 'translation' | 'rotation' | 'scale';
      const kind = path === 'scale' ? 'numbers' : path;
      own[kind] = readJsonFloats(json, binary, output);
      own.steps[kind] = stepPowerOf(steps[path][node] || UNSEEN_STEP);
    }
    for (const { motion, tracks } of byTimes.values()) {
      motion.tracks.push(...tracks.values());
      motions.push(motion);
    }
  });
  return { animationNames: (json.animations ?? []).map(({ name = '' }) => name), motions };
}
