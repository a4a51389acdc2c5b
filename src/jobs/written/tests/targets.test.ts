// SPDX-License-Identifier: MIT
// A character with everything that engines stumble over, written for every target and played by three.js.

import { validateBytes } from 'gltf-validator';
import { type AnimationClip, AnimationMixer, type Object3D, type Mesh as ThreeMesh, Vector3 } from 'three';
import { FBXLoader } from 'three/examples/jsm/loaders/FBXLoader.js';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Asset } from '../../../core/model/asset.ts';
import { InputError } from '../../../core/model/errors.ts';
import { maxInfluencesOf } from '../../../core/model/skin/skin.ts';
import type { SurfaceMaterial } from '../../../core/model/surface-look.ts';
import { readAsset } from '../../../formats/assets/index.ts';
import { packGlb, readScene, type Scene, splitGlb } from '../../../formats/gltf/index.ts';
import { cutInfluences } from '../../../formats/targets/cut-influences.ts';
import { TARGETS, type TargetName } from '../../../formats/targets/index.ts';
import { makeCharacter, playScene } from '../../../formats/targets/tests/sample-character.ts';
import { checkUsdz } from '../../../formats/usd/index.ts';
import { makeSample } from '../../../samples/index.ts';
import type { Job, JobIo } from '../../engine/index.ts';
import { assetOfSample } from '../../sample/index.ts';
import { runJob } from '../../table/index.ts';

/** Largest error, percent of the size: FBX has angles, and USD has scales of 16 bits. The same files without a target have it too. */
const SAME_PERCENT = 0.02;
const PNG = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 4, 0, 0, 0, 4);

const MATERIAL: SurfaceMaterial = {
  ...{ name: 'cloth', color: [0.5, 0.25, 0.1, 1], metallic: 0, roughness: 0.5, emissive: [0, 0, 0] },
  ...{ alpha: 'opaque', cutoff: 0.5, isDoubleSided: false, isUnlit: false, normalScale: 1, occlusionStrength: 1 },
  colorMap: {
    image: 0,
    uv: 0,
    wrap: ['repeat', 'repeat'],
    isNearest: false,
    offset: [0, 0],
    rotation: 0,
    scale: [1, 1],
  },
};

/** The character with a texture, and with four influences: what players show is then the same for all targets. */
function makeTextured(): Scene {
  const character = cutInfluences(makeCharacter(), 4);
  const [body, ...others] = character.shapes;
  return {
    ...character,
    shapes: [{ ...body, materialOfPart: [0] }, ...others],
    look: { materials: [MATERIAL], images: [{ type: 'image/png', bytes: PNG, name: 'cloth' }] },
  };
}

let character: Scene;
let asset: Asset;

const io: JobIo = {
  version: '0.0.0',
  threads: 1,
  open: async (input) => ({ input, asset, paths: [input] }),
  read: async (path) => {
    throw new InputError(path, 'no such file');
  },
};

const bake = (output: string, options: Job['options']) =>
  runJob({ command: 'bake', inputs: ['in.glb'], output, options }, io);

const readCharacter = (): Promise<Asset> => readScene(character, 1000, { name: 'in', log: () => {} });

/** Without images, which need a page. */
function readPlain(): Promise<Asset> {
  const shapes = character.shapes.map((shape) => ({ ...shape, materialOfPart: undefined }));
  return readScene({ ...character, shapes, look: { materials: [], images: [] } }, 1000, { name: 'in', log: () => {} });
}

beforeAll(() => {
  character = makeTextured();
});
beforeEach(async () => {
  asset = await readCharacter();
});

const EXTENSIONS: readonly [TargetName, string][] = [
  ['unreal', '.fbx'],
  ['unreal', '.glb'],
  ['unity', '.fbx'],
  ['unity', '.gltf'],
  ['godot', '.glb'],
  ['blender', '.usda'],
  ['web', '.glb'],
  ['ar', '.usdz'],
];

describe.each(EXTENSIONS)('a character for %s as %s', (name, extension) => {
  it('has the size, the names and the root of the target, and plays as before', async () => {
    const { files, report } = await bake(`out${extension}`, { for: name });
    expect(report.target).toMatchObject({ name, title: TARGETS[name].title });
    expect(report.options.for).toBe(name);
    expect(report.metrics.maxPercent).toBeLessThan(SAME_PERCENT);
    expect(report.losses?.filter(({ kind }) => kind !== 'tangents' && kind !== 'meshes')).toEqual([]);
    const back = await readAsset([{ name: files[0].path, bytes: files[0].bytes as Uint8Array }], {
      resolve: async (uri) => files.find(({ path }) => path === uri)?.bytes as Uint8Array,
    });
    const { root, influences, names } = TARGETS[name];
    if (root) expect(back.rig?.skeleton.names).toContain(root.value);
    if (influences && back.rig) expect(maxInfluencesOf(back.rig.skin)).toBeLessThanOrEqual(influences.value);
    for (const own of back.rig?.skeleton.names ?? [])
      if (names) expect(own).not.toMatch(new RegExp(names.value.refused.source));
    const isOne = TARGETS[name].takes?.value === 'one' && /fbx|usd/.test(extension);
    expect(back.animations.length).toBe(isOne ? 1 : 2);
    expect(files.some(({ path }) => path === `out.Run${extension}`)).toBe(isOne);
    if (extension === '.glb') {
      const { messages } = (await validateBytes(files[0].bytes as Uint8Array)).issues;
      // the image of this test has no pixels
      const faults = messages.filter(({ severity, code }) => severity < 2 && !code.startsWith('IMAGE_'));
      expect(faults).toEqual([]);
    }
    if (extension === '.usdz') expect(files.flatMap(({ bytes }) => checkUsdz(bytes as Uint8Array))).toEqual([]);
  });
});

type Loaded = { scene: Object3D; animations: AnimationClip[] };

/** Loads a file without a page. */
async function load(path: string, bytes: Uint8Array): Promise<Loaded> {
  const copy = bytes.slice().buffer;
  vi.stubGlobal('window', { innerWidth: 1, innerHeight: 1 });
  vi.stubGlobal('document', { createElementNS: () => ({ addEventListener() {}, removeEventListener() {} }) });
  vi.stubGlobal('URL', Object.assign(class {}, { createObjectURL: () => 'blob:picture', revokeObjectURL() {} }));
  try {
    if (path.endsWith('.fbx')) {
      const scene = new FBXLoader().parse(copy, '');
      return { scene, animations: scene.animations };
    }
    const { scene, animations } = await new GLTFLoader().parseAsync(copy, '');
    return { scene, animations };
  } finally {
    vi.unstubAllGlobals();
  }
}

/** Corners of the body and the hat, where three.js draws them. */
function playLoaded({ scene, animations }: Loaded, name: string, time: number): number[] {
  const mixer = new AnimationMixer(scene);
  const clip = animations.find((one) => one.name === name);
  if (!clip) throw new Error(`no animation ${name}`);
  mixer.clipAction(clip).play();
  mixer.setTime(time);
  scene.updateMatrixWorld(true);
  const out: number[] = [];
  for (const shape of ['body', 'hat']) {
    const found: ThreeMesh[] = [];
    scene.traverse((node) => {
      const mesh = node as ThreeMesh;
      if (mesh.isMesh && mesh.geometry.attributes.position.count === (shape === 'body' ? 12 : 3)) found.push(mesh);
    });
    const [mesh] = found;
    for (let i = 0; i < mesh.geometry.attributes.position.count; i++)
      out.push(...mesh.getVertexPosition(i, new Vector3()).applyMatrix4(mesh.matrixWorld).toArray());
  }
  return out;
}

describe('three.js', () => {
  it.each<[TargetName, string, (p: number[]) => number[]]>([
    // three.js turns a file with z up
    ['unreal', '.fbx', ([x, y, z]) => [100 * x, 100 * y, 100 * z]],
    ['unity', '.fbx', ([x, y, z]) => [100 * x, 100 * y, 100 * z]],
    ['blender', '.fbx', (p) => p],
    ['godot', '.fbx', (p) => p],
    ['unity', '.glb', (p) => p],
    ['web', '.glb', (p) => p],
  ])('plays both animations of a file for %s (%s)', async (name, extension, place) => {
    asset = await readPlain();
    const { files } = await bake(`out${extension}`, { for: name });
    const models = await Promise.all(
      files.filter(({ path }) => path.endsWith(extension)).map(({ path, bytes }) => load(path, bytes as Uint8Array)),
    );
    for (const animation of ['Idle', 'Run']) {
      const model = models.find(({ animations }) => animations.some((one) => one.name === animation));
      if (!model) throw new Error(`no file has ${animation}`);
      for (const time of [0, 0.25, 0.5, 0.999]) {
        const before = playScene(character, animation, time);
        const after = playLoaded(model, animation, time);
        expect(after).toHaveLength(before.length);
        const expected = Array.from({ length: before.length / 3 }, (_, i) =>
          place(before.slice(3 * i, 3 * i + 3)),
        ).flat();
        const size = Math.max(...expected.map(Math.abs));
        // three.js blends angles of FBX between keys
        const limit = (extension === '.fbx' && time !== 0.5 && time !== 0 ? 5e-3 : 3e-4) * size;
        expected.forEach((x, c) => {
          expect(Math.abs(after[c] - x)).toBeLessThan(limit);
        });
      }
    }
  });
});

describe('a GLB for a target', () => {
  it('that needs no change of it is the same, byte for byte', async () => {
    const plain = await bake('out.glb', {});
    asset = await readAsset([
      { name: 'in.glb', bytes: (await bake('out.glb', { for: 'unity' })).files[0].bytes as Uint8Array },
    ]);
    const [once, again] = [await bake('out.glb', {}), await bake('out.glb', { for: 'unity' })];
    expect(again.files[0].bytes).toEqual(once.files[0].bytes);
    expect(plain.files[0].bytes).not.toEqual(once.files[0].bytes);
  });

  it('keeps the extensions of its materials', async () => {
    const { json, binary } = splitGlb((await bake('out.glb', {})).files[0].bytes as Uint8Array<ArrayBuffer>);
    const gltf = json as { materials: object[]; extensionsUsed?: string[] };
    gltf.materials = [{ ...gltf.materials[0], extensions: { KHR_materials_clearcoat: { clearcoatFactor: 0.5 } } }];
    gltf.extensionsUsed = ['KHR_materials_clearcoat'];
    asset = await readAsset([{ name: 'in.glb', bytes: packGlb(gltf, binary) }]);
    const { files, report } = await bake('out.glb', { for: 'unity' });
    const after = splitGlb(files[0].bytes as Uint8Array<ArrayBuffer>).json as typeof gltf;
    expect(after.materials[0]).toMatchObject({ extensions: { KHR_materials_clearcoat: { clearcoatFactor: 0.5 } } });
    expect(after.extensionsUsed).toEqual(['KHR_materials_clearcoat']);
    expect(report.losses).toEqual([]);
  });
});

describe('--textures', () => {
  it('puts the images of an FBX into it or beside it', async () => {
    const embedded = await bake('out.fbx', { textures: 'embed', for: 'unity' });
    expect(embedded.files.map(({ path }) => path)).toEqual(['out.fbx']);
    const beside = await bake('folder/out.fbx', { textures: 'beside' });
    expect(beside.files.map(({ path }) => path)).toEqual(['folder/out.fbx', 'folder/cloth.png']);
    expect(beside.report.losses?.filter(({ kind }) => kind === 'images')).toEqual([]);
  });

  it.each([
    ['beside', 'out.glb', /"out.glb" always has its images inside; write \.gltf, \.usda, \.usdc or \.fbx/],
    ['embed', 'out.gltf', /"out.gltf" always has its images beside it/],
    ['embed', 'out.abc', /applies to \.glb/],
  ])('%s is refused for %s', async (place, output, message) => {
    await expect(bake(output, { textures: place })).rejects.toThrow(message);
  });
});

describe('what does not fit a target is refused with the remedy', () => {
  it.each<[string, string, Job['options'], RegExp]>([
    ['bake', 'walk.fbx', { for: 'ar' }, /--for ar: AR Quick Look opens \.usdz, not "walk.fbx"; write walk\.usdz/],
    ['bake', 'walk.abc', { for: 'unreal' }, /not "walk.abc"; write walk\.fbx/],
    ['bake', 'walk', { for: 'unreal', as: 'bone-texture' }, /applies to characters/],
    ['bake', 'walk.glb', { for: 'size' }, /size/],
    ['bake', 'walk.glb', { for: 'godot', quantize: true }, /--quantize: Godot does not read it; remove it/],
    ['bake', 'walk.glb', { for: 'unity', meshopt: true }, /--meshopt: Unity does not read it/],
    ['reduce', 'walk.glb', { for: 'web', influences: 8 }, /8 is more than three\.js reads; give 4 or less/],
    [
      'decompose',
      'walk.fbx',
      { for: 'unreal', transforms: 'affine' },
      /Unreal Engine ignores shear; give rigid or similarity/,
    ],
  ])('%s to %s', async (command, output, options, message) => {
    await expect(runJob({ command, inputs: ['in.glb'], output, options }, io)).rejects.toThrow(message);
  });
});

describe('jobs that solve', () => {
  it('write for a target, and measure the file', async () => {
    asset = assetOfSample(makeSample('bar-bend', { resolution: 100, frames: 8 }));
    const job = { command: 'decompose', inputs: ['bar'], options: { bones: 4, iterations: 2 } };
    const plain = await runJob({ ...job, output: 'bar.glb' }, io);
    const unreal = await runJob({ ...job, output: 'bar.fbx', options: { ...job.options, for: 'unreal' } }, io);
    expect(unreal.report.metrics.max).toBeCloseTo(plain.report.metrics.max ?? NaN, 4);
    const back = await readAsset([{ name: 'bar.fbx', bytes: unreal.files[0].bytes as Uint8Array }]);
    expect(back.rig?.skeleton.names).toContain('root');
    const web = await runJob({ ...job, output: 'bar.glb', options: { ...job.options, for: 'web' } }, io);
    expect(web.report.metrics.max).toBeCloseTo(plain.report.metrics.max ?? NaN, 5);
    const small = await runJob({ ...job, output: 'bar.glb', options: { ...job.options, for: 'size' } }, io);
    expect(small.report.target).toBeUndefined();
  });

  it('measure a rig without animations in poses of its joints, whose names the target changes', async () => {
    const names = character.nodes.names.map((name, n) => (n === 8 ? 'finger' : name));
    const still = { ...character, nodes: { ...character.nodes, names }, animations: [] };
    asset = await readScene(still, 1000, { name: 'in', log: () => {} });
    const job = { command: 'reduce', inputs: ['in'], options: { influences: 4 } };
    const plain = await runJob({ ...job, output: 'out.fbx' }, io);
    const unreal = await runJob({ ...job, output: 'out.fbx', options: { ...job.options, for: 'unreal' } }, io);
    const { maxPercent = NaN } = plain.report.metrics;
    expect(Math.abs((unreal.report.metrics.maxPercent ?? NaN) - maxPercent)).toBeLessThan(SAME_PERCENT);
    expect(unreal.report.target?.changes.some((text) => text.includes('"spine.01" is "spine_01"'))).toBe(true);
  });
});
