// SPDX-License-Identifier: MIT
// What an Alembic archive holds, in either container: objects with properties, and the times of their samples.
import type { AbcFile } from './abc-file.ts';
import type { AbcProperty } from './abc-property.ts';
import { openHdf5Archive } from './hdf5-archive.ts';
import { openOgawaArchive } from './ogawa-archive.ts';

/** When the samples of properties are. */
export interface AbcTimeSampling {
  /** Seconds between cycles; Infinity if all times are stored. */
  timePerCycle: number;
  /** Cycles per second if that is a whole number: k / 24 is more exact than k x (1 / 24). */
  rate?: number;
  /** Seconds, rising: all times, or those of one cycle */
  times: Float64Array;
}

export interface AbcObject {
  name: string;
  /** Index of the parent, smaller than its own; -1 for objects of the root. */
  parent: number;
  /** As in the metadata: AbcGeom_PolyMesh_v1. '' for groups. */
  schema: string;
  properties: ReadonlyMap<string, AbcProperty>;
}

export interface AbcArchive {
  file: AbcFile;
  samplings: AbcTimeSampling[];
  /** Parents before their children. */
  objects: AbcObject[];
}

/** Reads the tree of objects and the headers of their properties. Samples are read later. */
export function openAbcArchive(bytes: Uint8Array): AbcArchive {
  return bytes[0] === 0x89 && bytes[1] === 0x48 ? openHdf5Archive(bytes) : openOgawaArchive(bytes);
}
