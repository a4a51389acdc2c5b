// SPDX-License-Identifier: MIT
// The smallest files that use every feature that is read: all that the writers write, and a scene by hand for what they do not write.

import { makeIdentities } from '../../src/core/math/mat4.ts';
import type { Asset, SkinnedModel } from '../../src/core/model/asset.ts';
import type { HelperBones } from '../../src/core/model/deformed/helper-bones.ts';
import type { SkinCorrection } from '../../src/core/model/deformed/skin-correction.ts';
import { type SkinLight, TERM_SIZE } from '../../src/core/model/deformed/skin-light.ts';
import { makeAsset } from '../../src/core/model/make-asset.ts';
import { makeMesh } from '../../src/core/model/mesh/mesh.ts';
import { makeSkin } from '../../src/core/model/skin/skin.ts';
import { makeRestNormals } from '../../src/entry/gpu.ts';
import {
  bakeHelperMotions,
  compressDdm,
  type GlbContent,
  precomputeDdm,
  readAsset,
  type WriteGlbOptions,
  writeGlb,
} from '../../src/entry/index.ts';
import { writeCompactGlb } from '../../src/formats/gltf/index.ts';
import type { Seed } from '../fuzz-format.ts';
import { makeSceneGlb } from './make-scene-glb.ts';

/** A column of three rings of four vertices on two bones, which bends for three frames. */
export function makeColumn(): SkinnedModel {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let ring = 0; ring < 3; ring++)
    for (let n = 0; n < 4; n++) positions.push(Math.cos(n * 1.5708), ring, Math.sin(n * 1.5708));
  for (let v = 0; v < 8; v++) {
    const next = v - (v % 4) + ((v + 1) % 4);
    triangles.push(v, v + 4, next, next, v + 4, next + 4);
  }
  const plain = makeMesh(Float32Array.from(positions), Uint32Array.from(triangles), 'column');
  const normals = Float32Array.from(positions, (x, c) => (c % 3 === 1 ? 0 : Math.fround(x)));
  const values = Float32Array.from({ length: 24 }, (_, c) => (c % 5) / 5);
  const mesh = { ...plain, normals, attributes: [{ name: 'TEXCOORD_0', size: 2, values }] };
  const matrices = makeIdentities(6);
  for (let k = 0; k < 3; k++) {
    const m = 16 * (2 * k + 1);
    const [c, s] = [Math.cos(0.3 * k), Math.sin(0.3 * k)];
    matrices.set([c, s, 0, 0, -s, c, 0, 0, 0, 0, 1, 0, s, 1 - c, 0, 1], m);
  }
  const bones = Array.from({ length: 24 }, (_, e) => e & 1);
  const weights = bones.map((bone, e) => (bone ? (e >> 3) / 2 : 1 - (e >> 3) / 2));
  return {
    kind: 'skin',
    mesh,
    skeleton: { names: ['root', 'tip'], parents: Int32Array.of(-1, 0), bindMatrices: makeIdentities(2) },
    skin: makeSkin(bones, weights, 2),
    motions: [{ name: 'bend', times: Float64Array.of(0, 0.5, 1), matrices }],
  };
}

/** Transfer vectors of the column in two components. */
function makeLight(): SkinLight {
  return {
    kind: 'transfer',
    rank: 2,
    basis: Float32Array.from({ length: 2 * 12 * 9 }, (_, c) => ((c % 7) - 3) / 4),
    environment: Float32Array.from({ length: 27 }, (_, c) => (c % 4) / 4),
    tracks: [{ name: 'bend', times: Float64Array.of(0, 0.5, 1), values: Float32Array.of(1, 0, 0.5, 1, 0.25, -1) }],
  };
}

/** Colours of the column relative to a sky and a sun. */
function makeRelativeLight(): SkinLight {
  return {
    kind: 'prelit',
    rank: 2,
    basis: Float32Array.from({ length: 2 * 12 * 2 }, (_, c) => (c % 7) / 8),
    terms: Float32Array.from({ length: 2 * TERM_SIZE }, (_, c) => (c % 5) / 8),
    mean: new Float32Array(36).fill(0.5),
    tracks: [{ name: 'bend', times: Float64Array.of(0, 1), values: Float32Array.of(1, 0, 0.5, 1) }],
  };
}

let made: Promise<Seed[]> | undefined;

/** Seeds of GLB and of everything that is read from one, made once. */
export function makeGlbSeeds(): Promise<Seed[]> {
  made ??= makeAll();
  return made;
}

async function makeAll(): Promise<Seed[]> {
  const seeds: Seed[] = [];
  const add = async (name: string, asset: Asset, content: GlbContent, options: WriteGlbOptions = {}) => {
    seeds.push({ name, bytes: await writeGlb(asset, content, options) });
  };
  const model = makeColumn();
  const bare = makeAsset(model);
  await add('skin', bare, { kind: 'skin', model });
  await add('skin-small', bare, { kind: 'skin', model }, { quantize: true });
  await add('skin-meshopt', bare, { kind: 'skin', model }, { meshopt: true, quantize: true });
  const steps = { positionStep: 0.01, motionStep: 0.01, aim: 'max' as const, weightSteps: 17 };
  const bits = { normalBits: 7, texcoordBits: 10, colorBits: 8 };
  const compact = await writeCompactGlb(bare, { kind: 'skin', model }, { ...steps, ...bits });
  seeds.push({ name: 'compact', bytes: compact.bytes });
  const asset = await readAsset([{ name: 'seed.glb', bytes: seeds[0].bytes }]);

  await add('light', asset, { kind: 'light', model: makeLight() });
  await add('light-small', asset, { kind: 'light', model: makeLight() }, { quantize: true });
  const shaded = { ...model, mesh: { ...model.mesh, normals: makeRestNormals(model.mesh) } };
  const withNormals = await readAsset([
    { name: 'seed.glb', bytes: await writeGlb(makeAsset(shaded), { kind: 'skin', model: shaded }) },
  ]);
  await add('light-relative', withNormals, { kind: 'light', model: makeRelativeLight() });
  const correction = makeCorrection(model);
  await add('correction', bare, { kind: 'skin', model, correction: { model: correction } });
  await add('correction-small', bare, { kind: 'skin', model, correction: { model: correction } }, { quantize: true });
  const tracks = correction.tracks.map((track) => ({ ...track, normalValues: new Float32Array(0) }));
  const shapes = { ...correction, normalRank: 0, normals: undefined, tracks };
  await add('morphs', bare, { kind: 'skin', model, correction: { model: shapes, as: 'morphs' } });
  const frames = Float32Array.from({ length: 3 * 36 }, (_, c) => model.mesh.positions[c % 36] + Math.floor(c / 36) / 8);
  const clip = {
    kind: 'clip' as const,
    name: 'sway',
    mesh: model.mesh,
    times: Float64Array.of(0, 0.5, 1),
    positions: frames,
  };
  await add('clip', makeAsset(clip), { kind: 'clip' });

  const { skeleton, skin } = asset.rig!;
  const ddm = await precomputeDdm(asset.mesh, skeleton, skin, { iterations: 2 });
  await add('ddm', asset, { kind: 'delta-mush', model: ddm, skin });
  await add('ddm-small', asset, { kind: 'delta-mush', model: { ...ddm, variant: 1 }, skin }, { quantize: true });
  await add('ddm-columns', asset, { kind: 'delta-mush', model: { ...ddm, variant: 2 }, skin }, { meshopt: true });
  const { model: layers } = await compressDdm(ddm, { virtualBones: 3, influences: 2, iterations: 1, poses: 3 });
  await add('two-layer', asset, { kind: 'two-layer', model: layers, skin });
  await add('two-layer-small', asset, { kind: 'two-layer', model: layers, skin }, { quantize: true });
  const virtualBones = makeSkin([0, 1, 0, 1, 0, 1], [1, 0, 0.5, 0.5, 0, 1], 2);
  const ids = Array.from({ length: 24 }, (_, e) => (e + (e & 1)) % 3);
  const shares = ids.map((_, e) => (e & 1 ? 0.25 : 0.75));
  const linear = {
    kind: 'linear-two-layer' as const,
    mesh: asset.mesh,
    skeleton,
    virtualBones,
    skin: makeSkin(ids, shares, 2),
  };
  await add('linear-layers', asset, { kind: 'weights', skin, layers: linear });

  const helped = makeHelped(asset);
  const motions = bakeHelperMotions(asset, helped, Int32Array.of(0, 1));
  await add('helpers', asset, { kind: 'converted', model: helped, bones: Int32Array.of(0, 1, -1), motions });
  const six = Array.from({ length: 72 }, (_, c) => c % 6);
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const loose = { names, parents: new Int32Array(6).fill(-1), bindMatrices: makeIdentities(6) };
  const many = {
    ...model,
    skeleton: loose,
    skin: makeSkin(
      six,
      six.map((bone) => 1 + bone),
      6,
    ),
    motions: [],
  };
  await add('six-influences', makeAsset(many), { kind: 'skin', model: many });
  seeds.push({ name: 'scene', bytes: makeSceneGlb() });
  return seeds;
}

function makeCorrection({ mesh, motions }: SkinnedModel): SkinCorrection {
  const size = mesh.positions.length;
  const values = Float32Array.of(0, 0, 1, 0.5, -0.5, 1);
  return {
    rank: 2,
    basis: Float32Array.from({ length: 2 * size }, (_, c) => ((c * 7) % 11) / 100),
    normalRank: 1,
    normals: { rule: 'blend', basis: new Float32Array(size).fill(0.01) },
    tracks: [{ name: motions[0].name, times: motions[0].times, values, normalValues: Float32Array.of(0, 1, 0.5) }],
  };
}

/** The column with a helper that its middle follows, driven by both joints. */
function makeHelped({ mesh, rig }: Asset): HelperBones {
  const { skeleton } = rig!;
  const bones = Array.from({ length: 36 }, (_, e) => e % 3);
  const weights = bones.map(
    (bone, e) => [1 - Math.floor(e / 12) / 3, Math.floor(e / 12) / 6, Math.floor(e / 12) / 6][bone],
  );
  const coefficients = new Float64Array(9 * 2 * 9);
  coefficients[0] = 0.05;
  coefficients[4 * 18 + 2] = 0.7;
  coefficients[8 * 18 + 9 + 8] = 0.25;
  const bindMatrices = Float64Array.from([...skeleton.bindMatrices, ...makeIdentities(1)]);
  return {
    kind: 'helper-bones',
    mesh,
    skeleton: { names: [...skeleton.names, 'helper'], parents: Int32Array.of(...skeleton.parents, 1), bindMatrices },
    skin: makeSkin(bones, weights, 3),
    controllers: [{ bone: 2, joints: Int32Array.of(0, 1), reaches: Float64Array.of(2, 3), order: 2, coefficients }],
  };
}
