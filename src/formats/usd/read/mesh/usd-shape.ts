// SPDX-License-Identifier: MIT
// A Mesh prim as a shape of a scene: vertices, the skin over joints, morph targets.
import {
  IDENTITY,
  invertAffine,
  isCloseMatrix,
  multiply,
  transformDirections,
  transformPoints,
} from '../../../../core/math/mat4.ts';
import { FormatError } from '../../../../core/model/errors.ts';
import { coordinateFault, MAX_COORDINATE } from '../../../../core/model/mesh/coordinate-limit.ts';
import type { Mesh } from '../../../../core/model/mesh/mesh.ts';
import { quoteName } from '../../../../core/model/plain-text.ts';
import { SkinBuilder } from '../../../../core/model/skin/skin.ts';
import type { SceneShape, SceneSkin, SceneTarget } from '../../../gltf/index.ts';
import type { UsdPrim } from '../../syntax/usd-layer.ts';
import { numbersOf, textsOf } from '../../syntax/usd-values-at.ts';
import { boundMaterialOf } from '../look/usd-materials.ts';
import { USD_COSTS, type UsdBudget } from '../usd-budget.ts';
import { blendWeightsAt, type UsdBlend } from '../usd-motion.ts';
import {
  extrasOfPrim,
  findInherited,
  nameOf,
  type UsdContent,
  type UsdScene,
  type UsdSkeletonNode,
} from '../usd-scene.ts';
import { readUsdShapes, readUsdWeights, type UsdShape, type UsdWeights } from '../usd-skeleton.ts';
import { readUsdMesh } from './usd-mesh.ts';

const WEIGHTS = 'primvars:skel:jointWeights';
const GEOM_BIND = 'primvars:skel:geomBindTransform';
/** Weights of a shape. A point with many corners repeats its weights, which the size of the file does not limit. */
const MAX_WEIGHTS = 2 ** 27;
/** A matrix this close to the identity, relative, is the identity. */
const SAME = 1e-6;

/** A shape, and what made it. */
export interface UsdReadShape {
  shape: SceneShape;
  content: UsdContent;
  uvNames: readonly string[];
  /** vertexCount: the point of the file that each vertex shows */
  pointOfVertex: Uint32Array;
  pointCount: number;
  /** Nodes of the stage. */
  nodeCount: number;
  /** Which weights of an animation drive the targets. */
  listBlends(animation: UsdPrim | undefined): UsdBlend[];
}

interface ShapeInput {
  stage: UsdScene;
  /** Metres per unit. */
  unit: number;
  budget: UsdBudget;
  /** Points are read as frames: there is neither skin nor target. */
  isCached: boolean;
  log?: (message: string) => void;
}

/** Reads a mesh. Lengths become metres. */
export function readUsdShape(content: UsdContent, input: ShapeInput): UsdReadShape {
  const { prim, above, skeleton } = content;
  const { stage, unit, isCached } = input;
  takeMesh(content, input.budget);
  const read = readUsdMesh(prim, nameOf(prim), (one) => boundMaterialOf(one, one === prim ? above : []));
  const { pointOfVertex, pointCount } = read;
  const blends = isCached ? [] : listBlendShapes(prim, stage, pointCount);
  const listBlends = (animation: UsdPrim | undefined): UsdBlend[] => {
    const weights = animation ? textsOf(animation, 'blendShapes') : [];
    return blends.map(({ token, ...blend }) => ({ ...blend, weight: weights.indexOf(token) }));
  };
  const targets = listTargets(blends, pointOfVertex, unit, skeleton?.animation, listBlends);
  const mesh = scaleMesh(read.mesh, unit);
  checkPositions(mesh.positions);
  const own = content.node >= 0 && stage.nodes[content.node].prim === prim ? undefined : extrasOfPrim(prim);
  const plain: SceneShape = { node: content.node, mesh, targets, ...(own ? { extras: own } : {}) };
  const made = { content, uvNames: read.uvNames, pointOfVertex, pointCount, nodeCount: stage.nodes.length, listBlends };
  const bound = isCached || !skeleton ? undefined : readBinding(content, skeleton, pointCount);
  if (!bound || !skeleton) return { ...made, shape: plain };
  const shape = bindShape(plain, skeleton, bound, { pointOfVertex, unit, log: input.log });
  // the node of a mesh that a joint draws has no other use: what it has is the shape's
  const extras = shape.node === content.node ? undefined : extrasOfPrim(prim);
  return { ...made, shape: extras ? { ...shape, extras } : shape };
}

/** Takes the memory of a mesh before it is read. */
function takeMesh(content: UsdContent, budget: UsdBudget): void {
  const { prim, skeleton } = content;
  const corners = numbersOf(prim, 'faceVertexIndices')?.length ?? 0;
  const points = (numbersOf(prim, 'points')?.length ?? 0) / 3;
  const shapes = textsOf(prim, 'skel:blendShapes').length;
  const width = skeleton ? (findInherited(content, WEIGHTS)?.properties.get(WEIGHTS)?.elementSize ?? 1) : 0;
  budget.take(
    USD_COSTS.mesh +
      USD_COSTS.corner * corners +
      USD_COSTS.point * points +
      USD_COSTS.shapePoint * shapes * points +
      USD_COSTS.weight * Math.max(0, width) * points +
      USD_COSTS.key * (skeleton?.joints.length ?? 0),
    `mesh ${quoteName(prim.name)} with those before it`,
  );
}

function scaleMesh(mesh: Mesh, unit: number): Mesh {
  return unit === 1 ? mesh : { ...mesh, positions: mesh.positions.map((x) => x * unit) };
}

/** Throws if a position is not finite or too large. */
export function checkPositions(positions: Float32Array): void {
  for (let c = 0; c < positions.length; c++)
    if (!(Math.abs(positions[c]) <= MAX_COORDINATE))
      throw new FormatError('usd', 'value', `a position is ${coordinateFault(positions[c])}`);
}

/** Blend shapes of a mesh in its own order, each with its in-betweens. */
function listBlendShapes(
  prim: UsdPrim,
  stage: UsdScene,
  pointCount: number,
): { token: string; first: number; shapes: UsdShape[] }[] {
  const tokens = textsOf(prim, 'skel:blendShapes');
  const paths = prim.properties.get('skel:blendShapeTargets')?.targets ?? [];
  let first = 0;
  return tokens.flatMap((token, n) => {
    const shape = paths[n] === undefined ? undefined : stage.find(paths[n]);
    if (!shape) return [];
    const shapes = readUsdShapes(shape, shape.displayName || token, pointCount);
    const blend = { token, first, shapes };
    first += shapes.length;
    return [blend];
  });
}

function listTargets(
  blends: readonly { shapes: UsdShape[] }[],
  pointOfVertex: Uint32Array,
  unit: number,
  animation: UsdPrim | undefined,
  listBlends: (animation: UsdPrim | undefined) => UsdBlend[],
): SceneTarget[] {
  const shapes = blends.flatMap((blend) => blend.shapes);
  const weights = blendWeightsAt(animation, listBlends(animation), shapes.length);
  const spread = (values: Float32Array, factor: number): Float32Array => {
    const out = new Float32Array(3 * pointOfVertex.length);
    pointOfVertex.forEach((point, i) => {
      for (let c = 0; c < 3; c++) out[3 * i + c] = factor * values[3 * point + c];
    });
    return out;
  };
  return shapes.map(({ name, offsets, normals }, t) => ({
    ...{ name, positions: spread(offsets, unit), weight: weights[t] },
    ...(normals ? { normals: spread(normals, 1) } : {}),
  }));
}

interface Binding {
  weights: UsdWeights;
  geomBind: ArrayLike<number>;
}

function readBinding(content: UsdContent, skeleton: UsdSkeletonNode, pointCount: number): Binding | undefined {
  const find = (attribute: string) => {
    const prim = findInherited(content, attribute);
    return prim && { prim, isOwn: prim === content.prim };
  };
  const weights = readUsdWeights(content.prim.name, find, skeleton, pointCount);
  if (!weights) return undefined;
  const bound = findInherited(content, GEOM_BIND);
  const stored = bound && numbersOf(bound, GEOM_BIND);
  return { weights, geomBind: stored?.length === 16 ? stored : IDENTITY };
}

interface BindInput {
  pointOfVertex: Uint32Array;
  unit: number;
  log?: (message: string) => void;
}

function bindShape(shape: SceneShape, skeleton: UsdSkeletonNode, binding: Binding, input: BindInput): SceneShape {
  const { weights } = binding;
  const inverses = inverseBindsOf(skeleton, binding.geomBind, input);
  // joints that the skeleton does not have, and no weight uses
  const order = weights.order.map((joint) => Math.max(0, joint));
  const only = order[findOnlyJoint(weights)] ?? -1;
  if (only >= 0) return attachShape(shape, skeleton.firstJoint + only, inverses.slice(16 * only, 16 * only + 16));
  const { pointOfVertex } = input;
  const entryCount = weights.width * pointOfVertex.length;
  if (entryCount > MAX_WEIGHTS)
    throw new FormatError('usd', 'limit', `the skin has ${entryCount} weights; at most ${MAX_WEIGHTS} are read`);
  const builder = new SkinBuilder(pointOfVertex.length, Math.max(pointOfVertex.length, entryCount));
  for (const point of pointOfVertex) {
    for (let e = point * weights.width; e < (point + 1) * weights.width; e++)
      builder.add(weights.joints[e], weights.weights[e]);
    builder.endRow(0);
  }
  const inverseBinds = new Float64Array(16 * order.length);
  order.forEach((joint, j) => {
    inverseBinds.set(inverses.subarray(16 * joint, 16 * joint + 16), 16 * j);
  });
  const joints = order.map((joint) => skeleton.firstJoint + joint);
  const skin: SceneSkin = { joints, inverseBinds, weights: builder.finish() };
  return { ...shape, skin };
}

/** jointCount x 16: from the mesh to each joint, with lengths in metres. */
function inverseBindsOf(
  skeleton: UsdSkeletonNode,
  geomBind: ArrayLike<number>,
  { unit, log }: BindInput,
): Float64Array {
  const out = new Float64Array(skeleton.bindMatrices.length);
  let flat = 0;
  for (let o = 0; o < out.length; o += 16) {
    const inverse = Float64Array.from(IDENTITY);
    if (!invertAffine(skeleton.bindMatrices, inverse, o)) flat++;
    multiply(inverse, geomBind, out, 0, 0, o);
    for (let c = 12; c < 15; c++) out[o + c] *= unit;
  }
  if (flat > 0) log?.(`${flat} joints have bind transforms without inverse; these are read as identities`);
  return out;
}

/** The joint that a mesh is attached to: it names one only, and follows it with all points. -1 otherwise. */
function findOnlyJoint({ order, width, joints, weights }: UsdWeights): number {
  if (order.length !== 1 || width !== 1 || joints.length === 0) return -1;
  return weights.every((weight) => weight === 1) ? 0 : -1;
}

/** A shape that one joint moves as a whole is drawn by that joint. */
function attachShape(shape: SceneShape, node: number, matrix: Float64Array): SceneShape {
  if (isCloseMatrix(IDENTITY, matrix, SAME)) return { ...shape, node };
  const { mesh, targets } = shape;
  const positions = new Float32Array(mesh.positions.length);
  transformPoints(matrix, mesh.positions, positions);
  const turn = normalMatrixOf(matrix);
  const directions = (m: Float64Array, values: Float32Array): Float32Array => {
    const out = new Float32Array(values.length);
    transformDirections(m, values, out);
    return out;
  };
  return {
    ...{ ...shape, node },
    mesh: { ...mesh, positions, ...(mesh.normals ? { normals: unitInPlace(directions(turn, mesh.normals)) } : {}) },
    targets: targets.map((target) => ({
      ...{ ...target, positions: directions(matrix, target.positions) },
      ...(target.normals ? { normals: directions(turn, target.normals) } : {}),
    })),
  };
}

/** Normals follow the inverse transpose. */
function normalMatrixOf(matrix: Float64Array): Float64Array {
  const inverse = new Float64Array(16);
  const turn = Float64Array.from(matrix);
  if (invertAffine(matrix, inverse))
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) turn[4 * c + r] = inverse[4 * r + c];
  return turn;
}

function unitInPlace(normals: Float32Array): Float32Array {
  for (let o = 0; o < normals.length; o += 3) {
    const length = Math.hypot(normals[o], normals[o + 1], normals[o + 2]);
    for (let c = 0; c < 3; c++) normals[o + c] = length > 0 ? normals[o + c] / length : c === 2 ? 1 : 0;
  }
  return normals;
}
