// SPDX-License-Identifier: MIT

import { ABC_TYPES, type AbcPropertySpec, writeAbcArchive } from '../../src/formats/alembic/index.ts';
import { makeHdf5Archive } from '../seeds/make-hdf5.ts';
import type { FormatInput } from './growing-input.ts';

const TRIANGLE = Int32Array.of(0, 2, 1);

/** A triangle among very many points. */
function makePoints(count: number): Float32Array {
  return Float32Array.from({ length: 3 * Math.max(3, count) }, (_, c) => (c * 7) % 11);
}

/** An archive whose frames are all the same: they are stored once, and announced in sixteen bytes each. */
function makeStill(pointCount: number, frameCount: number): Uint8Array {
  const points = makePoints(pointCount);
  const P = {
    name: 'P',
    metadata: 'geoScope=vtx;interpretation=point',
    isArray: true,
    type: ABC_TYPES.float32,
    extent: 3,
  };
  const int = { metadata: '', isArray: true, type: ABC_TYPES.int32 };
  const sample = bytesOf(points);
  const properties: AbcPropertySpec[] = [
    { ...P, samples: Array.from({ length: frameCount }, () => sample) },
    { ...int, name: '.faceCounts', samples: [bytesOf(Int32Array.of(3))] },
    { ...int, name: '.faceIndices', samples: [bytesOf(TRIANGLE)] },
  ];
  const metadata = 'schema=AbcGeom_PolyMesh_v1';
  const object = { name: 'still', metadata, properties: [{ name: '.geom', metadata: '', properties }], children: [] };
  return writeAbcArchive(
    [object],
    Float64Array.from({ length: frameCount }, (_, k) => k / 24),
    '',
  );
}

const bytesOf = (values: Float32Array | Int32Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

const file = (bytes: Uint8Array) => [{ name: 'x.abc', bytes }];

export const ABC_INPUTS: readonly FormatInput[] = [
  {
    ...{ name: 'equal frames, stored once', grows: 'bytes' },
    make: (size) => file(makeStill(Math.ceil(size / 24), Math.ceil(size / 32))),
  },
  {
    ...{ name: 'points in one frame', grows: 'bytes' },
    make: (size) => file(makeStill(Math.ceil(size / 12), 1)),
  },
  {
    ...{ name: 'HDF5: objects that share a mesh', grows: 'bytes' },
    make: (size) =>
      file(
        makeHdf5Archive({
          frames: [makePoints(Math.ceil(size / 48))],
          indices: TRIANGLE,
          objectCount: Math.ceil(size / 64),
        }),
      ),
  },
  {
    ...{ name: 'HDF5: objects that share a compressed mesh', grows: 'bytes' },
    make: (size) => {
      const options = { indices: TRIANGLE, objectCount: Math.ceil(size / 64), isCompressed: true };
      return file(makeHdf5Archive({ ...options, frames: [new Float32Array(3 * Math.max(3, 20 * size))] }));
    },
  },
  {
    ...{ name: 'HDF5: frames that share compressed points', grows: 'bytes' },
    make: (size) => {
      const frame = new Float32Array(3 * Math.max(3, size));
      const frames = Array.from({ length: Math.ceil(size / 64) }, () => frame);
      return file(makeHdf5Archive({ frames, indices: TRIANGLE, isCompressed: true }));
    },
  },
  {
    ...{ name: 'HDF5: frames', grows: 'bytes' },
    make: (size) => {
      const frames = Array.from({ length: Math.ceil(size / 300) }, (_, k) => makePoints(3).map((x) => x + k));
      return file(makeHdf5Archive({ frames, indices: TRIANGLE }));
    },
  },
];
