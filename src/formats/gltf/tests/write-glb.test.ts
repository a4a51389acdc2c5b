// SPDX-License-Identifier: MIT

import { validateBytes } from 'gltf-validator';
import { describe, expect, it } from 'vitest';
import { compose, invertAffine, makeIdentities, multiply } from '../../../core/math/mat4.ts';
import { makeRandom } from '../../../core/math/random.ts';
import type { Asset, SkinnedModel } from '../../../core/model/asset.ts';
import type { Motion } from '../../../core/model/clip/motion.ts';
import { makeAsset } from '../../../core/model/make-asset.ts';
import { type Mesh, makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { packGlb } from '../document/pack-glb.ts';
import { splitGlb } from '../document/split-glb.ts';
import { readGltf } from '../read-gltf.ts';
import { writeGlb } from '../write-glb.ts';

/** A strip of squares along x, n wide, in two parts with materials, UVs and colours. */
function strip(n: number, scale = 1): Mesh {
  const positions = Float32Array.from(
    { length: (n + 1) * 6 },
    (_, c) => (c % 3 === 0 ? Math.floor(c / 6) : c % 6 > 2 ? [0, 1, 0.3][c % 3] : 0) * scale,
  );
  const half = (n + 1) / 2;
  const triangles: number[] = [];
  for (let s = 0; s < n; s++) {
    if (s === half - 1) continue; // the seam between the parts
    triangles.push(2 * s, 2 * s + 2, 2 * s + 1, 2 * s + 1, 2 * s + 2, 2 * s + 3);
  }
  const mesh = makeMesh(positions, Uint32Array.from(triangles), 'strip');
  const part = { vertexCount: n + 1, triangleCount: n - 1 };
  mesh.parts = [
    { name: 'left', vertexStart: 0, triangleStart: 0, material: 'skin', ...part },
    { name: 'right', vertexStart: n + 1, triangleStart: n - 1, material: 'cloth', ...part },
  ];
  mesh.normals = Float32Array.from({ length: positions.length }, (_, c) => [0, 0.6, 0.8][c % 3]);
  const vertexCount = positions.length / 3;
  mesh.attributes = [
    { name: 'TEXCOORD_0', size: 2, values: Float32Array.from({ length: vertexCount * 2 }, (_, c) => (c % 7) / 7) },
    { name: 'COLOR_0', size: 3, values: Float32Array.from({ length: vertexCount * 3 }, (_, c) => (c % 5) / 5) },
    { name: '_SMOOTHNESS', size: 1, values: Float32Array.from({ length: vertexCount }, (_, i) => i) },
  ];
  return mesh;
}

function assetOf(mesh: Mesh): Asset {
  const none = new Float64Array(0);
  const nodes = { names: [], parents: new Int32Array(0), translations: none, rotations: none, scales: none };
  return { name: mesh.name, mesh, nodes, animations: [], clips: [], up: 'y', byteLength: 0 };
}

/** Matrices of bones over frames, each made of the given linear parts about a point of the bone. */
function motionOf(boneCount: number, frameCount: number, linear: (j: number, k: number) => number[]): Motion {
  const matrices = makeIdentities(boneCount * frameCount);
  for (let k = 0; k < frameCount; k++) {
    for (let j = 0; j < boneCount; j++) {
      const o = (k * boneCount + j) * 16;
      const [a, b, c, d, e, f, g, h, i] = linear(j, k);
      matrices.set([a, b, c, 0, d, e, f, 0, g, h, i, 0, 0.1 * k, j, 0.2, 1], o);
    }
  }
  return { name: 'move', times: Float64Array.from({ length: frameCount }, (_, k) => k / 24), matrices };
}

function turnZ(angle: number, scale = [1, 1, 1]): number[] {
  const m = new Float64Array(16);
  compose([0, 0, 0], [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)], scale, m);
  return [m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]];
}

function modelOf(
  mesh: Mesh,
  boneCount: number,
  influences: number,
  motion: Motion,
  binds?: Float64Array,
): SkinnedModel {
  const random = makeRandom(3);
  const vertexCount = mesh.positions.length / 3;
  const bones = Array.from(
    { length: vertexCount * influences },
    (_, c) => (Math.floor(c / influences) + (c % influences)) % boneCount,
  );
  const weights = bones.map(() => 0.01 + random.next());
  return {
    kind: 'skin' as const,
    mesh,
    skeleton: {
      names: Array.from({ length: boneCount }, (_, j) => `bone ${j}`),
      parents: Int32Array.from({ length: boneCount }, (_, j) => j - 1),
      bindMatrices: binds ?? makeIdentities(boneCount).map((x, c) => (c % 16 === 12 ? Math.floor(c / 16) : x)),
    },
    skin: makeSkin(bones, weights, influences),
    motions: [motion],
  };
}

/** Rest-to-posed matrices of the bones at key k of the first animation, from the keys as the file has them. */
function posedBones(asset: Asset, k: number): Float64Array {
  const { nodes, rig, animations } = asset;
  const count = nodes.names.length;
  const { translations, rotations, scales } = {
    ...nodes,
    translations: nodes.translations.slice(),
    rotations: nodes.rotations.slice(),
    scales: nodes.scales.slice(),
  };
  for (const { node, path, times, values } of animations[0].tracks) {
    const key = times.length === 1 ? 0 : k;
    const size = path === 'rotation' ? 4 : 3;
    const to = path === 'rotation' ? rotations : path === 'scale' ? scales : translations;
    to.set(values.subarray(key * size, key * size + size), node * size);
  }
  const worlds = new Float64Array(count * 16);
  for (let n = 0; n < count; n++) {
    compose(translations, rotations, scales, worlds, n * 3, n * 4, n * 3, n * 16);
    if (nodes.parents[n] >= 0) multiply(worlds, worlds, worlds, nodes.parents[n] * 16, n * 16, n * 16);
  }
  const { bindMatrices } = rig!.skeleton;
  const out = new Float64Array(bindMatrices.length);
  for (let j = 0; j * 16 < out.length; j++) {
    const inverse = new Float64Array(16);
    expect(invertAffine(bindMatrices, inverse, j * 16)).toBe(true);
    multiply(worlds, inverse, out, rig!.nodeOfBone[j] * 16, 0, j * 16);
  }
  return out;
}

async function faultsOf(bytes: Uint8Array): Promise<string[]> {
  const { issues } = await validateBytes(bytes, { maxIssues: 100 });
  return issues.messages.filter((m) => m.severity < 2).map((m) => `${m.code} ${m.pointer ?? ''} ${m.message}`);
}

describe('writeGlb', () => {
  it('writes a compressed file again that does not list the extension it uses', async () => {
    const mesh = strip(7);
    const { json, binary } = splitGlb(await writeGlb(assetOf(mesh), undefined, { meshopt: true }));
    for (const list of ['extensionsUsed', 'extensionsRequired']) delete (json as Record<string, unknown>)[list];
    const again = await writeGlb(await readGltf(packGlb(json as never, binary)));
    expect(await faultsOf(again)).toEqual([]);
    expect([...(await readGltf(again)).mesh.positions]).toEqual([...mesh.positions]);
  });

  it.each([{}, { quantize: true }, { meshopt: true }, { quantize: true, meshopt: true }])(
    'writes a mesh with parts, materials and attributes that reads back the same, with %j',
    async (options) => {
      const mesh = strip(7);
      const bytes = await writeGlb(assetOf(mesh), undefined, options);
      expect(await faultsOf(bytes)).toEqual([]);
      expect(await writeGlb(assetOf(mesh), undefined, options)).toEqual(bytes);
      const back = await readGltf(bytes);
      expect([...back.mesh.positions]).toEqual([...mesh.positions]);
      expect(back.mesh.parts.map((part) => part.material)).toEqual(['skin', 'cloth']);
      expect(back.mesh.triangles.length).toBe(mesh.triangles.length);
      for (const { name, values } of mesh.attributes) {
        const found = back.mesh.attributes.find((a) => a.name === name);
        values.forEach((x, c) => {
          expect(found!.values[c]).toBeCloseTo(x, 4);
        });
      }
      // What was read from a glTF is written from its own source: bytes settle.
      const again = await writeGlb(back, undefined, options);
      expect(await faultsOf(again)).toEqual([]);
      expect([...(await readGltf(again)).mesh.positions]).toEqual([...mesh.positions]);
    },
  );

  it.each([false, true])(
    'writes a clip as morph targets whose weights show each frame at its time (on a glTF: %s)',
    async (onGltf) => {
      const plain = assetOf(strip(3));
      const skinned = modelOf(
        plain.mesh,
        2,
        1,
        motionOf(2, 2, () => turnZ(1)),
      );
      const asset = onGltf ? await readGltf(await writeGlb(plain, { kind: 'skin', model: skinned })) : plain;
      const { mesh } = asset;
      const frameCount = 4;
      const positions = Float32Array.from({ length: frameCount * mesh.positions.length }, (_, c) => {
        const k = Math.floor(c / mesh.positions.length);
        return mesh.positions[c % mesh.positions.length] * (1 + k) + (c % 3 === 2 ? k * k : 0);
      });
      const clip = { kind: 'clip' as const, name: 'wave', mesh, positions, times: Float64Array.of(0, 0.5, 1, 2) };
      const bytes = await writeGlb({ ...asset, clips: [clip] });
      expect(await faultsOf(bytes)).toEqual([]);
      const { morphs, animations, rig, mesh: rest } = await readGltf(bytes);
      expect(rig).toBeUndefined();
      const [track] = animations[0].tracks;
      expect([...track.times]).toEqual([0, 0.5, 1, 2]);
      const count = track.values.length / frameCount;
      expect(count).toBe(3); // the first frame is the rest shape
      for (let k = 0; k < frameCount; k++) {
        const shape = Float64Array.from(rest.positions);
        for (const { positions: deltas, weight, vertexStart } of morphs!.targets)
          deltas.forEach((x, c) => {
            shape[vertexStart * 3 + c] += x * track.values[k * count + weight];
          });
        shape.forEach((x, c) => {
          expect(x).toBeCloseTo(positions[k * shape.length + c], 5);
        });
      }
    },
  );

  it('refuses a clip that would take more than a gigabyte of morph targets', async () => {
    const mesh = strip(3);
    const frameCount = 20000;
    const positions = new Float32Array(frameCount * mesh.positions.length);
    const clip = {
      kind: 'clip' as const,
      name: 'long',
      mesh,
      positions,
      times: Float64Array.from({ length: frameCount }, (_, k) => k),
    };
    await expect(writeGlb({ ...assetOf(mesh), clips: [clip] })).rejects.toThrow('decompose the clip into bones');
  });

  const half = Math.PI;
  it.each<[string, number, number, (j: number, k: number) => number[], number]>([
    [
      'rigid bones, one of them through more than a turn',
      3,
      4,
      (j, k) => turnZ(j === 1 ? k * 0.9 * half : 0.2 * k * j),
      3,
    ],
    ['scaled bones', 3, 8, (j, k) => turnZ(0.3 * k, [1 + 0.1 * k, 1, 1 + 0.2 * j]), 3],
    ['mirrored bones', 2, 2, (_, k) => turnZ(0.3 * k, [-1, 1, 1 + 0.1 * k]), 2],
    ['sheared bones', 2, 6, (j, k) => [1, 0.1 * k, 0, 0.3, 1 + 0.1 * j, 0.05 * k, 0, 0, 1], 4],
    ['flat bones', 2, 2, (_, k) => (k === 2 ? [1, 0, 0, 0, 1, 0, 0, 0, 0] : turnZ(0.1 * k)), 2],
  ])('writes %s so that every key gives back its matrices', async (_, boneCount, influences, linear, jointNodes) => {
    const mesh = strip(7);
    const model = modelOf(mesh, boneCount, influences, motionOf(boneCount, 5, linear));
    const bytes = await writeGlb(assetOf(mesh), { kind: 'skin', model: model });
    expect(await faultsOf(bytes)).toEqual([]);
    const back = await readGltf(bytes);
    expect([...back.mesh.positions]).toEqual([...mesh.positions]);
    expect(back.animations[0].name).toBe('move');
    expect(back.nodes.names.filter((name) => name.startsWith('bone'))).toHaveLength(jointNodes);
    const boneOf = model.skeleton.names.map((name) => back.rig!.skeleton.names.indexOf(name));
    for (let k = 0; k < 5; k++) {
      const posed = posedBones(back, k);
      for (let j = 0; j < boneCount; j++)
        for (let c = 0; c < 16; c++)
          expect(
            Math.abs(posed[boneOf[j] * 16 + c] - model.motions[0].matrices[(k * boneCount + j) * 16 + c]),
          ).toBeLessThan(2e-6);
    }
    // Weights too: rows are equal to a 2⁻²⁴ part.
    const { skin } = back.rig!;
    expect([...skin.rowStart]).toEqual([...model.skin.rowStart]);
    skin.weights.forEach((w, e) => {
      expect(w).toBeCloseTo(model.skin.weights[e], 6);
    });
  });

  it('keeps signs of rotation keys together', async () => {
    const model = modelOf(
      strip(3),
      1,
      1,
      motionOf(1, 30, (_, k) => turnZ(k * 0.5)),
    );
    const { animations } = await readGltf(await writeGlb(assetOf(model.mesh), { kind: 'skin', model: model }));
    const { values } = animations[0].tracks.find((track) => track.path === 'rotation')!;
    for (let k = 1; k < 30; k++) {
      let dot = 0;
      for (let c = 0; c < 4; c++) dot += values[k * 4 + c] * values[(k - 1) * 4 + c];
      expect(dot).toBeGreaterThan(0.9);
    }
  });

  it('holds small models: a rest pose of micrometres is not rounded away', async () => {
    const binds = makeIdentities(2);
    binds[12 + 16] = 3e-6;
    const model = modelOf(
      strip(3, 1e-6),
      2,
      1,
      motionOf(2, 2, () => turnZ(0)),
      binds,
    );
    const { rig } = await readGltf(await writeGlb(assetOf(model.mesh), { kind: 'skin', model: model }));
    expect(rig!.skeleton.bindMatrices[12 + 16]).toBeCloseTo(3e-6, 10);
  });

  it('replaces skin, animation and morphs of a glTF, and keeps its materials, UVs and cameras', async () => {
    const mesh = strip(7);
    const first = modelOf(
      mesh,
      3,
      4,
      motionOf(3, 4, (j, k) => turnZ(j * k * 0.1)),
    );
    const source = await readGltf(await writeGlb(assetOf(mesh), { kind: 'skin', model: first }));
    const json = source.source!.json as { cameras?: unknown[]; nodes: object[]; scenes: { nodes: number[] }[] };
    json.cameras = [{ type: 'perspective', perspective: { yfov: 1, znear: 0.1 } }];
    json.scenes[0].nodes.push(json.nodes.push({ name: 'eye', camera: 0, translation: [0, 0, 5] }) - 1);
    const moved = { ...mesh, positions: mesh.positions.map((x) => x + 1) };
    const second = modelOf(
      moved,
      5,
      2,
      motionOf(5, 3, (j, k) => turnZ(j * k * 0.2)),
    );
    const bytes = await writeGlb(source, { kind: 'skin', model: second });
    expect(await faultsOf(bytes)).toEqual([]);
    const back = await readGltf(bytes);
    expect(back.rig!.skeleton.names).toHaveLength(5);
    expect([...back.mesh.positions]).toEqual([...moved.positions]);
    expect(back.mesh.parts.map((part) => part.material)).toEqual(['skin', 'cloth']);
    expect(back.mesh.attributes.map((a) => a.name).sort()).toEqual(['COLOR_0', 'TEXCOORD_0', '_SMOOTHNESS']);
    expect(back.animations).toHaveLength(1);
    // strip, ossify, five bones, and the camera's node
    expect(back.nodes.names).toHaveLength(8);
    const out = splitGlb(bytes).json as { cameras: unknown[]; accessors: unknown[] };
    expect(out.cameras).toHaveLength(1);
  });

  it('says what is wrong with a model that does not fit', async () => {
    const mesh = strip(3);
    const model = modelOf(
      mesh,
      2,
      1,
      motionOf(2, 2, () => turnZ(0)),
    );
    const write = (skinned: SkinnedModel): Promise<unknown> =>
      writeGlb(assetOf(mesh), { kind: 'skin', model: skinned });
    await expect(write({ ...model, motions: [motionOf(3, 2, () => turnZ(0))] })).rejects.toThrow(
      'moves 3 bones, the skeleton has 2',
    );
    await expect(write({ ...model, skin: makeSkin([0], [1], 1) })).rejects.toThrow(
      'the skin has 1 vertices, the mesh has 8',
    );
    const still = { ...model.motions[0], times: Float64Array.of(0, 0) };
    await expect(write({ ...model, motions: [still] })).rejects.toThrow('must rise');
  });
});

describe('writeGlb of an asset that was made of a model', () => {
  const { clip, skeleton, skin, motion } = makeSample('bar-bend', { frames: 4 });
  const model: SkinnedModel = { kind: 'skin', mesh: clip.mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] };
  const multiWeights = {
    rowStart: skin!.rowStart,
    boneIndices: skin!.boneIndices,
    omegas: Float64Array.from({ length: 10 * skin!.weights.length }, (_, c) =>
      c % 10 === 9 ? skin!.weights[(c - 9) / 10] : 0,
    ),
  };
  const settings = { iterations: 1, lambda: 1, kappa: 0, alpha: 0 };
  const ddm = {
    kind: 'direct-delta-mush',
    mesh: clip.mesh,
    skeleton: skeleton!,
    multiWeights,
    variant: 5,
    settings,
  } as const;

  it('writes its bones, motions and Direct Delta Mush without a file in between', async () => {
    const bytes = await writeGlb(makeAsset(model), { kind: 'delta-mush', model: ddm });
    expect(await faultsOf(bytes)).toEqual([]);
    const back = await readGltf(bytes);
    expect(back.ddm?.variant).toBe(5);
    expect(back.animations.map(({ name }) => name)).toEqual([motion!.name]);
    expect(back.rig?.skeleton.names).toEqual(skeleton!.names);
  });

  it('refuses what has no bones, in one sentence', async () => {
    await expect(writeGlb(makeAsset(clip), { kind: 'delta-mush', model: ddm })).rejects.toThrow('has no bones');
  });
});
