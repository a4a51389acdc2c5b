// SPDX-License-Identifier: MIT
import { validateBytes } from 'gltf-validator';
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../../core/math/mat4.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { measureBounds } from '../../../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../../../core/model/asset.ts';
import type { DdmVariant } from '../../../../core/model/deformed/direct-delta-mush.ts';
import { makeDdm } from '../../../../deformers/direct-delta-mush/make-ddm.ts';
import { DDM_EXTENSION } from '../../../../deformers/direct-delta-mush/pack-direct-delta-mush.ts';
import { sampleAnimation } from '../../../../deformers/playback/sample-animation.ts';
import { skinOfMultiWeights } from '../../../../methods/compress/virtual-bones/skin-of-multi-weights.ts';
import { precomputeDdm } from '../../../../methods/mush/precompute-ddm.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { packGlb } from '../../document/pack-glb.ts';
import { splitGlb } from '../../document/split-glb.ts';
import { readGltf } from '../../read-gltf.ts';
import { type WriteGlbOptions, writeGlb } from '../../write-glb.ts';

type Json = Record<string, never> & {
  extensionsUsed: string[];
  extensionsRequired?: string[];
  meshes: { primitives: { extensions: Record<string, Record<string, unknown>> }[] }[];
  accessors: { count: number; type: string }[];
};

/** A creature in a GLB with its bones, as any tool would have written it. */
async function makeRigged(name = 'creature'): Promise<Asset> {
  const sample = makeSample(name, { resolution: 400, frames: 6 });
  const { clip, skeleton, skin, motion } = sample;
  const plain: Asset = {
    name,
    mesh: clip.mesh,
    nodes: {
      names: [],
      parents: new Int32Array(0),
      translations: new Float64Array(0),
      rotations: new Float64Array(0),
      scales: new Float64Array(0),
    },
    animations: [],
    clips: [],
    up: 'y',
    byteLength: 0,
  };
  return readGltf(
    await writeGlb(plain, {
      kind: 'skin',
      model: { kind: 'skin' as const, mesh: clip.mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] },
    }),
  );
}

async function writeMushed(asset: Asset, options: WriteGlbOptions = {}, variant: DdmVariant = 0) {
  const model = await precomputeDdm(asset.mesh, asset.rig!.skeleton, asset.rig!.skin, { variant });
  const skin = skinOfMultiWeights(model.multiWeights, 4);
  const bytes = await writeGlb(asset, { kind: 'delta-mush', model, skin }, options);
  return { model, skin, bytes };
}

/** Largest distance of two deformers over an animation, in parts of the size. */
function measureFar(asset: Asset, written: Asset, model: NonNullable<Asset['ddm']>): number {
  const [a, b] = [makeDdm(model), makeDdm(written.ddm!)];
  const p = new Float64Array(asset.mesh.positions.length);
  const q = new Float64Array(asset.mesh.positions.length);
  let far = 0;
  for (const t of [0, 0.05, 0.1, 0.15]) {
    a.deformInto({ bones: sampleAnimation(asset, asset.animations[0], [t]).motion.matrices }, p);
    b.deformInto({ bones: sampleAnimation(written, written.animations[0], [t]).motion.matrices }, q);
    for (let c = 0; c < p.length; c++) far = Math.max(far, Math.abs(p[c] - q[c]));
  }
  return far / measureBounds(asset.mesh.positions).diagonal;
}

const edit = (bytes: Uint8Array, change: (json: Json) => void): Uint8Array => {
  const { json, binary } = splitGlb(bytes);
  const copy = structuredClone(json) as Json;
  change(copy);
  return packGlb(copy, binary);
};
const extensionOf = (json: Json) => json.meshes[0].primitives[0].extensions[DDM_EXTENSION];

describe('OSSIFY_direct_delta_mush in GLB', () => {
  it.each<[string, WriteGlbOptions, DdmVariant, number]>([
    ['32-bit floats', {}, 0, 1e-6],
    ['32-bit floats, compressed', { meshopt: true }, 0, 1e-6],
    ['16 bits', { quantize: true }, 0, 2e-4],
    ['16 bits, compressed', { quantize: true, meshopt: true }, 0, 2e-4],
    ['variant 2, which needs four numbers', {}, 2, 1e-6],
    ['variant 2 in 16 bits', { quantize: true }, 2, 1e-4],
    ['variant 4, which needs one number', {}, 4, 1e-6],
    ['variant 5, which needs one number', {}, 5, 1e-6],
    ['variant 5 in 16 bits, compressed', { quantize: true, meshopt: true }, 5, 1e-4],
  ])('deforms as the model did: %s', async (_, options, variant, tolerance) => {
    const asset = await makeRigged();
    const { model, bytes } = await writeMushed(asset, options, variant);
    const written = await readGltf(bytes);
    expect(written.ddm).toMatchObject({ variant, settings: model.settings });
    expect(written.animations).toHaveLength(1);
    expect(measureFar(asset, written, model)).toBeLessThan(tolerance);
    const { messages } = (await validateBytes(bytes)).issues;
    expect(messages.filter(({ severity }) => severity < 2)).toEqual([]);
  });

  it.each([{}, { quantize: true }])('returns the rest shape in the identity pose: %o', async (options) => {
    const asset = await makeRigged('parts');
    const written = await readGltf((await writeMushed(asset, options)).bytes);
    const posed = new Float64Array(written.mesh.positions.length);
    makeDdm(written.ddm!).deformInto({ bones: makeIdentities(written.rig!.skeleton.names.length) }, posed);
    const far = posed.reduce((most, x, c) => Math.max(most, Math.abs(x - written.mesh.positions[c])), 0);
    expect(far).toBeLessThan(1e-6 * measureBounds(written.mesh.positions).diagonal);
  });

  it('is optional, and stands beside a skin of four weights', async () => {
    const asset = await makeRigged();
    const { bytes, skin } = await writeMushed(asset);
    const json = splitGlb(bytes).json as Json;
    expect(json.extensionsUsed).toContain(DDM_EXTENSION);
    expect(json.extensionsRequired ?? []).not.toContain(DDM_EXTENSION);
    const { rig } = await readGltf(bytes);
    expect(rig!.skin.rowStart).toEqual(skin.rowStart);
    for (let e = 0; e < skin.weights.length; e++) expect(rig!.skin.weights[e]).toBeCloseTo(skin.weights[e], 6);
  });

  it('survives being read and written again, compressed later too', async () => {
    const asset = await makeRigged();
    const { model, bytes } = await writeMushed(asset);
    const once = await readGltf(bytes);
    for (const options of [{}, { meshopt: true }]) {
      const twice = await readGltf(await writeGlb(once, undefined, options));
      expect(twice.ddm!.multiWeights.omegas).toEqual(once.ddm!.multiWeights.omegas);
      expect(measureFar(asset, twice, model)).toBeLessThan(1e-6);
    }
  });

  it('is read where the file does not list it among its extensions', async () => {
    const { bytes } = await writeMushed(await makeRigged());
    const changed = edit(bytes, (json) => {
      json.extensionsUsed = [];
    });
    const asset = await readGltf(changed);
    expect(asset.ddm).toBeDefined();
    expect((await readGltf(await writeGlb(asset))).ddm).toEqual(asset.ddm);
  });

  it('takes the place of an older one', async () => {
    const { model, skin, bytes } = await writeMushed(await makeRigged());
    const twice = await writeGlb(await readGltf(bytes), { kind: 'delta-mush', model, skin });
    expect(twice.length).toBe(bytes.length);
    expect((await readGltf(twice)).ddm!.multiWeights.omegas.length).toBe(model.multiWeights.omegas.length);
  });

  it('goes where other bones replace those that it was made for', async () => {
    const asset = await makeRigged();
    const once = await readGltf((await writeMushed(asset)).bytes);
    const { clip, skeleton, skin, motion } = makeSample('creature', { resolution: 400, frames: 6 });
    const skinned = { kind: 'skin' as const, mesh: clip.mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] };
    const bytes = await writeGlb(once, { kind: 'skin', model: skinned });
    expect((await readGltf(bytes)).ddm).toBeUndefined();
    expect((splitGlb(bytes).json as Json).extensionsUsed ?? []).not.toContain(DDM_EXTENSION);
    // nothing of it is left lying about
    expect(bytes.length).toBe((await writeGlb(asset, { kind: 'skin', model: skinned })).length);
  });

  it('leaves versions of the future alone, with a note', async () => {
    const { bytes } = await writeMushed(await makeRigged());
    const notes: string[] = [];
    const changed = edit(bytes, (json) => {
      extensionOf(json).version = 3;
    });
    const asset = await readGltf(changed, { log: (note) => notes.push(note) });
    expect(asset.ddm).toBeUndefined();
    expect(notes.join()).toContain('version 3 is not read; the plain skin is used');
  });

  it('refuses fields that cannot be, in one sentence', async () => {
    const { bytes } = await writeMushed(await makeRigged());
    const cases: [(extension: Record<string, unknown>, json: Json) => void, RegExp][] = [
      [(e) => Object.assign(e, { version: 'one' }), /version must be a whole number/],
      [(e) => Object.assign(e, { variant: 7 }), /variant must be 0 to 5, got 7/],
      [(e) => Object.assign(e, { starts: 9999 }), /starts names accessor 9999, but the file has/],
      [(e) => Object.assign(e, { columns: e.starts }), /columns must be VEC4/],
      [(e) => Object.assign(e, { starts: e.joints }), /starts has \d+ elements, and \d+ are expected/],
      [(e) => Object.assign(e, { bindMatrix: [1, 2] }), /bindMatrix must hold 16 numbers, got 2/],
      [(e) => Object.assign(e, { bindMatrix: new Array(16).fill(0) }), /bindMatrix has no inverse/],
      [(e) => Object.assign(e, { counts: e.starts }), /entries for \d+ joints|has the entries/],
      [(e) => delete e.joints, /joints must be a whole number, got nothing/],
    ];
    for (const [change, message] of cases) {
      const changed = edit(bytes, (json) => {
        change(extensionOf(json), json);
      });
      await expect(readGltf(changed)).rejects.toThrow(message);
      await expect(readGltf(changed)).rejects.toMatchObject({ name: 'FormatError' });
    }
  });

  it('reads or throws FormatError, whatever bytes are damaged', async () => {
    const { bytes } = await writeMushed(await makeRigged());
    const { binary } = splitGlb(bytes);
    const random = makeRandom(7);
    for (let n = 0; n < 40; n++) {
      const damaged = bytes.slice();
      // in the numbers, where nothing but the reader of this extension looks: the last three quarters
      const start = bytes.length - Math.floor(0.75 * binary!.length);
      for (let k = 0; k < 1 + n; k++) damaged[start + random.below(bytes.length - start)] = random.below(256);
      await readGltf(damaged).catch((error: unknown) => expect(error).toMatchObject({ name: 'FormatError' }));
    }
  });

  it('says where its numbers are, and reads them wherever the rest pose is seen', async () => {
    const asset = await makeRigged();
    const { bytes } = await writeMushed(asset);
    const once = await readGltf(bytes);
    // the same numbers, said to be in a space ten times as large: then the model must be ten times as small
    const changed = edit(bytes, (json) => {
      extensionOf(json).bindMatrix = [10, 0, 0, 0, 0, 10, 0, 0, 0, 0, 10, 0, 0, 0, 0, 1];
    });
    const moved = (await readGltf(changed)).ddm!.multiWeights.omegas;
    const { omegas } = once.ddm!.multiWeights;
    [100, 100, 100, 10, 100, 100, 10, 100, 10, 1].forEach((factor, c) => {
      expect(moved[c]).toBeCloseTo(omegas[c] / factor, 12);
    });
  });
});
