// SPDX-License-Identifier: MIT
// UsdSkel (https://openusd.org/release/api/_usd_skel__intro.html): a Skeleton lists joints by path, with bind matrices in the space of the skeleton; a SkelAnimation
// has local translations, rotations and scales of some of them, and weights of blend shapes; a mesh is bound by jointIndices and jointWeights.
//   skinned point = skeleton to world x Σ w jointMatrix(t) bindMatrix⁻¹ x geomBindTransform x point
import { IDENTITY, invertAffine, multiply } from '../../../core/math/mat4.ts';
import { FormatError } from '../../../core/model/errors.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import type { UsdPrim } from '../syntax/usd-layer.ts';
import { numbersOf, textsOf } from '../syntax/usd-values-at.ts';

/** Joints of a Skeleton prim, in its order. */
export interface UsdSkeleton {
  /** Paths: 'Hips/Spine'. */
  joints: readonly string[];
  /** Index of the parent joint, -1 for a root. */
  parents: number[];
  /** jointCount x 16: joint to the space of the skeleton, at bind time */
  bindMatrices: Float64Array;
  /** jointCount x 16: joint to parent, at rest */
  restMatrices: Float64Array;
  /** Whether the file states how joints rest. */
  hasRest: boolean;
}

/** Reads the joints of a Skeleton prim. */
export function readUsdSkeleton(prim: UsdPrim): UsdSkeleton {
  const joints = textsOf(prim, 'joints');
  const place = new Map(joints.map((joint, j) => [joint, j]));
  const parents = joints.map((joint) => findParent(joint, place));
  checkTree(parents, prim.name);
  const bind = numbersOf(prim, 'bindTransforms');
  const rest = numbersOf(prim, 'restTransforms');
  for (const [name, matrices] of [
    ['bindTransforms', bind],
    ['restTransforms', rest],
  ] as const)
    if (matrices && matrices.length !== 16 * joints.length)
      throw new FormatError(
        'usd',
        'mismatch',
        `skeleton ${quoteName(prim.name)} has ${joints.length} joints and ${matrices.length / 16} ${name}`,
      );
  const bindMatrices = bind ? Float64Array.from(bind) : undefined;
  const restMatrices = rest ? Float64Array.from(rest) : undefined;
  const identities = Float64Array.from({ length: 16 * joints.length }, (_, c) => IDENTITY[c % 16]);
  return {
    joints,
    parents,
    hasRest: restMatrices !== undefined,
    bindMatrices: bindMatrices ?? (restMatrices ? chainMatrices(restMatrices, parents) : identities),
    restMatrices: restMatrices ?? (bindMatrices ? localMatrices(bindMatrices, parents) : identities),
  };
}

/** The nearest listed path above. */
function findParent(joint: string, place: ReadonlyMap<string, number>): number {
  for (let cut = joint.lastIndexOf('/'); cut > 0; cut = joint.lastIndexOf('/', cut - 1)) {
    const parent = place.get(joint.slice(0, cut));
    if (parent !== undefined) return parent;
  }
  return -1;
}

function checkTree(parents: readonly number[], name: string): void {
  parents.forEach((parent, j) => {
    if (parent >= j)
      throw new FormatError('usd', 'hierarchy', `joint ${j} of skeleton ${quoteName(name)} comes before its parent`);
  });
}

function chainMatrices(locals: Float64Array, parents: readonly number[]): Float64Array {
  const out = Float64Array.from(locals);
  parents.forEach((parent, j) => {
    if (parent >= 0) multiply(out, locals, out, 16 * parent, 16 * j, 16 * j);
  });
  return out;
}

function localMatrices(worlds: Float64Array, parents: readonly number[]): Float64Array {
  const out = Float64Array.from(worlds);
  const inverse = new Float64Array(16);
  parents.forEach((parent, j) => {
    if (parent >= 0 && invertAffine(worlds, inverse, 16 * parent)) multiply(inverse, worlds, out, 0, 16 * j, 16 * j);
  });
  return out;
}

/** Weights of the points of a mesh. */
export interface UsdWeights {
  width: number;
  /** pointCount x width: indices into the order */
  joints: Int32Array;
  weights: Float32Array;
  /** Joints of the skeleton that the mesh names, in its order. */
  order: readonly number[];
}

/**
 * Reads the weights of a mesh; undefined if it is not bound.
 * @param find finds an attribute on the mesh, or a constant one above it
 */
export function readUsdWeights(
  name: string,
  find: (attribute: string) => { prim: UsdPrim; isOwn: boolean } | undefined,
  skeleton: UsdSkeleton,
  pointCount: number,
): UsdWeights | undefined {
  const bound = find('primvars:skel:jointIndices');
  const indices = bound && numbersOf(bound.prim, 'primvars:skel:jointIndices');
  const weights = bound && numbersOf(bound.prim, 'primvars:skel:jointWeights');
  const property = bound?.prim.properties.get('primvars:skel:jointIndices');
  if (!bound || !property || !indices || !weights) return undefined;
  const width = property.elementSize ?? 1;
  const isConstant = property.interpolation === 'constant' || !bound.isOwn;
  const need = width * (isConstant ? 1 : pointCount);
  if (!(Number.isInteger(width) && width > 0) || indices.length < need || weights.length < need)
    throw new FormatError(
      'usd',
      'mismatch',
      `mesh ${quoteName(name)} has ${indices.length} joint indices for ${pointCount} points of ${width}`,
    );
  const order = listMeshJoints(bound.prim, skeleton);
  const out: UsdWeights = {
    width,
    order,
    joints: new Int32Array(width * pointCount),
    weights: new Float32Array(width * pointCount),
  };
  for (let e = 0; e < out.joints.length; e++) {
    const from = isConstant ? e % width : e;
    const joint = indices[from];
    const weight = weights[from];
    if (weight === 0) continue;
    if (!(joint >= 0 && joint < order.length && order[joint] >= 0))
      throw new FormatError('usd', 'index', `mesh ${quoteName(name)} is bound to joint ${joint} of ${order.length}`);
    if (!Number.isFinite(weight))
      throw new FormatError('usd', 'value', `mesh ${quoteName(name)} has a weight that is not finite`);
    out.joints[e] = joint;
    out.weights[e] = weight;
  }
  return out;
}

/** The joints that the indices of a mesh count: those that it names, or all. -1 for one that the skeleton does not have. */
function listMeshJoints(prim: UsdPrim, skeleton: UsdSkeleton): number[] {
  const own = textsOf(prim, 'skel:joints');
  if (own.length === 0) return skeleton.joints.map((_, j) => j);
  const place = new Map(skeleton.joints.map((joint, j) => [joint, j]));
  return own.map((joint) => place.get(joint) ?? -1);
}

/** A shape that a weight blends in. */
export interface UsdShape {
  name: string;
  /** Weight at which it is reached: 1, or that of an in-between. */
  at: number;
  /** pointCount x 3 */
  offsets: Float32Array;
  /** pointCount x 3 */
  normals?: Float32Array;
}

/** Reads a BlendShape prim: its in-betweens and itself, by rising weight. */
export function readUsdShapes(prim: UsdPrim, name: string, pointCount: number): UsdShape[] {
  const points = numbersOf(prim, 'pointIndices');
  const spread = (attribute: string): Float32Array => {
    const values = numbersOf(prim, attribute);
    const out = new Float32Array(3 * pointCount);
    // a shape of normals only
    if (!values || values.length === 0) return out;
    const count = points ? points.length : pointCount;
    if (values.length < 3 * count)
      throw new FormatError(
        'usd',
        'mismatch',
        `blend shape ${quoteName(name)} has ${values.length / 3} offsets for ${count} points`,
      );
    for (let n = 0; n < count; n++) {
      const point = points ? points[n] : n;
      if (!(point >= 0 && point < pointCount))
        throw new FormatError('usd', 'index', `blend shape ${quoteName(name)} moves point ${point} of ${pointCount}`);
      for (let c = 0; c < 3; c++) out[3 * point + c] = values[3 * n + c];
    }
    return out;
  };
  const normalsOf = (attribute: string): Pick<UsdShape, 'normals'> =>
    numbersOf(prim, attribute)?.length ? { normals: spread(attribute) } : {};
  const shapes: UsdShape[] = [{ name, at: 1, offsets: spread('offsets'), ...normalsOf('normalOffsets') }];
  for (const [attribute, { weight }] of prim.properties) {
    if (
      !attribute.startsWith('inbetweens:') ||
      attribute.includes(':normalOffsets') ||
      !(weight !== undefined && weight !== 0 && weight !== 1)
    )
      continue;
    shapes.push({
      name: `${name} ${weight}`,
      at: weight,
      offsets: spread(attribute),
      ...normalsOf(`${attribute}:normalOffsets`),
    });
  }
  return shapes.sort((a, b) => a.at - b.at);
}

/**
 * Weights of shapes that blend along one weight: piecewise linear between their weights and the rest shape at 0; the first and last piece go on outside.
 * @param shapes by rising weight
 */
export function spreadWeight(weight: number, shapes: readonly Pick<UsdShape, 'at'>[]): number[] {
  const out = shapes.map(() => 0);
  const knots = [...shapes.map(({ at }, shape) => ({ at, shape })), { at: 0, shape: -1 }].sort((a, b) => a.at - b.at);
  let n = 1;
  while (n < knots.length - 1 && weight > knots[n].at) n++;
  const [below, above] = [knots[n - 1], knots[n]];
  const t = (weight - below.at) / (above.at - below.at);
  if (below.shape >= 0) out[below.shape] = 1 - t;
  if (above.shape >= 0) out[above.shape] = t;
  return out;
}
