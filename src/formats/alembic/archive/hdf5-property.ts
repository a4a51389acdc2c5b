// SPDX-License-Identifier: MIT
// Properties in an HDF5 file: name.info is the header, name.meta the metadata, name.smp0 the first sample (an attribute for scalars, an array for arrays); the group name.smpi
// has the others, by their index in four digits or more. The properties of a compound are in the group of its name.
//
// A header is one to five uint32. The first is flags: 0x3 type (0 compound, 1 scalar, 2 or 3 array), 0x3c type of values, 0x40 has a time sampling, which is the last number,
// 0x80 no sample is repeated, 0xff00 values per element. Then number of samples, first and last changed sample.
import type { Hdf5File } from '../hdf5/index.ts';
import { type AbcProperty, VALUE_SIZES } from './abc-property.ts';
import type { Hdf5Node } from './hdf5-node.ts';

const NONE: ReadonlyMap<string, AbcProperty> = new Map();

/** Reads the headers of the properties in a group. */
export function readHdf5Properties(
  file: Hdf5File,
  group: Hdf5Node | undefined,
  samplingCount: number,
): ReadonlyMap<string, AbcProperty> {
  if (!group) return NONE;
  const properties = new Map<string, AbcProperty>();
  for (const attribute of group.attributeNames()) {
    const name = /^(.+)\.info$/s.exec(attribute)?.[1];
    const info = name === undefined ? undefined : group.numbers(attribute);
    if (name === undefined || !info || info.length === 0) continue;
    properties.set(name, readProperty(file, group, { name, info, samplingCount }));
  }
  return properties;
}

function readProperty(
  file: Hdf5File,
  group: Hdf5Node,
  { name, info, samplingCount }: { name: string; info: Float64Array; samplingCount: number },
): AbcProperty {
  const [flags] = info;
  const metadata = group.text(`${name}.meta`);
  const type = (flags >> 2) & 15;
  const kind = (flags & 3) === 0 ? 'compound' : (flags & 3) === 1 ? 'scalar' : 'array';
  const hasSampling = (flags & 0x40) !== 0 && info.length > 1;
  const sampling = hasSampling ? info[info.length - 1] : 0;
  if (kind !== 'compound' && (type >= VALUE_SIZES.length || sampling >= samplingCount))
    throw file.fault('index', `the header of the property "${name}" is not valid`);
  const hasFirst = kind === 'array' ? group.childNames().includes(`${name}.smp0`) : false;
  const isSingle = hasFirst || group.attribute(`${name}.smp0`) !== undefined;
  const hasCount = info.length > (hasSampling ? 2 : 1);
  const sampleCount = kind === 'compound' ? 0 : hasCount ? info[1] : isSingle ? 1 : 0;
  const isWhole = (flags & 0x80) !== 0;
  const [first, last] = info.length >= 4 ? [info[2], info[3]] : isWhole ? [1, Math.max(0, sampleCount - 1)] : [0, 0];
  const [firstChanged, lastChanged] = hasCount ? [first, last] : [0, 0];
  if (firstChanged > lastChanged + 1 || lastChanged > sampleCount)
    throw file.fault('index', `the samples of the property "${name}" are not in order`);
  const read = makeReader(file, group, { name, kind, size: VALUE_SIZES[type], firstChanged });
  let list: ReadonlyMap<string, AbcProperty> | undefined;
  return {
    ...{ name, kind, metadata, type, extent: Math.max(1, (flags >> 8) & 255) },
    ...{ sampleCount, firstChanged, lastChanged, sampling, read },
    list() {
      list ??= kind === 'compound' ? readHdf5Properties(file, group.child(name), samplingCount) : NONE;
      return list;
    },
  };
}

/** Reads stored samples. The first one is kept: the faces of the first frame are compared with those of every other frame. */
function makeReader(
  file: Hdf5File,
  group: Hdf5Node,
  { name, kind, size, firstChanged }: Pick<AbcProperty, 'name' | 'kind' | 'firstChanged'> & { size: number },
): (stored: number) => Uint8Array | undefined {
  const readAt = (stored: number): Uint8Array | undefined => {
    const index = String(stored + firstChanged - 1).padStart(4, '0');
    const [from, key] = stored === 0 ? [group, `${name}.smp0`] : [group.child(`${name}.smpi`), index];
    if (kind === 'scalar') {
      const attribute = from?.attribute(key);
      if (attribute) checkSize(file, name, attribute.type.size, attribute.type.isText ? 0 : size);
      return attribute?.data;
    }
    const dataset = from?.dataset(key);
    if (dataset) checkSize(file, name, dataset.size, dataset.isText ? 0 : size);
    return dataset?.data;
  };
  let first: Uint8Array | undefined;
  return (stored) => {
    if (kind === 'compound') return undefined;
    if (stored > 0) return readAt(stored);
    first ??= readAt(0);
    return first;
  };
}

/** @param expected 0 for text */
function checkSize(file: Hdf5File, name: string, size: number, expected: number): void {
  if (expected > 0 && size !== expected)
    throw file.fault('mismatch', `the property "${name}" has values of ${size} bytes instead of ${expected}`);
}
