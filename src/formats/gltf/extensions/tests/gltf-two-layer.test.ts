// SPDX-License-Identifier: MIT
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { validateBytes } from 'gltf-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import { measureBounds } from '../../../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../../../core/model/asset.ts';
import { type TwoLayer, virtualBoneCountOf } from '../../../../core/model/deformed/two-layer.ts';
import type { Skin } from '../../../../core/model/skin/skin.ts';
import { DDM_EXTENSION } from '../../../../deformers/direct-delta-mush/pack-direct-delta-mush.ts';
import { bakeAt } from '../../../../deformers/playback/bake/bake-at.ts';
import { TWO_LAYER_EXTENSION } from '../../../../deformers/two-layer/pack-two-layer.ts';
import { compressDdm } from '../../../../methods/compress/compress-ddm.ts';
import { skinOfMultiWeights } from '../../../../methods/compress/virtual-bones/skin-of-multi-weights.ts';
import { precomputeDdm } from '../../../../methods/mush/precompute-ddm.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { packGlb } from '../../document/pack-glb.ts';
import { splitGlb } from '../../document/split-glb.ts';
import { readGltf } from '../../read-gltf.ts';
import { type WriteGlbOptions, writeGlb } from '../../write-glb.ts';

const RIGS = join(process.env.OSSIFY_DATA ?? '../shared', 'rigs');

type Json = Record<string, never> & {
  extensionsUsed: string[];
  extensionsRequired?: string[];
  meshes: { primitives: { extensions: Record<string, Record<string, unknown>> }[] }[];
};

/** A sample in a GLB with its bones, as any tool would have written it. */
async function makeRigged(name: string): Promise<Asset> {
  const { clip, skeleton, skin, motion } = makeSample(name, { resolution: 150, frames: 4 });
  const { asset } = { asset: { name, mesh: clip.mesh, nodes: NO_NODES, animations: [], clips: [], byteLength: 0 } };
  const skinned = { kind: 'skin' as const, mesh: clip.mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] };
  return readGltf(await writeGlb({ ...asset, up: 'y' }, { kind: 'skin', model: skinned }));
}
const NO_NODES = {
  names: [],
  parents: new Int32Array(0),
  translations: new Float64Array(0),
  rotations: new Float64Array(0),
  scales: new Float64Array(0),
};

interface Made {
  asset: Asset;
  model: TwoLayer;
  skin: Skin;
}

const makeCompressed = async (name: string): Promise<Made> => compressAsset(await makeRigged(name));

async function compressAsset(asset: Asset): Promise<Made> {
  // what is stored does not depend on the smoothing, and smoothing over a length takes longer on coarse meshes
  const ddm = await precomputeDdm(asset.mesh, asset.rig!.skeleton, asset.rig!.skin, { lambda: 20 });
  const { model } = await compressDdm(ddm, { virtualBones: 12, influences: 4, iterations: 1, poses: 4 });
  return { asset: { ...asset, ddm }, model, skin: skinOfMultiWeights(ddm.multiWeights, 4) };
}

/** Largest distance of two assets over an animation, in parts of the size. */
function measureFar(a: Asset, b: Asset, isMeant: (i: number) => boolean = () => true): number {
  const times = Float64Array.of(0, 0.05, 0.1);
  const [p, q] = [a, b].map((one) => bakeAt(one, one.animations[0], times).positions);
  const vertexCount = a.mesh.positions.length / 3;
  let far = 0;
  for (let c = 0; c < p.length; c++)
    if (isMeant(Math.floor(c / 3) % vertexCount)) far = Math.max(far, Math.abs(p[c] - q[c]));
  return far / measureBounds(a.mesh.positions).diagonal;
}

const edit = (bytes: Uint8Array, change: (json: Json) => void): Uint8Array => {
  const { json, binary } = splitGlb(bytes);
  const copy = structuredClone(json) as Json;
  change(copy);
  return packGlb(copy, binary);
};
const extensionOf = (json: Json) => json.meshes[0].primitives[0].extensions[TWO_LAYER_EXTENSION];

let creature: Made;
let parts: Made;
const write = ({ asset, model, skin }: Made, options: WriteGlbOptions = {}) =>
  writeGlb(asset, { kind: 'two-layer', model, skin }, options);
const played = ({ asset, model }: Made): Asset => ({ ...asset, ddm: undefined, twoLayer: model });
beforeAll(async () => {
  creature = await makeCompressed('creature');
  parts = await makeCompressed('parts');
});

describe('OSSIFY_two_layer_skin in GLB', () => {
  it.each<[string, WriteGlbOptions, number]>([
    ['32-bit floats', {}, 1e-6],
    ['32-bit floats, compressed', { meshopt: true }, 1e-6],
    ['16 bits', { quantize: true }, 5e-4],
    ['16 bits, compressed', { quantize: true, meshopt: true }, 5e-4],
  ])('deforms as the model did: %s', async (_, options, tolerance) => {
    for (const made of [creature, parts]) {
      const bytes = await write(made, options);
      const written = await readGltf(bytes);
      expect(virtualBoneCountOf(written.twoLayer!)).toBe(12);
      expect(measureFar(played(made), written)).toBeLessThan(tolerance);
      const { messages } = (await validateBytes(bytes)).issues;
      expect(messages.filter(({ severity }) => severity < 2)).toEqual([]);
    }
  });

  it('is optional, stands beside a skin of four weights, and alone', async () => {
    const { asset, skin } = creature;
    const mushed = await readGltf(await writeGlb(asset, { kind: 'delta-mush', model: asset.ddm!, skin }));
    expect(mushed.ddm).toBeDefined();
    const bytes = await writeGlb(mushed, { kind: 'two-layer', model: creature.model, skin });
    const json = splitGlb(bytes).json as Json;
    expect(json.extensionsUsed).toContain(TWO_LAYER_EXTENSION);
    expect(json.extensionsUsed).not.toContain(DDM_EXTENSION);
    expect(json.extensionsRequired ?? []).not.toContain(TWO_LAYER_EXTENSION);
    const written = await readGltf(bytes);
    expect(written.rig!.skin.rowStart).toEqual(skin.rowStart);
    expect(written.ddm).toBeUndefined();
    // nothing of Direct Delta Mush is left lying about
    expect(bytes.length).toBe((await write(creature)).length);
  });

  it('survives being read and written again, compressed later too', async () => {
    const once = await readGltf(await write(creature));
    for (const options of [{}, { meshopt: true }]) {
      const twice = await readGltf(await writeGlb(once, undefined, options));
      expect(twice.twoLayer!.virtualBones).toEqual(once.twoLayer!.virtualBones);
      expect(twice.twoLayer!.skin).toEqual(once.twoLayer!.skin);
    }
  });

  it('leaves parts without it to their plain skin', async () => {
    const bytes = edit(await write(parts), (json) => {
      const { primitives } = json.meshes[0];
      expect(json.meshes.length + primitives.length).toBeGreaterThan(2);
      delete (primitives[0].extensions as Partial<(typeof primitives)[0]['extensions']>)[TWO_LAYER_EXTENSION];
    });
    const { twoLayer, ...plain } = await readGltf(bytes);
    expect(twoLayer).toBeDefined();
    const times = Float64Array.of(0, 0.1);
    const bake = (one: Asset) => bakeAt(one, plain.animations[0], times).positions;
    const [a, b] = [bake({ ...plain, twoLayer }), bake(plain)];
    // the first part comes first, and its bones are rigid
    for (let c = 0; c < 30; c++) expect(a[c]).toBeCloseTo(b[c], 5);
  });

  it('leaves versions and kinds of the future alone, with a note', async () => {
    const bytes = await write(creature);
    for (const [field, value, note] of [
      ['version', 2, 'version 2'],
      ['kind', 'lbs', 'kind "lbs"'],
    ]) {
      const notes: string[] = [];
      const changed = edit(bytes, (json) => Object.assign(extensionOf(json), { [field]: value }));
      const asset = await readGltf(changed, { log: (one) => notes.push(one) });
      expect(asset.twoLayer).toBeUndefined();
      expect(notes.join()).toContain(`${note} is not read; the plain skin is used`);
    }
  });

  it('refuses fields that cannot be, in one sentence', async () => {
    const bytes = await write(creature);
    const cases: [(extension: Record<string, unknown>) => void, RegExp][] = [
      [(e) => Object.assign(e, { version: 'one' }), /version must be a whole number/],
      [(e) => Object.assign(e, { kind: 7 }), /kind must be a text/],
      [(e) => Object.assign(e, { starts: 9999 }), /starts names accessor 9999, but the file has/],
      [(e) => Object.assign(e, { columns: e.starts }), /columns must be VEC4/],
      [(e) => Object.assign(e, { boneCenters: e.columns }), /boneCenters must be VEC3/],
      [(e) => Object.assign(e, { weights: e.bones }), /weights must be SCALAR of the types/],
      [(e) => Object.assign(e, { starts: e.joints }), /starts has \d+ elements, and \d+ are expected/],
      [(e) => Object.assign(e, { bindMatrix: new Array(16).fill(0) }), /bindMatrix has no inverse/],
      [(e) => Object.assign(e, { counts: e.starts }), /weights for 12 virtual bones|has the weights/],
      [(e) => delete e.bones, /bones must be a whole number, got nothing/],
    ];
    for (const [change, message] of cases) {
      const changed = edit(bytes, (json) => {
        change(extensionOf(json));
      });
      await expect(readGltf(changed)).rejects.toThrow(message);
      await expect(readGltf(changed)).rejects.toMatchObject({ name: 'FormatError' });
    }
  });

  it('reads or throws FormatError, whatever bytes are damaged', async () => {
    const bytes = await write(creature);
    const { binary } = splitGlb(bytes);
    const random = makeRandom(7);
    const start = bytes.length - Math.floor(0.75 * binary!.length);
    for (let n = 0; n < 40; n++) {
      const damaged = bytes.slice();
      for (let k = 0; k < 1 + n; k++) damaged[start + random.below(bytes.length - start)] = random.below(256);
      await readGltf(damaged).catch((error: unknown) => expect(error).toMatchObject({ name: 'FormatError' }));
    }
  });

  it('says where its numbers are, and reads them wherever the rest pose is seen', async () => {
    const bytes = await write(creature);
    const once = (await readGltf(bytes)).twoLayer!;
    // the same numbers, said to be in a space ten times as large and moved: then the model is ten times as small
    const changed = edit(bytes, (json) => {
      extensionOf(json).bindMatrix = [10, 0, 0, 0, 0, 10, 0, 0, 0, 0, 10, 0, 5, 0, 0, 1];
    });
    const moved = (await readGltf(changed)).twoLayer!;
    [100, 100, 100, 10, 100, 100, 10, 100, 10, 1].forEach((factor, c) => {
      expect(moved.virtualBones.omegas[c]).toBeCloseTo(once.virtualBones.omegas[c] / factor, 12);
    });
    [5, 0, 0].forEach((by, c) => {
      expect(moved.centers[c]).toBeCloseTo((once.centers[c] - by) / 10, 12);
    });
  });
});

describe('rigs as people make them', () => {
  it.skipIf(!existsSync(RIGS)).each(['Fox', 'RobotExpressive'])(
    'deform as the model did, whatever their skins and spaces: %s (needs the data folder)',
    async (name) => {
      const asset = await readGltf(new Uint8Array(await readFile(join(RIGS, `${name}.glb`))));
      const made = await compressAsset(asset);
      // parts that hang on a node have no skin to stand beside: they follow their node
      const { skin, isJoint } = asset.rig!;
      const isSkinned = (i: number) => isJoint[skin.boneIndices[skin.rowStart[i]]] === 1;
      expect(measureFar(played(made), await readGltf(await write(made)), isSkinned)).toBeLessThan(2e-6);
    },
    20_000,
  );
});
