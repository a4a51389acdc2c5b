// SPDX-License-Identifier: MIT
import { validateBytes } from 'gltf-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { measureBounds } from '../../../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../../../core/model/asset.ts';
import type { HelperBones, HelperController } from '../../../../core/model/deformed/helper-bones.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { decodeTerms } from '../../../../deformers/helper-bones/decode-helper-bones.ts';
import { HELPER_EXTENSION, packHelperTerms } from '../../../../deformers/helper-bones/pack-helper-bones.ts';
import { makeDecodeBudget } from '../../../../deformers/layout/decode-limit.ts';
import { bakeAt } from '../../../../deformers/playback/bake/bake-at.ts';
import { bakeHelperMotions } from '../../../../deformers/playback/bake/bake-helper-motions.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { packGlb } from '../../document/pack-glb.ts';
import { splitGlb } from '../../document/split-glb.ts';
import { readGltf } from '../../read-gltf.ts';
import { writeGlb } from '../../write-glb.ts';

const NO_NODES = {
  names: [],
  parents: new Int32Array(0),
  translations: new Float64Array(0),
  rotations: new Float64Array(0),
  scales: new Float64Array(0),
};

type Json = {
  extensionsUsed?: string[];
  extensionsRequired?: string[];
  nodes: { name?: string; extensions?: Record<string, Record<string, unknown>> }[];
  skins: { joints: number[] }[];
};

/** A bar on six bones in a GLB, as any tool would have written it. */
async function makeRigged(): Promise<Asset> {
  const { clip, skeleton, skin, motion } = makeSample('bar-bend', { resolution: 150, frames: 6 });
  const asset: Asset = {
    ...{ name: 'bar', mesh: clip.mesh, nodes: NO_NODES, animations: [], clips: [], byteLength: 0, up: 'y' },
  };
  const skinned = { kind: 'skin' as const, mesh: clip.mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] };
  return readGltf(await writeGlb(asset, { kind: 'skin', model: skinned }));
}

/** The bar with a helper that half of its vertices follow by a third, driven by two joints. */
function help(asset: Asset): HelperBones {
  const { skeleton, skin } = asset.rig!;
  const count = skeleton.names.length;
  const bones: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i + 1 < skin.rowStart.length; i++) {
    const share = i % 2 === 0 ? 1 / 3 : 0;
    const row = [0, 1, 2].map((n) => {
      const e = skin.rowStart[i] + n;
      return e < skin.rowStart[i + 1] ? { bone: skin.boneIndices[e], weight: skin.weights[e] } : { bone: 0, weight: 0 };
    });
    bones.push(...row.map(({ bone }) => bone), count);
    weights.push(...row.map(({ weight }) => weight * (1 - share)), share);
  }
  const bindMatrices = new Float64Array(16 * (count + 1));
  bindMatrices.set(skeleton.bindMatrices);
  bindMatrices.set(skeleton.bindMatrices.subarray(16 * 2, 16 * 3), 16 * count);
  bindMatrices[16 * count + 12] += 0.05;
  const coefficients = new Float64Array(9 * 2 * 9);
  coefficients[0] = 0.05;
  coefficients[4 * 18 + 2] = 0.7;
  coefficients[8 * 18 + 9 + 8] = 0.25;
  return {
    kind: 'helper-bones',
    mesh: asset.mesh,
    skeleton: { names: [...skeleton.names, 'helper'], parents: Int32Array.of(...skeleton.parents, 2), bindMatrices },
    skin: makeSkin(bones, weights, 4),
    controllers: [{ bone: count, joints: Int32Array.of(2, 3), reaches: Float64Array.of(2, 3), order: 2, coefficients }],
  };
}

function bonesOf({ skeleton }: HelperBones): Int32Array {
  return Int32Array.from(skeleton.names, (_, j) => (j + 1 < skeleton.names.length ? j : -1));
}

async function writeHelped(asset: Asset, model: HelperBones): Promise<Uint8Array> {
  const bones = bonesOf(model);
  const motions = bakeHelperMotions(asset, model, bones);
  return writeGlb(asset, { kind: 'converted', model, bones, motions });
}

const edit = (bytes: Uint8Array, change: (json: Json) => void): Uint8Array => {
  const { json, binary } = splitGlb(bytes);
  const copy = structuredClone(json) as unknown as Json;
  change(copy);
  return packGlb(copy as never, binary);
};
const helperOf = (json: Json) => json.nodes.find(({ name }) => name === 'helper')!;
const extensionOf = (json: Json) => helperOf(json).extensions![HELPER_EXTENSION];

function measureApart(a: Asset, b: Asset, times: Float64Array): number {
  const [p, q] = [a, b].map((one) => bakeAt(one, one.animations[0], times).positions);
  return Math.max(...p.map((x, c) => Math.abs(x - q[c]))) / measureBounds(a.mesh.positions).diagonal;
}

let rigged: Asset;
let bytes: Uint8Array;
let read: Asset;
beforeAll(async () => {
  rigged = await makeRigged();
  bytes = await writeHelped(rigged, help(rigged));
  read = await readGltf(bytes);
});

describe('OSSIFY_helper_bones', () => {
  it('comes back as it was written', () => {
    const [given] = help(rigged).controllers;
    const [found] = read.helpers!;
    const names = read.rig!.skeleton.names;
    expect(names[found.bone]).toBe('helper');
    expect([...found.joints].map((j) => names[j])).toEqual([...given.joints].map((j) => rigged.rig!.skeleton.names[j]));
    expect([...found.reaches]).toEqual([2, 3]);
    expect(found.order).toBe(2);
    found.coefficients.forEach((x, e) => {
      expect(x).toBeCloseTo(given.coefficients[e], 9);
    });
  });

  it('is optional, and has keys that agree with the controllers', () => {
    const { json } = splitGlb(bytes) as unknown as { json: Json };
    expect(json.extensionsUsed).toContain(HELPER_EXTENSION);
    expect(json.extensionsRequired ?? []).not.toContain(HELPER_EXTENSION);
    const keys = read.animations[0].tracks.find(
      ({ node }) => node === read.rig!.nodeOfBone[read.helpers![0].bone],
    )!.times;
    expect(measureApart(read, { ...read, helpers: undefined }, Float64Array.from(keys))).toBeLessThan(1e-6);
    // and something moves
    expect(measureApart(read, rigged, Float64Array.from(keys))).toBeGreaterThan(0.01);
  });

  it('passes the validator without a remark', async () => {
    const { issues } = await validateBytes(bytes, { maxIssues: 0 });
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
  });

  it('is replaced by a second conversion', async () => {
    const source = { ...read, helpers: read.helpers };
    const isHelper = (bone: number) => source.helpers!.some((one) => one.bone === bone);
    const own = [...read.rig!.skeleton.names.keys()].filter((bone) => !isHelper(bone));
    const model = help(rigged);
    const bones = Int32Array.from([...own, -1]);
    const again = await readGltf(await writeGlb(read, { kind: 'converted', model, bones, motions: [] }));
    expect(again.helpers!.length).toBe(1);
  });

  it('is written for a model without a file as well', async () => {
    const { clip, skeleton, motion } = makeSample('bar-bend', { resolution: 150, frames: 4 });
    const model = { ...help(rigged), mesh: clip.mesh };
    const boneCount = model.skeleton.names.length;
    const matrices = new Float64Array(4 * boneCount * 16);
    for (let k = 0; k < 4; k++) {
      matrices.set(
        motion!.matrices.subarray(k * skeleton!.names.length * 16, (k + 1) * skeleton!.names.length * 16),
        k * boneCount * 16,
      );
      matrices.set(
        matrices.subarray((k * boneCount + 2) * 16, (k * boneCount + 3) * 16),
        (k * boneCount + boneCount - 1) * 16,
      );
    }
    const skinned = { ...model, kind: 'skin' as const, motions: [{ ...motion!, matrices }] };
    const asset: Asset = {
      ...{ name: 'bar', mesh: clip.mesh, nodes: NO_NODES, animations: [], clips: [], byteLength: 0, up: 'y' },
    };
    const found = await readGltf(
      await writeGlb(asset, { kind: 'skin', model: skinned, controllers: model.controllers }),
    );
    expect(found.helpers!.length).toBe(1);
  });

  it('of the future is left alone, with a note', async () => {
    const notes: string[] = [];
    const later = edit(bytes, (json) => {
      extensionOf(json).version = 7;
    });
    const asset = await readGltf(later, { log: (note) => notes.push(note) });
    expect(asset.helpers).toBeUndefined();
    expect(notes.join()).toContain('version 7 is not read; helpers play by their keys');
  });

  it.each([
    ['inputs', 3, 'inputs must be a list'],
    ['terms', 'x', 'terms must be a list'],
    ['terms', [{ input: 9, powers: [1, 0, 0] }], 'input must name one of 2 inputs'],
    ['terms', [{ input: 0, powers: [9, 9, 9] }], 'powers must be three whole numbers'],
    ['terms', [{ input: 0, powers: [1, 0, 0], scale: [1] }], 'scale must be three finite numbers'],
    ['inputs', [{ node: 999, reach: 1 }, { node: 0 }], 'names node 999'],
    ['inputs', [{ node: 0, reach: -1 }, { node: 0 }], 'reach must be an angle'],
  ])('with a bad field %s is refused in one sentence', async (field, value, message) => {
    const bad = edit(bytes, (json) => {
      extensionOf(json)[field] = value;
    });
    await expect(readGltf(bad)).rejects.toThrow(message);
  });

  it('that reads no joint plays by its keys', async () => {
    const notes: string[] = [];
    const odd = edit(bytes, (json) => {
      const mesh = json.nodes.findIndex((node) => 'mesh' in node);
      (extensionOf(json).inputs as { node: number }[])[0].node = mesh;
    });
    const asset = await readGltf(odd, { log: (note) => notes.push(note) });
    expect(asset.helpers).toBeUndefined();
    expect(notes.join()).toContain('no joint');
  });
});

describe('packHelperTerms', () => {
  it('keeps every term that is not zero', () => {
    const controller: HelperController = help(rigged).controllers[0];
    const terms = packHelperTerms(controller);
    expect(terms).toEqual([
      { input: 0, powers: [1, 0, 0], translation: [0.05, 0, 0] },
      { input: 0, powers: [0, 0, 1], rotation: [0, 0.7, 0] },
      { input: 1, powers: [0, 0, 2], scale: [0, 0, 0.25] },
    ]);
    expect(decodeTerms(terms, 2, 'test', makeDecodeBudget(0)).coefficients).toEqual(controller.coefficients);
  });
});
