// SPDX-License-Identifier: MIT

import { invertAffine, multiply, transformDirections, transformPoints } from '../../core/math/mat4.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import { FormatError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import { quoteName } from '../../core/model/plain-text.ts';
import { readScene, type Scene, type SceneShape } from '../gltf/index.ts';
import type { ScenePoints } from '../shared/index.ts';
import { type FbxStack, sampleFbxStacks } from './fbx-animation.ts';
import { readFbxAttributes } from './fbx-attributes.ts';
import { readFbxAxes } from './fbx-axes.ts';
import { channelWeightsInto, type FbxChannel, readFbxBlendShapes } from './fbx-blend-shapes.ts';
import { readFbxExtras } from './fbx-extras.ts';
import { readFbxGeometry } from './fbx-geometry.ts';
import { addIdleJoints } from './fbx-idle-joints.ts';
import { readFbxLook } from './fbx-look.ts';
import { type FbxModel, listFbxModels } from './fbx-models.ts';
import { readFbxPoses, readFbxSkin } from './fbx-skin.ts';
import { readGeometricMatrix } from './fbx-transform.ts';
import { parseFbxAscii } from './syntax/fbx-ascii.ts';
import { isBinaryFbx, parseFbxBinary } from './syntax/fbx-binary.ts';
import { failFbx, findFbxChild } from './syntax/fbx-node.ts';
import { type FbxNodeTree, holdKeys, makeFbxNodeTree, makeFbxTracks } from './syntax/fbx-node-tree.ts';
import { propertyOf } from './syntax/fbx-object.ts';
import { type FbxObjects, listFbxObjects } from './syntax/fbx-objects.ts';

export interface ReadFbxOptions {
  /** Name of the asset; by default 'fbx'. */
  name?: string;
  /** Reads a file in the folder of the FBX, as its textures. Without it, only embedded textures are read. */
  resolve?: (uri: string) => Promise<Uint8Array>;
  /** Receives a sentence about everything that was left out. */
  log?: (message: string) => void;
}

/** Bytes that decoded shapes and weights may take: a base, and a multiple of the size of the file. */
const DECODED_BASE = 64 * 2 ** 20;
const DECODED_RATIO = 64;

/**
 * Reads an FBX file, binary (6.1 to 7.7) or ASCII, as a glTF of the same content would be read: metres, y up, all that is drawn joined into
 * one mesh at rest. Animation curves are sampled at the file's frame rate, and at keys between frames. Throws FormatError, and nothing else, on a
 * bad file.
 */
export async function readFbx(bytes: Uint8Array, options: ReadFbxOptions = {}): Promise<Asset> {
  return (await readFbxPoints(bytes, options)).asset;
}

/** Reads an FBX file, and the points of its mesh if it has one that no bones move. */
export async function readFbxPoints(
  bytes: Uint8Array,
  options: ReadFbxOptions = {},
): Promise<{ asset: Asset; points?: ScenePoints }> {
  const { name = 'fbx', log } = options;
  try {
    const tree = isBinaryFbx(bytes) ? parseFbxBinary(bytes) : parseFbxAscii(bytes);
    const objects = listFbxObjects(tree);
    const { scene, points } = await readFbxScene(objects, bytes.length, { ...options, name });
    return { asset: await readScene(scene, bytes.length, { name, log }), points };
  } catch (error) {
    if (error instanceof FormatError)
      throw error.format === 'fbx' ? error : new FormatError('fbx', error.code, error.fault, error.byteOffset);
    const why = error instanceof Error ? error.message : String(error);
    throw new FormatError('fbx', 'syntax', `the FBX could not be read: ${why.split('\n')[0].replace(/\.$/, '')}`);
  }
}

async function readFbxScene(
  objects: FbxObjects,
  byteLength: number,
  { name, resolve, log }: ReadFbxOptions & { name: string },
): Promise<{ scene: Scene; points?: ScenePoints }> {
  const models = listFbxModels(objects);
  const stacks = sampleFbxStacks(objects, models, byteLength);
  const axes = readFbxAxes(objects, log);
  const tree = makeFbxNodeTree(models, stacks, axes, log);
  const { shapes, channels, points, uvSets } = readShapes(objects, models, tree, byteLength, log);
  if (shapes.length === 0) failFbx('empty', 'the file has no polygon mesh');
  addIdleJoints(shapes, models, tree);
  noteCaches(objects, log);
  const { look, placeOf } = await readFbxLook(objects, uvSets, { name, resolve, log });
  for (const shape of shapes) nameMaterials(shape, look.materials, placeOf);
  const animations = stacks.map((stack) => joinTracks(stack, tree, channels)).filter(({ tracks }) => tracks.length > 0);
  const metres = Math.abs(axes?.scale[0] ?? 1);
  const attributes = readFbxAttributes(objects, models, tree.nodeOfModel, metres, log);
  const extras = new Map(
    models.flatMap(({ object }, m) => {
      const own = readFbxExtras(object);
      return own ? [[tree.nodeOfModel[m], own] as const] : [];
    }),
  );
  return {
    scene: { nodes: tree.nodes, shapes, animations, look, ...attributes, extras },
    points: shapes.length === 1 && !shapes[0].skin ? points : undefined,
  };
}

/** Parts have the identifiers of their materials: gives them places in the scene, and names. */
function nameMaterials(
  shape: SceneShape,
  materials: Scene['look']['materials'],
  placeOf: ReadonlyMap<string, number>,
): void {
  const places = shape.mesh.parts.map(({ material }) => placeOf.get(material) ?? -1);
  shape.materialOfPart = places;
  shape.mesh.parts.forEach((part, p) => {
    part.material = materials[places[p]]?.name ?? '';
  });
}

/** Blend shape channels by the node that draws their mesh. */
type Channels = Map<number, FbxChannel[]>;

function readShapes(
  objects: FbxObjects,
  models: readonly FbxModel[],
  { worlds, nodeOfModel }: FbxNodeTree,
  byteLength: number,
  log?: (message: string) => void,
): { shapes: SceneShape[]; channels: Channels; points?: ScenePoints; uvSets: Map<string, readonly string[]> } {
  const nodeOf = new Map(models.map(({ object }, m) => [object.id, nodeOfModel[m]]));
  const poses = readFbxPoses(objects);
  // back to the axes and the unit of the file, where a root node changes them
  const fromScene = new Float64Array(16);
  invertAffine(worlds, fromScene);
  const limit = DECODED_BASE + DECODED_RATIO * byteLength;
  let spent = 0;
  const spend = (bytes: number): void => {
    spent += bytes;
    if (spent > limit)
      failFbx('limit', `the file has ${byteLength} bytes but its shapes and weights would take ${spent}`);
  };
  const shapes: SceneShape[] = [];
  const channels: Channels = new Map();
  const uvSets = new Map<string, readonly string[]>();
  let points: ScenePoints | undefined;
  models.forEach(({ object: model }, m) => {
    const node = nodeOfModel[m];
    const linked = objects.childrenOf(model.id).map(({ object }) => object);
    const [geometry, ...others] = linked.filter(
      (object) => object.kind === 'Geometry' && findFbxChild(object.node, 'PolygonVertexIndex'),
    );
    if (!geometry) return;
    if (others.length > 0) log?.(`${quoteName(model.name)} draws ${others.length + 1} meshes; only the first is read`);
    const materials = linked.filter(({ kind }) => kind === 'Material').map(({ id }) => id);
    const read = readFbxGeometry(geometry.node, model.name || geometry.name, materials, log);
    if (!read) return;
    for (const material of materials) if (!uvSets.has(material)) uvSets.set(material, read.uvSets);
    spend(16 * read.mesh.positions.length);
    const geometric = readGeometricMatrix(model);
    const world = worlds.slice(16 * node, 16 * node + 16);
    const matrix = world.slice();
    if (geometric) multiply(matrix, geometric, matrix);
    points = { pointOfVertex: read.pointOfVertex, pointCount: read.pointCount, matrix };
    const bound = world.slice();
    if (nodeOfModel[0] > 0) multiply(fromScene, world, bound);
    const skin = readFbxSkin(objects, {
      geometry,
      model,
      read,
      node,
      world: bound,
      geometric,
      nodeOf,
      poses,
      spend,
      log,
    });
    const own = readFbxBlendShapes(objects, geometry, read, spend);
    const moved = skin ? undefined : geometric;
    const targets = own.flatMap(({ name, percent, fullWeights, targets: deltas }) => {
      const weights = new Float32Array(deltas.length);
      channelWeightsInto(fullWeights, percent, weights, 0);
      return deltas.map((positions, t) => {
        if (moved) transformDirections(moved, positions, positions);
        const isLast = t === deltas.length - 1;
        return { name: isLast ? name : `${name} ${fullWeights[t]} %`, positions, weight: weights[t] };
      });
    });
    if (own.length > 0) channels.set(node, own);
    const extras = geometry.node === model.node ? undefined : readFbxExtras(geometry);
    const mesh = moved ? moveMesh(read.mesh, moved) : read.mesh;
    shapes.push({ node, mesh, skin, targets, ...(extras ? { extras } : {}) });
  });
  return { shapes, channels, points, uvSets };
}

/** A mesh moved by a geometric transform; normals turn by the inverse transpose. */
function moveMesh(mesh: Mesh, matrix: Float64Array): Mesh {
  const positions = new Float32Array(mesh.positions.length);
  transformPoints(matrix, mesh.positions, positions);
  if (!mesh.normals) return { ...mesh, positions };
  const inverse = new Float64Array(16);
  const turn = Float64Array.from(matrix);
  if (invertAffine(matrix, inverse))
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) turn[4 * c + r] = inverse[4 * r + c];
  const normals = new Float32Array(mesh.normals.length);
  transformDirections(turn, mesh.normals, normals);
  return { ...mesh, positions, normals };
}

/** Two keys of a node that stays, so that an animation without motion keeps its place, name and duration. */
function keepStill(animation: Animation, { models }: FbxStack, { nodes, nodeOfModel }: FbxNodeTree): void {
  const [model] = models.keys();
  if (animation.tracks.length > 0 || model === undefined) return;
  const node = nodeOfModel[model];
  const rest = nodes.translations.subarray(3 * node, 3 * node + 3);
  const times = Float32Array.of(0, animation.duration).subarray(0, animation.duration > 0 ? 2 : 1);
  const values = Float32Array.of(...rest, ...rest).subarray(0, 3 * times.length);
  animation.tracks.push({ node, path: 'translation', interpolation: 'LINEAR', times, values });
}

/** Keys of nodes, and of the morph weights of the nodes that have animated channels. */
function joinTracks(stack: FbxStack, tree: FbxNodeTree, channels: Channels): Animation {
  const animation = makeFbxTracks(stack, tree);
  const frameCount = stack.times.length;
  for (const [node, own] of channels) {
    if (!own.some(({ id }) => stack.percents.has(id))) continue;
    const size = own.reduce((sum, { targets }) => sum + targets.length, 0);
    const values = new Float32Array(frameCount * size);
    let offset = 0;
    for (const { id, percent, fullWeights } of own) {
      const percents = stack.percents.get(id);
      for (let k = 0; k < frameCount; k++)
        channelWeightsInto(fullWeights, percents?.[k] ?? percent, values, k * size + offset);
      offset += fullWeights.length;
    }
    const times = Float32Array.from(stack.times);
    const animated = own.filter(({ id }) => stack.percents.has(id));
    const isStepped = animated.every(({ id }) => stack.stepped.has(id));
    animation.tracks.push(
      isStepped
        ? { node, path: 'weights', ...holdKeys(times, values, size) }
        : { node, path: 'weights', interpolation: 'LINEAR', times, values },
    );
  }
  keepStill(animation, stack, tree);
  return animation;
}

/** Point caches are files of their own: names them, since the mesh does not move without them. */
function noteCaches({ objects }: FbxObjects, log?: (message: string) => void): void {
  for (const cache of objects) {
    if (cache.kind !== 'Cache') continue;
    const path = [propertyOf(cache, 'CacheFileName')?.[0], propertyOf(cache, 'CacheAbsoluteFileName')?.[0]].find(
      (one): one is string => typeof one === 'string' && one !== '',
    );
    const file = path?.replace(/^.*[/\\]/, '') ?? cache.name;
    log?.(
      `the file is moved by the point cache ${quoteName(file)}; a PC2 or MDD cache is read when it is given too, as mesh.fbx+${file}`,
    );
  }
}
