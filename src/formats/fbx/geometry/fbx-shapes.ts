// SPDX-License-Identifier: MIT
// What models draw: meshes with their skins and blend shapes.
import { invertAffine, multiply, transformDirections, transformPoints } from '../../../core/math/mat4.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import type { SceneShape, SceneTarget } from '../../gltf/index.ts';
import type { ScenePoints } from '../../shared/index.ts';
import { readFbxExtras } from '../fbx-extras.ts';
import type { FbxModel } from '../fbx-models.ts';
import { readGeometricMatrix } from '../fbx-transform.ts';
import { failFbx, findFbxChild } from '../syntax/fbx-node.ts';
import type { FbxNodeTree } from '../syntax/fbx-node-tree.ts';
import type { FbxObject } from '../syntax/fbx-object.ts';
import type { FbxObjects } from '../syntax/fbx-objects.ts';
import { channelWeightsInto, type FbxChannel, readFbxBlendShapes } from './fbx-blend-shapes.ts';
import { type FbxMesh, readFbxGeometry } from './fbx-geometry.ts';
import { readFbxPoses, readFbxSkin } from './fbx-skin.ts';
import { moveFbxTangents } from './fbx-tangents.ts';

/** Bytes that decoded shapes and weights may take: a base, and a multiple of the size of the file. */
const DECODED_BASE = 64 * 2 ** 20;
const DECODED_RATIO = 64;
/** Bytes of a vertex, as measured with models that share their geometry. */
const VERTEX_BYTES = 48;

/** Blend shape channels by the node that draws their mesh. */
export type FbxChannels = Map<number, FbxChannel[]>;

/** What the models of a file draw. */
export interface FbxShapes {
  shapes: SceneShape[];
  channels: FbxChannels;
  /** Of the last mesh. */
  points?: ScenePoints;
  /** By identifier of a material: names of the UV sets of a mesh that it is on. */
  uvSets: Map<string, readonly string[]>;
}

/** What all shapes of a file are read with. */
interface ShapeFacts {
  objects: FbxObjects;
  tree: FbxNodeTree;
  nodeOf: ReadonlyMap<string, number>;
  poses: ReadonlyMap<string, Float64Array>;
  /** 16: back to the axes and the unit of the file, where a root node changes them */
  fromScene: Float64Array;
  spend(bytes: number): void;
  log?: (message: string) => void;
}

/** Reads the meshes of models. Parts have the identifier of their material in place of its name. */
export function readFbxShapes(
  objects: FbxObjects,
  models: readonly FbxModel[],
  tree: FbxNodeTree,
  byteLength: number,
  log?: (message: string) => void,
): FbxShapes {
  const { worlds, nodeOfModel } = tree;
  const fromScene = new Float64Array(16);
  invertAffine(worlds, fromScene);
  const limit = DECODED_BASE + DECODED_RATIO * byteLength;
  let spent = 0;
  const spend = (bytes: number): void => {
    spent += bytes;
    if (spent > limit)
      failFbx('limit', `the file has ${byteLength} bytes but its shapes and weights would take ${spent}`);
  };
  const nodeOf = new Map(models.map(({ object }, m) => [object.id, nodeOfModel[m]]));
  const facts: ShapeFacts = { objects, tree, nodeOf, poses: readFbxPoses(objects), fromScene, spend, log };
  const out: FbxShapes = { shapes: [], channels: new Map(), uvSets: new Map() };
  const meshes = new Map<string, FbxMesh | undefined>();
  models.forEach(({ object: model }, m) => {
    const linked = objects.childrenOf(model.id).map(({ object }) => object);
    const [geometry, ...others] = linked.filter(
      (object) => object.kind === 'Geometry' && findFbxChild(object.node, 'PolygonVertexIndex'),
    );
    if (!geometry) return;
    if (others.length > 0) log?.(`${quoteName(model.name)} draws ${others.length + 1} meshes; only the first is read`);
    const materials = linked.filter(({ kind }) => kind === 'Material').map(({ id }) => id);
    const name = model.name || geometry.name;
    const key = JSON.stringify([geometry.id, ...materials]);
    if (!meshes.has(key)) meshes.set(key, readFbxGeometry(geometry.node, name, materials, log));
    const known = meshes.get(key);
    if (!known) return;
    const read = nameMesh(known, name);
    for (const material of materials) if (!out.uvSets.has(material)) out.uvSets.set(material, read.uvSets);
    spend(VERTEX_BYTES * (read.mesh.positions.length / 3));
    readShape(facts, { model, geometry, read, node: nodeOfModel[m] }, out);
  });
  return out;
}

/** A mesh that another model draws, with its arrays, and parts of its own. */
function nameMesh(read: FbxMesh, name: string): FbxMesh {
  const { mesh } = read;
  return { ...read, mesh: { ...mesh, name, parts: mesh.parts.map((part) => ({ ...part, name })) } };
}

/** A mesh of the file, and the node that draws it. */
interface DrawnMesh {
  model: FbxObject;
  geometry: FbxObject;
  read: FbxMesh;
  node: number;
}

/** Adds the shape of a mesh, with its skin and its blend shapes. */
function readShape(facts: ShapeFacts, mesh: DrawnMesh, out: FbxShapes): void {
  const { objects, tree, nodeOf, poses, fromScene, spend, log } = facts;
  const { model, geometry, read, node } = mesh;
  const geometric = readGeometricMatrix(model);
  const world = tree.worlds.slice(16 * node, 16 * node + 16);
  const matrix = world.slice();
  if (geometric) multiply(matrix, geometric, matrix);
  out.points = { pointOfVertex: read.pointOfVertex, pointCount: read.pointCount, matrix };
  if (tree.nodeOfModel[0] > 0) multiply(fromScene, world, world);
  const skin = readFbxSkin(objects, { geometry, model, read, node, world, geometric, nodeOf, poses, spend, log });
  const channels = readFbxBlendShapes(objects, geometry, read, spend);
  if (channels.length > 0) out.channels.set(node, channels);
  const moved = skin ? undefined : geometric;
  const extras = geometry.node === model.node ? undefined : readFbxExtras(geometry);
  out.shapes.push({
    node,
    mesh: moved ? moveMesh(read.mesh, moved) : read.mesh,
    skin,
    targets: channels.flatMap((channel) => listTargets(channel, moved)),
    ...(extras ? { extras } : {}),
  });
}

/** The targets of a channel, moved by a geometric transform if there is one. */
function listTargets(channel: FbxChannel, moved: Float64Array | undefined): SceneTarget[] {
  const { name, percent, fullWeights, targets } = channel;
  const weights = new Float32Array(targets.length);
  channelWeightsInto(fullWeights, percent, weights, 0);
  return targets.map((positions, t) => {
    if (moved) transformDirections(moved, positions, positions);
    const isLast = t === targets.length - 1;
    return { name: isLast ? name : `${name} ${fullWeights[t]} %`, positions, weight: weights[t] };
  });
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
  return { ...mesh, positions, normals, attributes: moveFbxTangents(mesh, matrix) };
}
