// SPDX-License-Identifier: MIT
// Scenes of other formats as glTF in memory, so that one reader binds, poses and joins them all, and what is written keeps their nodes.
import type { GLTF } from '@gltf-transform/core';
import type { GltfSource } from '../../../core/model/asset.ts';
import type { Animation } from '../../../core/model/clip/animation.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';
import { maxInfluencesOf, type Skin } from '../../../core/model/skin/skin.ts';
import { makeSource } from './gltf-json.ts';
import { GLB_BINARY } from './load-gltf-resources.ts';

/** A mesh that a node draws. */
export interface SceneShape {
  /** Index into the node tree. One shape per node. */
  node: number;
  /** Vertices in the space of the node, or of the bind pose if there is a skin. */
  mesh: Mesh;
  skin?: SceneSkin;
  targets: SceneTarget[];
}

/** Bones of a shape: a vertex follows world(joint) x inverseBind, blended by weight. */
export interface SceneSkin {
  /** jointCount: index into the node tree */
  joints: readonly number[];
  /** jointCount x 16, column-major */
  inverseBinds: Float64Array;
  /** Weights over joints. */
  weights: Skin;
}

export interface SceneTarget {
  name: string;
  /** vertexCount x 3 displacements */
  positions: Float32Array;
  /** Weight at rest. */
  weight: number;
}

/** A scene in metres, y up. */
export interface Scene {
  nodes: NodeTree;
  shapes: SceneShape[];
  animations: Animation[];
  /** Base colours, red green blue alpha, of materials by name. */
  colors: ReadonlyMap<string, readonly number[]>;
}

const [UNSIGNED_SHORT, UNSIGNED_INT, FLOAT] = [5123, 5125, 5126];
const TYPES = ['', 'SCALAR', 'VEC2', 'VEC3', 'VEC4'];
/** Roughness of a material known by colour only: neither mirror nor chalk. */
const ROUGHNESS = 0.8;

/** Makes the glTF of a scene. */
export function makeGltfSource(scene: Scene): GltfSource {
  const chunks = new Chunks();
  const materials = new Map<string, number>();
  const meshes: GLTF.IMesh[] = [];
  const skins: GLTF.ISkin[] = [];
  const nodes = makeNodes(scene.nodes);
  const roots = [...nodes.keys()].filter((n) => scene.nodes.parents[n] < 0);
  const drawnBy = new Map<number, number>();
  for (const shape of scene.shapes) {
    const mesh = meshes.push(makeMesh(shape, chunks, materials)) - 1;
    const { skin } = shape;
    if (!skin) {
      nodes[shape.node].mesh = mesh;
      continue;
    }
    const inverseBindMatrices = chunks.add(Float32Array.from(skin.inverseBinds), 'MAT4', 16);
    const own = skins.push({ joints: [...skin.joints], inverseBindMatrices }) - 1;
    // The transform of a skinned node counts for nothing, and the validator warns of one that seems to have any.
    const drawing = nodes.push({ name: nodes[shape.node].name, mesh, skin: own }) - 1;
    roots.push(drawing);
    drawnBy.set(shape.node, drawing);
  }
  const animations = scene.animations.map((animation) => makeAnimation(animation, chunks, drawnBy));
  const binary = chunks.join();
  const json: GLTF.IGLTF = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: roots }],
    nodes,
    meshes,
    accessors: chunks.accessors,
    bufferViews: chunks.views,
    buffers: [{ byteLength: binary.length }],
    ...(materials.size > 0 ? { materials: [...materials.keys()].map((name) => makeMaterial(name, scene.colors)) } : {}),
    ...(skins.length > 0 ? { skins } : {}),
    ...(animations.length > 0 ? { animations } : {}),
  };
  return makeSource(json, { [GLB_BINARY]: binary });
}

/** The binary buffer while it grows. */
class Chunks {
  readonly accessors: GLTF.IAccessor[] = [];
  readonly views: GLTF.IBufferView[] = [];
  readonly #arrays: (Float32Array | Uint32Array | Uint16Array)[] = [];
  #length = 0;

  /** Adds an accessor over all of an array, and returns its index. */
  add(array: Float32Array | Uint32Array | Uint16Array, type: string, size: number): number {
    const componentType =
      array instanceof Float32Array ? FLOAT : array instanceof Uint32Array ? UNSIGNED_INT : UNSIGNED_SHORT;
    const byteOffset = this.#length;
    this.#arrays.push(array);
    this.#length += Math.ceil(array.byteLength / 4) * 4;
    const bufferView = this.views.push({ buffer: 0, byteOffset, byteLength: array.byteLength }) - 1;
    const accessor = { bufferView, componentType, count: array.length / size, type } as GLTF.IAccessor;
    return this.accessors.push(accessor) - 1;
  }

  join(): Uint8Array<ArrayBuffer> {
    const out = new Uint8Array(this.#length);
    this.#arrays.forEach((array, n) => {
      out.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), this.views[n].byteOffset);
    });
    return out;
  }
}

function makeNodes({ names, parents, translations, rotations, scales }: NodeTree): GLTF.INode[] {
  const nodes = names.map(
    (name, n): GLTF.INode => ({
      name,
      translation: [...translations.subarray(3 * n, 3 * n + 3)] as GLTF.INode['translation'],
      rotation: [...rotations.subarray(4 * n, 4 * n + 4)] as GLTF.INode['rotation'],
      scale: [...scales.subarray(3 * n, 3 * n + 3)] as GLTF.INode['scale'],
    }),
  );
  parents.forEach((parent, n) => {
    if (parent < 0) return;
    const { children = [] } = nodes[parent];
    nodes[parent].children = children;
    children.push(n);
  });
  return nodes;
}

function makeMesh({ mesh, skin, targets }: SceneShape, chunks: Chunks, materials: Map<string, number>): GLTF.IMesh {
  const setCount = skin ? Math.ceil(maxInfluencesOf(skin.weights) / 4) : 0;
  const primitives = mesh.parts
    .filter(({ triangleCount, vertexCount }) => triangleCount > 0 && vertexCount > 0)
    .map((part): GLTF.IMeshPrimitive => {
      const { vertexStart, vertexCount, triangleStart, triangleCount, material } = part;
      const rows = (values: Float32Array, size: number): number =>
        chunks.add(values.subarray(size * vertexStart, size * (vertexStart + vertexCount)), TYPES[size], size);
      const attributes: Record<string, number> = { POSITION: rows(mesh.positions, 3) };
      if (mesh.normals) attributes.NORMAL = rows(mesh.normals, 3);
      for (const { name, size, values } of mesh.attributes) attributes[name] = rows(values, size);
      if (skin) addInfluences(skin.weights, vertexStart, vertexCount, setCount, chunks, attributes);
      const corners = mesh.triangles.slice(3 * triangleStart, 3 * (triangleStart + triangleCount));
      for (let c = 0; c < corners.length; c++) corners[c] -= vertexStart;
      const primitive: GLTF.IMeshPrimitive = { attributes, indices: chunks.add(corners, 'SCALAR', 1) };
      if (material !== '') {
        if (!materials.has(material)) materials.set(material, materials.size);
        primitive.material = materials.get(material);
      }
      if (targets.length > 0) primitive.targets = targets.map(({ positions }) => ({ POSITION: rows(positions, 3) }));
      return primitive;
    });
  const out: GLTF.IMesh = { name: mesh.name, primitives };
  if (targets.length > 0) {
    out.weights = targets.map(({ weight }) => weight);
    out.extras = { targetNames: targets.map(({ name }) => name) };
  }
  return out;
}

/** Joints and weights in sets of four. */
function addInfluences(
  { rowStart, boneIndices, weights }: Skin,
  vertexStart: number,
  vertexCount: number,
  setCount: number,
  chunks: Chunks,
  attributes: Record<string, number>,
): void {
  for (let set = 0; set < setCount; set++) {
    const joints = new Uint16Array(4 * vertexCount);
    const values = new Float32Array(4 * vertexCount);
    for (let i = 0; i < vertexCount; i++) {
      const start = rowStart[vertexStart + i] + 4 * set;
      const end = Math.min(start + 4, rowStart[vertexStart + i + 1]);
      for (let e = start; e < end; e++) {
        joints[4 * i + e - start] = boneIndices[e];
        values[4 * i + e - start] = weights[e];
      }
    }
    attributes[`JOINTS_${set}`] = chunks.add(joints, 'VEC4', 4);
    attributes[`WEIGHTS_${set}`] = chunks.add(values, 'VEC4', 4);
  }
}

function makeMaterial(name: string, colors: Scene['colors']): GLTF.IMaterial {
  const color = colors.get(name);
  return {
    name,
    doubleSided: true,
    pbrMetallicRoughness: {
      metallicFactor: 0,
      roughnessFactor: ROUGHNESS,
      ...(color ? { baseColorFactor: [...color] as GLTF.IMaterialPbrMetallicRoughness['baseColorFactor'] } : {}),
    },
  };
}

/** @param drawnBy nodes that draw in place of others, and have their morph weights */
function makeAnimation(
  { name, tracks }: Animation,
  chunks: Chunks,
  drawnBy: ReadonlyMap<number, number>,
): GLTF.IAnimation {
  const inputs = new Map<Float32Array, number>();
  const samplers: GLTF.IAnimationSampler[] = [];
  const channels = tracks.map(({ node, path, interpolation, times, values }): GLTF.IAnimationChannel => {
    let input = inputs.get(times);
    if (input === undefined) {
      input = chunks.add(times, 'SCALAR', 1);
      inputs.set(times, input);
    }
    const size = path === 'rotation' ? 4 : path === 'weights' ? 1 : 3;
    const sampler = samplers.push({ input, output: chunks.add(values, TYPES[size], size), interpolation }) - 1;
    const target = path === 'weights' ? (drawnBy.get(node) ?? node) : node;
    return { sampler, target: { node: target, path } };
  });
  return { name, samplers, channels };
}
