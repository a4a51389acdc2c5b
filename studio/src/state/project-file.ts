// SPDX-License-Identifier: MIT
// A project in one file: a header of JSON, and the bytes of all files of its versions one after the other.
import type { Json, Report } from '../../../src/entry/index.ts';
import type { FileBytes, ReadOptions } from '../messages/protocol.ts';
import type { State } from './state.ts';

/** A version as stored. */
export interface StoredVersion {
  /** Its number when it was stored; parents refer to it. */
  id: number;
  parent: number;
  title: string;
  fileName: string;
  readOptions: ReadOptions;
  job?: string;
  options?: Record<string, Json>;
  seconds?: number;
  report?: Report;
  isStopped?: boolean;
  files: FileBytes[];
}

/** Named poses: boneCount x 16 each, for rigs with that many bones. */
export interface StoredPose {
  name: string;
  bones: number[];
  /** Weights of the shapes, in the order of the version; empty if none was set. */
  morphs: number[];
}

export interface Project {
  name: string;
  /** Milliseconds since 1970. */
  time: number;
  state: Partial<State>;
  /** Position and target of the camera. */
  camera: number[];
  poses: StoredPose[];
  versions: StoredVersion[];
}

const MAGIC = 'OSSIFY-PROJECT-1';
const HEADER = MAGIC.length + 4;

export function packProject(project: Project): Uint8Array {
  const sizes = project.versions.flatMap(({ files }) => files.map(({ bytes }) => bytes.length));
  const bare = {
    ...project,
    versions: project.versions.map((version) => ({
      ...version,
      files: version.files.map(({ name, bytes }) => ({ name, size: bytes.length })),
    })),
  };
  const json = new TextEncoder().encode(JSON.stringify(bare));
  const packed = new Uint8Array(HEADER + json.length + sizes.reduce((sum, size) => sum + size, 0));
  packed.set(new TextEncoder().encode(MAGIC));
  new DataView(packed.buffer).setUint32(MAGIC.length, json.length, true);
  packed.set(json, HEADER);
  let at = HEADER + json.length;
  for (const { files } of project.versions)
    for (const { bytes } of files) {
      packed.set(bytes, at);
      at += bytes.length;
    }
  return packed;
}

/** Reads a project. Throws if the bytes are none. */
export function unpackProject(packed: Uint8Array): Project {
  const fail = (fault: string): never => {
    throw new Error(`this is not a project of the studio: ${fault}`);
  };
  if (new TextDecoder().decode(packed.subarray(0, MAGIC.length)) !== MAGIC) fail('its first bytes are wrong');
  if (packed.length < HEADER) fail('it is cut off');
  const length = new DataView(packed.buffer, packed.byteOffset).getUint32(MAGIC.length, true);
  if (HEADER + length > packed.length) fail('it is cut off');
  let bare: Omit<Project, 'versions'> & {
    versions: (Omit<StoredVersion, 'files'> & { files: { name: string; size: number }[] })[];
  };
  try {
    bare = JSON.parse(new TextDecoder().decode(packed.subarray(HEADER, HEADER + length)));
  } catch {
    return fail('its header is no JSON');
  }
  if (!Array.isArray(bare.versions)) fail('it has no versions');
  let at = HEADER + length;
  const versions = bare.versions.map((version) => ({
    ...version,
    files: version.files.map(({ name, size }) => {
      if (!Number.isInteger(size) || size < 0 || at + size > packed.length) fail('it is cut off');
      at += size;
      return { name, bytes: packed.slice(at - size, at) };
    }),
  }));
  return { ...bare, versions };
}
