// SPDX-License-Identifier: MIT
import type { InputFile } from '../../src/entry/index.ts';
import { type FormatInput, fill, textFile } from './growing-input.ts';

type Inputs = readonly FormatInput[];

const SQUARE = ['v 0 0 0', 'v 1 0 0', 'v 1 1 0', 'v 0 1 0'];

export const OBJ_INPUTS: Inputs = [
  {
    ...{ name: 'faces over three points', grows: 'bytes' },
    make: (size) => [
      textFile(
        'x.obj',
        ...SQUARE,
        fill(size, () => 'f 1 2 3'),
      ),
    ],
  },
  {
    ...{ name: 'one polygon', grows: 'bytes' },
    make: (size) => [textFile('x.obj', ...SQUARE, `f ${fill(size, (n) => String(1 + (n % 4))).join(' ')}`)],
  },
  {
    ...{ name: 'materials', grows: 'bytes' },
    make: (size) => [
      textFile(
        'x.obj',
        ...SQUARE,
        fill(size, (n) => `usemtl ${n}\nf 1 2 3`),
      ),
    ],
  },
  {
    ...{ name: 'seams at one point', grows: 'bytes' },
    make: (size) => [
      textFile(
        'x.obj',
        ...SQUARE,
        fill(size, (n) => `vt ${n} 0\nf 1/-1 2/-1 3/-1`),
      ),
    ],
  },
  {
    ...{ name: 'faces that cannot be drawn', grows: 'bytes' },
    make: (size) => [
      textFile(
        'x.obj',
        ...SQUARE,
        'f 1 2 3',
        fill(size, () => 'f 1 9'),
      ),
    ],
  },
  {
    ...{ name: 'points without faces', grows: 'bytes' },
    make: (size) => [
      textFile(
        'x.obj',
        ...SQUARE,
        'f 1 2 3',
        fill(size, () => 'v 0 0 0'),
      ),
    ],
  },
];

const PLY_HEAD = ['ply', 'format ascii 1.0'];
const PLY_VERTEX = ['property float x', 'property float y', 'property float z'];
const PLY_FACE = 'property list uchar int vertex_indices';
const PLY_POINTS = ['0 0 0', '1 0 0', '0 1 0'];

export const PLY_INPUTS: Inputs = [
  {
    ...{ name: 'faces', grows: 'bytes' },
    make: (size) => {
      const faces = fill(size, () => '3 0 1 2');
      const head = [
        ...PLY_HEAD,
        'element vertex 3',
        ...PLY_VERTEX,
        `element face ${faces.length}`,
        PLY_FACE,
        'end_header',
      ];
      return [textFile('x.ply', ...head, ...PLY_POINTS, faces)];
    },
  },
  {
    ...{ name: 'strips', grows: 'bytes' },
    make: (size) => {
      const indices = fill(size, (n) => String(n % 3));
      const list = ['element tristrips 1', 'property list int int vertex_indices', 'end_header'];
      const head = [...PLY_HEAD, 'element vertex 3', ...PLY_VERTEX, ...list];
      return [textFile('x.ply', ...head, ...PLY_POINTS, `${indices.length} ${indices.join(' ')}`)];
    },
  },
  {
    ...{ name: 'announced elements without properties', grows: 'claim' },
    make: (size) => {
      const head = [...PLY_HEAD, `element nothing ${size}`, 'element vertex 3', ...PLY_VERTEX];
      return [textFile('x.ply', ...head, 'element face 1', PLY_FACE, 'end_header', ...PLY_POINTS, '3 0 1 2')];
    },
  },
  {
    ...{ name: 'announced vertices', grows: 'claim' },
    make: (size) => [
      textFile('x.ply', ...PLY_HEAD, `element vertex ${size}`, ...PLY_VERTEX, 'end_header', ...PLY_POINTS),
    ],
  },
];

export const STL_INPUTS: Inputs = [
  {
    ...{ name: 'vertices', grows: 'bytes' },
    make: (size) => [
      textFile(
        'x.stl',
        'solid x',
        fill(size, () => 'vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0'),
      ),
    ],
  },
  {
    ...{ name: 'announced triangles', grows: 'claim' },
    make: (size) => {
      const bytes = new Uint8Array(134);
      new DataView(bytes.buffer).setUint32(80, size, true);
      return [{ name: 'x.stl', bytes }];
    },
  },
];

const POINT = textFile('rest.obj', 'v 0 0 0', 'v 1 0 0', 'v 0 1 0', 'f 1 2 3');

/** A cache of three points: 32 bytes of header in PC2, counts and times in MDD. */
function makeCache(format: 'pc2' | 'mdd', frameCount: number, claimed = frameCount): InputFile {
  const header = format === 'pc2' ? 32 : 8 + 4 * frameCount;
  const bytes = new Uint8Array(header + 36 * frameCount);
  const view = new DataView(bytes.buffer);
  if (format === 'pc2') {
    bytes.set(new TextEncoder().encode('POINTCACHE2\0'));
    for (const [at, value] of [
      [12, 1],
      [16, 3],
      [28, claimed],
    ])
      view.setInt32(at, value, true);
    view.setFloat32(20, 0, true);
    view.setFloat32(24, 1, true);
  } else {
    view.setInt32(0, claimed);
    view.setInt32(4, 3);
    for (let k = 0; k < frameCount; k++) view.setFloat32(8 + 4 * k, k / 24);
  }
  return { name: `x.${format}`, bytes };
}

const cacheInputs = (format: 'pc2' | 'mdd'): Inputs => [
  {
    ...{ name: 'frames of three points', grows: 'bytes' },
    make: (size) => [POINT, makeCache(format, Math.ceil(size / 40))],
  },
  { ...{ name: 'announced frames', grows: 'claim' }, make: (size) => [POINT, makeCache(format, 2, size)] },
];

export const PC2_INPUTS = cacheInputs('pc2');
export const MDD_INPUTS = cacheInputs('mdd');
