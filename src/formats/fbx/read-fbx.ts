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
import { readFbxAxes } from './fbx-axes.ts';
import { channelWeightsInto, type FbxChannel, readFbxBlendShapes } from './fbx-blend-shapes.ts';
import { readFbxGeometry } from './fbx-geometry.ts';
import { type FbxModel, listFbxModels } from './fbx-models.ts';
import { readFbxSkin } from './fbx-skin.ts';
import { readGeometricMatrix } from './fbx-transform.ts';
import { parseFbxAscii } from './syntax/fbx-ascii.ts';
import { isBinaryFbx, parseFbxBinary } from './syntax/fbx-binary.ts';
import { failFbx, findFbxChild, numberOfFbx } from './syntax/fbx-node.ts';
import { type FbxNodeTree, makeFbxNodeTree, makeFbxTracks } from './syntax/fbx-node-tree.ts';
import { numberProperty, propertyOf } from './syntax/fbx-object.ts';
import { type FbxObjects, listFbxObjects } from './syntax/fbx-objects.ts';

export interface ReadFbxOptions {
  /** Name of the asset; by default 'fbx'. */
  name?: string;
  /** Receives a sentence about everything that was left out. */
  log?: (message: string) => void;
}

/** A material known by colour only: neither mirror nor chalk. */
const PLAIN_MATERIAL = {
  metallic: 0,
  roughness: 0.8,
  emissive: [0, 0, 0],
  alpha: 'opaque',
  cutoff: 0.5,
  isDoubleSided: true,
  isUnlit: false,
  normalScale: 1,
  occlusionStrength: 1,
} as const;

/** Bytes that decoded shapes and weights may take: a base, and a multiple of the size of the file. */
const DECODED_BASE = 64 * 2 ** 20;
const DECODED_RATIO = 64;

/**
 * Reads an FBX file, binary (6.1 to 7.7) or ASCII, as a glTF of the same content would be read: metres, y up, all that is drawn joined into
 * one mesh at rest. Animation curves are sampled at the file's frame rate, from their first key. Throws FormatError, and nothing else, on a
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
    const { scene, points } = readFbxScene(objects, bytes.length, log);
    return { asset: await readScene(scene, bytes.length, { name, log }), points };
  } catch (error) {
    if (error instanceof FormatError)
      throw error.format === 'fbx' ? error : new FormatError('fbx', error.code, error.fault, error.byteOffset);
    const why = error instanceof Error ? error.message : String(error);
    throw new FormatError('fbx', 'syntax', `the FBX could not be read: ${why.split('\n')[0].replace(/\.$/, '')}`);
  }
}

function readFbxScene(
  objects: FbxObjects,
  byteLength: number,
  log?: (message: string) => void,
): { scene: Scene; points?: ScenePoints } {
  const models = listFbxModels(objects);
  const stacks = sampleFbxStacks(objects, models, byteLength);
  const tree = makeFbxNodeTree(models, stacks, readFbxAxes(objects, log), log);
  const { shapes, channels, points } = readShapes(objects, models, tree, byteLength, log);
  if (shapes.length === 0) failFbx('empty', 'the file has no polygon mesh');
  noteCaches(objects, log);
  const animations = stacks.map((stack) => joinTracks(stack, tree, channels)).filter(({ tracks }) => tracks.length > 0);
  return {
    scene: { nodes: tree.nodes, shapes, animations, look: readLook(objects, shapes) },
    points: shapes.length === 1 && !shapes[0].skin ? points : undefined,
  };
}

/** Blend shape channels by the node that draws their mesh. */
type Channels = Map<number, FbxChannel[]>;

function readShapes(
  objects: FbxObjects,
  models: readonly FbxModel[],
  { worlds, nodeOfModel }: FbxNodeTree,
  byteLength: number,
  log?: (message: string) => void,
): { shapes: SceneShape[]; channels: Channels; points?: ScenePoints } {
  const nodeOf = new Map(models.map(({ object }, m) => [object.id, nodeOfModel[m]]));
  const limit = DECODED_BASE + DECODED_RATIO * byteLength;
  let spent = 0;
  const spend = (bytes: number): void => {
    spent += bytes;
    if (spent > limit)
      failFbx('limit', `the file has ${byteLength} bytes but its shapes and weights would take ${spent}`);
  };
  const shapes: SceneShape[] = [];
  const channels: Channels = new Map();
  let points: ScenePoints | undefined;
  models.forEach(({ object: model }, m) => {
    const node = nodeOfModel[m];
    const linked = objects.childrenOf(model.id).map(({ object }) => object);
    const [geometry, ...others] = linked.filter(
      (object) => object.kind === 'Geometry' && findFbxChild(object.node, 'PolygonVertexIndex'),
    );
    if (!geometry) return;
    if (others.length > 0) log?.(`${quoteName(model.name)} draws ${others.length + 1} meshes; only the first is read`);
    const materials = linked.filter(({ kind }) => kind === 'Material').map((material) => material.name || 'material');
    const read = readFbxGeometry(geometry.node, model.name || geometry.name, materials, log);
    if (!read) return;
    spend(16 * read.mesh.positions.length);
    const geometric = readGeometricMatrix(model);
    const world = worlds.slice(16 * node, 16 * node + 16);
    const matrix = world.slice();
    if (geometric) multiply(matrix, geometric, matrix);
    points = { pointOfVertex: read.pointOfVertex, pointCount: read.pointCount, matrix };
    const skin = readFbxSkin(objects, { geometry, model, read, node, world, geometric, nodeOf, spend, log });
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
    shapes.push({ node, mesh: moved ? moveMesh(read.mesh, moved) : read.mesh, skin, targets });
  });
  return { shapes, channels, points };
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
    animation.tracks.push({ node, path: 'weights', interpolation: 'LINEAR', times, values });
  }
  return animation;
}

/** The materials of shapes, which name them by part. Completes the shapes. */
function readLook({ objects }: FbxObjects, shapes: SceneShape[]): Scene['look'] {
  const materials: Scene['look']['materials'] = [];
  const places = new Map<string, number>();
  for (const material of objects) {
    if (material.kind !== 'Material') continue;
    const name = material.name || 'material';
    const color = propertyOf(material, 'DiffuseColor') ?? propertyOf(material, 'Diffuse');
    const factor = numberProperty(material, 'DiffuseFactor', 1);
    const [r, g, b] = [0, 1, 2].map((c) => {
      const value = (numberOfFbx(color?.[c]) ?? 1) * factor;
      return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 1;
    });
    places.set(name, materials.push({ ...PLAIN_MATERIAL, name, color: [r, g, b, 1] }) - 1);
  }
  for (const shape of shapes) shape.materialOfPart = shape.mesh.parts.map(({ material }) => places.get(material) ?? -1);
  return { materials, images: [] };
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
