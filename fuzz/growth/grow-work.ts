// SPDX-License-Identifier: MIT
import { type Clip, makeMesh, makeTimes, writeObj, writePc2 } from '../../src/entry/index.ts';
import { type FormatInput, textFile } from './growing-input.ts';

/** A fan: one vertex in every triangle. */
function makeFan(rim: number): string[] {
  const angles = Array.from({ length: rim }, (_, n) => (2 * Math.PI * n) / rim);
  const points = angles.map((a, n) => `v ${Math.cos(a)} ${Math.sin(a)} ${(n % 2) / 50}`);
  return ['v 0 0 0', ...points, ...angles.map((_, n) => `f 1 ${n + 2} ${((n + 1) % rim) + 2}`)];
}

/** Pieces of one tetrahedron each, which fly apart for three frames. */
function makePieces(count: number): Clip {
  const corners = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1];
  const faces = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2];
  const side = Math.ceil(Math.cbrt(count));
  const placeOf = (n: number): number[] => [n % side, Math.floor(n / side) % side, Math.floor(n / side / side)];
  const rest = Float32Array.from(
    { length: 12 * count },
    (_, c) => corners[c % 12] + 3 * placeOf(Math.floor(c / 12))[c % 3],
  );
  const triangles = Uint32Array.from({ length: 12 * count }, (_, c) => faces[c % 12] + 4 * Math.floor(c / 12));
  const positions = new Float32Array(3 * rest.length);
  for (let k = 0; k < 3; k++)
    for (let c = 0; c < rest.length; c++) {
      const n = Math.floor(c / 12);
      positions[k * rest.length + c] = rest[c] + k * (placeOf(n)[c % 3] + ((n * 31 + (c % 3) * 17) % 7) / 10);
    }
  return { kind: 'clip', name: 'pieces', mesh: makeMesh(rest, triangles), positions, times: makeTimes(3, 24) };
}

export const LOD_INPUTS: readonly FormatInput[] = [
  {
    ...{ name: 'triangles around one vertex', grows: 'work', sizes: [500, 4000] },
    options: {},
    make: (size) => [textFile('fan.obj', makeFan(size))],
  },
];

export const DECOMPOSE_INPUTS: readonly FormatInput[] = [
  {
    ...{ name: 'moving parts', grows: 'work', sizes: [250, 2000], bytesPerItem: 256 },
    options: {},
    make: (size) => {
      const clip = makePieces(size);
      return [
        { name: 'pieces.obj', bytes: writeObj(clip.mesh) },
        { name: 'pieces.pc2', bytes: writePc2(clip) },
      ];
    },
  },
];
