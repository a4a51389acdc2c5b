// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import { FormatError } from '../../core/model/errors.ts';
import { quoteName } from '../../core/model/plain-text.ts';
import { readScene, type Scene, type SceneShape } from '../gltf/index.ts';
import type { ScenePoints } from '../shared/index.ts';
import { bakeConstraints } from './animation/bake-constraints.ts';
import { type FbxStack, sampleFbxStacks } from './animation/fbx-animation.ts';
import { listFbxConstraints } from './animation/fbx-constraints.ts';
import { readFbxAttributes } from './fbx-attributes.ts';
import { readFbxAxes } from './fbx-axes.ts';
import { readFbxExtras } from './fbx-extras.ts';
import { addIdleJoints } from './fbx-idle-joints.ts';
import { listFbxModels } from './fbx-models.ts';
import { channelWeightsInto } from './geometry/fbx-blend-shapes.ts';
import { type FbxChannels, readFbxShapes } from './geometry/fbx-shapes.ts';
import { readFbxLook } from './look/fbx-look.ts';
import { parseFbxAscii } from './syntax/fbx-ascii.ts';
import { isBinaryFbx, parseFbxBinary } from './syntax/fbx-binary.ts';
import { failFbx } from './syntax/fbx-node.ts';
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
    const { scene, points } = await readFile(bytes, { ...options, name });
    if (scene.shapes.length === 0) failFbx('empty', 'the file has no polygon mesh');
    return { asset: await readScene(scene, bytes.length, { name, log }), points };
  } catch (error) {
    throw asFormatError(error);
  }
}

/** Reads what an FBX file holds as a scene, whether it draws anything or not: files with animations alone have no mesh. Materials are those without files beside it. */
export async function readFbxScene(bytes: Uint8Array, options: ReadFbxOptions = {}): Promise<Scene> {
  try {
    return (await readFile(bytes, { log: options.log, name: options.name ?? 'fbx' })).scene;
  } catch (error) {
    throw asFormatError(error);
  }
}

function asFormatError(error: unknown): FormatError {
  if (error instanceof FormatError)
    return error.format === 'fbx' ? error : new FormatError('fbx', error.code, error.fault, error.byteOffset);
  const why = error instanceof Error ? error.message : String(error);
  return new FormatError('fbx', 'syntax', `the FBX could not be read: ${why.split('\n')[0].replace(/\.$/, '')}`);
}

function readFile(
  bytes: Uint8Array,
  options: ReadFbxOptions & { name: string },
): Promise<{ scene: Scene; points?: ScenePoints }> {
  const tree = isBinaryFbx(bytes) ? parseFbxBinary(bytes) : parseFbxAscii(bytes);
  return readObjects(listFbxObjects(tree), bytes.length, options);
}

async function readObjects(
  objects: FbxObjects,
  byteLength: number,
  { name, resolve, log }: ReadFbxOptions & { name: string },
): Promise<{ scene: Scene; points?: ScenePoints }> {
  const models = listFbxModels(objects);
  const stacks = sampleFbxStacks(objects, models, byteLength);
  const axes = readFbxAxes(objects, log);
  const tree = makeFbxNodeTree(models, stacks, axes, log);
  const { shapes, channels, points, uvSets } = readFbxShapes(objects, models, tree, byteLength, log);
  addIdleJoints(shapes, models, tree);
  noteCaches(objects, log);
  const { look, placeOf } = await readFbxLook(objects, uvSets, { name, resolve, log });
  for (const shape of shapes) nameMaterials(shape, look.materials, placeOf);
  const nodeOf = new Map(models.map(({ object }, m) => [object.id, tree.nodeOfModel[m]]));
  const animations = bakeConstraints(
    { nodes: tree.nodes, top: tree.nodeOfModel[0] > 0 ? 0 : -1 },
    stacks.map((stack) => joinTracks(stack, tree, channels)).filter(({ tracks }) => tracks.length > 0),
    listFbxConstraints(objects, nodeOf, log),
    log,
  );
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
function joinTracks(stack: FbxStack, tree: FbxNodeTree, channels: FbxChannels): Animation {
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
