// SPDX-License-Identifier: MIT

import {
  checkShapeDrivers,
  DRIVER_FORMS,
  type DriverForm,
  MAX_SHAPES,
  NO_FACTOR,
  type ShapeDrivers,
  type ShapeTrack,
} from '../../core/model/deformed/shape-drivers.ts';
import { faultOf } from '../../core/model/errors.ts';
import {
  choiceField,
  countField,
  FLOATS,
  fail,
  floatsField,
  hasField,
  integerField,
  integersField,
  type JsonObject,
  listField,
  type PrimitiveExtension,
  stringField,
  versionedFields,
} from '../layout/index.ts';
import { SHAPE_EXTENSION, SHAPE_EXTENSION_VERSION, STORED_NO_FACTOR } from './pack-shape-drivers.ts';

/** Drivers of a primitive, and the weights of its shapes in the animations of the file. */
export interface DecodedDrivers {
  drivers: ShapeDrivers;
  /** One per animation; empty if the extension has none for it. */
  tracks: ShapeTrack[];
}

/**
 * Decodes OSSIFY_shape_drivers of a primitive. All lengths are checked before memory is allocated. Throws a FormatError if the data is invalid, with the code
 * 'version' for other versions, which a reader may ignore.
 */
export function decodeShapeDrivers(source: PrimitiveExtension, animationNames: readonly string[]): DecodedDrivers {
  const { where, json, budget, jointCount } = source;
  const version = SHAPE_EXTENSION_VERSION;
  const fields = versionedFields(SHAPE_EXTENSION, version, where, json, 'bones play by their keys');
  choiceField(fields.form, DRIVER_FORMS, `${where}: form`);
  const names = fields.shapes;
  if (!Array.isArray(names) || names.length === 0 || names.length >= MAX_SHAPES)
    fail('syntax', `${where}: shapes must be a list of 1 to ${MAX_SHAPES - 1} names`);
  const shapes = (names as unknown[]).map((name, n) => stringField(name, `${where}: shapes[${n}]`));
  const termCount = countField(source, 'rowStart') - 1;
  if (termCount < 0) fail('mismatch', `${where}: rowStart must have one element more than there are terms`);
  const entryCount = countField(source, 'values');
  const stored = integersField(source, 'factors', 2 * termCount);
  const rowStart = integersField(source, 'rowStart', termCount + 1);
  const columns = integersField(source, 'entries', entryCount);
  const values = floatsField(source, 'values', 'SCALAR', FLOATS, entryCount);
  budget(4 * (3 * termCount + 2 * entryCount));
  const drivers: ShapeDrivers = {
    shapes,
    form: fields.form as DriverForm,
    factors: Uint32Array.from(stored, (shape) => (shape === STORED_NO_FACTOR ? NO_FACTOR : shape)),
    rowStart: Uint32Array.from(rowStart),
    columns: Uint32Array.from(columns),
    values: values.slice(),
  };
  try {
    checkShapeDrivers(drivers, jointCount);
  } catch (error) {
    fail('value', `${where}: ${faultOf(error)}`);
  }
  return { drivers, tracks: decodeTracks(source, fields, shapes.length, animationNames) };
}

function decodeTracks(
  source: PrimitiveExtension,
  fields: JsonObject,
  shapeCount: number,
  animationNames: readonly string[],
): ShapeTrack[] {
  const { where, budget } = source;
  const tracks = animationNames.map(
    (name): ShapeTrack => ({ name, times: new Float64Array(0), weights: new Float32Array(0) }),
  );
  if (!hasField(source, 'times')) return tracks;
  const keyCount = countField(source, 'times');
  const times = floatsField(source, 'times', 'SCALAR', FLOATS, keyCount);
  const weights = floatsField(source, 'weights', 'SCALAR', FLOATS, keyCount * shapeCount);
  budget(8 * keyCount + 4 * weights.length);
  const seen = new Set<number>();
  let at = 0;
  for (const [n, track] of listField(fields, 'tracks').entries()) {
    const animation = integerField(track.animation, `${where}: tracks[${n}].animation`);
    const end = at + integerField(track.keys, `${where}: tracks[${n}].keys`);
    if (animation >= tracks.length || seen.has(animation))
      fail('index', `${where}: tracks[${n}] names animation ${animation}, which does not exist or has a track already`);
    if (end > keyCount) fail('mismatch', `${where}: the tracks have more keys than times, which has ${keyCount}`);
    seen.add(animation);
    for (let k = at + 1; k < end; k++)
      if (!(times[k] > times[k - 1])) fail('value', `${where}: the times of animation ${animation} do not ascend`);
    tracks[animation] = {
      name: animationNames[animation],
      times: Float64Array.from(times.subarray(at, end)),
      weights: weights.slice(at * shapeCount, end * shapeCount),
    };
    at = end;
  }
  if (at !== keyCount) fail('mismatch', `${where}: the tracks have ${at} keys, times has ${keyCount}`);
  return tracks;
}
