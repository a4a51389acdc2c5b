// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { makeNodeTree } from '../../core/model/make-asset.ts';
import { makePolygonMesh, type Polygons } from '../polygons/index.ts';
import { openAbcArchive } from './abc-archive.ts';
import { type JoinedMeshes, joinAbcMeshes } from './abc-join.ts';
import { checkAbcTopology, readAbcPointsInto } from './abc-points.ts';
import { isConstant } from './abc-property.ts';
import { listAbcMeshes, listMoving } from './abc-scene.ts';
import { listFrameTimes } from './abc-time.ts';

/** Frames of small files may be this large: a file that repeats its samples can claim any number of frames. */
const MAX_CLIP_BYTES = 2 ** 28;

/** Frames may be this many times the size of the file: a transform of 128 bytes moves a whole mesh. */
const MAX_CLIP_RATIO = 256;

export interface ReadAbcOptions {
  /** Name of the asset and of its clip. */
  name?: string;
  /** Frames after `last` (from 0) are not read. */
  frames?: { last?: number };
  /** Receives non-fatal warnings. */
  log?: (message: string) => void;
}

/**
 * Reads an Alembic archive (Ogawa): all visible polygon and subdivision meshes in world space, joined, an object and its face sets as parts
 * of their own, and one clip of every frame if points or transforms change. The faces, UVs and normals are those of the first frame.
 */
export function readAbc(bytes: Uint8Array, options: ReadAbcOptions = {}): Asset {
  const { name = 'abc', log } = options;
  const archive = openAbcArchive(bytes);
  const meshes = listAbcMeshes(archive, log);
  const times = listFrameTimes(archive, meshes.flatMap(listMoving), options.frames?.last);
  const joined = joinAbcMeshes(archive, meshes, times[0] ?? 0);
  const { mesh, positionOfVertex } = makePolygonMesh(joined.polygons, name);
  const clips: Clip[] = [];
  if (times.length > 1) {
    const positions = readFrames(archive, joined, positionOfVertex, times);
    clips.push({ kind: 'clip', name, mesh, positions, times: times.map((time) => time - times[0]) });
  }
  const nodes = makeNodeTree(0);
  return { name, mesh, nodes, animations: [], clips, up: 'y', byteLength: bytes.length };
}

/** Reads the meshes of an archive at its first frame, joined, for sequences of files. */
export function scanAbc(bytes: Uint8Array): Polygons {
  const archive = openAbcArchive(bytes);
  const meshes = listAbcMeshes(archive);
  const [time = 0] = listFrameTimes(archive, meshes.flatMap(listMoving));
  return joinAbcMeshes(archive, meshes, time).polygons;
}

function readFrames(
  archive: ReturnType<typeof openAbcArchive>,
  { meshes, polygons }: JoinedMeshes,
  positionOfVertex: Uint32Array,
  times: Float64Array,
): Float32Array {
  const { file } = archive;
  const stride = 3 * positionOfVertex.length;
  const byteLength = 4 * stride * times.length;
  if (byteLength > Math.max(MAX_CLIP_BYTES, MAX_CLIP_RATIO * file.bytes.length))
    throw file.fault(
      'limit',
      `${times.length} frames of ${stride / 3} vertices take ${byteLength} bytes, but the file has only ${file.bytes.length}; read fewer frames with --frames`,
    );
  const positions = new Float32Array(stride * times.length);
  const isDirect = stride === polygons.positions.length && positionOfVertex.every((v, i) => v === i);
  const points = isDirect ? undefined : new Float32Array(polygons.positions.length);
  for (let k = 0; k < times.length; k++) {
    const frame = positions.subarray(k * stride, (k + 1) * stride);
    for (const { mesh, pointStart, pointCount } of meshes) {
      file.spend(1 + mesh.transforms.length);
      if (!isConstant(mesh.faceCounts) || !isConstant(mesh.faceIndices))
        checkAbcTopology(archive, mesh, times[0], times[k], k);
      const out = (points ?? frame).subarray(3 * pointStart, 3 * (pointStart + pointCount));
      readAbcPointsInto(archive, mesh, times[k], k, out);
    }
    if (!points) continue;
    for (let i = 0; i < positionOfVertex.length; i++) {
      const from = 3 * positionOfVertex[i];
      frame[3 * i] = points[from];
      frame[3 * i + 1] = points[from + 1];
      frame[3 * i + 2] = points[from + 2];
    }
  }
  return positions;
}
