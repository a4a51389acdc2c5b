// SPDX-License-Identifier: MIT
// Broken files through the commands that read them: one sentence that names the file and the fault, status 1, nothing left.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureCli } from '../capture-cli.ts';

let folder = '';
const at = (name: string) => join(folder, name);

const TRIANGLE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';
const OTHER = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n';

/** A PC2 whose header says what it is told to, followed by the given numbers. */
function makePc2(points: number, frames: number, numbers: number[]): Uint8Array {
  const bytes = new Uint8Array(32 + numbers.length * 4);
  bytes.set(new TextEncoder().encode('POINTCACHE2\0'));
  const view = new DataView(bytes.buffer);
  view.setInt32(12, 1, true);
  view.setInt32(16, points, true);
  view.setFloat32(20, 0, true);
  view.setFloat32(24, 1, true);
  view.setInt32(28, frames, true);
  numbers.forEach((value, n) => {
    view.setFloat32(32 + n * 4, value, true);
  });
  return bytes;
}

function makeMdd(points: number, frames: number, numbers: number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 + numbers.length * 4));
  view.setInt32(0, frames);
  view.setInt32(4, points);
  numbers.forEach((value, n) => {
    view.setFloat32(8 + n * 4, value);
  });
  return new Uint8Array(view.buffer);
}

/** A GLB of one triangle; `change` may break its JSON. */
function makeGlb(
  change: (json: GltfJson) => void = () => undefined,
  positions = [0, 0, 0, 1, 0, 0, 0, 1, 0],
): Uint8Array {
  const bin = new Uint8Array(new Float32Array([...positions, 0]).buffer);
  const view = new DataView(bin.buffer);
  [0, 1].forEach((value, n) => {
    view.setUint16(36 + n * 2, value, true);
  });
  const json: GltfJson = {
    asset: { version: '2.0' },
    buffers: [{ byteLength: bin.length }],
    bufferViews: [{ buffer: 0, byteLength: 36 }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    nodes: [{ mesh: 0 }],
    scenes: [{ nodes: [0] }],
    scene: 0,
  };
  change(json);
  const text = new TextEncoder().encode(JSON.stringify(json));
  const length = Math.ceil(text.length / 4) * 4;
  const bytes = new Uint8Array(12 + 8 + length + 8 + bin.length).fill(0x20);
  const out = new DataView(bytes.buffer);
  [0x46546c67, 2, bytes.length, length, 0x4e4f534a].forEach((value, n) => {
    out.setUint32(n * 4, value, true);
  });
  bytes.set(text, 20);
  out.setUint32(20 + length, bin.length, true);
  out.setUint32(24 + length, 0x004e4942, true);
  bytes.set(bin, 28 + length);
  return bytes;
}

interface GltfJson {
  accessors: Record<string, unknown>[];
  nodes: Record<string, unknown>[];
  [field: string]: unknown;
}

/** File names with their bytes. The first of a case is at fault unless it says which. */
const CASES: {
  title: string;
  input: string;
  files: Record<string, string | Uint8Array>;
  at?: string;
  fault: RegExp;
  /** info describes the input instead; commands.test.ts has that. */
  isDescribed?: boolean;
}[] = [
  ...['obj', 'glb', 'gltf'].map((ext) => ({
    title: `an empty .${ext}`,
    input: `empty.${ext}`,
    files: { [`empty.${ext}`]: '' },
    fault: /empty/,
  })),
  {
    title: 'a truncated GLB',
    input: 'cut.glb',
    files: { 'cut.glb': makeGlb().slice(0, 60) },
    fault: /end|trunc|length|bytes/i,
  },
  {
    title: 'a GLB with a wrong magic',
    input: 'magic.glb',
    files: { 'magic.glb': makeGlb().map((byte, n) => (n === 0 ? 0 : byte)) },
    fault: /glTF|JSON|magic/i,
  },
  {
    title: 'a GLB that claims four billion vertices',
    input: 'lies.glb',
    files: { 'lies.glb': makeGlb((json) => (json.accessors[0].count = 4e9)) },
    fault: /count|bytes|beyond|buffer|vertices/i,
  },
  {
    title: 'positions that are not finite in a GLB',
    input: 'nan.glb',
    files: { 'nan.glb': makeGlb(undefined, [0, 0, 0, Number.NaN, 0, 0, 0, 1, 0]) },
    fault: /not finite|NaN/i,
  },
  {
    title: 'nodes in a circle',
    input: 'circle.glb',
    files: { 'circle.glb': makeGlb((json) => (json.nodes = [{ mesh: 0, children: [1] }, { children: [0] }])) },
    fault: /cycl|circle|parent|own/i,
  },
  {
    title: 'a skin without joints',
    input: 'jointless.glb',
    files: {
      'jointless.glb': makeGlb((json) => {
        json.skins = [{ joints: [] }];
        json.nodes[0].skin = 0;
      }),
    },
    fault: /joint/i,
  },
  {
    title: 'a resource outside the folder',
    input: 'way.gltf',
    files: {
      'way.gltf': '{"asset":{"version":"2.0"},"buffers":[{"uri":"../secret.bin","byteLength":4}]}',
    },
    fault: /secret\.bin.*out of/,
  },
  {
    title: 'a missing resource',
    input: 'alone.gltf',
    files: { 'alone.gltf': '{"asset":{"version":"2.0"},"buffers":[{"uri":"gone.bin","byteLength":4}]}' },
    fault: /gone\.bin/,
  },
  {
    title: 'an index out of range',
    input: 'range.obj',
    files: { 'range.obj': 'v 0 0 0\nf 1 2 3\n' },
    fault: /line 2|vertex/,
  },
  {
    title: 'a position that is not finite in an OBJ',
    input: 'inf.obj',
    files: { 'inf.obj': `v 1e999 0 0\n${TRIANGLE}` },
    fault: /finite|number/,
  },
  { title: 'zero faces', input: 'faceless.obj', files: { 'faceless.obj': 'v 0 0 0\nv 1 0 0\n' }, fault: /no faces/ },
  { title: 'a single vertex', input: 'one.obj', files: { 'one.obj': 'v 0 0 0\n' }, fault: /no faces/ },
  {
    title: 'frames of different vertex counts',
    input: 'frame*.obj',
    files: { 'frame1.obj': TRIANGLE, 'frame2.obj': OTHER },
    at: 'frame2.obj',
    fault: /4.*3|3.*4/,
    isDescribed: true,
  },
  ...(['pc2', 'mdd'] as const).map((ext) => {
    const make = ext === 'pc2' ? makePc2 : makeMdd;
    return {
      title: `a .${ext} that claims two billion points`,
      input: `t.obj+lies.${ext}`,
      files: { 't.obj': TRIANGLE, [`lies.${ext}`]: make(2 ** 31 - 1, 2 ** 31 - 1, [0, 0, 0]) },
      at: `lies.${ext}`,
      fault: /announces/,
    };
  }),
  {
    title: 'a cache cut short',
    input: 't.obj+short.pc2',
    files: { 't.obj': TRIANGLE, 'short.pc2': makePc2(3, 2, [0, 0, 0, 1, 0, 0, 0, 1, 0]) },
    at: 'short.pc2',
    fault: /2 frames of 3 vertices/,
  },
  {
    title: 'a cache with a position that is not finite',
    input: 't.obj+nan.pc2',
    files: { 't.obj': TRIANGLE, 'nan.pc2': makePc2(3, 1, [0, 0, 0, Number.NaN, 0, 0, 0, 1, 0]) },
    at: 'nan.pc2',
    fault: /frame 0, vertex 1/,
  },
  {
    title: 'a cache of another mesh',
    input: 't.obj+other.pc2',
    files: { 't.obj': TRIANGLE, 'other.pc2': makePc2(1, 1, [0, 0, 0]) },
    at: 'other.pc2',
    fault: /1 vertices.*has 3/,
  },
  {
    title: 'a missing cache',
    input: 't.obj+gone.pc2',
    files: { 't.obj': TRIANGLE },
    at: 'gone.pc2',
    fault: /no such file/,
  },
  {
    title: 'an FBX that ends in its header',
    input: 'x.fbx',
    files: { 'x.fbx': 'Kaydara FBX Binary  \0' },
    fault: /binary FBX has at least 27 bytes/,
  },
];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-bad-'));
  await writeFile(at('secret.bin'), 'abcd');
  await mkdir(at('out'));
  for (const [n, one] of CASES.entries()) {
    await mkdir(at(`case${n}`));
    for (const [name, bytes] of Object.entries(one.files)) await writeFile(at(join(`case${n}`, name)), bytes);
  }
  await writeFile(at('good.obj'), TRIANGLE);
  await writeFile(at('good.pc2'), makePc2(3, 1, [0, 0, 0, 1, 0, 0, 0, 1, 0]));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The input of a case, its parts put into its folder. */
const place = (n: number, input: string) =>
  input
    .split('+')
    .map((part) => at(join(`case${n}`, part)))
    .join('+');

describe('a command given', () => {
  it.each(CASES.map((one, n) => ({ ...one, n })))(
    '$title fails with one sentence that names the file',
    async ({ input, n, fault, files, at: guilty, isDescribed }) => {
      const path = place(n, input);
      const commands = [
        ...(isDescribed ? [] : [['info', path, '--report', at('out/report.json')]]),
        ['compare', at('good.obj'), path, '--page', at('out/page.html')],
        ['draw', path, at('out/picture.png')],
        ['decompose', path, at('out/skin.glb')],
      ];
      for (const argv of commands) {
        const { status, out, err } = await captureCli(argv);
        expect({ status, out }, err).toEqual({ status: 1, out: '' });
        expect(err).toMatch(fault);
        expect(err, 'one sentence').toMatch(/^ossify: [^\n]+\n$/);
        expect(
          err.split(at(join(`case${n}`, guilty ?? Object.keys(files)[0]))).length,
          `names the file once: ${err}`,
        ).toBe(2);
      }
      expect(await readdir(at('out')), 'no output left behind').toEqual([]);
    },
  );

  it('a single frame, or weights that do not sum to one, does its job', async () => {
    const single = await captureCli(['info', `${at('good.obj')}+${at('good.pc2')}`, '--json']);
    expect([single.status, single.err]).toEqual([0, '']);
    expect(JSON.parse(single.out).result.clips).toMatchObject([{ frames: 1 }]);
  });

  it('an output that cannot be written fails before it works, and leaves nothing', async () => {
    const good = at('good.obj');
    const outputs: [string[], RegExp][] = [
      [['draw', good, at('nowhere/x.png')], /nowhere\/x\.png: the folder ".*nowhere" does not exist/],
      [['draw', good, join(good, 'x.png')], /x\.png: .*(is a file, not a folder|part of its path)/],
      [['compare', good, good, '--page', at('out')], /out: is a folder/],
      [['compare', good, good, '--page', at('out/page.html'), '--report', at('nowhere/r.json')], /nowhere\/r\.json/],
      [['decompose', `${good}+${at('good.pc2')}`, at('nowhere/skin.glb')], /nowhere\/skin\.glb/],
      [['sample', 'sheet', at('nowhere/sheet.glb')], /nowhere\/sheet\.glb/],
      [['demo', join(good, 'demo')], /demo: cannot be written: a part of its path is a file/],
    ];
    for (const [argv, fault] of outputs) {
      const { status, out, err } = await captureCli(argv);
      expect({ status, out }, err).toEqual({ status: 1, out: '' });
      expect(err).toMatch(fault);
      expect(err).toMatch(/^ossify: [^\n]+\n$/);
    }
    expect(await readdir(at('out'))).toEqual([]);
  });
});
