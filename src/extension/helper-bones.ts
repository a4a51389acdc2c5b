// SPDX-License-Identifier: MIT
// OSSIFY_helper_bones: controllers as plain JSON, on the nodes that they move. docs/OSSIFY_helper_bones.md is the specification. One term is one monomial with
// its nine coefficients, so that a reader needs no table of monomials.
import {
  CONTROLLER_OUTPUTS,
  type HelperController,
  listMonomials,
  MOST_CONTROLLER_ORDER,
  monomialCountOf,
} from '../model/helper-bones.ts';

export const HELPER_EXTENSION = 'OSSIFY_helper_bones';
export const HELPER_EXTENSION_VERSION = 1;

/** Coefficients are written with this many digits: 1e-9 of a radian or a length. */
const DIGITS = 10;

/** A monomial of the rotation vector of one input, and what it adds. */
export interface HelperTerm {
  input: number;
  /** Powers of the rotation vector's x, y and z. */
  powers: [number, number, number];
  /** Only those that are not all zero. */
  translation?: [number, number, number];
  rotation?: [number, number, number];
  scale?: [number, number, number];
}

const PATHS = ['translation', 'rotation', 'scale'] as const;

/** The terms of a controller that are not zero, inputs in the order of its joints. */
export function packHelperTerms({ joints, order, coefficients }: HelperController): HelperTerm[] {
  const count = monomialCountOf(order);
  const width = joints.length * count;
  const exponents = listMonomials(order);
  const terms: HelperTerm[] = [];
  for (let input = 0; input < joints.length; input++) {
    for (let t = 0; t < count; t++) {
      const term: HelperTerm = { input, powers: [exponents[3 * t], exponents[3 * t + 1], exponents[3 * t + 2]] };
      let isThere = false;
      for (const [p, path] of PATHS.entries()) {
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

/** The other way. Throws, in one sentence, on terms that cannot be meant. */
export function unpackHelperTerms(
  terms: readonly unknown[],
  inputCount: number,
): Pick<HelperController, 'order' | 'coefficients'> {
  const read = terms.map((term, n) => checkTerm(term, n, inputCount));
  const order = read.reduce((most, { powers: [a, b, c] }) => Math.max(most, a + b + c), 1);
  const count = monomialCountOf(order);
  const width = inputCount * count;
  const exponents = listMonomials(order);
  const coefficients = new Float64Array(CONTROLLER_OUTPUTS * width);
  for (const term of read) {
    let place = 0;
    while (term.powers.some((power, c) => exponents[3 * place + c] !== power)) place++;
    for (const [p, path] of PATHS.entries())
      term[path]?.forEach((value, c) => {
        coefficients[(3 * p + c) * width + term.input * count + place] += value;
      });
  }
  return { order, coefficients };
}

function checkTerm(term: unknown, n: number, inputCount: number): HelperTerm {
  const where = `terms[${n}]`;
  if (typeof term !== 'object' || term === null) throw new Error(`${where} must be an object`);
  const { input, powers } = term as Record<string, unknown>;
  if (!(Number.isInteger(input) && (input as number) >= 0 && (input as number) < inputCount))
    throw new Error(`${where}.input must name one of ${inputCount} inputs`);
  const isPowers =
    Array.isArray(powers) && powers.length === 3 && powers.every((power) => Number.isInteger(power) && power >= 0);
  const degree = isPowers ? (powers as number[]).reduce((sum, power) => sum + power, 0) : 0;
  if (degree < 1 || degree > MOST_CONTROLLER_ORDER)
    throw new Error(`${where}.powers must be three whole numbers of sum 1 to ${MOST_CONTROLLER_ORDER}`);
  for (const path of PATHS) {
    const values = (term as Record<string, unknown>)[path];
    if (values === undefined) continue;
    if (!Array.isArray(values) || values.length !== 3 || !values.every((value) => Number.isFinite(value)))
      throw new Error(`${where}.${path} must be three finite numbers`);
  }
  return term as HelperTerm;
}
