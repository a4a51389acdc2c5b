// SPDX-License-Identifier: MIT
import { InputError } from '../errors.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { checkSkeleton, type Skeleton } from '../skin/skeleton.ts';
import { checkSkin, type Skin } from '../skin/skin.ts';
import type { SkinBlend } from './skin-blend.ts';

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
  /** How late the helper follows. Absent: at once. */
  follow?: HelperFollow;
}

/**
 * A helper that follows its joints late: each of its nine outputs is a damped spring, pulled to the value of the polynomial. A joint that moves steadily is followed at the
 * distance of `delay`; in a still pose the helper ends at the value of the polynomial.
 */
export interface HelperFollow {
  /** Seconds, above 0. */
  delay: number;
  /** Damping ratio, above 0 and at most 1; below 1 the helper swings past its target. */
  damping: number;
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
  /** Blending other than by the plain skin. */
  blend?: SkinBlend;
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

/** A converted rig, for the asset that it was made of. */
export interface ConvertedRig {
  model: HelperBones;
  /** By joint of the model's skeleton, the bone of the asset's rig; for helpers, which come last, nothing. */
  bones: Int32Array;
  /** Keys of the helpers for animations of the asset. */
  motions: HelperMotion[];
  /** Whether the model stands for the morph targets of the asset as well: they go, with their keys. */
  dropMorphs?: boolean;
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
  for (const one of [skin, model.blend?.skin, model.blend?.normalSkin]) if (one) checkSkin(one, boneCount);
  const isHelper = new Uint8Array(boneCount);
  for (const { bone } of controllers) {
    if (!(bone >= 0 && bone < boneCount))
      throw new InputError('helper bones', `there is no bone ${bone} of ${boneCount}`);
    if (isHelper[bone]) throw new InputError('helper bones', `"${skeleton.names[bone]}" has two controllers`);
    isHelper[bone] = 1;
  }
  for (const { bone, joints, reaches, order, coefficients, follow } of controllers) {
    const name = skeleton.names[bone];
    if (follow && !isFollow(follow))
      throw new InputError('helper bones', `"${name}" needs a delay above zero and a damping above zero, at most one`);
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

/** Whether the numbers of a delayed helper are valid. */
export function isFollow({ delay, damping }: HelperFollow): boolean {
  return delay > 0 && delay < Number.POSITIVE_INFINITY && damping > 0 && damping <= 1;
}

/** Controllers without delays: their outputs in a still pose. */
export function listStillControllers(controllers: readonly HelperController[]): HelperController[] {
  return controllers.map(({ follow: _follow, ...own }) => own);
}
