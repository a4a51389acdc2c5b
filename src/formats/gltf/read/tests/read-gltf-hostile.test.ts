// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../../core/math/mat4.ts';
import type { Asset } from '../../../../core/model/asset.ts';
import { FORMAT_ERROR_CODES, FormatError } from '../../../../core/model/errors.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { packGlb } from '../../document/pack-glb.ts';
import { splitGlb } from '../../document/split-glb.ts';
import { readGltf } from '../../read-gltf.ts';
import { writeGlb } from '../../write-glb.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests break the JSON in ways types would forbid
type Loose = any;

let good: Uint8Array;
let packed: Uint8Array;

/** A skinned tetrahedron of two bones that move for three frames. */
beforeAll(async () => {
  const mesh = makeMesh(
    Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1),
    Uint32Array.of(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3),
  );
  const none = new Float64Array(0);
  const nodes = { names: [], parents: new Int32Array(0), translations: none, rotations: none, scales: none };
  const asset: Asset = { name: 'a', mesh, nodes, animations: [], clips: [], up: 'y', byteLength: 0 };
  const matrices = makeIdentities(6).map((x, c) => (c % 16 === 13 ? c / 100 : x));
  const skinned = {
    kind: 'skin' as const,
    mesh,
    skeleton: { names: ['a', 'b'], parents: Int32Array.of(-1, 0), bindMatrices: makeIdentities(2) },
    skin: makeSkin([0, 1, 0, 1, 0, 1, 0, 1], [1, 0, 0.5, 0.5, 0, 1, 0.25, 0.75], 2),
    motions: [{ name: 'm', times: Float64Array.of(0, 1, 2), matrices }],
  };
  good = await writeGlb(asset, { kind: 'skin', model: skinned });
  packed = await writeGlb(asset, { kind: 'skin', model: skinned }, { meshopt: true });
});

/** The good file with its JSON or its binary chunk changed. */
function broken(change: (json: Loose, binary: DataView) => void): Uint8Array {
  const { json, binary } = splitGlb(good);
  const copy = Uint8Array.from(binary!);
  change(json, new DataView(copy.buffer));
  return packGlb(json, copy);
}

async function faultOf(bytes: Uint8Array, options = {}): Promise<FormatError> {
  const error = await readGltf(bytes, options).then(
    () => undefined,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(FormatError);
  const fault = error as FormatError;
  expect(fault.format).toBe('gltf');
  expect(FORMAT_ERROR_CODES).toContain(fault.code);
  // It is printed after "ossify: file: ": a sentence without capital and full stop.
  expect(fault.message).toMatch(/^[^A-Z\n][^\n]{9,249}[^.\n]$/);
  return fault;
}

/** Where the values of an attribute start in the binary chunk. */
function placeOf(json: Loose, accessor: number): number {
  const { bufferView, byteOffset = 0 } = json.accessors[accessor];
  return (json.bufferViews[bufferView].byteOffset ?? 0) + byteOffset;
}

const attributesOf = (json: Loose): Record<string, number> => json.meshes[0].primitives[0].attributes;

describe('readGltf on containers', () => {
  it.each<[string, string, (b: Uint8Array) => Uint8Array]>([
    ['an empty file', 'empty', () => new Uint8Array(0)],
    ['another format', 'magic', () => new TextEncoder().encode('v 0 0 0\n')],
    ['a header alone', 'truncated', (b) => b.slice(0, 12)],
    ['a truncated file', 'truncated', (b) => b.slice(0, b.length - 1)],
    ['version 1', 'version', (b) => b.with(4, 1)],
    ['a chunk longer than the file', 'truncated', (b) => b.with(15, 255)],
    ['a first chunk that is not JSON', 'syntax', (b) => b.with(16, 0)],
    ['JSON that does not parse', 'syntax', (b) => b.with(20, 33)],
    ['a .gltf text that stops', 'syntax', () => new TextEncoder().encode('{"asset":')],
    [
      'JSON that is nested too deeply',
      'hierarchy',
      () =>
        new TextEncoder().encode(
          `{"asset":{"version":"2.0","extras":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}}`,
        ),
    ],
    ['JSON that is not UTF-8', 'syntax', (b) => b.with(30, 255)],
  ])('says what is wrong with %s', async (_, code, change) => {
    expect((await faultOf(change(good))).code).toBe(code);
  });

  it('reads a view into a larger buffer, at an odd offset, and ignores bytes after the end', async () => {
    const larger = new Uint8Array(good.length + 20);
    larger.set(good, 3);
    const notes: string[] = [];
    const asset = await readGltf(larger.subarray(3), { log: (note) => notes.push(note) });
    expect(asset.mesh.positions).toHaveLength(12);
    expect(notes).toHaveLength(1);
  });
});

describe('readGltf on contents', () => {
  it.each<[string, string, (json: Loose, data: DataView) => void]>([
    ['four billion vertices', 'length', (j) => (j.accessors[attributesOf(j).POSITION].count = 4e9)],
    [
      'four billion vertices without data',
      'limit',
      (j) => j.accessors.push({ componentType: 5126, type: 'VEC3', count: 4e9 }),
    ],
    [
      'many accessors of one view',
      'limit',
      (j) => (j.accessors = [...j.accessors, ...Array(3000).fill({ componentType: 5126, type: 'VEC3', count: 1e5 })]),
    ],
    ['one mesh drawn very often', 'limit', manyInstances],
    ['a buffer longer than its chunk', 'truncated', (j) => (j.buffers[0].byteLength = 4e9)],
    ['a view past its buffer', 'length', (j) => (j.bufferViews[0].byteOffset = 1e6)],
    ['a negative offset', 'value', (j) => (j.bufferViews[0].byteOffset = -4)],
    ['a fractional count', 'syntax', (j) => (j.accessors[0].count = 1.5)],
    ['a list that is an object', 'syntax', (j) => (j.nodes = {})],
    ['a null node', 'syntax', (j) => (j.nodes[0] = null)],
    ['an unknown component type', 'value', (j) => (j.accessors[0].componentType = 5124)],
    ['a mesh that is not there', 'index', (j) => (j.nodes.find((n: Loose) => n.mesh === 0).mesh = 7)],
    ['a node that is its own parent', 'hierarchy', (j) => (j.nodes[0].children = [0])],
    [
      'nodes in a circle',
      'hierarchy',
      (j) => (j.nodes = [...j.nodes, { children: [j.nodes.length + 1] }, { children: [j.nodes.length] }]),
    ],
    [
      'a node with two parents',
      'hierarchy',
      (j) => (j.nodes = [...j.nodes, { children: [j.nodes.length + 2] }, { children: [j.nodes.length + 2] }, {}]),
    ],
    ['a skin without joints', 'empty', (j) => (j.skins[0].joints = [])],
    ['a joint that is not there', 'index', (j) => (j.skins[0].joints[1] = 99)],
    ['a weight on a joint past the skin', 'index', (j, d) => d.setUint8(placeOf(j, attributesOf(j).JOINTS_0), 9)],
    [
      'a position that is not a number',
      'value',
      (j, d) => d.setFloat32(placeOf(j, attributesOf(j).POSITION), Number.NaN, true),
    ],
    [
      'a triangle past the vertices',
      'index',
      (j, d) => d.setUint16(placeOf(j, j.meshes[0].primitives[0].indices), 4, true),
    ],
    ['attributes of different lengths', 'mismatch', (j) => (j.accessors[attributesOf(j).WEIGHTS_0].count = 3)],
    [
      'primitives with different numbers of targets',
      'mismatch',
      (j) =>
        j.meshes[0].primitives.push({
          ...j.meshes[0].primitives[0],
          targets: [{ POSITION: attributesOf(j).POSITION }],
        }),
    ],
    [
      'scales that overflow',
      'value',
      (j) => (j.nodes = j.nodes.map((n: Loose) => ({ ...n, scale: [1e250, 1e250, 1] }))),
    ],
    ['nothing to draw', 'empty', (j) => (j.scenes[0].nodes = [])],
    ['lines only', 'empty', (j) => (j.meshes[0].primitives[0].mode = 1)],
    ['a single corner', 'empty', (j) => (j.accessors[j.meshes[0].primitives[0].indices].count = 2)],
    ['an unknown extension', 'unsupported', (j) => (j.extensionsRequired = ['EXT_no_such_extension'])],
    ['glTF 1', 'version', (j) => (j.asset.version = '1.0')],
    ['no asset', 'syntax', (j) => delete j.asset],
    ['a buffer above its folder', 'uri', (j) => j.buffers.push({ byteLength: 4, uri: '../secret' })],
    ['a buffer that is not given', 'resource', (j) => j.buffers.push({ byteLength: 4, uri: 'other.bin' })],
    [
      'a compressed view that lies',
      'length',
      (j) =>
        (j.bufferViews[0].extensions = {
          EXT_meshopt_compression: { buffer: 0, byteLength: 4, byteStride: 4, count: 1e9, mode: 'ATTRIBUTES' },
        }),
    ],
    [
      'more joints than 16 bits can name',
      'limit',
      (j) => {
        const first = j.nodes.length;
        for (let n = 0; n < 7e4; n++) j.nodes.push({});
        j.skins[0].joints = Array.from({ length: 7e4 }, (_, n) => first + n);
        delete j.skins[0].inverseBindMatrices;
      },
    ],
    [
      'very many scenes of a node in very many skins',
      'limit',
      (j) => {
        for (let n = 0; n < 5000; n++) j.skins.push({ joints: [0] });
        j.scenes = Array.from({ length: 5000 }, () => ({ nodes: [0] }));
      },
    ],
    [
      'an attribute that is called __proto__',
      'value',
      (j) => Object.defineProperty(attributesOf(j), '__proto__', { value: attributesOf(j).POSITION, enumerable: true }),
    ],
    [
      'an attribute that is called toString',
      'value',
      (j) => (attributesOf(j).toString = attributesOf(j).POSITION as Loose),
    ],
    [
      'a sparse index past the vertices',
      'index',
      (j) => {
        const { bufferView } = j.accessors[j.meshes[0].primitives[0].indices];
        const sparse = {
          count: 1,
          indices: { bufferView, byteOffset: 2, componentType: 5125 },
          values: { bufferView },
        };
        j.accessors[attributesOf(j).POSITION].sparse = sparse;
      },
    ],
    [
      'scale keys that multiply to infinity',
      'value',
      (j, d) => {
        const { output } = j.animations[0].samplers[0];
        for (let c = 0; c < 9; c++) d.setFloat32(placeOf(j, output) + 4 * c, 1e30, true);
        const [above, joint] = j.skins[0].joints;
        expect(j.nodes[above].children).toContain(joint);
        const target = (node: number) => ({ sampler: 0, target: { node, path: 'scale' } });
        j.animations[0].channels = [target(above), target(joint)];
      },
    ],
    [
      'a translation key under a scale key that multiply to infinity',
      'value',
      (j, d) => {
        const { output } = j.animations[0].samplers[0];
        for (let c = 0; c < 9; c++) d.setFloat32(placeOf(j, output) + 4 * c, 1e30, true);
        const [above, joint] = j.skins[0].joints;
        j.animations[0].channels = [
          { sampler: 0, target: { node: above, path: 'scale' } },
          { sampler: 0, target: { node: joint, path: 'translation' } },
        ];
      },
    ],
    [
      'morph weights that move vertices to infinity',
      'value',
      (j, d) => {
        const { output } = j.animations[0].samplers[0];
        d.setFloat32(placeOf(j, output), 3e38, true);
        d.setFloat32(placeOf(j, attributesOf(j).POSITION), 10, true);
        j.meshes[0].primitives[0].targets = [{ POSITION: attributesOf(j).POSITION }];
        j.accessors.push({ ...j.accessors[output], type: 'SCALAR', count: 3 });
        j.animations[0].samplers[0].output = j.accessors.length - 1;
        const node = j.nodes.findIndex((one: Loose) => one.mesh === 0);
        j.animations[0].channels = [{ sampler: 0, target: { node, path: 'weights' } }];
      },
    ],
    [
      'wide weights beside many vertices',
      'limit',
      (j) => {
        const count = 1e6;
        j.accessors.push({ componentType: 5126, type: 'VEC3', count }, { componentType: 5121, type: 'VEC4', count });
        const attributes: Loose = { POSITION: j.accessors.length - 2 };
        for (let set = 0; set < 100; set++) {
          attributes[`JOINTS_${set}`] = j.accessors.length - 1;
          attributes[`WEIGHTS_${set}`] = j.accessors.length - 1;
        }
        j.meshes.push({ primitives: [{ attributes }] });
        j.scenes[0].nodes.push(j.nodes.push({ mesh: j.meshes.length - 1, skin: 0 }) - 1);
      },
    ],
  ])('says what is wrong with %s, before memory is allocated', async (_, code, change) => {
    const bytes = broken((json, binary) => {
      change(json, binary);
    });
    const before = process.memoryUsage().arrayBuffers;
    expect((await faultOf(bytes)).code).toBe(code);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10e6);
  });

  it('names the mesh and the vertex', async () => {
    const bytes = broken((json, data) => {
      data.setFloat32(
        placeOf(json, attributesOf(json).POSITION) +
          json.bufferViews[json.accessors[attributesOf(json).POSITION].bufferView].byteStride * 2,
        Number.NaN,
        true,
      );
    });
    expect((await faultOf(bytes)).message).toMatch(
      /^vertex 2 of mesh "mesh" has a position that is not finite \(byte \d+ of buffer 0\)$/,
    );
  });

  it('quotes no more of a name than a sentence can hold', async () => {
    const { json, binary } = splitGlb(good) as { json: Loose; binary: Uint8Array };
    json.meshes[0].name = 'x'.repeat(1e6);
    const floats = new Uint8Array(binary);
    new DataView(floats.buffer).setFloat32(0, Number.NaN, true);
    json.buffers[0].uri = `data:;base64,${btoa(String.fromCharCode(...floats))}`;
    const { message } = await faultOf(new TextEncoder().encode(JSON.stringify(json)));
    expect(message).toMatch(/x{59}…"/);
  });

  it('shows no control character of a name, in meshes, animations, extensions or URIs', async () => {
    const name = 'a\u001b[31m\u0007\u202eb\n';
    const cases: ((json: Loose, data: DataView) => void)[] = [
      (json, data) => {
        json.meshes[0].name = name;
        data.setFloat32(placeOf(json, attributesOf(json).POSITION), Number.NaN, true);
      },
      (json) => (json.extensionsRequired = [name]),
      (json) => (json.asset.version = name),
    ];
    const notes: string[] = [];
    const repaired = broken((json, data) => {
      json.animations[0].name = name;
      data.setFloat32(placeOf(json, json.animations[0].samplers[0].input), Number.NaN, true);
      json.images = [{ uri: name }];
    });
    await readGltf(repaired, { log: (note) => notes.push(note) });
    expect(notes).toHaveLength(2);
    const messages = [...notes];
    for (const change of cases) messages.push((await faultOf(broken((json, data) => void change(json, data)))).message);
    for (const message of messages) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
      expect(message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
      expect(message).toContain('\ufffd[31m');
    }
  });

  it('asks for files beside it only by paths inside the folder, and passes on why one is missing', async () => {
    const asked: string[] = [];
    const text = (uri: string): Uint8Array => {
      const { json, binary } = splitGlb(good) as { json: Loose; binary: Uint8Array };
      json.buffers[0].uri = uri.replace('DATA', btoa(String.fromCharCode(...binary)));
      return new TextEncoder().encode(JSON.stringify(json));
    };
    const resolve = async (path: string): Promise<Uint8Array> => {
      asked.push(path);
      if (path !== 'data/my mesh.bin') throw new Error('no such file');
      return splitGlb(good).binary!;
    };
    expect((await readGltf(text('./data/my%20mesh.bin'), { resolve })).mesh.positions).toHaveLength(12);
    expect(
      (await readGltf(text('data:application/octet-stream;base64,DATA'), { resolve })).mesh.positions,
    ).toHaveLength(12);
    // The size of a file is its own bytes and those beside it; what a data URI holds is in the text already.
    const beside = text('./data/my%20mesh.bin');
    expect((await readGltf(beside, { resolve })).byteLength).toBe(beside.length + splitGlb(good).binary!.length);
    const within = text('data:application/octet-stream;base64,DATA');
    expect((await readGltf(within, { resolve })).byteLength).toBe(within.length);
    expect((await faultOf(text('gone.bin'), { resolve })).message).toContain(
      '"gone.bin" beside it, which could not be read: no such file',
    );
    for (const uri of ['../secret', 'file:///etc/passwd', 'http://x', '%2e%2e/x', 'C:\\x', '//host/x'])
      expect((await faultOf(text(uri), { resolve })).code).toBe('uri');
    expect(asked).toEqual(['data/my mesh.bin', 'data/my mesh.bin', 'gone.bin']);
  });

  it('follows a chain of a hundred thousand nodes without running out of stack', async () => {
    const bytes = broken((json) => {
      const first = json.nodes.length;
      for (let n = 0; n < 1e5; n++) json.nodes.push(n < 1e5 - 1 ? { children: [first + n + 1] } : {});
      json.scenes[0].nodes.push(first);
    });
    expect((await readGltf(bytes)).nodes.names.length).toBeGreaterThan(1e5);
  });

  it('reads and writes a chain of twenty thousand nodes, and a mesh of two thousand primitives', async () => {
    const count = 2e3;
    const depth = 2e4;
    const bytes = broken((json) => {
      const [primitive] = json.meshes[0].primitives;
      json.meshes[0].primitives = Array.from({ length: count }, () => primitive);
      const first = json.nodes.length;
      for (let n = 0; n < depth; n++) json.nodes.push(n < depth - 1 ? { children: [first + n + 1] } : {});
      json.scenes[0].nodes.push(first);
    });
    const asset = await readGltf(bytes);
    expect(asset.mesh.parts).toHaveLength(count);
    const { skeleton, skin } = asset.rig!;
    const model = { kind: 'skin' as const, mesh: asset.mesh, skeleton, skin, motions: [] };
    for (const content of [
      undefined,
      { kind: 'weights' as const, skin, pruneJoints: true },
      { kind: 'skin' as const, model },
    ]) {
      const written = await readGltf(await writeGlb(asset, content));
      expect(written.mesh.parts).toHaveLength(count);
    }
  });
});

describe('readGltf on mutations', () => {
  const check = async (bytes: Uint8Array): Promise<void> => {
    try {
      const { mesh } = await readGltf(bytes);
      expect(mesh.positions.every(Number.isFinite)).toBe(true);
    } catch (error) {
      expect(error).toBeInstanceOf(FormatError);
    }
  };

  it('reads or throws FormatError, whatever bytes are flipped or cut', async () => {
    const flip = fc.tuple(
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.integer({ min: 0, max: 255 }),
    );
    const cut = fc.double({ min: 0.5, max: 1.5, noNaN: true });
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(flip, { maxLength: 6 }), cut, async (compressed, flips, length) => {
        const bytes = Uint8Array.from(compressed ? packed : good);
        for (const [place, value] of flips) bytes[Math.floor(place * bytes.length)] = value;
        await check(bytes.slice(0, Math.floor(bytes.length * Math.min(1, length))));
      }),
      { numRuns: 400 },
    );
  });

  it('reads or throws FormatError, whatever field of the JSON is replaced', async () => {
    const value = fc.oneof(
      fc.constantFrom(
        null,
        true,
        '',
        'a',
        [],
        {},
        [null],
        -1,
        0,
        1,
        2,
        5,
        1.5,
        1e9,
        4294967295,
        1e300,
        'MAT4',
        'SCALAR',
      ),
      fc.array(fc.constantFrom(0, 1, 1e9, -1, null, 'x'), { maxLength: 4 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
        value,
        async (compressed, path, replacement) => {
          const { json, binary } = splitGlb(compressed ? packed : good);
          let item = json as Loose;
          for (const step of path) {
            const keys = Object.keys(item);
            const key = keys[step % keys.length];
            if (
              step === path[path.length - 1] ||
              typeof item[key] !== 'object' ||
              item[key] === null ||
              Object.keys(item[key]).length === 0
            ) {
              item[key] = replacement;
              break;
            }
            item = item[key];
          }
          await check(packGlb(json, binary));
        },
      ),
      { numRuns: 1500 },
    );
  });
});

/** A mesh of a thousand rows drawn by twenty thousand nodes. */
function manyInstances(json: Loose): void {
  const count = 1000;
  json.accessors.push({ componentType: 5126, type: 'VEC3', count });
  json.meshes.push({ primitives: [{ attributes: { POSITION: json.accessors.length - 1 } }] });
  for (let n = 0; n < 2e4; n++) json.scenes[0].nodes.push(json.nodes.push({ mesh: json.meshes.length - 1 }) - 1);
}
