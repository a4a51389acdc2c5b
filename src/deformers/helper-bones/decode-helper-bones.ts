// SPDX-License-Identifier: MIT

import {
  CONTROLLER_OUTPUTS,
  type HelperController,
  type HelperFollow,
  isFollow,
  listMonomials,
  MAX_CONTROLLER_ORDER,
  monomialCountOf,
} from '../../core/model/deformed/helper-bones.ts';
import { coordinateFault, MAX_COORDINATE } from '../../core/model/mesh/coordinate-limit.ts';
import {
  type DecodeBudget,
  fail,
  indexField,
  type JsonObject,
  numbersField,
  objectField,
  versionedFields,
} from '../layout/index.ts';
import { HELPER_EXTENSION, HELPER_EXTENSION_VERSION, HELPER_PATHS } from './pack-helper-bones.ts';

/** The controller of one node; nodes are indices in the file. */
export interface DecodedHelperBone extends Pick<HelperController, 'order' | 'coefficients' | 'follow'> {
  /** The helper at rest, in the space of its parent joint. */
  translation: number[];
  rotation: number[];
  scale: number[];
  /** Input joints. Without a parent, rotations are relative to the world. */
  inputs: { node: number; parent?: number; rest: number[]; reach: number }[];
}

export interface HelperExtension {
  /** Its name in errors: the extension and the node. */
  where: string;
  json: unknown;
  /** Nodes of the file. */
  nodeCount: number;
  budget: DecodeBudget;
}

/** Maximum number of terms of a controller. */
const MAX_TERMS = 100_000;
/** Minimum reach, radians. */
const MIN_REACH = 1e-9;

/**
 * Decodes OSSIFY_helper_bones of a node. Throws a FormatError if the data is invalid, with the code 'version' for other versions, which a
 * reader may ignore.
 */
export function decodeHelperBone({ where, json, nodeCount, budget }: HelperExtension): DecodedHelperBone {
  const version = HELPER_EXTENSION_VERSION;
  const fields = versionedFields(HELPER_EXTENSION, version, where, json, 'helpers play by their keys');
  if (!Array.isArray(fields.inputs) || fields.inputs.length > nodeCount)
    fail('syntax', `${where}: inputs must be a list of joints, at most one per node`);
  if (!Array.isArray(fields.terms) || fields.terms.length > MAX_TERMS)
    fail('syntax', `${where}: terms must be a list of at most ${MAX_TERMS}`);
  const numbers = (name: string, fallback: number[]): number[] =>
    fields[name] === undefined ? fallback : numbersField(fields[name], `${where}: ${name}`, fallback.length);
  const inputs = (fields.inputs as unknown[]).map((input, n) => readInput(input, `${where}: inputs[${n}]`, nodeCount));
  return {
    translation: numbers('translation', [0, 0, 0]),
    rotation: unit(numbers('rotation', [0, 0, 0, 1]), `${where}: rotation`),
    scale: numbers('scale', [1, 1, 1]),
    inputs,
    ...(fields.follow === undefined ? {} : { follow: readFollow(fields.follow, `${where}: follow`) }),
    ...decodeTerms(fields.terms as unknown[], inputs.length, where, budget),
  };
}

function readInput(value: unknown, where: string, nodeCount: number): DecodedHelperBone['inputs'][number] {
  const { node, parent, rest, reach } = objectField(value, where);
  const [angle] = numbersField([reach ?? Math.PI], `${where}.reach`, 1);
  if (!(angle > MIN_REACH && angle <= Math.PI * (1 + 1e-6)))
    fail('value', `${where}.reach must be an angle up to half a turn`);
  return {
    node: indexField(node, nodeCount, `${where}.node`, 'node'),
    ...(parent === undefined ? {} : { parent: indexField(parent, nodeCount, `${where}.parent`, 'node') }),
    rest: rest === undefined ? [0, 0, 0, 1] : unit(numbersField(rest, `${where}.rest`, 4), `${where}.rest`),
    reach: Math.min(angle, Math.PI),
  };
}

function readFollow(value: unknown, where: string): HelperFollow {
  const { delay, damping = 1 } = objectField(value, where);
  const [seconds, ratio] = numbersField([delay, damping], where, 2);
  const follow = { delay: seconds, damping: ratio };
  if (!isFollow(follow)) fail('value', `${where} needs a delay above 0 and a damping above 0, at most 1`);
  return follow;
}

function unit(q: number[], where: string): number[] {
  const length = Math.hypot(...q);
  if (!(length > 0 && Number.isFinite(length))) fail('value', `${where} must be a unit quaternion`);
  return q.map((x) => x / length);
}

/** The polynomial of a controller from its terms, which may repeat. */
export function decodeTerms(
  terms: readonly unknown[],
  inputCount: number,
  where: string,
  budget: DecodeBudget,
): Pick<HelperController, 'order' | 'coefficients'> {
  let order = 1;
  terms.forEach((term, n) => {
    order = Math.max(order, checkTerm(term, `${where}: terms[${n}]`, inputCount));
  });
  const count = monomialCountOf(order);
  const width = inputCount * count;
  budget(8 * CONTROLLER_OUTPUTS * width);
  const coefficients = new Float64Array(CONTROLLER_OUTPUTS * width);
  const placeOf = new Map<string, number>();
  const exponents = listMonomials(order);
  for (let t = 0; t < count; t++) placeOf.set(exponents.subarray(3 * t, 3 * t + 3).join(), t);
  for (const term of terms as JsonObject[]) {
    const place = placeOf.get((term.powers as number[]).join());
    if (place === undefined) fail('value', `${where}: a term has powers that are not of a polynomial of its order`);
    const column = (term.input as number) * count + place;
    for (const [p, path] of HELPER_PATHS.entries())
      for (const [c, value] of ((term[path] as number[] | undefined) ?? []).entries())
        coefficients[(3 * p + c) * width + column] += value;
  }
  const wrong = coefficients.find((x) => !(Math.abs(x) <= MAX_COORDINATE));
  if (wrong !== undefined) fail('value', `${where}: the sum of its terms is ${coordinateFault(wrong)}`);
  return { order, coefficients };
}

/** Returns the degree of a term. */
function checkTerm(value: unknown, where: string, inputCount: number): number {
  const term = objectField(value, where);
  if (!(Number.isInteger(term.input) && (term.input as number) >= 0 && (term.input as number) < inputCount))
    fail('index', `${where}.input must name one of ${inputCount} inputs`);
  const powers = Array.isArray(term.powers) ? (term.powers as unknown[]) : [];
  let degree = 0;
  for (const power of powers)
    degree += Number.isInteger(power) && (power as number) >= 0 ? (power as number) : Infinity;
  if (powers.length !== 3 || degree < 1 || degree > MAX_CONTROLLER_ORDER)
    fail('value', `${where}.powers must be three whole numbers of sum 1 to ${MAX_CONTROLLER_ORDER}`);
  for (const path of HELPER_PATHS) {
    const values = term[path];
    if (values === undefined) continue;
    if (!Array.isArray(values) || values.length !== 3 || !values.every(Number.isFinite))
      fail('value', `${where}.${path} must be three finite numbers`);
  }
  return degree;
}
