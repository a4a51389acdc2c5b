// SPDX-License-Identifier: MIT
// An asset from a scene of nodes and polygon meshes: what readers of USD have in common with other formats of scenes.
import { determinant3, invertAffine, multiply, transformDirections, transformPoints } from '../../core/math/mat4.ts';
import type { Asset, AssetRig } from '../../core/model/asset.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import type { Morphs } from '../../core/model/deformed/morphs.ts';
import { FormatError } from '../../core/model/errors.ts';
import type { Mesh, MeshAttribute } from '../../core/model/mesh/mesh.ts';
import type { NodeTree } from '../../core/model/skin/node-tree.ts';
import { SkinBuilder } from '../../core/model/skin/skin.ts';
import { makePolygonMesh, type PolygonMesh, type Polygons } from '../polygons/index.ts';

/** Weights of points on bones. */
export interface SceneSkin {
  /** Node of each joint. */
  nodes: readonly number[];
  /** jointCount x 16: joint to model space, at rest */
  bindMatrices: Float64Array;
  /** Entries per point. */
  width: number;
  /** pointCount x width: joint indices, checked by the reader */
  joints: ArrayLike<number>;
  /** pointCount x width */
  weights: ArrayLike<number>;
}

/** A mesh of the scene. */
export interface ScenePiece {
  name: string;
  node: number;
  polygons: Polygons;
  /** Column-major: from points to the rest shape in model space. */
  restMatrix: Float64Array;
  skin?: SceneSkin;
  /** Morph targets, in the order of the weights of the node; pointCount x 3 displacements each, before restMatrix. */
  shapes?: readonly { name: string; offsets: Float32Array }[];
  /** Weights of the morph targets at rest. Default: zeros. */
  weights?: Float32Array;
}

/** What a file holds. */
export interface Scene {
  name: string;
  nodes: NodeTree;
  pieces: readonly ScenePiece[];
  animations: Animation[];
}

/** The parts of an asset that come from the scene, and the point of the file of each vertex by piece. */
export interface SceneAsset extends Pick<Asset, 'name' | 'mesh' | 'nodes' | 'rig' | 'morphs' | 'animations'> {
  pointsOfPiece: { vertexStart: number; pointOfVertex: Uint32Array }[];
}

/** Joins the pieces of a scene to one mesh with its bones and morph targets. */
export function buildSceneAsset({ name, nodes, pieces, animations }: Scene): SceneAsset {
  const meshes = pieces.map((piece) => makePolygonMesh(piece.polygons, piece.name));
  const mesh = joinMeshes(name, pieces, meshes);
  let vertexStart = 0;
  const pointsOfPiece = meshes.map(({ positionOfVertex }) => {
    const place = { vertexStart, pointOfVertex: positionOfVertex };
    vertexStart += positionOfVertex.length;
    return place;
  });
  const rig = bindPieces(nodes, pieces, pointsOfPiece, animations);
  const morphs = makeMorphs(pieces, pointsOfPiece);
  return { name, mesh, nodes, animations, pointsOfPiece, ...(rig ? { rig } : {}), ...(morphs ? { morphs } : {}) };
}

function joinMeshes(name: string, pieces: readonly ScenePiece[], meshes: readonly PolygonMesh[]): Mesh {
  const vertexCount = meshes.reduce((sum, { mesh }) => sum + mesh.positions.length / 3, 0);
  const positions = new Float32Array(3 * vertexCount);
  const triangles = new Uint32Array(meshes.reduce((sum, { mesh }) => sum + mesh.triangles.length, 0));
  const normals = meshes.every(({ mesh }) => mesh.normals) ? new Float32Array(3 * vertexCount) : undefined;
  const attributes = new Map<string, MeshAttribute>();
  const parts: Mesh['parts'] = [];
  let [vertexStart, corner] = [0, 0];
  meshes.forEach(({ mesh }, p) => {
    const { restMatrix } = pieces[p];
    const isMirrored = determinant3(restMatrix) < 0;
    transformPoints(restMatrix, mesh.positions, positions, 0, 3 * vertexStart);
    if (normals && mesh.normals) turnNormalsInto(restMatrix, mesh.normals, normals, 3 * vertexStart);
    for (let c = 0; c < mesh.triangles.length; c++) {
      // a mirrored piece keeps its front faces
      const from = isMirrored && c % 3 > 0 ? c + (c % 3 === 1 ? 1 : -1) : c;
      triangles[corner + c] = mesh.triangles[from] + vertexStart;
    }
    for (const { name: key, size, values } of mesh.attributes) {
      const made = attributes.get(key) ?? { name: key, size, values: new Float32Array(size * vertexCount) };
      if (!attributes.has(key) && key.startsWith('COLOR_')) made.values.fill(1);
      attributes.set(key, made);
      // colours and UVs that are not finite are read as zero
      made.values.set(
        values.map((x) => (Number.isFinite(x) ? x : 0)),
        size * vertexStart,
      );
    }
    for (const part of mesh.parts)
      parts.push({
        ...part,
        vertexStart: part.vertexStart + vertexStart,
        triangleStart: part.triangleStart + corner / 3,
      });
    vertexStart += mesh.positions.length / 3;
    corner += mesh.triangles.length;
  });
  return { name, positions, triangles, ...(normals ? { normals } : {}), attributes: [...attributes.values()], parts };
}

/** Normals follow the inverse transpose. */
function turnNormalsInto(m: Float64Array, source: Float32Array, out: Float32Array, start: number): void {
  const inverse = new Float64Array(16);
  const turn = new Float64Array(16);
  if (invertAffine(m, inverse))
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) turn[4 * c + r] = inverse[4 * r + c];
  else turn.set(m);
  transformDirections(turn, source, out, 0, start);
  for (let o = start; o < start + source.length; o += 3) {
    const length = Math.hypot(out[o], out[o + 1], out[o + 2]);
    for (let c = 0; c < 3; c++) out[o + c] = length > 0 ? out[o + c] / length : c === 2 ? 1 : 0;
  }
}

/** Weights of all vertices together. A point with many corners repeats its weights, which the size of the file does not limit. */
const MAX_WEIGHTS = 2 ** 27;

/** Binds of one node closer than this, relative to their size, are one bone. */
const SAME_BIND = 1e-9;

interface Bone {
  node: number;
  bind: Float64Array;
  isJoint: boolean;
}

/** Bones of skins, and one per node of a rigid piece; none if nothing is skinned and no piece moves. */
function bindPieces(
  nodes: NodeTree,
  pieces: readonly ScenePiece[],
  places: SceneAsset['pointsOfPiece'],
  animations: readonly Animation[],
): AssetRig | undefined {
  const isMoving = listMoving(nodes, animations);
  if (!pieces.some(({ skin, node }) => skin || isMoving[node])) return undefined;
  const { bones, bonesOf } = listBones(pieces);
  const boneOfNode = new Map<number, number>();
  bones.forEach(({ node }, place) => {
    if (!boneOfNode.has(node)) boneOfNode.set(node, place);
  });
  const parents = Int32Array.from(bones, ({ node }) => {
    let above = nodes.parents[node];
    while (above >= 0 && !boneOfNode.has(above)) above = nodes.parents[above];
    return boneOfNode.get(above) ?? -1;
  });
  const bindMatrices = new Float64Array(16 * bones.length);
  bones.forEach(({ bind }, j) => {
    bindMatrices.set(bind, 16 * j);
  });
  const names = bones.map(({ node }) => nodes.names[node] || `node ${node}`);
  return {
    skeleton: { names, parents, bindMatrices },
    skin: joinWeights(pieces, places, bonesOf),
    nodeOfBone: Int32Array.from(bones, ({ node }) => node),
    isJoint: Uint8Array.from(bones, ({ isJoint }) => (isJoint ? 1 : 0)),
  };
}

/** Bones in the order of their nodes, which have parents first, and by piece the bones of its joints; that of its node if it is rigid. */
function listBones(pieces: readonly ScenePiece[]): { bones: Bone[]; bonesOf: number[][] } {
  const bones: Bone[] = [];
  const bonesAt = new Map<number, number[]>();
  const add = (node: number, bind: Float64Array, isJoint: boolean): number => {
    const here = bonesAt.get(node) ?? [];
    bonesAt.set(node, here);
    let bone = here.find((one) => isSameBind(bones[one].bind, bind));
    if (bone === undefined) {
      bone = bones.push({ node, bind, isJoint }) - 1;
      here.push(bone);
    }
    bones[bone].isJoint ||= isJoint;
    return bone;
  };
  const added = pieces.map(({ skin, node, restMatrix }) =>
    skin
      ? skin.nodes.map((joint, j) => add(joint, skin.bindMatrices.slice(16 * j, 16 * j + 16), true))
      : [add(node, restMatrix, false)],
  );
  const order = [...bones.keys()].sort((a, b) => bones[a].node - bones[b].node || a - b);
  const placeOf = new Int32Array(bones.length);
  order.forEach((bone, place) => {
    placeOf[bone] = place;
  });
  return {
    bones: order.map((bone) => bones[bone]),
    bonesOf: added.map((list) => list.map((bone) => placeOf[bone])),
  };
}

/** The weights of all pieces; rigid pieces follow their bone. */
function joinWeights(
  pieces: readonly ScenePiece[],
  places: SceneAsset['pointsOfPiece'],
  bonesOf: readonly number[][],
): AssetRig['skin'] {
  const vertexCount = places.reduce((sum, { pointOfVertex }) => sum + pointOfVertex.length, 0);
  const entryCount = pieces.reduce((sum, { skin }, p) => sum + (skin?.width ?? 1) * places[p].pointOfVertex.length, 0);
  if (entryCount > Math.max(vertexCount, MAX_WEIGHTS))
    throw new FormatError('usd', 'limit', `the skin has ${entryCount} weights; at most ${MAX_WEIGHTS} are read`);
  const builder = new SkinBuilder(vertexCount, Math.max(vertexCount, entryCount));
  pieces.forEach(({ skin }, p) => {
    const own = bonesOf[p];
    for (const point of places[p].pointOfVertex) {
      if (skin)
        for (let e = point * skin.width; e < (point + 1) * skin.width; e++)
          builder.add(own[skin.joints[e]], skin.weights[e]);
      else builder.add(own[0], 1);
      builder.endRow(own[0]);
    }
  });
  return builder.finish();
}

function isSameBind(a: Float64Array, b: Float64Array): boolean {
  return a.every((x, c) => Math.abs(x - b[c]) <= SAME_BIND * (1 + Math.abs(x)));
}

/** nodeCount: whether an animation moves the node or one above it */
function listMoving({ parents }: NodeTree, animations: readonly Animation[]): Uint8Array {
  const isMoving = new Uint8Array(parents.length);
  for (const { tracks } of animations) for (const { node, path } of tracks) if (path !== 'weights') isMoving[node] = 1;
  parents.forEach((parent, node) => {
    if (parent >= 0 && isMoving[parent]) isMoving[node] = 1;
  });
  return isMoving;
}

function makeMorphs(pieces: readonly ScenePiece[], places: SceneAsset['pointsOfPiece']): Morphs | undefined {
  const targets: Morphs['targets'] = [];
  const restWeights: Morphs['restWeights'] = [];
  pieces.forEach(({ shapes = [], weights, node, restMatrix }, p) => {
    if (shapes.length === 0) return;
    restWeights.push({ node, weights: weights ?? new Float32Array(shapes.length) });
    const { vertexStart, pointOfVertex } = places[p];
    shapes.forEach(({ name, offsets }, weight) => {
      const own = new Float32Array(3 * pointOfVertex.length);
      for (let i = 0; i < pointOfVertex.length; i++)
        for (let c = 0; c < 3; c++) own[3 * i + c] = offsets[3 * pointOfVertex[i] + c];
      const positions = new Float32Array(own.length);
      transformDirections(restMatrix, own, positions);
      targets.push({ name, node, weight, vertexStart, vertexCount: pointOfVertex.length, positions });
    });
  });
  return targets.length > 0 ? { targets, restWeights } : undefined;
}

/** nodeCount x 16: world matrices from local ones */
export function worldMatricesOf(locals: Float64Array, parents: ArrayLike<number>): Float64Array {
  const worlds = Float64Array.from(locals);
  for (let n = 0; n < parents.length; n++)
    if (parents[n] >= 0) multiply(worlds, locals, worlds, 16 * parents[n], 16 * n, 16 * n);
  return worlds;
}
