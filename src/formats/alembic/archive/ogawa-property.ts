// SPDX-License-Identifier: MIT
// Properties in an Ogawa file. A compound group holds a group per property and last their headers; a property group holds a data block
// per sample (scalars), or one for the values and one for their dimensions (arrays). A block starts with a key of 16 bytes.
//
// A header is a uint32 of flags: 0x3 type (0 compound, 1 scalar, 2 or 3 array), 0xc size of the numbers after it (1, 2 or 4 bytes), 0xf0 type
// of values, 0x100 has a time sampling, 0x200 has first and last changed sample, 0x800 constant, 0xff000 values per element, 0xff00000
// metadata; then number of samples, first and last changed sample, time sampling, length of name, name, and perhaps metadata.
import { type AbcProperty, VALUE_SIZES } from './abc-property.ts';
import type { OgawaFile, OgawaGroup } from './ogawa-file.ts';

const KEY_LENGTH = 16;

/** What the properties of a file share. */
export interface OgawaHeaders {
  file: OgawaFile;
  /** Strings that headers name by index. */
  metadata: readonly string[];
  samplingCount: number;
  /** The properties of a group, each group once. */
  list(group: OgawaGroup): ReadonlyMap<string, AbcProperty>;
}

/** Reads the headers of the properties in a compound. */
export function readOgawaProperties(shared: OgawaHeaders, group: OgawaGroup): Map<string, AbcProperty> {
  const { file, metadata: table, samplingCount } = shared;
  const properties = new Map<string, AbcProperty>();
  const data = file.data(group, group.childCount - 1);
  if (!data) return properties;
  file.spend(data.length);
  const end = data.start + data.length;
  let at = data.start;
  let numberSize = 4;
  const take = (size: number): number => {
    at += size;
    if (at > end) throw file.fault('truncated', 'the header of a property is incomplete', at - size);
    return at - size;
  };
  const takeNumber = (): number => {
    const start = take(numberSize);
    if (numberSize === 1) return file.view.getUint8(start);
    return numberSize === 2 ? file.view.getUint16(start, true) : file.view.getUint32(start, true);
  };
  const takeText = (): string => {
    const length = takeNumber();
    const start = take(length);
    return file.text(start, start + length);
  };
  for (let n = 0; at < end; n++) {
    const headerStart = at;
    const flags = file.view.getUint32(take(4), true);
    numberSize = [1, 2, 4, 4][(flags >> 2) & 3];
    const isCompound = (flags & 3) === 0;
    const sampleCount = isCompound ? 0 : takeNumber();
    const hasChanged = !isCompound && (flags & 0x200) !== 0;
    const isConstant = (flags & 0x800) !== 0;
    const firstChanged = hasChanged ? takeNumber() : isConstant ? 0 : 1;
    const lastChanged = hasChanged ? takeNumber() : isConstant ? 0 : Math.max(0, sampleCount - 1);
    const sampling = !isCompound && (flags & 0x100) !== 0 ? takeNumber() : 0;
    const name = takeText();
    const index = (flags >> 20) & 0xff;
    const metadata = index === 255 ? takeText() : table[index];
    const type = (flags >> 4) & 15;
    if (metadata === undefined || (!isCompound && (type >= VALUE_SIZES.length || sampling >= samplingCount)))
      throw file.fault('index', `the header of the property "${name}" is not valid`, headerStart);
    if (firstChanged > lastChanged + 1 || lastChanged > sampleCount)
      throw file.fault('index', `the samples of the property "${name}" are not in order`, headerStart);
    const child = file.group(group, n);
    if (!child) throw file.fault('index', `the property "${name}" has no data`, headerStart);
    const kind = isCompound ? 'compound' : (flags & 3) === 1 ? 'scalar' : 'array';
    const extent = Math.max(1, (flags >> 12) & 0xff);
    properties.set(name, {
      ...{ name, kind, metadata, type, extent, sampling, sampleCount, firstChanged, lastChanged },
      read: (stored) => readSample(file, child, kind === 'array' ? 2 * stored : stored),
      list: () => (isCompound ? shared.list(child) : NONE),
    });
  }
  return properties;
}

const NONE: ReadonlyMap<string, AbcProperty> = new Map();

/** The values of a block, without their key. */
function readSample(file: OgawaFile, group: OgawaGroup, index: number): Uint8Array | undefined {
  const data = file.data(group, index);
  if (!data) return undefined;
  return file.bytes.subarray(data.start + Math.min(KEY_LENGTH, data.length), data.start + data.length);
}
