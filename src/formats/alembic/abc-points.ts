// SPDX-License-Identifier: MIT
import { IDENTITY, transformPoints } from '../../core/math/mat4.ts';
import { type AbcMesh, worldMatrixAt } from './abc-scene.ts';
import { placeOf } from './abc-time.ts';
import type { AbcArchive } from './archive/abc-archive.ts';
import { readNumbersInto, sampleData, valueCount } from './archive/abc-property.ts';

/**
 * Reads the points of a mesh at a time, in world space, between samples interpolated.
 * @param frame number of the frame, for messages
 * @param out pointCount x 3; another number of points is a change of topology
 */
export function readAbcPointsInto(
  archive: AbcArchive,
  mesh: AbcMesh,
  time: number,
  frame: number,
  out: Float32Array,
): void {
  const { file } = archive;
  const { positions } = mesh;
  const { index, ratio } = placeOf(archive, positions, time);
  const readInto = (k: number, into: Float32Array): void => {
    const data = sampleData(file, positions, k);
    if (valueCount(positions, data) !== into.length) throw topologyFault(archive, mesh, time, frame);
    readNumbersInto(file, positions, data, into);
  };
  readInto(index, out);
  if (ratio > 0) {
    const next = new Float32Array(out.length);
    readInto(index + 1, next);
    for (let c = 0; c < out.length; c++) out[c] += ratio * (next[c] - out[c]);
  }
  const world = worldMatrixAt(archive, mesh, time);
  if (!world.every((x, c) => x === IDENTITY[c])) transformPoints(world, out, out);
  for (let c = 0; c < out.length; c++) {
    // x - x is 0 for finite numbers and NaN otherwise.
    if (out[c] - out[c] !== 0)
      throw file.fault(
        'value',
        `frame ${frame}, vertex ${Math.floor(c / 3)} of "${mesh.name}" has a position that is not finite`,
      );
  }
}

/** Throws if the faces of a mesh at a time are not those at the first frame. */
export function checkAbcTopology(
  archive: AbcArchive,
  mesh: AbcMesh,
  firstTime: number,
  time: number,
  frame: number,
): void {
  const { file } = archive;
  for (const property of [mesh.faceCounts, mesh.faceIndices]) {
    const a = sampleData(file, property, placeOf(archive, property, firstTime).index);
    const b = sampleData(file, property, placeOf(archive, property, time).index);
    if (a.buffer === b.buffer && a.byteOffset === b.byteOffset && a.length === b.length) continue;
    if (a.length !== b.length) throw topologyFault(archive, mesh, time, frame);
    file.spend(a.length);
    for (let n = 0; n < a.length; n++) {
      if (a[n] !== b[n]) throw topologyFault(archive, mesh, time, frame);
    }
  }
}

export function topologyFault({ file }: AbcArchive, { name }: AbcMesh, time: number, frame: number): Error {
  const when = `frame ${frame} (${Number(time.toFixed(4))} s)`;
  const remedy = `; ossify track follows a surface whose topology changes${frame > 0 ? `, and --frames :${frame - 1} reads the frames before it` : ''}`;
  return file.fault('mismatch', `the topology of "${name}" changes at ${when}${remedy}`);
}
