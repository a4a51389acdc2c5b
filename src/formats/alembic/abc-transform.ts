// SPDX-License-Identifier: MIT
// Transforms of Alembic objects: a list of operations (.ops, a byte each: type << 4 | hint) whose numbers (.vals) change over time. Angles
// are in degrees. Matrices are for row vectors in row-major order, which is column-major for column vectors.
import { interpolateAffineInto } from '../../core/math/interpolate-affine.ts';
import { compose, IDENTITY, multiply } from '../../core/math/mat4.ts';
import { quaternionFromAxisAngle } from '../../core/math/quaternion.ts';
import { placeOf } from './abc-time.ts';
import type { AbcArchive, AbcObject } from './archive/abc-archive.ts';
import { type AbcProperty, isConstant, readNumbers } from './archive/abc-property.ts';

const [SCALE, TRANSLATE, ROTATE, MATRIX, ROTATE_X, , ROTATE_Z] = Array(7).keys();

/** Of ROTATE_X and the two types after it. */
const AXES = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

const ORIGIN = [0, 0, 0];
const ONES = [1, 1, 1];

/** Numbers per operation, by type. */
const CHANNELS = [3, 3, 4, 16, 1, 1, 1];

export interface AbcTransform {
  /** Types of operations. */
  operations: number[];
  values?: AbcProperty;
  inherits?: AbcProperty;
  /** Set if the transform does not change. */
  constant?: LocalTransform;
  /** The last result: the meshes below a transform evaluate it at the same time. */
  last?: { time: number; local: LocalTransform };
}

export interface LocalTransform {
  /** 16 numbers, column-major */
  matrix: Float64Array;
  /** Whether the transforms of the parents apply too. */
  inherits: boolean;
}

/** The transform of an object; undefined if it has none. */
export function readAbcTransform(archive: AbcArchive, object: AbcObject): AbcTransform | undefined {
  if (!object.schema.startsWith('AbcGeom_Xform')) return undefined;
  const properties = object.properties.get('.xform')?.list();
  const ops = properties?.get('.ops');
  const codes = ops && ops.sampleCount > 0 ? readNumbers(archive.file, ops, 0, Int32Array) : new Int32Array();
  const operations = Array.from(codes, (code) => code >> 4);
  if (operations.some((type) => type > ROTATE_Z))
    throw archive.file.fault('unsupported', `the object "${object.name}" has a transform operation that is not known`);
  const withSamples = (name: string): AbcProperty | undefined => {
    const property = properties?.get(name);
    return property && property.kind !== 'compound' && property.sampleCount > 0 ? property : undefined;
  };
  const transform: AbcTransform = { operations, values: withSamples('.vals'), inherits: withSamples('.inherits') };
  if (listChanging(transform).length === 0) transform.constant = localTransformAt(archive, transform, 0);
  return transform;
}

/** The properties of a transform that change over time. */
export function listChanging({ values, inherits }: AbcTransform): AbcProperty[] {
  return [values, inherits].filter((property): property is AbcProperty => !!property && !isConstant(property));
}

/** The transform relative to the parent, between samples interpolated. */
export function localTransformAt(archive: AbcArchive, transform: AbcTransform, time: number): LocalTransform {
  if (transform.constant) return transform.constant;
  if (transform.last?.time === time) return transform.last.local;
  const local = evaluate(archive, transform, time);
  transform.last = { time, local };
  return local;
}

function evaluate(archive: AbcArchive, transform: AbcTransform, time: number): LocalTransform {
  const { file } = archive;
  const { operations, values, inherits } = transform;
  const matrix = Float64Array.from(IDENTITY);
  if (values) {
    const { index, ratio } = placeOf(archive, values, time);
    applyOperations(operations, readNumbers(file, values, index, Float64Array), matrix);
    if (ratio > 0) {
      const next = Float64Array.from(IDENTITY);
      applyOperations(operations, readNumbers(file, values, index + 1, Float64Array), next);
      interpolateAffineInto(matrix, next, ratio, matrix);
    }
  }
  if (!matrix.every((x) => Number.isFinite(x)))
    throw file.fault('value', 'a transform has numbers that are not finite');
  if (!inherits) return { matrix, inherits: true };
  return { matrix, inherits: readNumbers(file, inherits, placeOf(archive, inherits, time).index, Int32Array)[0] !== 0 };
}

function applyOperations(operations: readonly number[], values: Float64Array, out: Float64Array): void {
  const operation = new Float64Array(16);
  const rotation = new Float64Array(4);
  let at = 0;
  for (const type of operations) {
    if (at + CHANNELS[type] > values.length) return;
    const v = values.subarray(at, at + CHANNELS[type]);
    at += CHANNELS[type];
    operation.set(IDENTITY);
    if (type === MATRIX) operation.set(v);
    else if (type === TRANSLATE) operation.set(v, 12);
    else if (type === SCALE) [operation[0], operation[5], operation[10]] = v;
    else {
      const axis = type === ROTATE ? v : AXES[type - ROTATE_X];
      quaternionFromAxisAngle(axis, (v[type === ROTATE ? 3 : 0] * Math.PI) / 180, rotation);
      compose(ORIGIN, rotation, ONES, operation);
    }
    multiply(out, operation, out);
  }
}
