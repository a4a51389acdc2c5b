// SPDX-License-Identifier: MIT
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../core/model/errors.ts';
import { readAsset } from '../../assets/read-asset.ts';
import { readUsd } from '../read-usd.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (text: string, files: Record<string, string> = {}, notes: string[] = []) =>
  readUsd(encode(`#usda 1.0${text.trimStart().startsWith('(') ? '' : ' (metersPerUnit = 1)'}\n${text}`), {
    name: 'stage',
    resolve: async (path) => {
      if (files[path] === undefined) throw new Error('missing');
      return encode(`#usda 1.0\n${files[path]}`);
    },
    log: (note) => notes.push(note),
  });

const QUAD = `
  int[] faceVertexCounts = [4]
  int[] faceVertexIndices = [0, 1, 2, 3]
  point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
`;

describe('a USD stage', () => {
  it('gives unit, up axis, polygons, UVs, materials of subsets and part names', async () => {
    const asset = await read(`(
      metersPerUnit = 0.5
      upAxis = "Z"
    )
    def Xform "Root" {
      def Mesh "Sheet" {
        int[] faceVertexCounts = [3, 3]
        int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        texCoord2f[] primvars:st = [(0, 0), (1, 1)] (interpolation = "faceVarying")
        int[] primvars:st:indices = [0, 0, 1, 0, 1, 0]
        rel material:binding = </Looks/Red>
        def GeomSubset "side" {
          uniform token elementType = "face"
          int[] indices = [1]
          rel material:binding = </Looks/Blue>
        }
      }
    }`);
    // metres, y up
    expect([asset.metresPerUnit, asset.up]).toEqual([1, 'y']);
    const corner = asset.mesh.positions.findIndex((x, c) => c % 3 === 2 && x !== 0);
    expect(asset.mesh.positions[corner]).toBe(-0.5);
    expect(asset.mesh.triangles.length).toBe(6);
    expect(asset.mesh.parts.map(({ name, material }) => [name, material])).toEqual([
      ['Root 0', 'Red'],
      ['Root 1', 'Blue'],
    ]);
    const [uvs] = asset.mesh.attributes;
    expect(uvs.name).toBe('TEXCOORD_0');
    expect(new Set(uvs.values)).toEqual(new Set([0, 1]));
  });

  it('applies transform operations from the outermost to the innermost', async () => {
    const asset = await read(`
    def Xform "A" {
      double3 xformOp:translate = (10, 0, 0)
      float xformOp:rotateZ = 90
      float3 xformOp:scale = (2, 2, 2)
      uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ", "xformOp:scale"]
      def Mesh "M" { ${QUAD} }
    }`);
    // the point (1, 0, 0): scaled to 2, turned to y, moved
    expect([...asset.mesh.positions.subarray(3, 6)].map((x) => Math.round(x * 1e6) / 1e6)).toEqual([10, 2, 0]);
  });

  it('plays sampled points as a clip, in seconds', async () => {
    const asset = await read(`(
      timeCodesPerSecond = 10
      metersPerUnit = 1
    )
    def Mesh "M" {
      int[] faceVertexCounts = [3]
      int[] faceVertexIndices = [0, 1, 2]
      point3f[] points.timeSamples = {
        1: [(0, 0, 0), (1, 0, 0), (0, 1, 0)],
        3: [(0, 0, 4), (1, 0, 4), (0, 1, 4)],
      }
    }`);
    const [clip] = asset.clips;
    expect([...clip.times]).toEqual([0, 0.1, 0.2]);
    // the whole time code between the samples is interpolated
    expect([...clip.positions].filter((_, c) => c % 9 === 2)).toEqual([0, 2, 4]);
  });

  it('plays sampled transforms as animated nodes that carry their meshes', async () => {
    const asset = await read(`
    def Xform "A" {
      double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 24: (0, 5, 0) }
      uniform token[] xformOpOrder = ["xformOp:translate"]
      def Mesh "M" { ${QUAD} }
    }`);
    expect(asset.rig?.skeleton.names).toEqual(['A']);
    const [animation] = asset.animations;
    expect(animation.duration).toBe(1);
    const track = animation.tracks.find(({ path }) => path === 'translation');
    expect([...(track?.values.slice(-3) ?? [])]).toEqual([0, 5, 0]);
  });

  const SKINNED = `
  def SkelRoot "Root" {
    def Skeleton "Skel" {
      uniform token[] joints = ["hip", "hip/knee"]
      uniform matrix4d[] bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1))]
      uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1))]
      rel skel:animationSource = <Walk>
      def SkelAnimation "Walk" {
        uniform token[] joints = ["hip/knee"]
        quatf[] rotations.timeSamples = { 0: [(1, 0, 0, 0)], 12: [(0.5, 0.8660254, 0, 0)] }
        uniform token[] blendShapes = ["smile"]
        float[] blendShapeWeights.timeSamples = { 0: [0], 12: [1] }
      }
    }
    def Mesh "Body" {
      ${QUAD}
      rel skel:skeleton = </Root/Skel>
      int[] primvars:skel:jointIndices = [0, 0, 0, 0, 1, 0, 1, 0] (interpolation = "vertex"; elementSize = 2)
      float[] primvars:skel:jointWeights = [1, 0, 1, 0, 0.5, 0.5, 1, 0] (interpolation = "vertex"; elementSize = 2)
      uniform token[] skel:blendShapes = ["smile"]
      rel skel:blendShapeTargets = </Root/Body/smile>
      def BlendShape "smile" {
        uniform vector3f[] offsets = [(0, 0, 2)]
        uniform vector3f[] inbetweens:half = [(0, 0, 8)] (weight = 0.5)
        uniform int[] pointIndices = [1]
      }
    }
  }`;

  it('reads UsdSkel: joints, weights, rotations, and blend shapes with in-betweens', async () => {
    const { rig, animations, morphs, nodes } = await read(SKINNED);
    expect(rig?.skeleton.names).toEqual(['hip', 'knee']);
    expect([...(rig?.skeleton.parents ?? [])]).toEqual([-1, 0]);
    expect([...(rig?.skin.rowStart ?? [])]).toEqual([0, 1, 2, 4, 5]);
    expect(morphs?.targets.map(({ positions }) => positions[5])).toEqual([8, 2]);
    const [{ name, tracks }] = animations;
    expect(name).toBe('Walk');
    const turn = tracks.find(({ path }) => path === 'rotation');
    expect(nodes.names[turn!.node]).toBe('knee');
    // x y z w
    expect([...turn!.values.slice(4)]).toEqual([0.8660253882408142, 0, 0, 0.5]);
    const weights = tracks.find(({ path }) => path === 'weights');
    // a key where the in-between is reached
    expect([...weights!.times]).toEqual([0, 0.25, 0.5]);
    expect([...weights!.values]).toEqual([0, 0, 1, 0, 0, 1]);
  });

  it('ignores a skin that is not below a SkelRoot, as USD does', async () => {
    const { rig } = await read(SKINNED.replace('def SkelRoot', 'def Xform'));
    expect(rig).toBeUndefined();
  });

  it('composes references, payloads, variants and sublayers, with paths and times moved', async () => {
    const asset = await read(
      `(
      metersPerUnit = 1
      subLayers = [@./over.usda@]
    )
    def "Left" (prepend references = @parts/leaf.usda@ (offset = 24)) {}
    def "Right" (payload = @parts/leaf.usda@</Other> variants = { string size = "big" }) {
      variantSet "size" = {
        "big" { over "M" { point3f[] points = [(0, 0, 0), (9, 0, 0), (0, 9, 0)] } }
        "small" {}
      }
    }`,
      {
        'over.usda':
          'over "Left" { double3 xformOp:translate = (0, 0, 7)\n uniform token[] xformOpOrder = ["xformOp:translate"] }',
        'parts/leaf.usda': `(
          defaultPrim = "Leaf"
        )
        def Xform "Leaf" {
          def Mesh "M" (references = </Shape>) {}
          rel target = </Leaf/M>
        }
        def Xform "Other" { def Mesh "M" (references = @./../parts/shape.usda@) {} }
        class Mesh "Shape" { int[] faceVertexCounts = [3]
          int[] faceVertexIndices = [0, 1, 2]
          point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)] }`,
        'parts/shape.usda': `(
          defaultPrim = "S"
        )
        def Mesh "S" { int[] faceVertexCounts = [3]
          int[] faceVertexIndices = [0, 1, 2]
          point3f[] points = [(0, 0, 0), (2, 0, 0), (0, 2, 0)] }`,
      },
    );
    const { positions } = asset.mesh;
    expect(positions.length).toBe(18);
    expect(positions[2]).toBe(7);
    expect(positions[12]).toBe(9);
  });

  it('leaves out what is missing, with a note', async () => {
    const notes: string[] = [];
    await read(`def "A" (references = @gone.usda@) {}\n def Mesh "M" { ${QUAD} }`, {}, notes);
    expect(notes).toEqual(['"gone.usda" is missing; what it holds is left out']);
  });

  it.each(['../secret.usda', '/etc/passwd', 'https://example.com/a.usda'])(
    'leaves out %s, which is outside of the folder, with a note, and asks for no such file',
    async (asset) => {
      const notes: string[] = [];
      const asked: string[] = [];
      const text = `#usda 1.0\ndef "A" (references = @${asset}@) {}\n def Mesh "M" { ${QUAD} }`;
      const resolve = async (path: string) => {
        asked.push(path);
        return encode(`#usda 1.0\ndef Mesh "M" { ${QUAD} }`);
      };
      const { mesh } = await readUsd(encode(text), { resolve, log: (note) => notes.push(note) });
      expect(mesh.positions.length).toBe(12);
      expect(notes).toEqual([`"${asset}" is outside of the folder of the stage; what it holds is left out`]);
      expect(asked).toEqual([]);
    },
  );

  it('leaves out a layer of another format, with a note', async () => {
    const notes: string[] = [];
    const resolve = async () => encode('<materialx/>');
    const text = `#usda 1.0\ndef "A" (references = @look.mtlx@) {}\n def Mesh "M" { ${QUAD} }`;
    await readUsd(encode(text), { resolve, log: (note) => notes.push(note) });
    expect(notes[0]).toBe('"look.mtlx" cannot be read: neither text, binary nor packaged USD');
  });

  it('reads packages', async () => {
    const asset = await readAsset([
      {
        name: 'a.usdz',
        bytes: store({
          'a.usda': `#usda 1.0\ndef "R" (references = @sub/b.usda@) {}`,
          'sub/b.usda': `#usda 1.0\n(\ndefaultPrim = "M"\n)\ndef Mesh "M" { ${QUAD} }`,
        }),
      },
    ]);
    expect(asset.mesh.positions.length).toBe(12);
  });

  it.each([
    ['a reference to itself', 'def "A" (references = </A>) {}', 'refers to itself'],
    ['nothing to draw', 'def Xform "A" {}', 'draws no mesh'],
    ['nothing but what is missing', 'def "A" (references = @gone.usda@) {}', 'a file that it refers to was left out'],
    [
      'points that are no positions',
      `def Mesh "M" { ${QUAD.replace(/point3f.*/, 'int[] points = [1, 2, 3]')} }`,
      'draws no mesh',
    ],
    ['a face beyond the points', `def Mesh "M" { ${QUAD.replace('2, 3]', '2, 9]')} }`, 'point 9 of 4'],
    ['a string without end', 'def Mesh "M', 'line 2: a string does not end'],
    [
      'changing topology',
      `def Mesh "M" { ${QUAD} point3f[] points.timeSamples = { 0: [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], 1: [(0, 0, 0)] } }`,
      'the topology must not change',
    ],
    [
      'frames without end',
      `def Xform "A" { float xformOp:rotateX.timeSamples = { 0: 0, 1e12: 1 }\n uniform token[] xformOpOrder = ["xformOp:rotateX"]\n def Mesh "M" { ${QUAD} } }`,
      'more than 1000000',
    ],
  ])('refuses %s in one sentence', async (_, text, fault) => {
    await expect(read(text)).rejects.toThrow(FormatError);
    await expect(read(text)).rejects.toThrow(fault);
  });

  describe('whose parts repeat', () => {
    /** Prims that refer to classes whose prims refer to classes, and so on. */
    const nest = (fan: number, depth: number): string =>
      [
        'def "R" (references = </L0>) {}',
        ...Array.from({ length: depth }, (_, d) => {
          const children = Array.from({ length: fan }, (__, n) => `def "c${n}" (references = </L${d + 1}>) {}`);
          return `class "L${d}" { ${children.join('\n')} }`;
        }),
        `class Mesh "L${depth}" { ${QUAD} }`,
      ].join('\n');
    const sample = (count: number, z: number) =>
      `[${Array.from({ length: count }, (_, n) => `(${n}, ${n % 7}, ${z})`).join(', ')}]`;
    const cache = (points: number, last: number): string =>
      `def Mesh "M" { int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        point3f[] points.timeSamples = { 0: ${sample(points, 0)}, ${last}: ${sample(points, 1)} } }`;

    it('is read while it is in proportion to its files', async () => {
      const { mesh } = await read(nest(4, 3));
      expect(mesh.positions.length).toBe(12 * 64);
      const { clips } = await read(cache(100, 240));
      expect(clips[0].times.length).toBe(241);
    });

    it.each([
      ['references of references', nest(2, 18)],
      ['references of many references', nest(100, 3)],
      ['thousands of meshes', nest(8, 4)],
      ['frames between two samples', cache(900, 50_000)],
      ['frames of few points between two samples', cache(3, 500_000)],
      [
        'keys between two samples',
        Array.from(
          { length: 50 },
          (_, n) => `def Xform "a${n}" { float xformOp:rotateX.timeSamples = { 0: 0, 40000: 3 }
            uniform token[] xformOpOrder = ["xformOp:rotateX"]
            def Mesh "m" { ${QUAD} } }`,
        ).join('\n'),
      ],
      [
        'weights of one point for all points',
        `def SkelRoot "R" { def Skeleton "S" { uniform token[] joints = ["a"] }
          def Mesh "M" { ${QUAD.replace(/point3f.*/, `point3f[] points = ${sample(3000, 0)}`)}
            rel skel:skeleton = </R/S>
            int[] primvars:skel:jointIndices = [${Array(2000).fill(0)}] (interpolation = "constant"; elementSize = 2000)
            float[] primvars:skel:jointWeights = [${Array(2000).fill(1)}] (interpolation = "constant"; elementSize = 2000) } }`,
      ],
    ])('refuses %s without allocating them', async (_, text) => {
      await expect(read(text)).rejects.toThrow(/would take \d+ MB of memory, and files of \d+ bytes may take \d+ MB/);
    });

    it('takes no more memory than the caller allows', async () => {
      const text = encode(`#usda 1.0\n${nest(8, 3)}`);
      await expect(readUsd(text, { maxMemory: 2e6 })).rejects.toThrow('may take 2 MB');
      expect((await readUsd(text)).mesh.positions.length).toBe(12 * 512);
    });
  });

  it('gives a FormatError or an asset for any mutation of a file', async () => {
    const seed = encode(`#usda 1.0\n${SKINNED}`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(seed.length - 1), fc.integer({ min: 9, max: 126 })), { maxLength: 6 }),
        fc.nat(seed.length),
        async (changes, cut) => {
          const bytes = seed.slice(0, changes.length % 2 ? cut : seed.length);
          for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
          try {
            const { mesh } = await readUsd(bytes);
            expect(mesh.positions.length).toBeGreaterThan(0);
          } catch (error) {
            expect(error).toBeInstanceOf(FormatError);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** A zip archive of stored files, as USDZ is. */
function store(files: Record<string, string>): Uint8Array {
  const bytes: number[] = [];
  const directory: number[] = [];
  const u16 = (n: number) => [n & 255, n >> 8];
  const u32 = (n: number) => [...u16(n & 65535), ...u16(n >>> 16)];
  for (const [name, text] of Object.entries(files)) {
    const start = bytes.length;
    const [path, data] = [encode(name), encode(text)];
    const sizes = [...u32(0), ...u32(data.length), ...u32(data.length), ...u16(path.length)];
    bytes.push(...u32(0x04034b50), ...u16(10), ...u16(0), ...u16(0), ...u32(0), ...sizes, ...u16(0), ...path, ...data);
    directory.push(
      ...u32(0x02014b50),
      ...u16(10),
      ...u16(10),
      ...u16(0),
      ...u16(0),
      ...u32(0),
      ...sizes,
      ...u16(0),
      ...u16(0),
      ...u16(0),
      ...u16(0),
      ...u32(0),
      ...u32(start),
      ...path,
    );
  }
  const count = Object.keys(files).length;
  const end = [
    ...u32(0x06054b50),
    ...u16(0),
    ...u16(0),
    ...u16(count),
    ...u16(count),
    ...u32(directory.length),
    ...u32(bytes.length),
    ...u16(0),
  ];
  return Uint8Array.from([...bytes, ...directory, ...end]);
}
