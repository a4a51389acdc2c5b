// SPDX-License-Identifier: MIT
import type { JoinedMeshes } from './abc-join.ts';
import { checkAbcTopology, readAbcPointsInto, topologyFault } from './abc-points.ts';
import { hasAbcFaces } from './abc-polygons.ts';
import type { AbcMesh } from './abc-scene.ts';
import type { AbcArchive } from './archive/abc-archive.ts';
import { isConstant } from './archive/abc-property.ts';

/** Bytes that the frames of any file may take, and further ones per byte of the file: it can repeat its samples, and a transform of 128 bytes moves a whole mesh. */
const CLIP_BYTES = 40 * 2 ** 20;
const CLIP_BYTES_PER_BYTE = 128;

/** What is read at every frame. */
export interface AbcFrames {
  joined: JoinedMeshes;
  /** All meshes, those without faces at the first frame too. */
  meshes: readonly AbcMesh[];
  /** vertexCount: the point of each vertex */
  positionOfVertex: Uint32Array;
  times: Float64Array;
}

/** Reads the points of all frames. Throws a FormatError with the code mismatch if the topology changes. */
export function readAbcFrames(
  archive: AbcArchive,
  { joined, meshes, positionOfVertex, times }: AbcFrames,
): Float32Array {
  const { file } = archive;
  const { polygons } = joined;
  const stride = 3 * positionOfVertex.length;
  const byteLength = 4 * stride * times.length;
  if (byteLength > CLIP_BYTES + CLIP_BYTES_PER_BYTE * file.bytes.length)
    throw file.fault(
      'limit',
      `${times.length} frames of ${stride / 3} vertices take ${byteLength} bytes, but the file has only ${file.bytes.length}; read fewer frames with --frames`,
    );
  const used = new Set(joined.meshes.map(({ mesh }) => mesh));
  const empty = meshes.filter((mesh) => !used.has(mesh) && !isConstant(mesh.faceCounts));
  const positions = new Float32Array(stride * times.length);
  const isDirect = stride === polygons.positions.length && positionOfVertex.every((v, i) => v === i);
  const points = isDirect ? undefined : new Float32Array(polygons.positions.length);
  for (let k = 0; k < times.length; k++) {
    const frame = positions.subarray(k * stride, (k + 1) * stride);
    for (const mesh of empty) if (hasAbcFaces(archive, mesh, times[k])) throw topologyFault(archive, mesh, times[k], k);
    for (const { mesh, pointStart, pointCount } of joined.meshes) {
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
