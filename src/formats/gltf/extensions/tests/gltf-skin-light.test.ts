// SPDX-License-Identifier: MIT
import { validateBytes } from 'gltf-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Asset } from '../../../../core/model/asset.ts';
import {
  LIGHT_CHANNELS,
  type LightKind,
  type SkinLight,
  TERM_SIZE,
  UNSHADOWED_SIZE,
} from '../../../../core/model/deformed/skin-light.ts';
import { makeAsset } from '../../../../core/model/make-asset.ts';
import { LIGHT_EXTENSION } from '../../../../deformers/light/pack-skin-light.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { packGlb } from '../../document/pack-glb.ts';
import { splitGlb } from '../../document/split-glb.ts';
import { readGltf } from '../../read-gltf.ts';
import { type WriteGlbOptions, writeGlb } from '../../write-glb.ts';

interface Json {
  extensionsUsed: string[];
  extensionsRequired?: string[];
  materials: { extensions?: object }[];
}

/** A creature with colours that have alpha. */
let asset: Asset;
beforeAll(async () => {
  const { clip, skeleton, skin, motion } = makeSample('creature', { resolution: 100, frames: 3 });
  const vertexCount = clip.mesh.positions.length / 3;
  const values = Float32Array.from({ length: 4 * vertexCount }, (_, c) => (c % 4 === 3 ? 0.5 : (c % 5) / 4));
  const mesh = { ...clip.mesh, attributes: [{ name: 'COLOR_0', size: 4, values }] };
  const model = { kind: 'skin' as const, mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] };
  asset = await readGltf(await writeGlb(makeAsset(model), { kind: 'skin', model }));
});

function makeLight(kind: LightKind): SkinLight {
  const size = LIGHT_CHANNELS[kind] * (asset.mesh.positions.length / 3);
  return {
    kind,
    rank: 2,
    basis: Float32Array.from({ length: 2 * size }, (_, c) => (c % 9) / 20),
    ...(kind === 'transfer' ? { environment: Float32Array.from({ length: 27 }, (_, c) => (c % 4) / 8) } : {}),
    tracks: [{ name: 'a', times: Float64Array.of(0, 0.25), values: Float32Array.of(1, 0.5, 0, 1) }],
  };
}

/** Two terms of the normal, or unshadowed transfer vectors. */
function makeRelativeLight(kind: LightKind): SkinLight {
  const { basis, ...plain } = makeLight(kind);
  const vertexCount = asset.mesh.positions.length / 3;
  const wave = (length: number) => Float32Array.from({ length }, (_, c) => (c % 7) / 8);
  const mean = wave(3 * vertexCount);
  if (kind === 'transfer') return { ...plain, basis, unshadowed: wave(UNSHADOWED_SIZE), mean };
  return { ...plain, basis: wave(4 * vertexCount), terms: wave(2 * TERM_SIZE), mean };
}

async function write(kind: LightKind, options: WriteGlbOptions = {}, from = asset) {
  const bytes = await writeGlb(from, { kind: 'light', model: makeLight(kind) }, options);
  return { bytes, json: splitGlb(bytes).json as Json, read: await readGltf(bytes) };
}

const colorsOf = ({ mesh }: Asset) => mesh.attributes.find(({ name }) => name === 'COLOR_0')!.values;

describe('OSSIFY_skin_light in a file', () => {
  it.each(['occlusion', 'transfer', 'prelit'] as const)('comes back with the vertex colours: %s', async (kind) => {
    const { read, json, bytes } = await write(kind);
    const { colors, ...light } = read.light!;
    const { tracks, ...own } = makeLight(kind);
    expect(light).toMatchObject(own);
    expect(light.tracks[0].values).toEqual(tracks[0].values);
    const before = colorsOf(asset);
    for (let i = 0; 3 * i < colors!.length; i++)
      for (let c = 0; c < 3; c++) expect(colors![3 * i + c]).toBe(before[4 * i + c]);
    expect(json.extensionsUsed).toContain(LIGHT_EXTENSION);
    expect(json.extensionsRequired ?? []).not.toContain(LIGHT_EXTENSION);
    const { issues } = await validateBytes(bytes);
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
  });

  it('has the mean light times the vertex colours as COLOR_0, with the alpha of the file', async () => {
    const { read } = await write('occlusion');
    const [after, before] = [colorsOf(read), colorsOf(asset)];
    const { basis } = makeLight('occlusion');
    for (let i = 0; 2 * i < basis.length; i++) {
      const mean = 0.5 * basis[i] + 0.75 * basis[basis.length / 2 + i];
      for (let c = 0; c < 3; c++) expect(after[4 * i + c]).toBeCloseTo(mean * before[4 * i + c], 5);
      expect(after[4 * i + 3]).toBe(0.5);
    }
  });

  it('makes materials unlit only if the colours contain all light', async () => {
    const isUnlit = ({ materials }: Json) => materials.every(({ extensions }) => extensions !== undefined);
    expect(isUnlit((await write('occlusion')).json)).toBe(false);
    expect(isUnlit((await write('prelit')).json)).toBe(true);
    expect(isUnlit((await write('transfer')).json)).toBe(true);
  });

  it('is replaced by another light, without a trace of the first', async () => {
    const [first, other] = [await write('transfer'), await write('occlusion')];
    const second = await write('occlusion', {}, first.read);
    expect(second.read.light).toEqual(other.read.light);
    expect(colorsOf(second.read)).toEqual(colorsOf(other.read));
    expect(second.bytes.length).toBeLessThan(other.bytes.length + 200);
  });

  it('is smaller if it is quantized', async () => {
    const [whole, small] = [await write('transfer'), await write('transfer', { quantize: true })];
    // two bytes per number instead of four
    const saved = whole.bytes.length - small.bytes.length;
    expect(saved).toBeGreaterThan(1.9 * whole.read.light!.basis.length);
    small.read.light!.basis.forEach((x, c) => {
      expect(Math.abs(x - whole.read.light!.basis[c])).toBeLessThan(1e-5);
    });
  });

  it.each(['occlusion', 'transfer', 'prelit'] as const)('comes back with what depends on normals: %s', async (kind) => {
    const model = makeRelativeLight(kind);
    const bytes = await writeGlb(asset, { kind: 'light', model });
    const { light } = await readGltf(bytes);
    const { mean, tracks: _tracks, ...own } = model;
    expect(light).toMatchObject(own);
    expect(light!.mean).toBeUndefined();
    const [after, before] = [colorsOf(await readGltf(bytes)), colorsOf(asset)];
    for (let i = 0; 3 * i < mean!.length; i++)
      for (let c = 0; c < 3; c++) expect(after[4 * i + c]).toBeCloseTo(mean![3 * i + c] * before[4 * i + c], 5);
    const { issues } = await validateBytes(bytes);
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
  });

  it('that depends on normals needs normals and a mean', async () => {
    const { mean: _mean, ...model } = makeRelativeLight('prelit');
    await expect(writeGlb(asset, { kind: 'light', model })).rejects.toThrow('no mean colours');
    const { json, binary } = splitGlb(await writeGlb(asset, { kind: 'light', model: makeRelativeLight('prelit') }));
    for (const { primitives } of (json as { meshes: { primitives: { attributes: { NORMAL?: number } }[] }[] }).meshes)
      for (const { attributes } of primitives) delete attributes.NORMAL;
    await expect(readGltf(packGlb(json, binary))).rejects.toThrow('depends on normals, and the mesh has none');
  });

  it('is refused for another number of vertices, and for a mesh that was not read', async () => {
    const model = { ...makeLight('prelit'), basis: new Float32Array(6) };
    await expect(writeGlb(asset, { kind: 'light', model })).rejects.toThrow('the basis has 6 numbers');
    const { source: _source, ...bare } = asset;
    await expect(writeGlb(bare, { kind: 'light', model: makeLight('prelit') })).rejects.toThrow('read from a glTF');
  });
});
