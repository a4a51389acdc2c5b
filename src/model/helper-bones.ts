// SPDX-License-Identifier: MIT
import { InputError } from './errors.ts';
import type { Mesh } from './mesh.ts';
import { checkSkeleton, type Skeleton } from './skeleton.ts';
import { checkSkin, type Skin } from './skin.ts';

/** Number of outputs of a controller: translation x y z, rotation vector x y z, scale x y z. */
export const CONTROLLER_OUTPUTS = 9;

/** Maximum order of the polynomials. */
export const MAX_CONTROLLER_ORDER = 6;

/** Angle at which terms of odd degree start to fall, radians; they are zero at π. */
export const FADE_FROM = (5 * Math.PI) / 6;

/**
 * The controller of one helper bone: a polynomial in the rotation vectors of a few joints, each relative to its bind pose in its own frame. There is no
 * constant term, so that the bind pose gives the rest shape. If M₀ = T(t₀) R(q₀) s₀ is the helper at rest in its parent's space, the posed helper is
 * T(t₀ + Δt) R(q₀ · exp(Δr)) diag(s₀ (1 + Δs)).
 */
export interface HelperController {
  /** Index of the helper bone in the skeleton. Its parent there is the joint that it is attached to. */
  bone: number;
  /** Indices of its input joints in the skeleton. Without any, the helper does not move. */
  joints: Int32Array;
  /** By joint, radians: longer rotation vectors are clamped to this length, because the polynomial was not fitted beyond it. */
  reaches: Float64Array;
  /** Order of the polynomial, at least 1. */
  order: number;
  /** 9 x joints x terms: Δt (units of the parent's space), Δr (radians) and Δs; terms in the order of listMonomials */
  coefficients: Float64Array;
}

/** A plain skin of joints and helper bones, and the controllers that compute the helpers from the joints. */
export interface HelperBones {
  /** Discriminator. */
  kind: 'helper-bones';
  /** The rest shape. */
  mesh: Mesh;
  /** Joints and helpers. A helper's bind matrix has its origin at the center of the vertices that it moves, and the axes of its scale. */
  skeleton: Skeleton;
  /** Weights of joints and helpers, by vertex. */
  skin: Skin;
  /** One per helper. */
  controllers: HelperController[];
}

/** Transforms of the helpers during an animation, as nodes of a scene. */
export interface HelperMotion {
  /** Index of the animation. */
  animation: number;
  /** frameCount, seconds, ascending */
  times: Float64Array;
  /** frameCount x helpers x 10: translation, rotation x y z w, scale, in the parent's space; helpers in the order of the controllers */
  locals: Float64Array;
}

const cache = new Map<number, Uint8Array>();

/**
 * The monomials of three variables from degree 1 to order: terms x 3 exponents, by ascending degree, then by descending exponent of the first
 * variable. The array is shared; do not write to it.
 */
export function listMonomials(order: number): Uint8Array {
  const known = cache.get(order);
  if (known) return known;
  const exponents: number[] = [];
  for (let degree = 1; degree <= order; degree++)
    for (let a = degree; a >= 0; a--) for (let b = degree - a; b >= 0; b--) exponents.push(a, b, degree - a - b);
  const list = Uint8Array.from(exponents);
  cache.set(order, list);
  return list;
}

/** Monomials of one joint: (order + 3 choose 3) − 1. */
export function monomialCountOf(order: number): number {
  return ((order + 1) * (order + 2) * (order + 3)) / 6 - 1;
}

/** Throws an InputError unless the parts of the model match. */
export function checkHelperBones(model: HelperBones): void {
  const { skeleton, skin, mesh, controllers } = model;
  checkSkeleton(skeleton);
  const boneCount = skeleton.names.length;
  if (skin.rowStart.length !== mesh.positions.length / 3 + 1)
    throw new InputError(
      'helper bones',
      `the skin has ${skin.rowStart.length - 1} rows for ${mesh.positions.length / 3} vertices`,
    );
  checkSkin(skin, boneCount);
  const isHelper = new Uint8Array(boneCount);
  for (const { bone } of controllers) {
    if (!(bone >= 0 && bone < boneCount))
      throw new InputError('helper bones', `there is no bone ${bone} of ${boneCount}`);
    if (isHelper[bone]) throw new InputError('helper bones', `"${skeleton.names[bone]}" has two controllers`);
    isHelper[bone] = 1;
  }
  for (const { bone, joints, reaches, order, coefficients } of controllers) {
    const name = skeleton.names[bone];
    const parent = skeleton.parents[bone];
    if (parent < 0 || isHelper[parent]) throw new InputError('helper bones', `"${name}" does not hang on a joint`);
    if (!(Number.isInteger(order) && order >= 1 && order <= MAX_CONTROLLER_ORDER))
      throw new InputError('helper bones', `the order of "${name}" must be 1 to ${MAX_CONTROLLER_ORDER}, got ${order}`);
    for (const joint of joints)
      if (!(joint >= 0 && joint < boneCount) || isHelper[joint])
        throw new InputError('helper bones', `"${name}" reads bone ${joint}, which is not a joint`);
    if (reaches.length !== joints.length || !reaches.every((reach) => reach > 0 && reach <= Math.PI))
      throw new InputError('helper bones', `"${name}" needs a reach above zero, at most half a turn, for every joint`);
    if (coefficients.length !== CONTROLLER_OUTPUTS * joints.length * monomialCountOf(order))
      throw new InputError(
        'helper bones',
        `"${name}" has ${coefficients.length} coefficients for ${joints.length} joints`,
      );
    if (!coefficients.every(Number.isFinite))
      throw new InputError('helper bones', `"${name}" has a coefficient that is not finite`);
  }
}
