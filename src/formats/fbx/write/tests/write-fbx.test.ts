// SPDX-License-Identifier: MIT
import { Vector3 } from 'three';
import { FBXLoader } from 'three/examples/jsm/loaders/FBXLoader.js';
import { describe, expect, it } from 'vitest';
import { compose, makeIdentities } from '../../../../core/math/mat4.ts';
import { quaternionFromAxisAngle } from '../../../../core/math/quaternion.ts';
import type { Asset, SkinnedModel } from '../../../../core/model/asset.ts';
import type { Clip } from '../../../../core/model/clip/clip.ts';
import { makeAsset } from '../../../../core/model/make-asset.ts';
import type { Mesh } from '../../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { bakeClip } from '../../../../deformers/playback/bake/bake-clip.ts';
import { degreesFromQuaternionInto } from '../../fbx-degrees.ts';
import { readFbx } from '../../read-fbx.ts';
import { writeFbx } from '../write-fbx.ts';

/** A strip of triangles along y with UVs, normals and two materials. */
function makeStrip(rows = 6): Mesh {
  const vertexCount = 2 * rows;
  const positions = Float32Array.from({ length: 3 * vertexCount }, (_, c) => {
    const i = Math.floor(c / 3);
    return c % 3 === 0 ? (i % 2) * 0.3 : c % 3 === 1 ? Math.floor(i / 2) * 0.4 : 0.01 * i;
  });
  const triangles: number[] = [];
  for (let r = 0; r + 1 < rows; r++) {
    // the row in the middle is not crossed, so that there are two parts
    if (2 * (r + 1) === rows) continue;
    triangles.push(2 * r, 2 * r + 1, 2 * r + 3, 2 * r, 2 * r + 3, 2 * r + 2);
  }
  const half = triangles.length / 6;
  const part = { vertexCount: rows, triangleCount: half };
  return {
    name: 'strip',
    positions,
    triangles: Uint32Array.from(triangles),
    normals: Float32Array.from({ length: 3 * vertexCount }, (_, c) => (c % 3 === 2 ? 1 : 0)),
    attributes: [
      { name: 'TEXCOORD_0', size: 2, values: Float32Array.from({ length: 2 * vertexCount }, (_, c) => (c % 7) / 8) },
    ],
    parts: [
      { ...part, name: 'strip 0', vertexStart: 0, triangleStart: 0, material: 'lower' },
      { ...part, name: 'strip 1', vertexStart: rows, triangleStart: half, material: 'upper' },
    ],
  };
}

/** Three bones in a row that turn and, on request, stretch. */
function makeModel(stretch = 0): SkinnedModel {
  const mesh = makeStrip();
  const vertexCount = mesh.positions.length / 3;
  const bindMatrices = makeIdentities(3);
  for (let j = 0; j < 3; j++) bindMatrices[16 * j + 13] = 0.7 * j;
  const [bones, weights]: [number[], number[]] = [[], []];
  for (let i = 0; i < vertexCount; i++) {
    const y = mesh.positions[3 * i + 1];
    for (let j = 0; j < 3; j++) {
      bones.push(j);
      weights.push(Math.max(0.02, 1 - Math.abs(y - 0.7 * j - 0.35)));
    }
  }
  const frameCount = 9;
  const matrices = new Float64Array(16 * 3 * frameCount);
  const q = new Float64Array(4);
  for (let k = 0; k < frameCount; k++) {
    for (let j = 0; j < 3; j++) {
      quaternionFromAxisAngle([0.3, 0.2 * j, 1], 0.35 * k * (j + 1), q);
      const s = 1 + stretch * k;
      compose([0.1 * k, 0, 0.02 * k * j], q, [s, 1, 1 / s], matrices, 0, 0, 0, 16 * (3 * k + j));
    }
  }
  return {
    kind: 'skin',
    mesh,
    skeleton: { names: ['hip', 'knee', 'foot'], parents: Int32Array.of(-1, 0, 1), bindMatrices },
    skin: makeSkin(bones, weights, 3),
    motions: [
      { name: 'kick', times: Float64Array.from({ length: frameCount }, (_, k) => k / 30), matrices },
      { name: 'still', times: Float64Array.of(0, 1 / 30), matrices: matrices.slice(0, 96) },
    ],
  };
}

/** Largest distance between the frames of two assets, and their number. */
function measure(a: Asset, b: Asset, animation: number, fps: number): { frames: number; worst: number } {
  const [one, other] = [a, b].map((asset) => bakeClip(asset, { animation, fps }));
  expect(other.times).toHaveLength(one.times.length);
  expect(other.positions).toHaveLength(one.positions.length);
  let worst = 0;
  one.positions.forEach((x, c) => {
    worst = Math.max(worst, Math.abs(x - other.positions[c]));
  });
  return { frames: one.times.length, worst };
}

describe('writeFbx', () => {
  it('writes a skinned model that reads back the same', async () => {
    const model = makeModel();
    const asset = makeAsset(model, { metresPerUnit: 1 });
    const back = await readFbx(writeFbx(asset, { kind: 'skin', model }));
    expect(back.mesh.triangles).toEqual(model.mesh.triangles);
    expect(back.mesh.normals).toEqual(model.mesh.normals);
    expect(back.mesh.parts.map(({ material }) => material)).toEqual(['lower', 'upper']);
    back.mesh.attributes[0].values.forEach((x, c) => {
      expect(x).toBeCloseTo(model.mesh.attributes[0].values[c], 6);
    });
    expect(back.rig!.skeleton.names).toEqual(['hip', 'knee', 'foot']);
    expect([...back.rig!.skeleton.parents]).toEqual([-1, 0, 1]);
    expect(back.animations.map(({ name }) => name)).toEqual(['kick', 'still']);
    expect(measure(asset, back, 0, 30)).toEqual({ frames: 9, worst: expect.closeTo(0, 5) });
    expect(measure(asset, back, 1, 30)).toEqual({ frames: 2, worst: expect.closeTo(0, 5) });
  });

  it('writes sheared bones as two joints', async () => {
    const model = makeModel(0.05);
    const asset = makeAsset(model);
    const back = await readFbx(writeFbx(asset, { kind: 'skin', model }));
    expect(measure(asset, back, 0, 30).worst).toBeLessThan(1e-5);
  });

  it('turns the y axis of a bone to its child, and to the surface where it has none', async () => {
    const model = makeModel();
    model.skeleton.bindMatrices.set([0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0], 0);
    const back = await readFbx(writeFbx(makeAsset(model), { kind: 'skin', model }));
    const { bindMatrices } = back.rig!.skeleton;
    for (let j = 0; j < 3; j++) expect(bindMatrices[16 * j + 5]).toBeGreaterThan(0.8);
  });

  it('writes more than four influences', async () => {
    const model = makeModel();
    const boneCount = 7;
    const bindMatrices = makeIdentities(boneCount);
    const names = Array.from({ length: boneCount }, (_, j) => `b${j}`);
    const vertexCount = model.mesh.positions.length / 3;
    const skin = makeSkin(
      Array.from({ length: vertexCount * boneCount }, (_, e) => e % boneCount),
      Array.from({ length: vertexCount * boneCount }, (_, e) => 1 + (e % boneCount)),
      boneCount,
    );
    const wide: SkinnedModel = {
      ...model,
      skeleton: { names, parents: new Int32Array(boneCount).fill(-1), bindMatrices },
      skin,
      motions: [],
    };
    const back = await readFbx(writeFbx(makeAsset(wide), { kind: 'skin', model: wide }));
    expect([...back.rig!.skin.weights.subarray(0, 7)]).toEqual(
      [7, 6, 5, 4, 3, 2, 1].map((w) => expect.closeTo(w / 28, 6)),
    );
  });

  it('writes blend shapes under a skin with animated weights', async () => {
    const model = makeModel();
    const vertexCount = model.mesh.positions.length / 3;
    const positions = Float32Array.from({ length: 3 * vertexCount }, (_, c) => (c % 3 === 2 ? 0.1 * (c % 5) : 0));
    const target = { name: 'bulge', node: 0, weight: 0, vertexStart: 0, vertexCount, positions };
    const morphs = {
      morphs: { targets: [target], restWeights: [] },
      weights: [Float32Array.from({ length: 9 }, (_, k) => k / 8), new Float32Array(2)],
    };
    const bytes = writeFbx(makeAsset(model), { kind: 'skin', model, morphs });
    const back = await readFbx(bytes);
    // one per part
    expect(back.morphs!.targets.map(({ name }) => name)).toEqual(['bulge', 'bulge']);
    const weights = back.animations[0].tracks.find(({ path }) => path === 'weights')!;
    expect([...weights.values]).toEqual(Array.from({ length: 9 }, (_, k) => expect.closeTo(k / 8, 6)));
  });

  it('writes clips as blend shapes', async () => {
    const mesh = makeStrip();
    const stride = mesh.positions.length;
    const clipOf = (name: string, amount: number): Clip => ({
      kind: 'clip',
      name,
      mesh,
      positions: Float32Array.from(
        { length: 5 * stride },
        (_, c) => mesh.positions[c % stride] + amount * Math.floor(c / stride) * (c % 3),
      ),
      times: Float64Array.from({ length: 5 }, (_, k) => k / 24),
    });
    const asset: Asset = { ...makeAsset(clipOf('one', 0.1)), clips: [clipOf('one', 0.1), clipOf('two', -0.3)] };
    const back = await readFbx(writeFbx(asset));
    expect(back.animations.map(({ name }) => name)).toEqual(['one', 'two']);
    for (const n of [0, 1]) {
      const frames = bakeClip(back, { animation: n, fps: 24 });
      asset.clips[n].positions.forEach((x, c) => {
        expect(frames.positions[c]).toBeCloseTo(x, 6);
      });
    }
  });

  it('declares units and axes', async () => {
    const model = makeModel();
    const sizeOf = async (asset: Asset, unit?: 'cm'): Promise<number[]> => {
      const { mesh, nodes } = await readFbx(writeFbx(asset, { kind: 'skin', model }, { unit }));
      expect(nodes.names[0] === 'axes').toBe(unit === 'cm' || asset.up !== 'y' || asset.metresPerUnit !== 1);
      return [...mesh.positions.subarray(-3)].map((x) => Math.round(1e4 * x) / 1e4 + 0);
    };
    // the last vertex is at (0.3, 2, 0.11)
    expect(await sizeOf(makeAsset(model, { metresPerUnit: 1 }))).toEqual([0.3, 2, 0.11]);
    expect(await sizeOf(makeAsset(model, { metresPerUnit: 1 }), 'cm')).toEqual([0.3, 2, 0.11]);
    expect(await sizeOf(makeAsset(model, { metresPerUnit: 0.01 }))).toEqual([0.003, 0.02, 0.0011]);
    expect(await sizeOf(makeAsset(model, { metresPerUnit: 1, up: 'z' }))).toEqual([0.3, 0.11, -2]);
    expect(await sizeOf(makeAsset(model, { metresPerUnit: 1, up: 'x' }))).toEqual([-2, 0.3, 0.11]);
  });

  it('gives equal bytes for equal content', () => {
    const write = (): Uint8Array => writeFbx(makeAsset(makeModel()), { kind: 'skin', model: makeModel() });
    expect(write()).toEqual(write());
  });

  it('is read by three.js with the same skinned positions', () => {
    const model = makeModel();
    const asset = makeAsset(model, { metresPerUnit: 1 });
    const bytes = writeFbx(asset, { kind: 'skin', model });
    const scene = new FBXLoader().parse(bytes.buffer as ArrayBuffer, '');
    expect(scene.animations.map(({ name }) => name)).toEqual(['kick', 'still']);
    // the rest pose; three draws triangles without indices, four weights at most
    scene.updateMatrixWorld(true);
    const mesh = scene.getObjectByName('strip') as unknown as {
      isSkinnedMesh: boolean;
      geometry: { attributes: { position: { count: number } } };
      skeleton: { bones: { name: string }[] };
      getVertexPosition(i: number, target: Vector3): Vector3;
    };
    expect(mesh.isSkinnedMesh).toBe(true);
    expect(mesh.skeleton.bones.map(({ name }) => name)).toEqual(['hip', 'knee', 'foot']);
    expect(mesh.geometry.attributes.position.count).toBe(model.mesh.triangles.length);
    const point = new Vector3();
    model.mesh.triangles.forEach((vertex, c) => {
      mesh.getVertexPosition(c, point);
      point.toArray().forEach((x, r) => {
        expect(x).toBeCloseTo(model.mesh.positions[3 * vertex + r], 5);
      });
    });
  });
});

describe('degreesFromQuaternionInto', () => {
  it('stays close to the previous angles through a locked middle angle', () => {
    const q = new Float64Array(4);
    const angles = new Float64Array(3 * 40);
    for (let k = 0; k < 40; k++) {
      quaternionFromAxisAngle([0, 1, 0.001], 0.1 * k, q);
      degreesFromQuaternionInto(q, 0, angles, 3 * k, k > 0 ? angles.subarray(3 * k - 3, 3 * k) : undefined);
      if (k > 0) expect(Math.abs(angles[3 * k + 1] - angles[3 * k - 2])).toBeLessThan(10);
    }
    expect(angles[3 * 39 + 1]).toBeCloseTo((3.9 * 180) / Math.PI, 0);
  });
});
