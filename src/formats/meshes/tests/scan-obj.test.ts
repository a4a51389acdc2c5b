// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../core/model/errors.ts';
import { MAX_COORDINATE } from '../../../core/model/mesh/coordinate-limit.ts';
import { checkMesh, type Mesh } from '../../../core/model/mesh/mesh.ts';
import { makePolygonMesh } from '../../polygons/make-polygon-mesh.ts';
import { scanObj } from '../scan-obj.ts';
import { writeObj } from '../write-obj.ts';

const data = process.env.OSSIFY_DATA ?? '../shared';
const encode = (text: string) => new TextEncoder().encode(text);
const readObj = (bytes: Uint8Array, { name }: { name?: string } = {}) => makePolygonMesh(scanObj(bytes), name);
const read = (...lines: string[]) => readObj(encode(lines.join('\n')), { name: 'test' });
const uvsOf = (mesh: Mesh) => [...(mesh.attributes.find((a) => a.name === 'TEXCOORD_0')?.values ?? [])];

const SQUARE = ['v 0 0 0', 'v 1 0 0', 'v 1 1 0', 'v 0 1 0'];

function fault(...lines: string[]): string {
  try {
    read(...lines);
  } catch (error) {
    if (error instanceof FormatError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'no fault';
}

describe('scanObj and makePolygonMesh', () => {
  it('reads triangles and polygons, each as a fan from its first corner', () => {
    const { mesh } = read('o thing', ...SQUARE, 'f 1 2 3 4', 'f 4 3 2');
    expect(mesh.name).toBe('thing');
    expect([...mesh.triangles]).toEqual([0, 1, 2, 0, 2, 3, 3, 2, 1]);
    expect([...mesh.positions]).toEqual([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]);
    expect(mesh.parts).toEqual([
      { name: 'thing', vertexStart: 0, vertexCount: 4, triangleStart: 0, triangleCount: 3, material: '' },
    ]);
  });

  it('cuts a concave polygon without folding it', () => {
    const { mesh } = read('v 0 0 0', 'v 1 1 0', 'v 2 0 0', 'v 1 3 0', 'f 1 2 3 4');
    expect([...mesh.triangles].sort()).toEqual([0, 1, 1, 2, 3, 3]);
  });

  it('takes negative indices, CRLF, old Mac line ends, tabs, comments, continued lines and a byte order mark', () => {
    const expected = read(...SQUARE, 'f 1 2 3');
    for (const text of [
      `${SQUARE.join('\n')}\nf -4 -3 -2\n`,
      `${SQUARE.join('\r\n')}\r\nf 1 2 3\r\n`,
      `${SQUARE.join('\r')}\rf 1 2 3`,
      `# head\n\n${SQUARE.join(' # tail\n')}\n\tf\t1  2 \\\n 3 \n# f 1 2 4 \\\n`,
      `${SQUARE.join('\n').replace('v 1 1', 'v 1\\\r\n1')}\r\nf 1\\\n 2 3`,
      `\ufeff${SQUARE.join('\n')}\nf 1 2 3`,
      `f 1 2 3\n${SQUARE.join('\n')}`,
      `mtllib a.mtl\ns off\ng a b\n${SQUARE.join('\n')}\nl 1 2\np 3\nf 1 2 3`,
    ]) {
      const { mesh } = readObj(encode(text), { name: 'test' });
      expect(mesh, JSON.stringify(text)).toEqual(expected.mesh);
    }
  });

  it('takes numbers in any notation, a weight, and colours', () => {
    const { mesh } = read('v 1e-1 -.5 +2.5E1 1.0', 'v 1 0 0 0.25 0.5 1', 'v 0 1 0', 'f 1 2 3');
    expect([...mesh.positions.subarray(0, 3)]).toEqual([Math.fround(0.1), -0.5, 25]);
    expect(mesh.attributes).toEqual([
      { name: 'COLOR_0', size: 3, values: new Float32Array([1, 1, 1, 0.25, 0.5, 1, 1, 1, 1]) },
    ]);
  });

  it('keeps v lines that no face names, and their order, whatever order faces use them in', () => {
    const { mesh, positionCount, positionOfVertex } = read('v 9 9 9', ...SQUARE, 'v 8 8 8', 'f 5 3 2');
    expect(positionCount).toBe(6);
    expect([...positionOfVertex]).toEqual([0, 1, 2, 3, 4, 5]);
    expect([...mesh.triangles]).toEqual([4, 2, 1]);
  });

  it('keeps the order of v lines where each has one vt and vn, by value', () => {
    // vt 4 repeats vt 1: no seam
    const { mesh, positionOfVertex } = read(
      ...SQUARE,
      ...['vt 0 0', 'vt 1 0', 'vt 1 1', 'vt 0 0', 'vt 0 1', 'vn 0 0 2'],
      ...['f 3/3/1 1/1/1 2/2/1', 'f 1/4/1 3/3/1 4/5/1'],
    );
    expect([...positionOfVertex]).toEqual([0, 1, 2, 3]);
    expect(uvsOf(mesh)).toEqual([0, 1, 1, 1, 1, 0, 0, 0]); // glTF counts v from the top
    expect([...(mesh.normals ?? [])]).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]);
  });

  it('adds a vertex for each further vt or vn at a seam, after the v lines', () => {
    const { mesh, positionOfVertex, positionCount } = read(
      ...SQUARE,
      ...['vt 0 0', 'vt 1 0', 'vt 1 1', 'vt 0.5 0.5'],
      ...['f 1/1 2/2 3/3', 'f 1/4 3/3 4', 'f 4/2 3/3 1/4'],
    );
    expect(positionCount).toBe(4);
    expect([...positionOfVertex]).toEqual([0, 1, 2, 3, 0, 3]);
    expect([...mesh.triangles]).toEqual([0, 1, 2, 4, 2, 3, 5, 2, 4]);
    expect([...mesh.positions.subarray(12, 15)]).toEqual([0, 0, 0]);
    expect(uvsOf(mesh).slice(8)).toEqual([0.5, 0.5, 1, 1]);
  });

  it('leaves out normals that only some corners have, and does not cut the surface along them', () => {
    const { mesh, positionOfVertex } = read(
      ...SQUARE,
      'vn 0 0 1',
      'vn 1 0 0',
      'f 1//1 2//1 3//1',
      'f 1//2 3//2 4//2',
      'f 1 2 4',
    );
    expect(mesh.normals).toBeUndefined();
    expect(positionOfVertex).toHaveLength(4);
  });

  it('gives a valid normal where the file has a zero one or a vertex is unused', () => {
    const { mesh } = read(...SQUARE, 'vn 0 0 0', 'f 1//1 2//1 3//1');
    expect([...(mesh.normals ?? [])]).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]);
  });

  it('makes a part per material where each has its own run of vertices', () => {
    const more = SQUARE.map((line) => line.replace(/0$/, '5'));
    const { mesh } = read(
      ...SQUARE,
      'usemtl red',
      'f 1 2 3 4',
      ...more,
      'usemtl my blue ',
      'f 5 6 7',
      'usemtl red',
      'f 2 3 4',
    );
    expect(mesh.parts.map((p) => [p.material, p.vertexStart, p.vertexCount, p.triangleStart, p.triangleCount])).toEqual(
      [
        ['red', 0, 4, 0, 3],
        ['my blue', 4, 4, 3, 1],
      ],
    );
    expect([...mesh.triangles]).toEqual([0, 1, 2, 0, 2, 3, 1, 2, 3, 4, 5, 6]);
  });

  it('keeps the order of v lines and gives up the materials where they share vertices, without seams', () => {
    const { mesh, positionOfVertex } = read(...SQUARE, 'usemtl a', 'f 1 2 3', 'usemtl b', 'f 1 3 4');
    expect([...positionOfVertex]).toEqual([0, 1, 2, 3]);
    expect(mesh.parts).toHaveLength(1);
    expect(mesh.parts[0].material).toBe('');
  });

  it('gives each material its own vertices where there are seams anyway, and keeps unused v lines', () => {
    const { mesh, positionOfVertex } = read(
      ...SQUARE,
      ...['v 9 9 9', 'vt 0 0', 'vt 1 1', 'usemtl a', 'f 1/1 2/1 3/1', 'usemtl b', 'f 1/2 3/1 4/1'],
    );
    expect([...positionOfVertex]).toEqual([0, 1, 2, 0, 2, 3, 4]);
    expect(mesh.parts.map((p) => [p.material, p.vertexStart, p.vertexCount])).toEqual([
      ['a', 0, 3],
      ['b', 3, 4],
    ]);
    expect([...mesh.triangles]).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('names the line and the fault', () => {
    expect(fault('')).toBe('empty: the file is empty');
    expect(fault('# nothing')).toBe('empty: the file has no vertices');
    expect(fault('v 1 2 3')).toBe('empty: the file has no faces');
    expect(fault(...SQUARE, 'f 1 2 x')).toBe('syntax: line 5: "x" is not a face corner');
    expect(fault(...SQUARE, 'f 1 2 /1')).toBe('syntax: line 5: "/1" is not a face corner');
    expect(fault(...SQUARE, 'f 1 2 3/1/1/1')).toMatch(/^syntax: line 5/);
    expect(fault('v 1 2', 'f 1 1 1')).toBe('syntax: line 1: a vertex needs three numbers');
    expect(() => readObj(Uint8Array.from([0xff, 0xfe, 118, 0]))).toThrow('UTF-16');
    expect(fault('v 1 2 three')).toBe('syntax: line 1: "three" is not a number');
  });

  const repaired = (...lines: string[]) => {
    const notes: string[] = [];
    const { mesh } = makePolygonMesh(scanObj(encode(lines.join('\n')), { log: (note) => notes.push(note) }));
    return { mesh, notes };
  };

  it.each([
    [['f 1 1', 'f 2'], '2 faces have fewer than three corners and are left out (the first: line 6)'],
    [['f'], '1 face has fewer than three corners and is left out (line 6)'],
    [['f 1 2 0'], '1 face names a vertex that the file does not have and is left out (line 6)'],
    [['f 1 2 5'], '1 face names a vertex that the file does not have and is left out (line 6)'],
    [['f 1 2 -5'], '1 face names a vertex that the file does not have and is left out (line 6)'],
    [['f 1 2 3 99999999999999999999'], '1 face names a vertex that the file does not have and is left out (line 6)'],
  ])('leaves out faces that no program draws, with a note: %j', (lines, note) => {
    const { mesh, notes } = repaired(...SQUARE, 'f 1 2 3', ...lines, 'f 1 3 4');
    expect(notes).toEqual([note]);
    expect([...mesh.triangles]).toEqual([0, 1, 2, 0, 2, 3]);
    expect([...mesh.positions]).toEqual([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]);
  });

  it.each(['nan', '-nan(ind)', 'inf', '-Infinity', '1e39', '-1e400', '1.#IND', '2e18'])(
    'keeps the numbers of vertices where a position cannot be used, and leaves out the faces there: %s',
    (text) => {
      const { mesh, notes } = repaired(`v 0 ${text} 0`, ...SQUARE, 'f 1 2 3', 'f 2 3 4');
      expect([...mesh.positions]).toEqual([0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]);
      expect([...mesh.triangles]).toEqual([1, 2, 3]);
      expect(notes).toEqual([
        '1 face has a vertex whose position is not finite or larger than 1e18 and is left out (line 6)',
        '1 vertex has a position that is not finite or larger than 1e18 (line 1); no face uses it',
      ]);
    },
  );

  it('keeps the materials of the faces that are left', () => {
    const { mesh } = repaired(...SQUARE, 'usemtl a', 'f 1 2', 'usemtl b', 'f 1 2 3', 'usemtl', 'f 9 1 2');
    expect(mesh.parts.map(({ material, triangleCount }) => [material, triangleCount])).toEqual([['b', 1]]);
  });

  it('leaves out texture coordinates and normals that are not there, and reads those that are not finite as zero', () => {
    const { mesh, notes } = repaired(...SQUARE, 'vt nan 1', 'vn 0 0 inf', 'f 1/1/1 2/2/1 3/-9/1', 'f 1/1/0 3 4');
    expect(notes).toEqual([
      'texture coordinates have 1 number that is not finite, read as zero',
      'normals have 1 number that is not finite, read as zero',
      'texture coordinates of 2 corners are not in the file and are left out',
      'normals of 1 corner are not in the file and are left out',
    ]);
    expect([...mesh.triangles]).toHaveLength(6);
    expect(uvsOf(mesh).slice(0, 2)).toEqual([0, 0]);
    expect(mesh.normals).toBeUndefined();
  });

  it('is silent about a sound file, even with a material library that is not there', () => {
    expect(repaired('mtllib none.mtl', ...SQUARE, 'usemtl none', 'f 1 2 3').notes).toEqual([]);
  });

  it('refuses a file without a face that can be used, and names the first fault', () => {
    expect(fault(...SQUARE, 'f 1 2')).toBe(
      'syntax: its only face cannot be used: 1 face has fewer than three corners (line 5)',
    );
    expect(fault('v 1 2 nan', 'f 1 1 1', 'f 1 1 1')).toBe(
      'value: none of its 2 faces can be used: 2 faces have vertices whose position is not finite or larger than 1e18 (the first: line 2)',
    );
  });

  it('gives a FormatError or a sound mesh for any mutation of a file', () => {
    const whole = encode(
      [
        ...SQUARE,
        'v 1 1 5 1 0 0',
        'vt 0 0',
        'vt 1 1',
        'vn 0 0 1',
        'usemtl a',
        'f 1/1/1 2/2/1 3//1 4',
        'usemtl b',
        'f -1 -2 -3',
      ].join('\n'),
    );
    const edit = fc.tuple(
      fc.nat(whole.length),
      fc.nat(3),
      fc.oneof(fc.constantFrom(...encode('0-/\\\n #v9e.')), fc.nat(255)),
    );
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 6 }), fc.nat(whole.length), (edits, cut) => {
        const bytes = [...whole];
        for (const [at, remove, insert] of edits) bytes.splice(at, remove, insert);
        let result: ReturnType<typeof readObj>;
        try {
          result = readObj(Uint8Array.from(edits.length > 3 ? bytes.slice(0, cut) : bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
          return;
        }
        const { mesh, positionOfVertex, positionCount } = result;
        checkMesh(mesh);
        expect(positionOfVertex).toHaveLength(mesh.positions.length / 3);
        expect(new Set(positionOfVertex).size).toBe(positionCount);
        let [vertex, triangle] = [0, 0];
        for (const part of mesh.parts) {
          expect([part.vertexStart, part.triangleStart]).toEqual([vertex, triangle]);
          vertex += part.vertexCount;
          triangle += part.triangleCount;
          for (let c = 3 * part.triangleStart; c < 3 * triangle; c++)
            expect(mesh.triangles[c] >= part.vertexStart && mesh.triangles[c] < vertex).toBe(true);
        }
        expect([vertex, triangle]).toEqual([mesh.positions.length / 3, mesh.triangles.length / 3]);
      }),
      { numRuns: 1500 },
    );
  });

  it('reads half a million lines, a vertex of very many seams and very many materials', () => {
    const lines: string[] = [];
    for (let i = 0; i < 250_000; i++) lines.push(`v ${(i * 0.001).toFixed(6)} 0.123456 -1.234567`);
    for (let f = 0; f < 250_000; f++) lines.push(`f ${f + 1} ${((f + 7) % 250_000) + 1} ${((f + 3) % 250_000) + 1}`);
    const large = encode(lines.join('\n'));
    expect(readObj(large).mesh.triangles).toHaveLength(750_000);

    const hostile = [...SQUARE];
    for (let n = 1; n <= 30_000; n++) hostile.push(`vt ${n} 0`, `usemtl m${n}`, `f 1/${n} 2/${n} 3/${n}`);
    const bytes = encode(hostile.join('\n'));
    expect(readObj(bytes).mesh.parts).toHaveLength(30_000);
  });

  const horse = join(data, 'datasets', 'horse-gallop', 'rest.obj');
  it.skipIf(!existsSync(horse))('reads the horse: 8431 vertices, 16843 triangles (needs the data folder)', () => {
    const { mesh } = readObj(new Uint8Array(readFileSync(horse)));
    expect([mesh.positions.length / 3, mesh.triangles.length / 3]).toEqual([8431, 16843]);
    expect(mesh.positions[0]).toBe(Math.fround(-0.0227423701));
  });
});

describe('writeObj', () => {
  it('writes what reads back the same: positions to the bit, UVs, normals, colours, parts', () => {
    const before = read(
      ...SQUARE.map((line) => `${line.replace('1 0', '0.1 1e-7')} 0.2 0.4 0.6`),
      ...['vt 0.1 0.7', 'vt 1 1', 'vn 0.6 0.8 0', 'usemtl a', 'f 1/1/1 2/1/1 3/1/1', 'usemtl b', 'f 1/2/1 3/1/1 4/1/1'],
    ).mesh;
    const after = readObj(writeObj(before)).mesh;
    expect(after.positions).toEqual(before.positions);
    expect(after.triangles).toEqual(before.triangles);
    expect(after.normals).toEqual(before.normals);
    expect(after.attributes[1]).toEqual(before.attributes[1]);
    uvsOf(after).forEach((value, n) => {
      expect(value).toBeCloseTo(uvsOf(before)[n], 6);
    });
    expect(after.parts).toEqual(before.parts);
  });

  it('keeps every float32 up to the largest coordinate exactly', () => {
    const max = Math.fround(MAX_COORDINATE);
    fc.assert(
      fc.property(fc.float({ noNaN: true, min: -max, max }), (x) => {
        const { mesh } = read(`v ${x} 0 0`, 'f 1 1 1');
        expect(readObj(writeObj(mesh)).mesh.positions[0]).toBe(Math.fround(x) + 0);
      }),
    );
  });

  it('writes the positions of a frame instead, and does not let a name break a line', () => {
    const { mesh } = read(...SQUARE, 'vn 0 0 1', 'f 1//1 2//1 3//1');
    const frame = mesh.positions.map((x) => x + 1);
    const text = new TextDecoder().decode(writeObj({ ...mesh, name: 'a\nv 1 1 1\\' }, { positions: frame }));
    expect(text.split('\n').slice(0, 2)).toEqual(['o a v 1 1 1', 'v 1 1 1']);
    expect(text).not.toContain('vn');
    expect(() => writeObj(mesh, { positions: new Float32Array(3) })).toThrow('4 vertices expected, got 1');
  });
});
