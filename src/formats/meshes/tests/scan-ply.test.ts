// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../core/model/errors.ts';
import { checkMesh } from '../../../core/model/mesh/mesh.ts';
import { makePolygonMesh } from '../../polygons/make-polygon-mesh.ts';
import { scanPly } from '../scan-ply.ts';

const encode = (...lines: string[]): Uint8Array => new TextEncoder().encode(lines.join('\n'));
const faultOf = (bytes: Uint8Array): string => {
  try {
    scanPly(bytes);
  } catch (error) {
    if (error instanceof FormatError) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'no fault';
};

const POSITION = ['property float x', 'property float y', 'property float z'];
const FACE = ['element face 2', 'property list uchar int vertex_indices'];
const TEXT = encode(
  ...['ply', 'format ascii 1.0', 'comment made by hand', 'element vertex 4', ...POSITION, ...FACE, 'end_header'],
  ...['0 0 0', '1 0 0', '1 1 0', '0 1 0.5', '3 0 1 2', '3 0 2 3', ''],
);

const SIZES = { char: 1, uchar: 1, short: 2, ushort: 2, int: 4, uint: 4, float: 4, double: 8 } as const;
type Type = keyof typeof SIZES;

/** Packs values of types one after the other. */
function pack(values: [Type, number][], isLittle: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.reduce((sum, [type]) => sum + SIZES[type], 0)));
  let at = 0;
  for (const [type, value] of values) {
    if (type === 'char') view.setInt8(at, value);
    else if (type === 'uchar') view.setUint8(at, value);
    else if (type === 'short') view.setInt16(at, value, isLittle);
    else if (type === 'ushort') view.setUint16(at, value, isLittle);
    else if (type === 'int') view.setInt32(at, value, isLittle);
    else if (type === 'uint') view.setUint32(at, value, isLittle);
    else if (type === 'float') view.setFloat32(at, value, isLittle);
    else view.setFloat64(at, value, isLittle);
    at += SIZES[type];
  }
  return new Uint8Array(view.buffer);
}

const join = (a: Uint8Array, b: Uint8Array): Uint8Array => Uint8Array.of(...a, ...b);

describe('scanPly', () => {
  it('reads text', () => {
    const { positions, cornerPositions, faceStart } = scanPly(TEXT);
    expect([...positions]).toEqual([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.5]);
    expect([...cornerPositions]).toEqual([0, 1, 2, 0, 2, 3]);
    expect([...faceStart]).toEqual([0, 3, 6]);
  });

  it('reads binary of both byte orders with lists of any type', () => {
    const counts: Type[] = ['char', 'uchar', 'short', 'ushort', 'int', 'uint'];
    for (const isLittle of [true, false]) {
      for (const countType of counts) {
        for (const indexType of counts) {
          for (const floatType of ['float', 'double'] as const) {
            const header = encode(
              ...['ply', `format binary_${isLittle ? 'little' : 'big'}_endian 1.0`, 'element vertex 4'],
              ...['x', 'y', 'z'].map((name) => `property ${floatType} ${name}`),
              ...['element face 1', `property list ${countType} ${indexType} vertex_index`, 'end_header', ''],
            );
            const numbers = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.5];
            const values: [Type, number][] = numbers.map((x) => [floatType, x]);
            values.push([countType, 4], ...[0, 1, 2, 3].map((v): [Type, number] => [indexType, v]));
            const { positions, cornerPositions } = scanPly(join(header, pack(values, isLittle)));
            expect([...positions]).toEqual(numbers);
            expect([...cornerPositions]).toEqual([0, 1, 2, 3]);
          }
        }
      }
    }
  });

  it('reads normals, colours and UVs, and passes over other elements and properties', () => {
    const bytes = encode(
      ...['ply', 'format ascii 1.0', 'obj_info x', 'element camera 1', 'property float fov', 'element vertex 3'],
      ...[...POSITION, 'property float quality', 'property float nx', 'property float ny', 'property float nz'],
      ...['property uchar red', 'property uchar green', 'property uchar blue', 'property uchar alpha'],
      ...['property float s', 'property float t', 'property list uchar int bones'],
      ...['element face 1', 'property uchar flags', 'property list uchar uint vertex_indices', 'end_header'],
      ...['45', '0 0 0 9 0 0 1 255 0 51 255 0.25 0.5 2 7 8', '1 0 0 9 0 0 1 0 255 0 255 0.5 0.5 0'],
      ...['0 1 0 9 0 0 1 0 0 255 255 1 1 1 3', '0 3 0 1 2'],
    );
    const { mesh } = makePolygonMesh(scanPly(bytes));
    checkMesh(mesh);
    expect([...mesh.normals!]).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 1]);
    const [uvs, colors] = ['TEXCOORD_0', 'COLOR_0'].map((name) => mesh.attributes.find((a) => a.name === name)!.values);
    expect([...uvs]).toEqual([0.25, 0.5, 0.5, 0.5, 1, 0]);
    expect([...colors.subarray(0, 3)]).toEqual([1, 0, Math.fround(0.2)]);
  });

  it('reads UVs of corners and leaves out faces of two corners', () => {
    const bytes = encode(
      ...['ply', 'format ascii 1.0', 'element vertex 4', ...POSITION],
      ...[
        'element face 3',
        'property list uchar int vertex_indices',
        'property list uchar float texcoord',
        'end_header',
      ],
      ...['0 0 0', '1 0 0', '1 1 0', '0 1 0', '3 0 1 2 6 0 0 1 0 1 1', '2 0 1 4 0 0 1 1', '3 0 2 3 6 0.5 0 1 1 0 1'],
    );
    const { mesh } = makePolygonMesh(scanPly(bytes));
    expect(mesh.triangles).toHaveLength(6);
    // Point 0 has two UVs.
    expect(mesh.positions).toHaveLength(15);
  });

  it('reads back any mesh of polygons in every encoding', () => {
    const vertices = fc.array(fc.tuple(...Array.from({ length: 6 }, () => fc.integer({ min: -99, max: 99 }))), {
      minLength: 3,
      maxLength: 9,
    });
    const faces = fc.array(fc.array(fc.nat(), { minLength: 3, maxLength: 6 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(vertices, faces, fc.constantFrom('text', 'little', 'big'), (points, polygons, encoding) => {
        const lists = polygons.map((corners) => corners.map((v) => v % points.length));
        const header = encode(
          ...['ply', `format ${encoding === 'text' ? 'ascii' : `binary_${encoding}_endian`} 1.0`],
          ...[`element vertex ${points.length}`, 'property double nx', 'property double ny', 'property double nz'],
          ...[...POSITION, `element face ${lists.length}`, FACE[1], 'end_header', ''],
        );
        const rows = [...points, ...lists.map((corners) => [corners.length, ...corners])];
        const values = [
          ...points.flatMap((row) => row.map((x, n): [Type, number] => [n < 3 ? 'double' : 'float', x])),
          ...lists.flatMap((row): [Type, number][] => [
            ['uchar', row.length],
            ...row.map((v): [Type, number] => ['int', v]),
          ]),
        ];
        const body =
          encoding === 'text' ? encode(...rows.map((row) => row.join(' '))) : pack(values, encoding === 'little');
        const read = scanPly(join(header, body));
        expect([...read.positions]).toEqual(points.flatMap((row) => row.slice(3)));
        expect([...read.normals]).toEqual(points.flatMap((row) => row.slice(0, 3)));
        expect([...read.cornerPositions]).toEqual(lists.flat());
      }),
      { numRuns: 300 },
    );
  });

  it('reads normals and colours that are not finite as zero', () => {
    const bytes = encode(
      ...['ply', 'format ascii 1.0', 'element vertex 3', ...POSITION, 'property float nx', 'property float ny'],
      ...['property float nz', 'element face 1', FACE[1], 'end_header'],
      ...['0 0 0 nan nan nan', '1 0 0 0 0 1', '0 1 0 0 inf 1', '3 0 1 2'],
    );
    expect([...scanPly(bytes).normals]).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 1]);
  });

  it('passes over values beyond those that the header announces, as VCGLIB writes them', () => {
    const bytes = encode(
      new TextDecoder().decode(TEXT).replace('3 0 1 2', '3 0 1 2 9 1 1 1').replace('1 1 0', '1 1 0 255'),
    );
    expect(scanPly(bytes)).toEqual(scanPly(TEXT));
  });

  it('reads triangle strips', () => {
    const bytes = encode(
      ...['ply', 'format ascii 1.0', 'element vertex 5', ...POSITION],
      ...['element tristrips 1', 'property list int int vertex_indices', 'end_header'],
      ...['0 0 0', '1 0 0', '0 1 0', '1 1 0', '2 2 0', '8 0 1 2 3 -1 1 3 4'],
    );
    expect([...scanPly(bytes).cornerPositions]).toEqual([0, 1, 2, 2, 1, 3, 1, 3, 4]);
  });

  it('names what is wrong', () => {
    expect(faultOf(encode('plx', ''))).toMatch(/^magic /);
    expect(faultOf(encode('ply', 'format ascii 1.0'))).toBe('truncated its header has no end');
    expect(faultOf(encode('ply', 'format text 1.0', 'end_header', ''))).toContain('its format "text" is not known');
    expect(faultOf(TEXT.slice(0, -8))).toMatch(/^truncated /);
    const text = new TextDecoder().decode(TEXT);
    expect(faultOf(encode(text.replace('vertex 4', 'vertex 4000000000')))).toMatch(/^truncated its header announces/);
    expect(faultOf(encode(text.replace('3 0 1 2', '3000000000 0 1 2')))).toMatch(/^length a list has 3000000000/);
    const many = text.replace('element face', 'element face 4000000000\nelement face');
    expect(faultOf(encode(many))).toBe('no fault');
    const cloud = encode('ply', 'format ascii 1.0', 'element vertex 1', ...POSITION, 'end_header', '0 0 0');
    expect(faultOf(cloud)).toContain('cloud of points');
  });

  it('leaves out faces that no program draws, with a note', () => {
    const text = new TextDecoder().decode(TEXT);
    for (const [from, to, note] of [
      ['3 0 2 3', '3 0 2 9', '1 face names a vertex that the file does not have and is left out (face 1)'],
      ['3 0 2 3', '3 0 2 -1', '1 face names a vertex that the file does not have and is left out (face 1)'],
      ['3 0 2 3', '2 0 2', '1 face has fewer than three corners and is left out (face 1)'],
      [
        '0 1 0.5',
        '0 nan 0.5',
        '1 face has a vertex whose position is not finite or larger than 1e18 and is left out (face 1)',
      ],
    ]) {
      const notes: string[] = [];
      const polygons = scanPly(encode(text.replace(from, to)), { log: (one) => notes.push(one) });
      expect(notes[0]).toBe(note);
      expect([...polygons.cornerPositions]).toEqual([0, 1, 2]);
      expect(polygons.positions.every((x) => Number.isFinite(x))).toBe(true);
    }
  });

  it('gives a FormatError or a sound mesh for any mutation', () => {
    const header = encode(
      ...['ply', 'format binary_little_endian 1.0', 'element vertex 3', ...POSITION, 'property uchar red'],
      ...['property uchar green', 'property uchar blue', 'element face 1', FACE[1], 'end_header', ''],
    );
    const vertex: [Type, number][] = [
      ['float', 0],
      ['float', 1],
      ['float', 2],
      ['uchar', 3],
      ['uchar', 4],
      ['uchar', 5],
    ];
    const face: [Type, number][] = [
      ['uchar', 3],
      ['int', 0],
      ['int', 1],
      ['int', 2],
    ];
    const seeds = [TEXT, join(header, pack([...vertex, ...vertex, ...vertex, ...face], true))];
    const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 });
    fc.assert(
      fc.property(fc.nat(1), edits, (n, list) => {
        const bytes = seeds[n].slice();
        for (const [at, value] of list) bytes[at % bytes.length] = value;
        try {
          checkMesh(makePolygonMesh(scanPly(bytes)).mesh);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
