// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { FormatError } from '../../core/model/errors.ts';
import { makeNodeTree } from '../../core/model/make-asset.ts';
import { makePolygonMesh, type Polygons } from '../polygons/index.ts';
import { readAbcFrames } from './abc-frames.ts';
import { type JoinedMeshes, joinAbcMeshes } from './abc-join.ts';
import { hasAbcFaces } from './abc-polygons.ts';
import { type AbcMesh, listAbcMeshes, listMoving } from './abc-scene.ts';
import { readAbcSequence } from './abc-sequence.ts';
import { listFrameTimes } from './abc-time.ts';
import { type AbcArchive, openAbcArchive } from './archive/abc-archive.ts';
import { isConstant } from './archive/abc-property.ts';

export interface ReadAbcOptions {
  /** Name of the asset and of its clip. */
  name?: string;
  /** Frames after `last` (from 0) are not read. */
  frames?: { last?: number };
  /** Whether the topology may change over time: 'any' returns such frames as the asset's sequence. By default they are refused. */
  topology?: 'same' | 'any';
  /** Receives non-fatal warnings. */
  log?: (message: string) => void;
}

/**
 * Reads an Alembic archive (Ogawa or HDF5): all visible polygon and subdivision meshes in world space, joined, an object and its face sets as parts
 * of their own, and one clip of every frame if points or transforms change. The faces, UVs and normals are those of the first frame that has faces.
 */
export function readAbc(bytes: Uint8Array, options: ReadAbcOptions = {}): Asset {
  const { name = 'abc', log } = options;
  const { archive, meshes, times, joined } = openMeshes(bytes, options);
  const { mesh, positionOfVertex } = makePolygonMesh(joined.polygons, name);
  const asset: Asset = {
    ...{ name, mesh, nodes: makeNodeTree(0), animations: [], clips: [], up: 'y', byteLength: bytes.length },
  };
  if (times.length < 2) return asset;
  try {
    const positions = readAbcFrames(archive, { joined, meshes, positionOfVertex, times });
    const clip: Clip = { kind: 'clip', name, mesh, positions, times: times.map((time) => time - times[0]) };
    return { ...asset, clips: [clip] };
  } catch (error) {
    const isChange = error instanceof FormatError && error.code === 'mismatch';
    if (!isChange || options.topology !== 'any') throw error;
    return { ...asset, sequence: readAbcSequence(archive, meshes, times, { name, log }) };
  }
}

/** Reads the meshes of an archive at its first frame, joined, for sequences of files. */
export function scanAbc(bytes: Uint8Array, options: Pick<ReadAbcOptions, 'log'> = {}): Polygons {
  return openMeshes(bytes, options).joined.polygons;
}

interface OpenedMeshes {
  archive: AbcArchive;
  meshes: AbcMesh[];
  /** Of the frames from the first one with faces. */
  times: Float64Array;
  joined: JoinedMeshes;
}

/** Opens an archive at its first frame with faces: some programs begin with an empty one. */
function openMeshes(bytes: Uint8Array, { frames, log }: ReadAbcOptions): OpenedMeshes {
  const archive = openAbcArchive(bytes);
  const meshes = listAbcMeshes(archive, log);
  const times = listFrameTimes(archive, meshes.flatMap(listMoving), frames?.last);
  const canChange = meshes.some(({ faceCounts }) => !isConstant(faceCounts));
  const count = canChange ? times.length : Math.min(1, times.length);
  let first = 0;
  while (first < count && !meshes.some((mesh) => hasAbcFaces(archive, mesh, times[first]))) first++;
  const joined = first < count || count === 0 ? joinAbcMeshes(archive, meshes, times[first] ?? 0) : undefined;
  if (!joined) throw archive.file.fault('empty', 'its meshes have no faces');
  if (first > 0)
    log?.(
      `${first === 1 ? 'its first frame has' : `its first ${first} frames have`} no faces and ${first === 1 ? 'is' : 'are'} left out`,
    );
  return { archive, meshes, times: times.subarray(first), joined };
}
