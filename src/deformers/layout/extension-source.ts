// SPDX-License-Identifier: MIT
// Input of the decoders: the JSON of one extension and the arrays that it refers to. The reader of glTF and the three.js plugin both make it.
import { IDENTITY, invertAffine } from '../../core/math/mat4.ts';
import type { DecodeBudget } from './decode-limit.ts';
import { fail, indexField, integerField, type JsonObject, numbersField, objectField } from './json-fields.ts';
import { readFloats, type StoredArray } from './stored-array.ts';

/** The extension of one skinned primitive. */
export interface PrimitiveExtension {
  /** Its name in errors: the extension and the mesh. */
  where: string;
  json: unknown;
  /** Arrays by field; fields that do not refer to an accessor of the file are absent. */
  arrays: Readonly<Record<string, StoredArray | undefined>>;
  /** Accessors of the file. */
  accessorCount: number;
  vertexCount: number;
  /** Joints of the skin that draws the primitive. */
  jointCount: number;
  budget: DecodeBudget;
}

const TYPE_NAMES = new Map<unknown, string>([
  [Uint8Array, 'unsigned byte'],
  [Uint16Array, 'unsigned short'],
  [Uint32Array, 'unsigned int'],
  [Int16Array, 'short'],
  [Float32Array, 'float'],
]);
/** Numbers per element, by glTF accessor type. */
export const TYPE_SIZE: Readonly<Record<string, number>> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

/** Kinds of numbers of fields. */
const INTEGERS = [Uint8Array, Uint16Array, Uint32Array];
export const FLOATS = [Float32Array];
export const FLOATS_OR_SHORTS = [Float32Array, Int16Array];
export const WEIGHTS = [Float32Array, Uint16Array];

/** The fields of an extension of a supported version: 1 up to `version`. Later ones throw an error of code 'version'. */
export function versionedFields(name: string, version: number, where: string, json: unknown, otherwise: string) {
  const fields = objectField(json, where);
  const own = integerField(fields.version, `${where}: version`, 1);
  if (own > version) fail('version', `${name} of version ${own} is not read; ${otherwise}`);
  return fields;
}

/** Number of elements of the array of a field. */
export function countField(source: PrimitiveExtension, name: string): number {
  return elementCountOf(arrayField(source, name));
}

/** The array of a field, of any type. */
function arrayField({ where, json, arrays, accessorCount }: PrimitiveExtension, name: string): StoredArray {
  const array = arrays[name];
  if (array) return array;
  indexField((json as JsonObject)[name], accessorCount, `${where}: ${name}`, 'accessor');
  return fail('resource', `${where}: the accessor of ${name} could not be read`);
}

function elementCountOf(array: StoredArray): number {
  return array.values.length / (TYPE_SIZE[array.type] ?? array.values.length);
}

/** Integers of the array of a field. */
export function integersField(source: PrimitiveExtension, name: string, count: number): ArrayLike<number> {
  return storedField(source, name, 'SCALAR', INTEGERS, count).values;
}

/** Finite numbers of the array of a field; normalized shorts are converted to [-1, 1]. */
export function floatsField(
  source: PrimitiveExtension,
  name: string,
  type: string,
  kinds: readonly unknown[],
  count: number,
): Float32Array {
  const values = readFloats(storedField(source, name, type, kinds, count));
  for (let c = 0; c < values.length; c++)
    if (!Number.isFinite(values[c])) fail('value', `${source.where}: ${name} has a number that is not finite`);
  return values;
}

export function hasField({ json }: PrimitiveExtension, name: string): boolean {
  return (json as JsonObject)[name] !== undefined;
}

function storedField(
  source: PrimitiveExtension,
  name: string,
  type: string,
  kinds: readonly unknown[],
  count: number,
): StoredArray {
  const array = arrayField(source, name);
  const own = elementCountOf(array);
  if (array.type !== type || !kinds.includes(array.values.constructor)) {
    const names = kinds.map((kind) => TYPE_NAMES.get(kind)).join(', ');
    fail('syntax', `${source.where}: ${name} must be ${type} of the types ${names}`);
  }
  if (own !== count) fail('mismatch', `${source.where}: ${name} has ${own} elements, and ${count} are expected`);
  return array;
}

/** The matrix from the primitive's vertices to the space of the extension, affine with an inverse; 16 numbers. */
export function bindMatrixField({ where, json }: PrimitiveExtension): Float64Array {
  const { bindMatrix } = json as JsonObject;
  if (bindMatrix === undefined) return Float64Array.from(IDENTITY);
  const matrix = Float64Array.from(numbersField(bindMatrix, `${where}: bindMatrix`, 16));
  if (!invertAffine(matrix, new Float64Array(16))) fail('value', `${where}: the bindMatrix has no inverse`);
  if ([3, 7, 11, 15].some((c) => matrix[c] !== IDENTITY[c])) fail('value', `${where}: the bindMatrix is not affine`);
  return matrix;
}
