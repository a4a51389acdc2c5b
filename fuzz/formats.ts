// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeGlb } from '../src/gltf/write-glb.ts';
import { readMorphDrivers, writeMorphDrivers } from '../src/io/morph-driver-file.ts';
import { type InputFile, readAsset } from '../src/io/read-asset.ts';
import { writeMdd } from '../src/io/write-mdd.ts';
import { writeObj } from '../src/io/write-obj.ts';
import { writePc2 } from '../src/io/write-pc2.ts';
import type { Asset } from '../src/model/asset.ts';
import type { Clip } from '../src/model/clip.ts';
import { checkAccepted } from './check-accepted.ts';
import { type FuzzFormat, pick, type Seed, type Verdict } from './fuzz-format.ts';
import { makeColumn, makeGlbSeeds } from './make-glb-seeds.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutateWords } from './mutate-cache.ts';
import { mutateGlb, mutateGltf, shrinkGltf } from './mutate-gltf.ts';
import { jsonText, mutateJsonInto } from './mutate-json.ts';
import { mutateObj } from './mutate-obj.ts';
import { readWithThree } from './read-with-three.ts';

/** One in so many accepted files is written and read again. */
const WRITTEN_SHARE = 64;

const DATA = process.env.OSSIFY_DATA ?? '../shared';

const CLIP = makeClip();
const OBJ: InputFile = { name: 'rest.obj', bytes: writeObj(CLIP.mesh) };
const BUFFER = Uint8Array.from({ length: 4096 }, (_, n) => n & 1);

/** All that is fuzzed. A new format is one more entry. */
export const FORMATS: Readonly<Record<string, FuzzFormat>> = {
  glb: {
    extension: 'glb',
    makeSeeds: async () => [...(await makeGlbSeeds()), ...listFiles('formats/AnimatedMorphCube.glb')],
    mutate: mutateGlb,
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

async function readAndCheck(files: InputFile[]): Promise<Verdict> {
  const resolve = async (): Promise<Uint8Array> => BUFFER;
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
