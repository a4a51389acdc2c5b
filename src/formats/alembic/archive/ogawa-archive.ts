// SPDX-License-Identifier: MIT
// The objects of an Alembic archive in an Ogawa file. Children of the root group: 0 version, 1 version of the library, 2 root object, 3
// metadata, 4 time samplings, 5 table of metadata strings. Children of an object: 0 its properties, then its objects, last their headers:
// uint32 length of name, name, uint8 index into the table (255: a uint32 length and the string follow), and 32 bytes of hashes at the end.
import type { AbcArchive, AbcObject, AbcTimeSampling } from './abc-archive.ts';
import { decodeAbcText } from './abc-file.ts';
import { MAX_DEPTH, MAX_OBJECTS, metadataValue } from './abc-metadata.ts';
import type { AbcProperty } from './abc-property.ts';
import { makeAbcSampling } from './abc-sampling.ts';
import { type OgawaData, OgawaFile, type OgawaGroup } from './ogawa-file.ts';
import { type OgawaHeaders, readOgawaProperties } from './ogawa-property.ts';

const HASHES_LENGTH = 32;

interface ObjectHeader {
  name: string;
  metadata: string;
}

/** Reads the tree of objects and the headers of their properties. Samples are read later. */
export function openOgawaArchive(bytes: Uint8Array): AbcArchive {
  const file = new OgawaFile(bytes);
  const { root } = file;
  const [version, libraryVersion, , samplingData, metadataData] = [0, 1, 3, 4, 5].map((n) => file.data(root, n));
  const top = file.group(root, 2);
  if (!version || !libraryVersion || !top || !samplingData || !metadataData)
    throw file.fault('syntax', 'it is an Ogawa file, but not an Alembic archive', root.position);
  if (version.length !== 4 || file.view.getInt32(version.start, true) !== 0)
    throw file.fault('version', 'its version of Alembic is not known; version 0 is read', version.start);
  const samplings = readSamplings(file, samplingData);
  const table = readMetadataTable(file, metadataData);
  const known = new Map<number, ReadonlyMap<string, AbcProperty>>();
  const headers: OgawaHeaders = {
    ...{ file, metadata: table, samplingCount: samplings.length },
    list(group) {
      const found = known.get(group.position) ?? readOgawaProperties(headers, group);
      known.set(group.position, found);
      return found;
    },
  };
  return { file, samplings, objects: listObjects(file, top, table, headers.list) };
}

function readSamplings(file: OgawaFile, { start, length }: OgawaData): AbcTimeSampling[] {
  const { view } = file;
  const samplings: AbcTimeSampling[] = [];
  const end = start + length;
  // uint32 maximum number of samples, float64 time per cycle, uint32 number of times, float64 times
  for (let at = start; at < end; ) {
    if (at + 16 > end) throw file.fault('truncated', 'a time sampling is incomplete', at);
    const timePerCycle = view.getFloat64(at + 4, true);
    const count = view.getUint32(at + 12, true);
    at += 16;
    if (count < 1 || at + 8 * count > end) throw file.fault('length', `a time sampling has ${count} times`, at);
    const times = Float64Array.from({ length: count }, (_, n) => view.getFloat64(at + 8 * n, true));
    samplings.push(makeAbcSampling(file, timePerCycle, times, at));
    at += 8 * count;
  }
  return samplings;
}

/** Short metadata strings, each after a uint8 length. Index 0 is the empty string. */
function readMetadataTable(file: OgawaFile, { start, length }: OgawaData): string[] {
  const table = [''];
  const end = start + length;
  for (let at = start; at < end && table.length < 256; ) {
    const size = file.bytes[at++];
    if (at + size > end) throw file.fault('truncated', 'the table of metadata is incomplete', at);
    table.push(file.text(at, at + size));
    at += size;
  }
  return table;
}

type ReadProperties = (group: OgawaGroup) => ReadonlyMap<string, AbcProperty>;

interface Visit {
  group: OgawaGroup;
  header: ObjectHeader;
  parent: number;
  depth: number;
  path: string;
}

function listObjects(file: OgawaFile, top: OgawaGroup, table: string[], readProperties: ReadProperties): AbcObject[] {
  const objects: AbcObject[] = [];
  const visitByPath = new Map<string, Visit>();
  const instances: (Visit & { index: number })[] = [];
  const listChildren = ({ group, depth, path }: Pick<Visit, 'group' | 'depth' | 'path'>, parent: number): Visit[] => {
    if (depth > MAX_DEPTH) throw file.fault('hierarchy', `its objects are more than ${MAX_DEPTH} levels deep`);
    return readObjectHeaders(file, group, table).flatMap((header, n) => {
      const child = file.group(group, n + 1);
      return child ? [{ group: child, header, parent, depth: depth + 1, path: `${path}/${header.name}` }] : [];
    });
  };
  // Reversed, so that objects are listed in the order of the file.
  const stack = listChildren({ group: top, depth: 0, path: '' }, -1).reverse();
  for (;;) {
    const visit = stack.pop();
    if (!visit) {
      const instance = instances.shift();
      if (!instance) return objects;
      stack.push(findSource(file, objects[instance.index], instance, visitByPath));
      continue;
    }
    if (objects.length >= MAX_OBJECTS) throw file.fault('limit', `it has more than ${MAX_OBJECTS} objects`);
    const index = objects.length;
    const { metadata, name } = visit.header;
    const compound = file.group(visit.group, 0);
    const properties: ReadonlyMap<string, AbcProperty> = compound ? readProperties(compound) : new Map();
    objects.push({ name, parent: visit.parent, schema: metadataValue(metadata, 'schema'), properties });
    if (!visitByPath.has(visit.path)) visitByPath.set(visit.path, visit);
    if (metadataValue(metadata, 'isInstance') === '1') instances.push({ ...visit, index });
    // one by one: very many cannot be arguments of a function
    else for (const child of listChildren(visit, index).reverse()) stack.push(child);
  }
}

/** What an instance stands for, as an object below it. */
function findSource(
  file: OgawaFile,
  { name, properties }: AbcObject,
  instance: Visit & { index: number },
  visitByPath: ReadonlyMap<string, Visit>,
): Visit {
  const property = properties.get('.instanceSource');
  const data = property?.kind === 'compound' ? undefined : property?.read(0);
  // the text and a zero
  const path = data && data.length > 1 ? decodeAbcText(data.subarray(0, -1)) : '';
  const source = visitByPath.get(path.startsWith('/') ? path : `/${path}`);
  if (!source) throw file.fault('index', `the instance "${name}" names the object "${path}", which does not exist`);
  const depth = instance.depth + 1;
  return { ...source, header: { ...source.header, name }, parent: instance.index, depth, path: instance.path };
}

function readObjectHeaders(file: OgawaFile, group: OgawaGroup, table: string[]): ObjectHeader[] {
  const data = file.data(group, group.childCount - 1);
  if (!data || data.length <= HASHES_LENGTH) return [];
  file.spend(data.length);
  const headers: ObjectHeader[] = [];
  const end = data.start + data.length - HASHES_LENGTH;
  for (let at = data.start; at < end; ) {
    const nameLength = at + 4 <= end ? file.view.getUint32(at, true) : 0;
    at += 4;
    if (nameLength === 0 || at + nameLength + 1 > end)
      throw file.fault('length', 'the header of an object is incomplete', at);
    const name = file.text(at, at + nameLength);
    at += nameLength;
    const index = file.bytes[at++];
    let metadata = table[index];
    if (index === 255) {
      const length = at + 4 <= end ? file.view.getUint32(at, true) : Number.POSITIVE_INFINITY;
      at += 4;
      if (at + length > end) throw file.fault('length', `the metadata of the object "${name}" is incomplete`, at);
      metadata = file.text(at, at + length);
      at += length;
    }
    if (metadata === undefined) throw file.fault('index', `the object "${name}" has no metadata`, at - 1);
    headers.push({ name, metadata });
  }
  return headers;
}
