// SPDX-License-Identifier: MIT
// Transforms of FBX models. The local matrix is
//   T Roff Rp Rpre R Rpost⁻¹ Rp⁻¹ Soff Sp S Sp⁻¹
// with translation T, rotation offset and pivot Roff and Rp, pre- and post-rotation Rpre and Rpost (degrees, x then y then z), rotation R
// (degrees, in the order of the model), scaling offset and pivot Soff and Sp, scaling S. It has no shear: a rotation Rpre R Rpost⁻¹, the scale
// S, and a translation that depends on both where there are pivots. How it is joined with the parent is the inherit type: RrSs applies the
// parent's scale along the axes of the model, RSrs multiplies matrices, Rrs is RrSs without the parent's own scaling.
import { compose, multiply } from '../../core/math/mat4.ts';
import { conjugateQuaternion, multiplyQuaternions, normalizeQuaternion } from '../../core/math/quaternion.ts';
import { cosineOf, sineOf } from '../../core/math/sine.ts';
import { type FbxObject, numberProperty, vectorProperty } from './syntax/fbx-object.ts';

export type FbxInherit = 'RrSs' | 'RSrs' | 'Rrs';

/** What places a model under its parent. */
export interface FbxTransform {
  /** 3 each: the values at rest, degrees for the rotation */
  translation: Float64Array;
  rotation: Float64Array;
  scaling: Float64Array;
  /** Axes in the order in which they turn, 0 for x. */
  order: readonly number[];
  /** x y z w: Rpre, and the inverse of Rpost */
  preRotation: Float64Array;
  postInverse: Float64Array;
  /** 3 each: Roff + Rp, −Rp + Soff + Sp, Sp */
  before: Float64Array;
  between: Float64Array;
  scalingPivot: Float64Array;
  /** Whether rotation and scaling move the origin. */
  hasPivots: boolean;
  inherit: FbxInherit;
}

const HALF_RADIANS = Math.PI / 360;
const XYZ = [0, 1, 2];
/** By the number in the file. The last is "spheric XYZ", which exporters write for XYZ. */
const ORDERS: readonly (readonly number[])[] = [XYZ, [0, 2, 1], [1, 2, 0], [1, 0, 2], [2, 0, 1], [2, 1, 0], XYZ];
const INHERITS: readonly FbxInherit[] = ['RrSs', 'RSrs', 'Rrs'];

export function readFbxTransform(model: FbxObject): FbxTransform {
  const vector = (name: string, fallback = 0): Float64Array => vectorProperty(model, name, fallback);
  // otherwise only the plain rotation counts
  const isActive =
    numberProperty(model, 'RotationActive', 1) !== 0 && numberProperty(model, 'RotationSpaceForLimitOnly', 0) === 0;
  const [rotationPivot, scalingPivot] = [vector('RotationPivot'), vector('ScalingPivot')];
  const [rotationOffset, scalingOffset] = [vector('RotationOffset'), vector('ScalingOffset')];
  const preRotation = Float64Array.of(0, 0, 0, 1);
  const postInverse = Float64Array.of(0, 0, 0, 1);
  if (isActive) {
    quaternionFromDegreesInto(vector('PreRotation'), XYZ, preRotation);
    quaternionFromDegreesInto(vector('PostRotation'), XYZ, postInverse);
    conjugateQuaternion(postInverse, postInverse);
  }
  const before = rotationOffset.map((x, c) => x + rotationPivot[c]);
  const between = scalingOffset.map((x, c) => x + scalingPivot[c] - rotationPivot[c]);
  return {
    translation: vector('Lcl Translation'),
    rotation: vector('Lcl Rotation'),
    scaling: vector('Lcl Scaling', 1),
    order: (isActive && ORDERS[numberProperty(model, 'RotationOrder', 0)]) || XYZ,
    preRotation,
    postInverse,
    before,
    between,
    scalingPivot,
    hasPivots: [between, scalingPivot].some((list) => list.some((x) => x !== 0)),
    inherit: INHERITS[numberProperty(model, 'InheritType', 0)] ?? 'RrSs',
  };
}

/** A geometric transform: it places the geometry of a model, not its children. Undefined if it does nothing. */
export function readGeometricMatrix(model: FbxObject): Float64Array | undefined {
  const translation = vectorProperty(model, 'GeometricTranslation', 0);
  const rotation = vectorProperty(model, 'GeometricRotation', 0);
  const scaling = vectorProperty(model, 'GeometricScaling', 1);
  if ([translation, rotation].every((list) => list.every((x) => x === 0)) && scaling.every((x) => x === 1))
    return undefined;
  const turn = new Float64Array(4);
  quaternionFromDegreesInto(rotation, XYZ, turn);
  const matrix = new Float64Array(16);
  compose(translation, turn, scaling, matrix);
  return matrix;
}

/** A local transform as a glTF node has it. */
export interface LocalTransform {
  translation: Float64Array;
  rotation: Float64Array;
  scale: Float64Array;
}

/**
 * Fills out with the local transform for given values.
 * @param turn the rotation R, where it is known as a quaternion instead of angles
 */
export function placeFbxModel(
  transform: FbxTransform,
  translation: ArrayLike<number>,
  rotation: ArrayLike<number>,
  scaling: ArrayLike<number>,
  out: LocalTransform,
  turn?: Float64Array,
): void {
  const { preRotation, postInverse, before, between, scalingPivot } = transform;
  const q = out.rotation;
  if (turn) q.set(turn);
  else quaternionFromDegreesInto(rotation, transform.order, q);
  multiplyQuaternions(preRotation, q, q);
  multiplyQuaternions(q, postInverse, q);
  normalizeQuaternion(q, q);
  for (let c = 0; c < 3; c++) {
    out.scale[c] = scaling[c];
    out.translation[c] = translation[c] + before[c];
  }
  if (!transform.hasPivots) return;
  const [x, y, z, w] = q;
  const v = [0, 1, 2].map((c) => between[c] - scaling[c] * scalingPivot[c]);
  // v + 2 q × (q × v + w v)
  const tx = 2 * (y * v[2] - z * v[1]);
  const ty = 2 * (z * v[0] - x * v[2]);
  const tz = 2 * (x * v[1] - y * v[0]);
  out.translation[0] += v[0] + w * tx + y * tz - z * ty;
  out.translation[1] += v[1] + w * ty + z * tx - x * tz;
  out.translation[2] += v[2] + w * tz + x * ty - y * tx;
}

/** Fills out with the rotation by angles about axes, the first of the order being applied first. */
export function quaternionFromDegreesInto(
  degrees: ArrayLike<number>,
  order: readonly number[],
  out: Float64Array,
): void {
  let [x, y, z, w] = [0, 0, 0, 1];
  for (let n = 0; n < 3; n++) {
    const axis = order[n];
    const half = (degrees[axis] % 360) * HALF_RADIANS;
    const s = sineOf(half);
    const c = cosineOf(half);
    // (axis s, c) times (x, y, z, w)
    const [x0, y0, z0, w0] = [x, y, z, w];
    x = c * x0 + s * (axis === 0 ? w0 : axis === 1 ? z0 : -y0);
    y = c * y0 + s * (axis === 0 ? -z0 : axis === 1 ? w0 : x0);
    z = c * z0 + s * (axis === 0 ? y0 : axis === 1 ? -x0 : w0);
    w = c * w0 - s * (axis === 0 ? x0 : axis === 1 ? y0 : z0);
  }
  out[0] = x;
  out[1] = y;
  out[2] = z;
  out[3] = w;
}

/** A model in the world: its matrix, and the rotation and scale that models below it inherit. */
export interface FbxWorld {
  /** 16, column-major */
  matrix: Float64Array;
  /** x y z w: product of the rotations from the top down */
  rotation: Float64Array;
  /** 3: product of the scales, axis by axis, as inherit types let them through */
  scale: Float64Array;
}

/** Places a model in the world below its parent, by its inherit type. */
export function placeFbxInWorld(
  inherit: FbxInherit,
  local: LocalTransform,
  parent?: { world: FbxWorld; scaling: ArrayLike<number> },
): FbxWorld {
  const matrix = new Float64Array(16);
  compose(local.translation, local.rotation, local.scale, matrix);
  if (!parent) return { matrix, rotation: local.rotation.slice(), scale: local.scale.slice() };
  const above = parent.world;
  multiply(above.matrix, matrix, matrix);
  const rotation = new Float64Array(4);
  multiplyQuaternions(above.rotation, local.rotation, rotation);
  const scale = local.scale.map((x, c) => {
    const own = inherit === 'Rrs' ? parent.scaling[c] : 1;
    return x * (own === 0 ? 1 : above.scale[c] / own);
  });
  // the origin is where a plain product puts it
  const [x, y, z] = matrix.subarray(12, 15);
  if (inherit !== 'RSrs') compose([x, y, z], rotation, scale, matrix);
  return { matrix, rotation, scale };
}
