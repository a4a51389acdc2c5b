// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compose, makeIdentities } from '../../../../core/math/mat4.ts';
import { quaternionFromAxisAngle } from '../../../../core/math/quaternion.ts';
import type { Asset, SkinnedModel } from '../../../../core/model/asset.ts';
import { type Clip, frameOf, makeTimes } from '../../../../core/model/clip/clip.ts';
import { selectFrames } from '../../../../core/model/clip/select-frames.ts';
import { makeAsset } from '../../../../core/model/make-asset.ts';
import type { Mesh } from '../../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { bakeAt } from '../../../../deformers/playback/bake/bake-at.ts';
import { bakeClip } from '../../../../deformers/playback/bake/bake-clip.ts';
import { readAsset } from '../../../../formats/assets/read-asset.ts';
import { readGltf } from '../../../../formats/gltf/read-gltf.ts';
import { writeGlb } from '../../../../formats/gltf/write-glb.ts';
import { decompose } from '../../../decompose/decompose.ts';
import { findOutputFormat, writeCharacter } from '../output-formats.ts';

const BONES = 6;
const FRAMES = 7;
const FPS = 24;

/** Two strips of triangles along y, with UVs, normals and a material each. */
function makeStrips(rows = 8): Mesh {
  const vertexCount = 2 * rows;
  const triangles: number[] = [];
  for (let r = 0; r + 1 < rows; r++)
    if (2 * (r + 1) !== rows) triangles.push(2 * r, 2 * r + 1, 2 * r + 3, 2 * r, 2 * r + 3, 2 * r + 2);
  const part = { vertexCount: rows, triangleCount: triangles.length / 6 };
  const values = (size: number, of: (i: number, c: number) => number): Float32Array =>
    Float32Array.from({ length: size * vertexCount }, (_, e) => of(Math.floor(e / size), e % size));
  const normals = values(3, (i, c) => [0.6, 0, 0.8][(c + i) % 3]);
  return {
    name: 'strips',
    positions: values(3, (i, c) => [0.3 * (i % 2), 0.4 * Math.floor(i / 2), 0.01 * i * i][c]),
    triangles: Uint32Array.from(triangles),
    normals,
    attributes: [{ name: 'TEXCOORD_0', size: 2, values: values(2, (i, c) => ((3 * i + c) % 8) / 8) }],
    parts: [
      { ...part, name: 'lower', vertexStart: 0, triangleStart: 0, material: 'bark' },
      { ...part, name: 'upper', vertexStart: rows, triangleStart: part.triangleCount, material: 'leaf' },
    ],
  };
}

/** A character: every vertex follows six bones, and a morph target bulges it. */
async function makeCharacter(): Promise<Asset> {
  const mesh = makeStrips();
  const vertexCount = mesh.positions.length / 3;
  const bindMatrices = makeIdentities(BONES);
  for (let j = 0; j < BONES; j++) bindMatrices[16 * j + 13] = 0.5 * j;
  const entries = Array.from({ length: vertexCount * BONES }, (_, e) => e);
  const skin = makeSkin(
    entries.map((e) => e % BONES),
    entries.map((e) => 1 / (1 + Math.abs(mesh.positions[3 * Math.floor(e / BONES) + 1] - 0.5 * (e % BONES)))),
    BONES,
  );
  const matrices = new Float64Array(16 * BONES * FRAMES);
  const q = new Float64Array(4);
  for (let k = 0; k < FRAMES; k++)
    for (let j = 0; j < BONES; j++) {
      quaternionFromAxisAngle([0.3, 0.1 * j, 1], 0.05 * k * (j + 1), q);
      compose([0.1 * k, 0, 0.02 * k * j], q, [1, 1, 1], matrices, 0, 0, 0, 16 * (BONES * k + j));
    }
  const model: SkinnedModel = {
    kind: 'skin',
    mesh,
    skeleton: {
      names: Array.from({ length: BONES }, (_, j) => `bone${j}`),
      parents: Int32Array.from({ length: BONES }, (_, j) => j - 1),
      bindMatrices,
    },
    skin,
    motions: [{ name: 'sway', times: makeTimes(FRAMES, FPS), matrices }],
  };
  const target = {
    name: 'bulge',
    node: 0,
    weight: 0,
    vertexStart: 0,
    vertexCount,
    positions: Float32Array.from({ length: 3 * vertexCount }, (_, c) => (c % 3 === 2 ? 0.1 * (c % 5) : 0)),
  };
  const weights = [Float32Array.from({ length: FRAMES }, (_, k) => k / (FRAMES - 1))];
  const morphs = { morphs: { targets: [target], restWeights: [] }, weights };
  const glb = await writeGlb(makeAsset(model), { kind: 'skin', model, morphs });
  return { ...(await readGltf(glb, { name: 'strips' })), source: undefined };
}

/** Writes an asset as `bake` does and reads the files. */
async function passThrough(asset: Asset, extension: string, options = {}): Promise<{ back: Asset; notes: string[] }> {
  const notes: string[] = [];
  const log = (note: string) => notes.push(note);
  const path = `strips${extension}`;
  const format = findOutputFormat(path);
  const files =
    format.holds === 'character'
      ? await writeCharacter(asset, { kind: 'clip' }, { path, log })
      : (await format.load())(bakeClip(asset), path);
  // the mesh of a point cache is first
  const ordered = extension === '.obj' ? files : [...files].reverse();
  const inputs = ordered.map((file) => ({ name: file.path, bytes: file.bytes as Uint8Array }));
  return { back: await readAsset(inputs, { fps: FPS, ...options }), notes };
}

/** Largest difference of two arrays; infinite if their lengths differ. */
function differenceOf(a: ArrayLike<number> | undefined, b: ArrayLike<number> | undefined): number {
  if (!a || !b || a.length !== b.length) return Number.POSITIVE_INFINITY;
  let largest = 0;
  for (let c = 0; c < a.length; c++) largest = Math.max(largest, Math.abs(a[c] - b[c]));
  return largest;
}

/** Tolerances. Scales of UsdSkel are half precision, rotations of FBX are degrees; weights of glTF are normalized again. */
const POSITION = 1e-5;
const ATTRIBUTE = 1e-6;
const WEIGHT = 1e-5;

const uvsOf = ({ mesh }: Asset) => mesh.attributes.find(({ name }) => name === 'TEXCOORD_0')?.values;
const materialsOf = ({ mesh }: Asset) => mesh.parts.map(({ material }) => material).join();

/** Weights by bone name, vertexCount x boneCount. */
function weightsOf({ rig }: Asset): Float64Array | undefined {
  if (!rig) return undefined;
  const { rowStart, boneIndices, weights } = rig.skin;
  const out = new Float64Array(BONES * (rowStart.length - 1));
  for (let i = 0; i + 1 < rowStart.length; i++)
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++)
      out[BONES * i + Number(rig.skeleton.names[boneIndices[e]].slice(-1))] = weights[e];
  return out;
}

function framesOf(asset: Asset): Clip {
  return asset.clips[0] ?? bakeAt(asset, asset.animations[0], makeTimes(FRAMES, FPS));
}

type Cell = 'kept' | 'baked' | 'names' | '–' | 'metres' | 'declared' | '`--unit`' | 'y' | '`--up`' | 'wrong';

/** What became of each feature. */
function observe(asset: Asset, back: Asset): Record<string, Cell> {
  const isMoving = differenceOf(framesOf(asset).positions, framesOf(back).positions) < POSITION;
  const widest = Math.max(0, ...(back.rig?.skin.rowStart ?? []).map((start, i, all) => start - (all[i - 1] ?? 0)));
  const baked: Cell = isMoving && back.clips.length === 1 ? 'baked' : 'wrong';
  const keptOr = (isKept: boolean, isAbsent: boolean, other: Cell): Cell =>
    isKept ? 'kept' : isAbsent ? other : 'wrong';
  const sameWeights = differenceOf(weightsOf(asset), weightsOf(back)) < WEIGHT;
  const targets = (one: Asset) => one.morphs?.targets.map(({ name, vertexStart }) => `${name} ${vertexStart}`).join();
  return {
    mesh:
      differenceOf(asset.mesh.positions, back.mesh.positions) < POSITION &&
      differenceOf(asset.mesh.triangles, back.mesh.triangles) === 0
        ? 'kept'
        : 'wrong',
    UVs: keptOr(differenceOf(uvsOf(asset), uvsOf(back)) < ATTRIBUTE, !uvsOf(back), '–'),
    normals: keptOr(differenceOf(asset.mesh.normals, back.mesh.normals) < ATTRIBUTE, !back.mesh.normals, '–'),
    materials: materialsOf(asset) === materialsOf(back) ? 'names' : 'wrong',
    skin: keptOr(sameWeights, !back.rig, baked),
    'more than 4 influences': keptOr(sameWeights && widest === BONES, !back.rig, baked),
    'blend shapes': keptOr(targets(asset) === targets(back), !back.morphs, baked),
    animation: isMoving ? (back.clips.length > 0 ? 'baked' : 'kept') : 'wrong',
  };
}

const CHARACTER: Record<string, Cell> = {
  mesh: 'kept',
  UVs: 'kept',
  normals: 'kept',
  materials: 'names',
  skin: 'kept',
  'more than 4 influences': 'kept',
  'blend shapes': 'kept',
  animation: 'kept',
};
const CACHE: Record<string, Cell> = {
  ...CHARACTER,
  skin: 'baked',
  'more than 4 influences': 'baked',
  'blend shapes': 'baked',
  animation: 'baked',
};
const UNITS: Record<string, Record<string, Cell>> = {
  glb: { units: 'metres', 'up axis': 'y' },
  declared: { units: 'declared', 'up axis': 'declared' },
  none: { units: '`--unit`', 'up axis': '`--up`' },
};

const TABLE: [string, Record<string, Cell>][] = [
  ['.glb', { ...CHARACTER, ...UNITS.glb }],
  ['.fbx', { ...CHARACTER, ...UNITS.declared }],
  ['.usda', { ...CHARACTER, ...UNITS.declared }],
  ['.usdz', { ...CHARACTER, ...UNITS.declared }],
  ['.abc', { ...CACHE, ...UNITS.none }],
  ['.pc2', { ...CACHE, ...UNITS.none }],
  ['.mdd', { ...CACHE, ...UNITS.none }],
  ['.obj', { ...CACHE, normals: '–', ...UNITS.none }],
];

describe('a character written and read back', () => {
  it.each(TABLE)('as %s keeps what the table says', async (extension, expected) => {
    const asset = await makeCharacter();
    const { back, notes } = await passThrough(asset, extension);
    const { units: _units, 'up axis': _up, ...cells } = expected;
    expect(observe(asset, back)).toEqual(cells);
    expect(notes).toEqual([]);
  });

  it.each(TABLE)('as %s has the same size and stands upright', async (extension, expected) => {
    // centimetres, z up: the same thing as in metres with y up
    const asset = await makeCharacter();
    const turn = (values: Float32Array, scale: number) =>
      values.map((_, c) => scale * (c % 3 === 0 ? values[c] : c % 3 === 1 ? -values[c + 1] : values[c - 1]));
    const frames = framesOf(asset);
    const mesh = { ...asset.mesh, positions: turn(asset.mesh.positions, 100), normals: turn(asset.mesh.normals!, 1) };
    const clip: Clip = { ...frames, mesh, positions: turn(frames.positions, 100) };
    const lying = makeAsset(clip, { name: 'lying', metresPerUnit: 0.01, up: 'z' });
    if (expected.units === '`--unit`') {
      const { back } = await passThrough(lying, extension, { unit: 0.01, up: 'z' });
      expect(differenceOf(framesOf(back).positions, clip.positions)).toBeLessThan(100 * POSITION);
      expect([back.metresPerUnit, back.up]).toEqual([0.01, 'z']);
      return;
    }
    const { back } = await passThrough(lying, extension);
    expect([back.metresPerUnit, back.up]).toEqual([1, 'y']);
    expect(differenceOf(framesOf(back).positions, frames.positions)).toBeLessThan(POSITION);
    expect(differenceOf(back.mesh.normals, asset.mesh.normals)).toBeLessThan(ATTRIBUTE);
  });

  it.each(['.glb', '.fbx', '.usda'])('as %s stands upright with its bones and shapes', async (extension) => {
    const asset = await makeCharacter();
    const { back } = await passThrough({ ...asset, metresPerUnit: 0.01, up: 'z' }, extension);
    const { positions } = framesOf(asset);
    const upright = positions.map((_, c) => 0.01 * [positions[c], positions[c + 1], -positions[c - 1]][c % 3]);
    expect([back.metresPerUnit, back.up]).toEqual([1, 'y']);
    expect(differenceOf(framesOf(back).positions, upright)).toBeLessThan(POSITION);
    expect(back.rig?.skeleton.names.filter((name) => name.startsWith('bone'))).toHaveLength(BONES);
  });

  it('is in the table of docs/formats/README.md', () => {
    const page = readFileSync(new URL('../../../../../docs/formats/README.md', import.meta.url), 'utf8');
    const columns = Object.keys(TABLE[0][1]);
    expect(page).toContain(`| written as | ${columns.join(' | ')} |`);
    for (const [extension, cells] of TABLE)
      expect(page).toContain(`| \`${extension}\` | ${columns.map((column) => cells[column]).join(' | ')} |`);
  });
});

const HORSE = join(process.env.OSSIFY_DATA ?? '../shared', 'datasets/horse-gallop');

describe.skipIf(!existsSync(HORSE))('horse-gallop', () => {
  const load = (name: string) => ({ name, bytes: new Uint8Array(readFileSync(join(HORSE, name))) });
  const readHorse = () => readAsset([load('rest.obj'), load('motion.pc2')], { fps: FPS });
  const solve = async (clip: Clip): Promise<Uint8Array> => {
    // names are those of the files
    const mesh = { ...clip.mesh, name: 'horse', parts: clip.mesh.parts.map((part) => ({ ...part, name: 'horse' })) };
    const few = { ...selectFrames(clip, { step: 12 }), name: 'gallop', mesh };
    const { model } = await decompose(few, { bones: 4, iterations: 2 });
    return writeGlb(makeAsset(few), { kind: 'skin', model });
  };

  it.each(['.abc', '.usda', '.fbx', '.pc2'])('has the same positions as %s', async (extension) => {
    const horse = await readHorse();
    const { back } = await passThrough({ ...horse, name: 'horse' }, extension);
    const [clip] = horse.clips;
    const frames = back.clips[0] ?? bakeAt(back, back.animations[0], clip.times);
    // blend shapes are differences, added to the rest pose in single precision
    const size = Math.max(...clip.mesh.positions);
    expect(differenceOf(frames.positions, clip.positions)).toBeLessThanOrEqual(extension === '.fbx' ? 5e-7 * size : 0);
    expect(differenceOf(frames.times, clip.times)).toBeLessThan(1e-6);
  });

  it.each(['.abc', '.usda'])('is decomposed to the same bytes from %s', async (extension) => {
    const horse = await readHorse();
    const { back } = await passThrough({ ...horse, name: 'horse' }, extension);
    const [clip] = horse.clips;
    // the rest pose of Alembic is its first frame
    const positions = extension === '.abc' ? frameOf(clip, 0) : clip.mesh.positions;
    const [one, other] = [await solve(back.clips[0]), await solve({ ...clip, mesh: { ...clip.mesh, positions } })];
    expect(Buffer.compare(one, other)).toBe(0);
  });
});
