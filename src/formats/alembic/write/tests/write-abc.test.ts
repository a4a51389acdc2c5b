// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import type { Clip } from '../../../../core/model/clip/clip.ts';
import { FormatError } from '../../../../core/model/errors.ts';
import type { Mesh } from '../../../../core/model/mesh/mesh.ts';
import { readAbc } from '../../read-abc.ts';
import { ABC_TYPES, type AbcObjectSpec, type AbcPropertySpec, writeAbcArchive } from '../abc-archive-writer.ts';
import { writeAbc } from '../write-abc.ts';

/** Two quads that share an edge, the second one in two materials: parts "left" (one material) and "right" (two). */
function makeParts(): Mesh {
  const positions = Float32Array.from([
    0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 2, 0, 0, 2, 1, 0, 1, 0, 0, 2, 1, 0, 1, 1, 0,
  ]);
  return {
    name: 'parts',
    positions,
    triangles: Uint32Array.of(0, 1, 2, 0, 2, 3, 4, 5, 6, 7, 8, 9),
    normals: Float32Array.from(positions, (_, c) => (c % 3 === 2 ? 1 : 0)),
    attributes: [
      { name: 'TEXCOORD_0', size: 2, values: Float32Array.from({ length: 20 }, (_, c) => c / 32) },
      { name: 'COLOR_0', size: 3, values: Float32Array.from({ length: 30 }, (_, c) => c / 64) },
    ],
    parts: [
      { name: 'left', material: 'skin', vertexStart: 0, vertexCount: 4, triangleStart: 0, triangleCount: 2 },
      { name: 'right', material: 'skin', vertexStart: 4, vertexCount: 3, triangleStart: 2, triangleCount: 1 },
      { name: 'right', material: 'cloth', vertexStart: 7, vertexCount: 3, triangleStart: 3, triangleCount: 1 },
    ],
  };
}

function makeClip(mesh: Mesh, times: number[], seed = 1): Clip {
  const random = makeRandom(seed);
  const positions = Float32Array.from({ length: mesh.positions.length * times.length }, () => random.next());
  return { kind: 'clip', name: 'clip', mesh, positions, times: Float64Array.from(times) };
}

/** A clip of one frame: the mesh at rest. */
const still = (mesh: Mesh): Clip => ({
  kind: 'clip',
  name: mesh.name,
  mesh,
  positions: mesh.positions,
  times: new Float64Array(1),
});

describe('writeAbc', () => {
  it('is read back exactly: frames, times, triangles, parts, UVs and colours', () => {
    for (const times of [[0, 1 / 24, 2 / 24], [0, 0.1, 0.5, 0.6], [0]]) {
      const mesh = makeParts();
      const clip = makeClip(mesh, times);
      clip.positions.set(mesh.positions);
      const back = readAbc(writeAbc(clip), { name: 'back' });
      expect(back.mesh.triangles).toEqual(mesh.triangles);
      expect(back.mesh.parts).toEqual(mesh.parts);
      expect(back.mesh.attributes).toEqual(mesh.attributes);
      expect(back.mesh.normals).toEqual(mesh.normals);
      if (times.length > 1) {
        expect(back.clips[0].positions).toEqual(clip.positions);
        expect([...back.clips[0].times]).toEqual(times);
      } else expect(back.clips).toEqual([]);
    }
  });

  it('keeps every UV set, and the opacity of colours', () => {
    const mesh = makeParts();
    const values = (size: number, step: number) => Float32Array.from({ length: 10 * size }, (_, c) => (c % 8) / step);
    mesh.attributes = [
      { name: 'TEXCOORD_0', size: 2, values: values(2, 8) },
      { name: 'TEXCOORD_1', size: 2, values: values(2, 16) },
      { name: 'TEXCOORD_2', size: 2, values: values(2, 32) },
      { name: 'COLOR_0', size: 4, values: values(4, 8) },
    ];
    const back = readAbc(writeAbc(still(mesh))).mesh;
    expect(back.attributes).toEqual(mesh.attributes);
    expect(back.positions).toEqual(mesh.positions);
  });

  it('writes a mesh at rest', () => {
    const mesh = makeParts();
    const back = readAbc(writeAbc(still(mesh)));
    expect(back.mesh.positions).toEqual(mesh.positions);
    expect(back.clips).toEqual([]);
  });

  it('turns normals with the surface, and leaves them out on request', () => {
    const mesh = makeParts();
    // A quarter turn about y: the normals go from z to x.
    const turned = mesh.positions.map((_, c) => {
      const i = c - (c % 3);
      return [mesh.positions[i + 2], mesh.positions[i + 1], -mesh.positions[i]][c % 3];
    });
    const clip: Clip = { kind: 'clip', name: 'turn', mesh, positions: turned, times: Float64Array.of(0) };
    const { normals } = readAbc(writeAbc(clip)).mesh;
    for (let c = 0; c < normals!.length; c++) expect(normals![c]).toBeCloseTo(c % 3 === 0 ? 1 : 0, 6);
    expect(readAbc(writeAbc(clip, { normals: false })).mesh.normals).toBeUndefined();
  });

  it('keeps the vertices of parts without triangles', () => {
    const mesh = makeParts();
    mesh.parts[1] = { ...mesh.parts[1], name: 'empty', triangleCount: 0 };
    mesh.parts[2] = { ...mesh.parts[2], triangleStart: 2 };
    mesh.triangles = mesh.triangles.filter((_, c) => c < 6 || c > 8);
    const back = readAbc(writeAbc(still(mesh))).mesh;
    expect(back.positions).toEqual(mesh.positions);
    expect(back.parts.map(({ name, vertexCount }) => [name, vertexCount])).toEqual([
      ['left', 7],
      ['right', 3],
    ]);
  });

  it('makes names valid and different', () => {
    const mesh = makeParts();
    mesh.parts[2] = { ...mesh.parts[2], name: 'left', material: 'a/b' };
    const { parts } = readAbc(writeAbc(still(mesh))).mesh;
    expect(parts.map(({ name, material }) => [name, material])).toEqual([
      ['left', 'skin'],
      ['right', 'skin'],
      ['left_1', 'a_b'],
    ]);
  });

  it('stores equal frames once', () => {
    const clip = makeClip(makeParts(), [0, 1, 2, 3, 4, 5, 6, 7]);
    const same = { ...clip, positions: clip.positions.map((_, c) => clip.positions[c % 30]) };
    expect(writeAbc(clip).length - writeAbc(same).length).toBeGreaterThan(7 * 2 * 48);
    expect(readAbc(writeAbc(same)).clips[0].positions).toEqual(same.positions);
  });

  it('refuses what is no mesh', () => {
    expect(() => writeAbc(still({ ...makeParts(), triangles: new Uint32Array() }))).toThrow('no triangles');
    expect(() => writeAbc(makeClip(makeParts(), []))).toThrow('no frames');
  });
});

const bytesOf = (array: Float32Array | Float64Array | Int32Array | Uint16Array | Int8Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

const property = (
  name: string,
  type: number,
  extent: number,
  samples: Parameters<typeof bytesOf>[0][],
  metadata = '',
): AbcPropertySpec => ({ name, isArray: true, type, extent, metadata, samples: samples.map(bytesOf) });

/** A quad and a triangle over five points, clockwise as Alembic stores them. */
const COUNTS = property('.faceCounts', ABC_TYPES.int32, 1, [Int32Array.of(4, 3)]);
const INDICES = property('.faceIndices', ABC_TYPES.int32, 1, [Int32Array.of(0, 3, 2, 1, 1, 2, 4)]);
const POINTS = Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0.5);

function makeArchive(
  properties: AbcPropertySpec[],
  own: AbcPropertySpec[] = [],
  times = Float64Array.of(0, 1, 2),
): Uint8Array {
  const mesh: AbcObjectSpec = {
    name: 'meshShape',
    metadata: 'schema=AbcGeom_PolyMesh_v1',
    properties: [{ name: '.geom', metadata: '', properties }, ...own],
    children: [],
  };
  return writeAbcArchive([mesh], times, '');
}

/** Value of the attribute at every corner of the triangulated mesh, as point index and value. */
function cornersOf(mesh: Mesh, values: Float32Array, size: number): string[] {
  const points = new Map(Array.from({ length: 5 }, (_, i) => [POINTS.subarray(3 * i, 3 * i + 3).join(), i]));
  return [...mesh.triangles].map((i) => {
    const point = points.get(mesh.positions.subarray(3 * i, 3 * i + 3).join());
    return `${point}:${values.subarray(size * i, size * i + size).join()}`;
  });
}

describe('readAbc of archives of any make', () => {
  const floats = (type: number, values: Float32Array) =>
    type === ABC_TYPES.float64 ? Float64Array.from(values) : Uint16Array.from(values, halfBits);

  it('reads positions of double and half precision', () => {
    for (const type of [ABC_TYPES.float64, 9]) {
      const { mesh } = readAbc(makeArchive([property('P', type, 3, [floats(type, POINTS)]), COUNTS, INDICES]));
      expect(mesh.positions).toEqual(POINTS);
    }
  });

  it('reads UVs in every scope, indexed or not', () => {
    const P = property('P', ABC_TYPES.float32, 3, [POINTS]);
    const corners = [0, 3, 2, 1, 1, 2, 4];
    /** The element of each corner in the file. */
    const elements: Record<string, number[]> = {
      fvr: [0, 1, 2, 3, 4, 5, 6],
      vtx: corners,
      var: corners,
      uni: [0, 0, 0, 0, 1, 1, 1],
      con: [0, 0, 0, 0, 0, 0, 0],
    };
    for (const [scope, list] of Object.entries(elements)) {
      for (const isIndexed of [false, true]) {
        const count = Math.max(...list) + 1;
        const values = Float32Array.from({ length: 2 * count }, (_, c) => c / 16);
        const metadata = `geoScope=${scope}`;
        const indices = Int32Array.from({ length: count }, (_, n) => count - 1 - n);
        const uv: AbcPropertySpec = isIndexed
          ? {
              name: 'uv',
              metadata,
              properties: [
                property('.vals', ABC_TYPES.float32, 2, [values], metadata),
                property('.indices', ABC_TYPES.int32, 1, [indices]),
              ],
            }
          : property('uv', ABC_TYPES.float32, 2, [values], metadata);
        const { mesh } = readAbc(makeArchive([P, COUNTS, INDICES, uv]));
        const expected = list.map((element, n) => {
          const value = isIndexed ? indices[element] : element;
          return `${corners[n]}:${values[2 * value]},${1 - values[2 * value + 1]}`;
        });
        const found = new Set(cornersOf(mesh, mesh.attributes[0].values, 2));
        expect(found, `${scope} ${isIndexed}`).toEqual(new Set(expected));
      }
    }
  });

  it('names the frame in which topology changes, and reads the frames before it', () => {
    const P = property('P', ABC_TYPES.float32, 3, [POINTS, POINTS.map((x) => 2 * x), POINTS]);
    const changing = property('.faceIndices', ABC_TYPES.int32, 1, [
      Int32Array.of(0, 3, 2, 1, 1, 2, 4),
      Int32Array.of(0, 3, 2, 1, 1, 2, 4),
      Int32Array.of(0, 3, 2, 1, 2, 1, 4),
    ]);
    const bytes = makeArchive([P, COUNTS, changing]);
    expect(() => readAbc(bytes)).toThrow(
      'the topology of "meshShape" changes at frame 2 (2 s); ossify track follows a surface whose topology changes, and --frames :1 reads the frames before it',
    );
    expect(readAbc(bytes, { frames: { last: 1 } }).clips[0].times).toHaveLength(2);
    const growing = property('P', ABC_TYPES.float32, 3, [POINTS, new Float32Array(18), POINTS]);
    expect(() => readAbc(makeArchive([growing, COUNTS, INDICES]))).toThrow('changes at frame 1 (1 s)');
  });

  it('reads frames of different topology as a sequence if they may differ', () => {
    const P = property('P', ABC_TYPES.float32, 3, [POINTS, POINTS.map((x) => 2 * x), new Float32Array(12)]);
    const counts = property('.faceCounts', ABC_TYPES.int32, 1, [
      Int32Array.of(4, 3),
      Int32Array.of(4, 3),
      Int32Array.of(4),
    ]);
    const asset = readAbc(makeArchive([P, counts, INDICES]), { topology: 'any', name: 'melt' });
    expect(asset.clips).toEqual([]);
    const { frames, times } = asset.sequence!;
    expect([...times]).toEqual([0, 1, 2]);
    expect(frames.map(({ name, triangles }) => [name, triangles.length])).toEqual([
      ['melt 1', 9],
      ['melt 2', 9],
      ['melt 3', 6],
    ]);
    expect(frames[1].positions).toEqual(POINTS.map((x) => 2 * x));
  });

  it('begins at the first frame with faces, with a note', () => {
    const P = property('P', ABC_TYPES.float32, 3, [new Float32Array(), POINTS, POINTS.map((x) => 2 * x)]);
    const samples = (...values: number[]) => [new Int32Array(), Int32Array.from(values), Int32Array.from(values)];
    const counts = property('.faceCounts', ABC_TYPES.int32, 1, samples(4, 3));
    const indices = property('.faceIndices', ABC_TYPES.int32, 1, samples(0, 3, 2, 1, 1, 2, 4));
    const notes: string[] = [];
    const { mesh, clips } = readAbc(makeArchive([P, counts, indices]), { log: (note) => notes.push(note) });
    expect(notes).toEqual(['its first frame has no faces and is left out']);
    expect(mesh.positions).toEqual(POINTS);
    expect([...clips[0].times]).toEqual([0, 1]);
    const never = samples().map(() => new Int32Array());
    expect(() => readAbc(makeArchive([P, property('.faceCounts', ABC_TYPES.int32, 1, never), indices]))).toThrow(
      'its meshes have no faces',
    );
  });

  it('refuses an object that appears later, since its topology changes', () => {
    const object = (name: string, properties: AbcPropertySpec[]): AbcObjectSpec => ({
      ...{ name, metadata: 'schema=AbcGeom_PolyMesh_v1', children: [] },
      properties: [{ name: '.geom', metadata: '', properties }],
    });
    const P = property('P', ABC_TYPES.float32, 3, [POINTS, POINTS.map((x) => 2 * x), POINTS]);
    const later = [new Int32Array(), Int32Array.of(4, 3), Int32Array.of(4, 3)];
    const objects = [
      object('first', [P, COUNTS, INDICES]),
      object('second', [P, property('.faceCounts', ABC_TYPES.int32, 1, later), INDICES]),
    ];
    const bytes = writeAbcArchive(objects, Float64Array.of(0, 1, 2), '');
    expect(() => readAbc(bytes)).toThrow('the topology of "second" changes at frame 1');
    const { frames } = readAbc(bytes, { topology: 'any' }).sequence!;
    expect(frames.map(({ triangles }) => triangles.length)).toEqual([9, 18, 18]);
  });

  it('leaves out what is always hidden and keeps what is hidden at times', () => {
    const P = property('P', ABC_TYPES.float32, 3, [POINTS, POINTS.map((x) => 2 * x), POINTS]);
    const visible = (...values: number[]): AbcPropertySpec => ({
      ...property(
        'visible',
        2,
        1,
        values.map((value) => Int8Array.of(value)),
      ),
      isArray: false,
    });
    expect(() => readAbc(makeArchive([P, COUNTS, INDICES], [visible(0)]))).toThrow('all its meshes are hidden');
    const notes: string[] = [];
    const log = (note: string) => notes.push(note);
    expect(readAbc(makeArchive([P, COUNTS, INDICES], [visible(1, 0, 1)]), { log }).clips[0].times).toHaveLength(3);
    expect(notes.join()).toContain('"meshShape" is hidden at times');
    expect(readAbc(makeArchive([P, COUNTS, INDICES], [visible(-1)])).mesh.triangles).toHaveLength(9);
  });

  it('refuses faces that name missing points, and positions that are not finite', () => {
    const P = property('P', ABC_TYPES.float32, 3, [POINTS.subarray(0, 12)]);
    expect(() => readAbc(makeArchive([P, COUNTS, INDICES]))).toThrow('names vertex 4 of 4');
    const nan = property('P', ABC_TYPES.float32, 3, [POINTS.map((x) => (x === 2 ? Number.NaN : x))]);
    expect(() => readAbc(makeArchive([nan, COUNTS, INDICES]))).toThrow('vertex 4 of "meshShape" has a position');
  });
});

/** Half-precision bits of a number that fits. */
function halfBits(value: number): number {
  if (value === 0) return 0;
  const exponent = Math.floor(Math.log2(value));
  return ((exponent + 15) << 10) | Math.round((value / 2 ** exponent - 1) * 1024);
}

describe('readAbc of damaged files', () => {
  it('gives a FormatError or an asset for any mutation', () => {
    const seeds = [writeAbc(makeClip(makeParts(), [0, 1 / 24, 2 / 24])), writeAbc(still(makeParts()))];
    const edit = fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(0, 1, 127, 128, 255), fc.nat(255)));
    fc.assert(
      fc.property(fc.nat(1), fc.array(edit, { maxLength: 4 }), fc.option(fc.nat(), { freq: 8 }), (n, edits, cut) => {
        const bytes = seeds[n].slice(0, cut === null ? undefined : cut % seeds[n].length);
        for (const [at, value] of edits) if (bytes.length > 0) bytes[at % bytes.length] = value;
        try {
          readAbc(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('refuses a small file of very many objects that share one mesh', () => {
    const points = new Float32Array(3 * 5000);
    const mesh: AbcPropertySpec[] = [
      property('P', ABC_TYPES.float32, 3, [points]),
      property('.faceCounts', ABC_TYPES.int32, 1, [Int32Array.of(3)]),
      property('.faceIndices', ABC_TYPES.int32, 1, [Int32Array.of(0, 1, 2)]),
    ];
    const objects = Array.from({ length: 3000 }, (_, n): AbcObjectSpec => {
      const properties = [{ name: '.geom', metadata: '', properties: mesh }];
      return { name: `m${n}`, metadata: 'schema=AbcGeom_PolyMesh_v1', properties, children: [] };
    });
    const bytes = writeAbcArchive(objects, new Float64Array(1), '');
    expect(() => readAbc(bytes)).toThrow('use the same data so often');
    expect(readAbc(writeAbcArchive(objects.slice(0, 30), new Float64Array(1), '')).mesh.parts).toHaveLength(30);
  });

  it('follows no cycle of groups', () => {
    const bytes = writeAbc(still(makeParts()));
    const view = new DataView(bytes.buffer);
    const root = view.getUint32(8, true);
    const top = view.getUint32(root + 8 + 16, true);
    // The first child of the root object becomes the root object itself.
    view.setUint32(top + 8 + 8, top, true);
    expect(() => readAbc(bytes)).toThrow(/levels deep|use the same data/);
  });
});
