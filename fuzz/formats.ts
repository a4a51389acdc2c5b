// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Random } from '../src/core/math/random.ts';
import type { Asset } from '../src/core/model/asset.ts';
import type { Clip } from '../src/core/model/clip/clip.ts';
import { makeAsset } from '../src/core/model/make-asset.ts';
import { decodeImage, writePng } from '../src/entry/draw.ts';
import {
  type InputFile,
  makePlainContent,
  readAsset,
  readMorphDrivers,
  writeAbc,
  writeFbx,
  writeGlb,
  writeMdd,
  writeMorphDrivers,
  writeObj,
  writePc2,
  writeUsda,
  writeUsdz,
} from '../src/entry/index.ts';
import { readBvh } from '../src/formats/bvh/index.ts';
import { checkAccepted } from './check-accepted.ts';
import { type FuzzFormat, pick, type Seed, type Verdict } from './fuzz-format.ts';
import { mutateBytes, splice } from './mutate/mutate-bytes.ts';
import { mutateWords } from './mutate/mutate-cache.ts';
import { mutateGlb, mutateGltf, shrinkGltf } from './mutate/mutate-gltf.ts';
import { jsonText, mutateJsonInto } from './mutate/mutate-json.ts';
import { mutateObj } from './mutate/mutate-obj.ts';
import { readWithThree } from './read-with-three.ts';
import { generateGltf } from './seeds/generate-gltf.ts';
import { generateUsd } from './seeds/generate-usd.ts';
import { HDF5_ARCHIVES } from './seeds/hdf5-archives.ts';
import { JPEG_PICTURES } from './seeds/jpeg-pictures.ts';
import { makeColumn, makeGlbSeeds } from './seeds/make-glb-seeds.ts';
import { makeHdf5Archive } from './seeds/make-hdf5.ts';
import { makeUsdc } from './seeds/make-usdc.ts';

/** One of this many accepted files is written and read again. */
const WRITTEN_SHARE = 64;

const DATA = process.env.OSSIFY_DATA ?? '../shared';

const CLIP = makeClip();
const OBJ: InputFile = { name: 'rest.obj', bytes: writeObj(CLIP.mesh) };
const BUFFER = Uint8Array.from({ length: 4096 }, (_, n) => n & 1);

const BVH: Seed = {
  name: 'two joints',
  bytes: new TextEncoder().encode(`HIERARCHY
ROOT hip
{
  OFFSET 0 1 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT leg
  {
    OFFSET 0.5 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -1 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.05
1 2 3 0 0 0 90 0 0
1 2 4 0 0 0 0 90 90
`),
};

const PLY: Seed = {
  name: 'text',
  bytes: new TextEncoder().encode(`ply
format ascii 1.0
element vertex 3
property float x
property float y
property float z
property uchar red
property uchar green
property uchar blue
element face 1
property list uchar int vertex_indices
end_header
0 0 0 255 0 0
1 0 0 0 255 0
0 1 0 0 0 255
3 0 1 2
`),
};
const STL: Seed = {
  name: 'text',
  bytes: new TextEncoder().encode(`solid s
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid s
`),
};

/** All that is fuzzed. A new format is one more entry. */
export const FORMATS: Readonly<Record<string, FuzzFormat>> = {
  glb: {
    extension: 'glb',
    makeSeeds: async () => [...(await makeGlbSeeds()), ...listFiles('formats/AnimatedMorphCube.glb')],
    mutate: mutateGlb,
    target: (bytes) => readAndCheck([{ name: 'x.glb', bytes }]),
    shrink: shrinkGltf,
  },
  /** The stream of OSSIFY_compact_skin: damaged bytes, and damaged JSON around it. */
  compact: {
    extension: 'glb',
    makeSeeds: async () => (await makeGlbSeeds()).filter(({ name }) => name === 'compact'),
    mutate: (random, seeds) => (random.below(3) === 0 ? mutateGlb(random, seeds) : mutateFew(random, seeds)),
    target: (bytes) => readAndCheck([{ name: 'x.glb', bytes }]),
    shrink: shrinkGltf,
  },
  gltf: {
    extension: 'gltf',
    makeSeeds: makeGlbSeeds,
    mutate: mutateGltf,
    target: (bytes) => readAndCheck([{ name: 'x.gltf', bytes }]),
    shrink: shrinkGltf,
  },
  obj: {
    extension: 'obj',
    makeSeeds: makeObjSeeds,
    mutate: mutateObj,
    // Alone, or as the second frame of a sequence.
    target: async (bytes) =>
      (await readAndCheck([{ name: 'x.obj', bytes }])) ??
      (bytes.length % 2 === 0 ? readAndCheck([OBJ, { name: 'x.obj', bytes }]) : undefined),
  },
  pc2: {
    extension: 'pc2',
    makeSeeds: async () => [{ name: 'column', bytes: writePc2(CLIP) }],
    mutate: (random, seeds) => mutateWords(random, seeds, 32, true),
    target: (bytes) => readAndCheck([OBJ, { name: 'x.pc2', bytes }]),
  },
  mdd: {
    extension: 'mdd',
    makeSeeds: async () => [{ name: 'column', bytes: writeMdd(CLIP) }],
    mutate: (random, seeds) => mutateWords(random, seeds, 20, false),
    target: (bytes) => readAndCheck([OBJ, { name: 'x.mdd', bytes }]),
  },
  abc: {
    extension: 'abc',
    makeSeeds: async () => [{ name: 'column', bytes: writeAbc(CLIP) }, ...listFiles('formats/staticMeshTest.abc')],
    mutate: mutateFew,
    target: (bytes) => readAndCheck([{ name: 'x.abc', bytes }]),
  },
  /** The old container of Alembic. */
  hdf5: {
    extension: 'abc',
    makeSeeds: makeHdf5Seeds,
    mutate: mutateFew,
    target: (bytes) => readAndCheck([{ name: 'x.abc', bytes }]),
  },
  fbx: {
    extension: 'fbx',
    makeSeeds: makeFbxSeeds,
    mutate: mutateFew,
    target: (bytes) => readAndCheck([{ name: 'x.fbx', bytes }]),
  },
  usd: {
    extension: 'usd',
    makeSeeds: makeUsdSeeds,
    mutate: mutateFew,
    target: (bytes) => readAndCheck([{ name: 'x.usd', bytes }]),
  },
  /** Stages that are generated, not damaged: arcs between prims and files, samples at any time codes. */
  stage: {
    extension: 'usda',
    makeSeeds: async () => (await makeUsdSeeds()).slice(0, 1),
    mutate: (random) => generateUsd(random),
    target: (bytes) => readAndCheck([{ name: 'x.usda', bytes }], bytes),
  },
  /** Scenes that are generated: nodes in any graph, accessors without bytes. */
  graph: {
    extension: 'gltf',
    makeSeeds: makeGlbSeeds,
    mutate: (random) => generateGltf(random),
    target: (bytes) => readAndCheck([{ name: 'x.gltf', bytes }]),
  },
  bvh: {
    extension: 'bvh',
    makeSeeds: async () => [BVH],
    mutate: mutateFew,
    async target(bytes) {
      const { nodes, animations } = await readBvh(bytes);
      const values = animations.flatMap(({ tracks }) => tracks.flatMap((track) => [...track.values]));
      return [...nodes.translations, ...values].every(Number.isFinite) ? undefined : 'a number is not finite';
    },
  },
  ply: {
    extension: 'ply',
    makeSeeds: async () => [PLY],
    mutate: mutateFew,
    target: (bytes) => readAndCheck([{ name: 'x.ply', bytes }]),
  },
  stl: {
    extension: 'stl',
    makeSeeds: async () => [STL],
    mutate: mutateFew,
    target: (bytes) => readAndCheck([{ name: 'x.stl', bytes }]),
  },
  /** Textures, for pictures. */
  png: {
    extension: 'png',
    makeSeeds: async () => [{ name: 'picture', bytes: makePng() }],
    mutate: mutateFew,
    target: decodeAndCheck,
  },
  jpeg: {
    extension: 'jpg',
    makeSeeds: async () =>
      Object.entries(JPEG_PICTURES).map(([name, text]) => ({
        name,
        bytes: Uint8Array.from(Buffer.from(text, 'base64')),
      })),
    mutate: mutateFew,
    target: decodeAndCheck,
  },
  drivers: {
    extension: 'json',
    makeSeeds: async () => [{ name: 'drivers', bytes: makeDrivers() }],
    mutate: (random, seeds) => {
      const json: unknown = JSON.parse(new TextDecoder().decode(pick(random, seeds).bytes));
      for (let n = random.below(3); n >= 0; n--) mutateJsonInto(random, json);
      const bytes = new TextEncoder().encode(jsonText(json));
      return random.below(6) === 0 ? mutateBytes(random, bytes) : bytes;
    },
    target: async (bytes) => {
      readMorphDrivers(bytes);
      return undefined;
    },
  },
  /** Pages: what three.js loads must load with the plugin too. */
  three: {
    extension: 'glb',
    makeSeeds: makeGlbSeeds,
    mutate: mutateGlb,
    target: readWithThree,
    shrink: shrinkGltf,
  },
};

/** One to four changes of the bytes, or the beginning of one seed and the end of another. */
function mutateFew(random: Random, seeds: readonly Seed[]): Uint8Array<ArrayBuffer> {
  let bytes = pick(random, seeds).bytes;
  if (random.below(8) === 0) bytes = splice(random, bytes, pick(random, seeds).bytes);
  for (let n = random.below(4); n >= 0; n--) bytes = mutateBytes(random, bytes);
  return bytes;
}

/** The skinned asset of the first GLB seed, and the clip. */
async function listAssets(): Promise<Asset[]> {
  const [seed] = await makeGlbSeeds();
  return [await readAsset([{ name: 'x.glb', bytes: seed.bytes }]), makeAsset(CLIP)];
}

async function makeFbxSeeds(): Promise<Seed[]> {
  const assets = await listAssets();
  const content = assets.map((asset) => makePlainContent(asset, { kind: 'clip' }));
  return assets.map((asset, n) => ({ name: asset.name, bytes: writeFbx(asset, content[n]) }));
}

async function makeUsdSeeds(): Promise<Seed[]> {
  const assets = await listAssets();
  return [
    ...assets.map((asset) => ({ name: `${asset.name}.usda`, bytes: writeUsda(asset) })),
    { name: 'package', bytes: writeUsdz(assets[1]) },
    { name: 'binary', bytes: Uint8Array.from(makeUsdc([0, 0, 0, 1, 0, 0, 0, 1, 0])) },
  ];
}

/** A picture of a few pixels. */
function makePng(): Uint8Array<ArrayBuffer> {
  const pixels = Uint8Array.from({ length: 4 * 12 * 8 }, (_, n) => (n * 29) % 256);
  return Uint8Array.from(writePng({ width: 12, height: 8, pixels }));
}

async function decodeAndCheck(bytes: Uint8Array): Promise<Verdict> {
  const { width, height, pixels } = await decodeImage(bytes);
  return pixels.length === 4 * width * height ? undefined : 'the picture has another number of pixels';
}

/** Archives of the HDF5 library, and a smaller one. */
async function makeHdf5Seeds(): Promise<Seed[]> {
  const frames = [0, 1, 2].map((k) => Float32Array.of(0, 0, k, 1, 0, k, 0, 1, k));
  const small = makeHdf5Archive({ frames, indices: Int32Array.of(0, 2, 1), objectCount: 2 });
  const archives = Object.entries(HDF5_ARCHIVES).map(([name, text]) => ({
    name,
    bytes: Uint8Array.from(gunzipSync(Buffer.from(text, 'base64'))),
  }));
  return [{ name: 'small', bytes: small }, ...archives];
}

/** @param beside what every file beside the input holds */
async function readAndCheck(files: InputFile[], beside: Uint8Array = BUFFER): Promise<Verdict> {
  const resolve = async (): Promise<Uint8Array> => beside;
  const asset = await readAsset(files, { resolve });
  const fault = checkAccepted(asset);
  if (fault) return fault;
  const { bytes } = files[files.length - 1];
  const isWritten = bytes.length > 0 && (bytes[bytes.length >> 1] + bytes.length) % WRITTEN_SHARE === 0;
  return isWritten ? writeAndRead(asset) : undefined;
}

/** Writes an asset and reads the result: a file that was accepted must not become one that is not. */
async function writeAndRead(asset: Asset): Promise<Verdict> {
  const written = await writeGlb(asset);
  try {
    return checkAccepted(await readAsset([{ name: 'again.glb', bytes: written }]));
  } catch (error) {
    return `the written file is refused: ${error instanceof Error ? error.message : error}`;
  }
}

function makeClip(): Clip {
  const { mesh } = makeColumn();
  const stride = mesh.positions.length;
  const positions = Float32Array.from(
    { length: 3 * stride },
    (_, c) => mesh.positions[c % stride] + Math.floor(c / stride),
  );
  return { kind: 'clip', name: 'column', mesh, times: Float64Array.of(0, 1 / 24, 2 / 24), positions };
}

async function makeObjSeeds(): Promise<Seed[]> {
  const text = `mtllib x.mtl
o part one
v 0 0 0
v 1 0 0 1.0
v 1 1 0 0.5 0.5 0.5
v 0 1 1e-3
v -1 +.5 2E1
vt 0 0
vt 1 0.5 0
vn 0 0 1
g first
usemtl red
s 1
f 1/1/1 2/2/1 3/1/1 4/2/1 # a quad
f -1 -2 -3
f 1//1 3//1 5//1
l 1 2
p 1
g second
usemtl blue
f 1 2 \\
 3
f 1/1 2/1 5/2
`;
  return [
    { name: 'column', bytes: OBJ.bytes as Uint8Array<ArrayBuffer> },
    { name: 'features', bytes: new TextEncoder().encode(text) },
  ];
}

function makeDrivers(): Uint8Array<ArrayBuffer> {
  const pose = { rotations: [[0, 0, 0, 1] as [number, number, number, number]], targets: { lift: 1 } };
  return writeMorphDrivers([{ joints: ['joint'], radius: 1, poses: [pose, pose] }]);
}

/** Small files of real data, where they are present. */
function listFiles(...names: string[]): Seed[] {
  return names
    .map((name) => join(DATA, name))
    .filter((path) => existsSync(path))
    .map((path) => ({ name: path, bytes: Uint8Array.from(readFileSync(path)) }));
}
