// SPDX-License-Identifier: MIT
// The objects of an Alembic archive in an HDF5 file. An object is a group below "ABC"; its properties are the group ".prop" in it, whose attributes are the headers of
// properties (hdf5-property.ts). The time samplings are attributes of the root: 1.tspc is the samples per cycle, 1.ttpc the time per cycle, 1.time the times.
import { Hdf5File } from '../hdf5/index.ts';
import type { AbcArchive, AbcObject, AbcTimeSampling } from './abc-archive.ts';
import { MAX_DEPTH, MAX_OBJECTS, metadataValue } from './abc-metadata.ts';
import { makeAbcSampling } from './abc-sampling.ts';
import { type Hdf5Node, openHdf5Node } from './hdf5-node.ts';
import { readHdf5Properties } from './hdf5-property.ts';

const MAX_SAMPLINGS = 65_536;

/** Samples per cycle of samplings that list all times. */
const ACYCLIC = 0xffffffff;

/** Reads the tree of objects and the headers of their properties. Samples are read later. */
export function openHdf5Archive(bytes: Uint8Array): AbcArchive {
  const file = new Hdf5File(bytes);
  const root = openHdf5Node(file, file.root);
  const top = root.child('ABC');
  if (!top) throw file.fault('syntax', 'it is an HDF5 file, but not an Alembic archive');
  const samplings = readSamplings(file, root);
  return { file, samplings, objects: listObjects(file, top, samplings.length) };
}

/** Sampling 0 is a sample per second from 0. */
function readSamplings(file: Hdf5File, root: Hdf5Node): AbcTimeSampling[] {
  const samplings = [makeAbcSampling(file, 1, new Float64Array(1), 0)];
  for (let n = 1; n < MAX_SAMPLINGS; n++) {
    const [samples] = root.numbers(`${n}.tspc`) ?? [];
    const [time] = root.numbers(`${n}.ttpc`) ?? [];
    if (samples === undefined && time === undefined) break;
    const times = root.numbers(`${n}.time`);
    if (!times || times.length === 0) throw file.fault('length', `time sampling ${n} has no times`);
    file.spend(8 * times.length);
    samplings.push(makeAbcSampling(file, samples === ACYCLIC ? Number.MAX_VALUE : (time ?? 1), times, 0));
  }
  return samplings;
}

interface Visit {
  name: string;
  node: Hdf5Node;
  parent: number;
  depth: number;
}

function listObjects(file: Hdf5File, top: Hdf5Node, samplingCount: number): AbcObject[] {
  const objects: AbcObject[] = [];
  const listChildren = (node: Hdf5Node, parent: number, depth: number): Visit[] => {
    if (depth > MAX_DEPTH) throw file.fault('hierarchy', `its objects are more than ${MAX_DEPTH} levels deep`);
    const names = node.childNames().filter((name) => name !== '.prop');
    return names.flatMap((name) => {
      const child = node.child(name);
      return child ? [{ name, node: child, parent, depth }] : [];
    });
  };
  // Reversed, so that objects are listed in the order of the file.
  const stack = listChildren(top, -1, 0).reverse();
  for (let visit = stack.pop(); visit; visit = stack.pop()) {
    if (objects.length >= MAX_OBJECTS) throw file.fault('limit', `it has more than ${MAX_OBJECTS} objects`);
    const { name, node, parent, depth } = visit;
    const schema = metadataValue(node.text('.prop.meta'), 'schema');
    const properties = readHdf5Properties(file, node.child('.prop'), samplingCount);
    const index = objects.push({ name, parent, schema, properties }) - 1;
    // one by one: very many cannot be arguments of a function
    for (const child of listChildren(node, index, depth + 1).reverse()) stack.push(child);
  }
  return objects;
}
