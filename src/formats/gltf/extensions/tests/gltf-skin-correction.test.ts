// SPDX-License-Identifier: MIT
import { validateBytes } from 'gltf-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { vertexNormalsInto } from '../../../../core/mesh/geometry/vertex-normals.ts';
import type { Asset, SkinnedModel } from '../../../../core/model/asset.ts';
import type { Clip } from '../../../../core/model/clip/clip.ts';
import type { SkinCorrection } from '../../../../core/model/deformed/skin-correction.ts';
import { FormatError } from '../../../../core/model/errors.ts';
import { CORRECTION_EXTENSION } from '../../../../deformers/corrections/pack-skin-correction.ts';
import { bakeAt } from '../../../../deformers/playback/bake/bake-at.ts';
import { correctModel } from '../../../../methods/corrections/correct-model.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { packGlb } from '../../document/pack-glb.ts';
import { splitGlb } from '../../document/split-glb.ts';
import { readGltf } from '../../read-gltf.ts';
import { type WriteGlbOptions, writeGlb } from '../../write-glb.ts';

type Json = {
  extensionsUsed: string[];
  accessors: { count: number; type: string; componentType: number }[];
  meshes: { primitives: { extensions: Record<string, Record<string, never>> }[] }[];
};

interface Made {
  asset: Asset;
  clips: Clip[];
  model: SkinnedModel;
  correction: SkinCorrection;
}

/** A sample whose clips also swell and sway, in two motions, with what the skin leaves corrected. */
async function makeCorrected(name: string, normalCoefficients: 'own' | 'shared'): Promise<Made> {
  const { clip, skeleton, skin, motion } = makeSample(name, { resolution: 150, frames: 4 });
  const normals = new Float32Array(clip.mesh.positions.length);
  vertexNormalsInto(clip.mesh.positions, clip.mesh.triangles, normals);
  const mesh = { ...clip.mesh, normals };
  const swell = (size: number, name: string): Clip => ({
    kind: 'clip',
    name,
    mesh,
    times: clip.times,
    positions: clip.positions.map(
      (x, c) => x + size * Math.sin(9 * mesh.positions[c % mesh.positions.length] + c / 1000),
    ),
  });
  const clips = [swell(0.02, 'first'), swell(-0.01, 'second')];
  const motions = clips.map((one) => ({ ...motion!, name: one.name }));
  const model: SkinnedModel = { kind: 'skin', mesh, skeleton: skeleton!, skin: skin!, motions };
  const { correction } = await correctModel(clips, model, { rank: 3, normals: 'blend', normalCoefficients });
  const nodes = {
    names: [],
    parents: new Int32Array(0),
    translations: new Float64Array(0),
    rotations: new Float64Array(0),
    scales: new Float64Array(0),
  };
  const asset: Asset = { name, mesh, nodes, animations: [], clips: [], up: 'y', byteLength: 0 };
  return { asset, clips, model, correction };
}

const write = ({ asset, model, correction }: Made, as: 'extension' | 'morphs', options: WriteGlbOptions = {}) =>
  writeGlb(asset, { kind: 'skin', model, correction: { model: correction, as } }, options);

/** Root mean square distance of what a file plays from a clip, at its frames. */
function measureOff(asset: Asset, clip: Clip, animation: number): number {
  const { positions } = bakeAt(asset, asset.animations[animation], clip.times);
  let squares = 0;
  for (let c = 0; c < positions.length; c++) squares += (positions[c] - clip.positions[c]) ** 2;
  return Math.sqrt(squares / positions.length);
}

const edit = (bytes: Uint8Array, change: (json: Json) => void): Uint8Array => {
  const { json, binary } = splitGlb(bytes);
  const copy = structuredClone(json) as unknown as Json;
  change(copy);
  return packGlb(copy, binary);
};
const extensionOf = (json: Json) =>
  json.meshes[0].primitives[0].extensions[CORRECTION_EXTENSION] as Record<string, unknown>;

let creature: Made;
let parts: Made;
beforeAll(async () => {
  creature = await makeCorrected('creature', 'own');
  parts = await makeCorrected('parts', 'shared');
});

describe('OSSIFY_skin_correction in GLB', () => {
  it('comes back with the bits it was written with', async () => {
    const read = (await readGltf(await write(creature, 'extension'))).correction!;
    const { rank, normalRank, basis, normals, tracks } = creature.correction;
    expect(read).toMatchObject({ rank, normalRank });
    expect(read.basis).toEqual(basis);
    expect(read.normals).toEqual(normals);
    tracks.forEach((track, n) => {
      expect(read.tracks[n].values).toEqual(track.values);
      expect(read.tracks[n].normalValues).toEqual(track.normalValues);
      expect(read.tracks[n].name).toBe(track.name);
    });
  });

  it.each(['extension', 'morphs'] as const)('plays closer to every clip than the plain skin, as %s', async (as) => {
    const corrected = await readGltf(await write(parts, as));
    const plain = await readGltf(await writeGlb(parts.asset, { kind: 'skin', model: parts.model }));
    parts.clips.forEach((clip, n) => {
      expect(measureOff(corrected, clip, n)).toBeLessThan(0.5 * measureOff(plain, clip, n));
    });
  });

  it('plays as morph targets what it plays as an extension, between frames too', async () => {
    const [a, b] = await Promise.all(
      (['extension', 'morphs'] as const).map(async (as) => readGltf(await write(parts, as))),
    );
    const times = Float64Array.of(0.01, 0.05, 0.09);
    const [p, q] = [a, b].map((one) => bakeAt(one, one.animations[1], times).positions);
    for (let c = 0; c < p.length; c++) expect(p[c]).toBeCloseTo(q[c], 6);
  });

  it.each([{}, { quantize: true }, { meshopt: true }, { quantize: true, meshopt: true }])(
    'validates and keeps its shape with %o',
    async (options) => {
      for (const [made, as] of [
        [creature, 'extension'],
        [parts, 'extension'],
        [parts, 'morphs'],
      ] as const) {
        const bytes = await write(made, as, options);
        const { issues } = await validateBytes(bytes);
        expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
        const read = await readGltf(bytes);
        const exact = await readGltf(await write(made, as));
        expect(measureOff(read, made.clips[0], 0)).toBeCloseTo(measureOff(exact, made.clips[0], 0), 5);
      }
    },
  );

  it('has weights from 0 to 1 as morph targets, and defaults that give the rest shape', async () => {
    const { morphs, animations, mesh } = await readGltf(await write(parts, 'morphs'));
    const tracks = animations.flatMap((animation) => animation.tracks.filter(({ path }) => path === 'weights'));
    expect(tracks.length).toBeGreaterThan(0);
    for (const { values } of tracks) for (const value of values) expect(value >= 0 && value <= 1).toBe(true);
    const shape = Float64Array.from(mesh.positions);
    for (const { weight, node, vertexStart, positions } of morphs!.targets) {
      const { weights } = morphs!.restWeights.find((one) => one.node === node)!;
      for (let c = 0; c < positions.length; c++) shape[3 * vertexStart + c] += weights[weight] * positions[c];
    }
    for (let c = 0; c < shape.length; c++) expect(shape[c]).toBeCloseTo(parts.model.mesh.positions[c], 5);
  });

  it('takes half the bytes where it is quantized', async () => {
    const sizeOf = async (quantize: boolean): Promise<number> => {
      const bytes = await write(creature, 'extension', { quantize });
      const plain = await writeGlb(creature.asset, { kind: 'skin', model: creature.model }, { quantize });
      return bytes.length - plain.length;
    };
    expect(await sizeOf(true)).toBeLessThan(0.6 * (await sizeOf(false)));
  });

  it('is carried along when a file is read and written again', async () => {
    const bytes = await write(creature, 'extension');
    const again = await readGltf(await writeGlb(await readGltf(bytes)));
    expect(again.correction).toEqual((await readGltf(bytes)).correction);
  });

  it('keeps an animation that only corrections move', async () => {
    const matrices = parts.model.motions[0].matrices.map((_, c) => ((c % 16) % 5 === 0 ? 1 : 0));
    const motions = parts.model.motions.map((motion) => ({ ...motion, matrices }));
    for (const as of ['extension', 'morphs'] as const) {
      const bytes = await write({ ...parts, model: { ...parts.model, motions } }, as);
      expect((await validateBytes(bytes)).issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
      const read = await readGltf(bytes);
      expect(read.animations.map(({ name }) => name)).toEqual(['first', 'second']);
      const [a, b] = [0, 1].map((n) => bakeAt(read, read.animations[n], Float64Array.of(0.05)).positions);
      expect(a.some((x, c) => Math.abs(x - b[c]) > 1e-3)).toBe(true);
    }
  });

  it('leaves a version of the future to the plain skin, with a note', async () => {
    const notes: string[] = [];
    const bytes = edit(await write(creature, 'extension'), (json) => {
      extensionOf(json).version = 2;
    });
    const read = await readGltf(bytes, { log: (note) => notes.push(note) });
    expect(read.correction).toBeUndefined();
    expect(notes.join()).toContain('OSSIFY_skin_correction of version 2 is not read');
  });

  it.each<[string, (json: Json) => void]>([
    ['a rank that its basis does not have', (json) => (extensionOf(json).rank = 4)],
    ['a rank beyond all counts', (json) => (extensionOf(json).rank = 2 ** 40)],
    ['a rule that is none', (json) => (extensionOf(json).normalRule = 'sideways')],
    ['a track of no animation', (json) => (extensionOf(json).tracks = [{ animation: 7, keys: 8 }])],
    [
      'two tracks of one animation',
      (json) =>
        (extensionOf(json).tracks = [
          { animation: 0, keys: 4 },
          { animation: 0, keys: 4 },
        ]),
    ],
    ['tracks that do not take all keys', (json) => (extensionOf(json).tracks = [{ animation: 0, keys: 4 }])],
    ['an accessor that is not there', (json) => (extensionOf(json).values = 1000)],
    ['times that are a basis', (json) => (extensionOf(json).times = extensionOf(json).basis)],
    ['no version', (json) => delete extensionOf(json).version],
  ])('refuses %s in one sentence', async (_, change) => {
    const bytes = edit(await write(creature, 'extension'), change);
    await expect(readGltf(bytes)).rejects.toThrow(FormatError);
    await expect(readGltf(bytes)).rejects.toThrow(/OSSIFY_skin_correction/);
  });

  it('refuses to write what does not fit', async () => {
    const { correction } = creature;
    await expect(write(creature, 'morphs')).rejects.toThrow(/share the weights/);
    const one = { ...correction, tracks: correction.tracks.slice(0, 1) };
    await expect(write({ ...creature, correction: one }, 'extension')).rejects.toThrow(/1 tracks for 2 motions/);
  });
});
