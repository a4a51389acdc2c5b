// SPDX-License-Identifier: MIT
// OSSIFY_helper_bones: controllers as plain JSON, on their nodes. docs/formats/extensions/OSSIFY_helper_bones.md is the specification. A term is one monomial with its
// nine coefficients, so that a reader needs no table of monomials.
import {
  type HelperController,
  type HelperFollow,
  listMonomials,
  monomialCountOf,
} from '../../core/model/deformed/helper-bones.ts';

export const HELPER_EXTENSION = 'OSSIFY_helper_bones';
/** Version 2 adds `follow`. Files without it are written as version 1. */
export const HELPER_EXTENSION_VERSION = 2;

/** Number of digits of coefficients: 1e-9 of a radian or a length. */
const DIGITS = 10;

/** A monomial of the rotation vector of one input, and its coefficients. */
export interface HelperTerm {
  /** Index of the input. */
  input: number;
  /** Powers of the rotation vector's x, y and z. */
  powers: [number, number, number];
  /** Coefficients of the translation, units of the parent's space; absent if zero. */
  translation?: [number, number, number];
  /** Coefficients of the rotation vector, radians; absent if zero. */
  rotation?: [number, number, number];
  /** Coefficients of the relative scale; absent if zero. */
  scale?: [number, number, number];
}

export const HELPER_PATHS = ['translation', 'rotation', 'scale'] as const;

/** The nonzero terms of a controller; inputs are in the order of its joints. */
export function packHelperTerms({ joints, order, coefficients }: HelperController): HelperTerm[] {
  const count = monomialCountOf(order);
  const width = joints.length * count;
  const exponents = listMonomials(order);
  const terms: HelperTerm[] = [];
  for (let input = 0; input < joints.length; input++) {
    for (let t = 0; t < count; t++) {
      const term: HelperTerm = { input, powers: [exponents[3 * t], exponents[3 * t + 1], exponents[3 * t + 2]] };
      let isThere = false;
      for (const [p, path] of HELPER_PATHS.entries()) {
        const values = [0, 1, 2].map((c) => coefficients[(3 * p + c) * width + input * count + t]);
        if (values.every((value) => value === 0)) continue;
        term[path] = values.map((value) => Number(value.toPrecision(DIGITS))) as [number, number, number];
        isThere = true;
      }
      if (isThere) terms.push(term);
    }
  }
  return terms;
}

/** The version of a controller, and its delay. */
export function packHelperFollow({ follow }: HelperController): { version: number; follow?: HelperFollow } {
  return follow ? { version: 2, follow } : { version: 1 };
}
