// SPDX-License-Identifier: MIT
// Scenes of other formats as glTF in memory, so that one reader binds, poses and joins them all, and what is written keeps their nodes.
import type { GLTF } from '@gltf-transform/core';
import type { GltfSource } from '../../../core/model/asset.ts';
import type { Animation } from '../../../core/model/clip/animation.ts';
import { maxInfluencesOf, type Skin } from '../../../core/model/skin/skin.ts';
import type { SurfaceMaterial } from '../../../core/model/surface-look.ts';
import { makeSource } from '../document/gltf-json.ts';
import { GLB_BINARY } from '../document/load-gltf-resources.ts';
import { GltfChunks } from './gltf-chunks.ts';
import { makeGltfLook } from './make-gltf-look.ts';
import type { Scene, SceneCamera, SceneLight, SceneShape } from './scene.ts';

const LIGHTS = 'KHR_lights_punctual';

/** Makes the glTF of a scene. */
export function makeGltfSource(scene: Scene): GltfSource {
  const chunks = new GltfChunks();
  const used = new Set<string>();
  const nodes = makeNodes(scene);
  const meshes: GLTF.IMesh[] = [];
  const skins: GLTF.ISkin[] = [];
  const drawnBy = placeShapes(scene, { nodes, meshes, skins }, chunks);
  const isChild = new Set(nodes.flatMap(({ children = [] }) => children));
  const cameras = placeCameras(scene.cameras ?? [], nodes);
  const lights = placeLights(scene.lights ?? [], nodes);
  if (lights.length > 0) used.add(LIGHTS);
  const animations = scene.animations
    .map((animation) => makeAnimation(animation, chunks, drawnBy))
    .filter(({ channels }) => channels.length > 0);
  const look = makeGltfLook(scene.look, chunks, used);
  const binary = chunks.join();
  const json: GLTF.IGLTF = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [...nodes.keys()].filter((n) => !isChild.has(n)) }],
    nodes,
    meshes,
    accessors: chunks.accessors,
    bufferViews: chunks.views,
    buffers: [{ byteLength: binary.length }],
    ...look,
    ...(skins.length > 0 ? { skins } : {}),
    ...(animations.length > 0 ? { animations } : {}),
    ...(cameras.length > 0 ? { cameras } : {}),
    ...(lights.length > 0 ? { extensions: { [LIGHTS]: { lights } } } : {}),
    ...(used.size > 0 ? { extensionsUsed: [...used] } : {}),
  };
  return makeSource(json, { [GLB_BINARY]: binary });
}

function makeNodes({ nodes: tree, extras }: Scene): GLTF.INode[] {
  const { names, parents, translations, rotations, scales } = tree;
  const nodes = names.map((name, n): GLTF.INode => {
    const translation = [...translations.subarray(3 * n, 3 * n + 3)] as [number, number, number];
    const rotation = [...rotations.subarray(4 * n, 4 * n + 4)] as [number, number, number, number];
    const scale = [...scales.subarray(3 * n, 3 * n + 3)] as [number, number, number];
    const own = extras?.get(n);
    return {
      ...(name === '' ? {} : { name }),
      ...(translation.some((x) => x !== 0) ? { translation } : {}),
      ...(rotation.some((x, c) => x !== (c === 3 ? 1 : 0)) ? { rotation } : {}),
      ...(scale.some((x) => x !== 1) ? { scale } : {}),
      ...(own ? { extras: { ...own } } : {}),
    };
  });
  parents.forEach((parent, n) => {
    if (parent < 0) return;
    const { children = [] } = nodes[parent];
    nodes[parent].children = children;
    children.push(n);
  });
  return nodes;
}

type Lists = { nodes: GLTF.INode[]; meshes: GLTF.IMesh[]; skins: GLTF.ISkin[] };

/**
 * Adds meshes and skins. A skin ignores the transform of its node, and the validator warns of one that seems to have any: nodes that only draw
 * become roots, and others draw through a new root.
 * @returns by node of a skinned shape, the node that draws it and has its morph weights
 */
function placeShapes(scene: Scene, { nodes, meshes, skins }: Lists, chunks: GltfChunks): Map<number, number> {
  const busy = listBusyNodes(scene);
  const uvSets = scene.look.materials.map(countUvSets);
  const drawnBy = new Map<number, number>();
  const removed = new Set<number>();
  for (const shape of scene.shapes) {
    const mesh = meshes.push(makeMesh(shape, uvSets, chunks)) - 1;
    const { skin, node } = shape;
    if (!skin) {
      nodes[node].mesh = mesh;
      continue;
    }
    const inverseBindMatrices = chunks.addMatrices(Float32Array.from(skin.inverseBinds));
    const { name } = nodes[node];
    const own =
      skins.push({ ...(skin.name ? { name: skin.name } : {}), joints: [...skin.joints], inverseBindMatrices }) - 1;
    if (busy.has(node)) {
      drawnBy.set(node, nodes.push({ name, mesh, skin: own }) - 1);
      continue;
    }
    const { extras } = nodes[node];
    nodes[node] = { ...(name ? { name } : {}), mesh, skin: own, ...(extras ? { extras } : {}) };
    drawnBy.set(node, node);
    removed.add(node);
  }
  for (const node of nodes) {
    const children = node.children?.filter((child) => !removed.has(child));
    if (children?.length === 0) delete node.children;
    else if (children) node.children = children;
  }
  return drawnBy;
}

/** Nodes whose transform counts: joints, and those with children, a camera or a light. */
function listBusyNodes({ nodes, shapes, cameras = [], lights = [] }: Scene): Set<number> {
  return new Set([
    ...nodes.parents,
    ...shapes.flatMap(({ skin }) => skin?.joints ?? []),
    ...cameras.map(({ node }) => node),
    ...lights.map(({ node }) => node),
  ]);
}

/** Sets of UVs that the maps of a material need. */
function countUvSets({
  colorMap,
  metallicRoughnessMap,
  normalMap,
  occlusionMap,
  emissiveMap,
}: SurfaceMaterial): number {
  const maps = [colorMap, metallicRoughnessMap, normalMap, occlusionMap, emissiveMap];
  return Math.max(0, ...maps.map((map) => (map ? map.uv + 1 : 0)));
}

/** @param uvSets by material: how many sets of UVs its maps need. Meshes that lack them get zeros. */
function makeMesh(
  { mesh, materialOfPart, skin, targets, extras }: SceneShape,
  uvSets: readonly number[],
  chunks: GltfChunks,
): GLTF.IMesh {
  const setCount = skin ? Math.ceil(maxInfluencesOf(skin.weights) / 4) : 0;
  const primitives = mesh.parts.flatMap((part, p): GLTF.IMeshPrimitive[] => {
    const { vertexStart, vertexCount, triangleStart, triangleCount } = part;
    if (triangleCount === 0 || vertexCount === 0) return [];
    const rows = (values: Float32Array, size: number): number =>
      chunks.add(values.subarray(size * vertexStart, size * (vertexStart + vertexCount)), size);
    const places = (values: Float32Array): number =>
      chunks.addBounded(values.subarray(3 * vertexStart, 3 * (vertexStart + vertexCount)), 3);
    const attributes: Record<string, number> = { POSITION: places(mesh.positions) };
    if (mesh.normals) attributes.NORMAL = rows(mesh.normals, 3);
    for (const { name, size, values } of mesh.attributes) attributes[name] = rows(values, size);
    if (skin) addInfluences(skin.weights, vertexStart, vertexCount, setCount, chunks, attributes);
    const corners = mesh.triangles.slice(3 * triangleStart, 3 * (triangleStart + triangleCount));
    for (let c = 0; c < corners.length; c++) corners[c] -= vertexStart;
    const primitive: GLTF.IMeshPrimitive = { attributes, indices: chunks.add(corners, 1) };
    const material = materialOfPart?.[p] ?? -1;
    if (material >= 0) {
      primitive.material = material;
      for (let uv = 0; uv < uvSets[material]; uv++)
        attributes[`TEXCOORD_${uv}`] ??= chunks.add(new Float32Array(2 * vertexCount), 2);
    }
    const hasNormals = targets.some(({ normals }) => normals);
    if (targets.length > 0)
      primitive.targets = targets.map(({ positions, normals }) => ({
        POSITION: places(positions),
        // all targets of a primitive have the same attributes
        ...(hasNormals ? { NORMAL: rows(normals ?? new Float32Array(positions.length), 3) } : {}),
      }));
    return [primitive];
  });
  const named = targets.length > 0 ? { targetNames: targets.map(({ name }) => name) } : {};
  const own = { ...extras, ...named };
  return {
    ...(mesh.name === '' ? {} : { name: mesh.name }),
    primitives,
    ...(targets.length > 0 ? { weights: targets.map(({ weight }) => weight) } : {}),
    ...(Object.keys(own).length > 0 ? { extras: own } : {}),
  };
}

/** Joints and weights in sets of four. */
function addInfluences(
  { rowStart, boneIndices, weights }: Skin,
  vertexStart: number,
  vertexCount: number,
  setCount: number,
  chunks: GltfChunks,
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
    attributes[`JOINTS_${set}`] = chunks.add(joints, 4);
    attributes[`WEIGHTS_${set}`] = chunks.add(values, 4);
  }
}

function placeCameras(cameras: readonly SceneCamera[], nodes: GLTF.INode[]): GLTF.ICamera[] {
  return cameras.map((camera, n) => {
    nodes[camera.node].camera = n;
    const { name, near: znear, far: zfar } = camera;
    const stated = name === '' ? {} : { name };
    if (camera.kind === 'orthographic') {
      const { width: xmag, height: ymag } = camera;
      return { ...stated, type: 'orthographic', orthographic: { xmag, ymag, znear, zfar: zfar ?? znear + 1000 } };
    }
    const { fieldOfView: yfov, aspect: aspectRatio } = camera;
    const optional = { ...(aspectRatio === undefined ? {} : { aspectRatio }), ...(zfar === undefined ? {} : { zfar }) };
    return { ...stated, type: 'perspective', perspective: { yfov, znear, ...optional } };
  });
}

function placeLights(lights: readonly SceneLight[], nodes: GLTF.INode[]): Record<string, unknown>[] {
  return lights.map(({ node, name, kind, color, intensity, range, cone }, n) => {
    nodes[node].extensions = { ...nodes[node].extensions, [LIGHTS]: { light: n } };
    return {
      ...(name === '' ? {} : { name }),
      type: kind,
      color: [...color],
      intensity,
      ...(range === undefined || kind === 'directional' ? {} : { range }),
      ...(kind === 'spot' && cone ? { spot: { innerConeAngle: cone[0], outerConeAngle: cone[1] } } : {}),
    };
  });
}

/** @param drawnBy nodes of skinned shapes, and those that draw in place of them. Their transforms do not count. */
function makeAnimation(
  { name, tracks }: Animation,
  chunks: GltfChunks,
  drawnBy: ReadonlyMap<number, number>,
): GLTF.IAnimation {
  const inputs = new Map<Float32Array, number>();
  const samplers: GLTF.IAnimationSampler[] = [];
  const channels = tracks.flatMap(({ node, path, interpolation, times, values }): GLTF.IAnimationChannel[] => {
    if (path !== 'weights' && drawnBy.get(node) === node) return [];
    let input = inputs.get(times);
    if (input === undefined) {
      input = chunks.addBounded(times, 1);
      inputs.set(times, input);
    }
    const size = path === 'rotation' ? 4 : path === 'weights' ? 1 : 3;
    const sampler = samplers.push({ input, output: chunks.add(values, size), interpolation }) - 1;
    const target = path === 'weights' ? (drawnBy.get(node) ?? node) : node;
    return [{ sampler, target: { node: target, path } }];
  });
  return { ...(name === '' ? {} : { name }), samplers, channels };
}
