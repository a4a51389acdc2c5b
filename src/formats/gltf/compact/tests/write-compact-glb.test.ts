// SPDX-License-Identifier: MIT
import { validateBytes } from 'gltf-validator';
import { describe, expect, it } from 'vitest';
import { FormatError, InputError } from '../../../../core/model/errors.ts';
import { makeAsset } from '../../../../core/model/make-asset.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { bakeAt } from '../../../../deformers/playback/bake/bake-at.ts';
import { assetOfSample, skinnedOfSample } from '../../../../jobs/sample/sample-asset.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { packGlb } from '../../document/pack-glb.ts';
import { splitGlb } from '../../document/split-glb.ts';
import { readGltf } from '../../read-gltf.ts';
import type { SmallPrecision } from '../../small/small-precision.ts';
import { writeSmallGlb } from '../../small/write-small-glb.ts';
import { writeGlb } from '../../write-glb.ts';
import { writeCompactGlb } from '../write-compact-glb.ts';

const PRECISION: SmallPrecision = {
  ...{ positionStep: 0.002, normalBits: 8, texcoordBits: 12, colorBits: 8, weightSteps: 85 },
  ...{ motionStep: 0.001, aim: 'max' },
};

describe('writeCompactGlb', () => {
  const model = skinnedOfSample(makeSample('creature', { resolution: 1500, frames: 12 }))!;
  const asset = makeAsset(model);
  const content = { kind: 'skin', model } as const;

  it('is a valid file of half the size with the same motion within its steps', async () => {
    const { bytes, order, parts } = await writeCompactGlb(asset, content, PRECISION);
    const standard = await writeSmallGlb(asset, content, PRECISION);
    expect(bytes.length).toBeLessThan(0.6 * standard.bytes.length);
    expect(parts.meshes + parts.motion + parts.json + parts.other).toBe(bytes.length);
    const { issues } = await validateBytes(bytes);
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
    const plain = await readGltf(await writeGlb(asset, content));
    const read = await readGltf(bytes);
    expect(read.byteLength).toBe(bytes.length);
    expect(read.rig!.skeleton.names).toEqual(plain.rig!.skeleton.names);
    expect(read.animations.map(({ name }) => name)).toEqual(plain.animations.map(({ name }) => name));
    const { times } = model.motions[0];
    const before = bakeAt(plain, plain.animations[0], times);
    const after = bakeAt(read, read.animations[0], times);
    const vertexCount = before.mesh.positions.length / 3;
    let largest = 0;
    for (let k = 0; k < times.length; k++)
      order.forEach((v, i) => {
        const [a, b] = [3 * (k * vertexCount + v), 3 * (k * order.length + i)];
        largest = Math.max(
          largest,
          Math.hypot(...[0, 1, 2].map((r) => before.positions[a + r] - after.positions[b + r])),
        );
      });
    expect(largest).toBeLessThan(0.02 * Math.max(...before.mesh.positions));
  });

  it.each([
    ['compact', writeCompactGlb],
    ['small', writeSmallGlb],
  ] as const)('counts vertices of parts without triangles, which are not written: %s', async (_, write) => {
    const { positions, triangles } = model.mesh;
    const vertexCount = positions.length / 3;
    const mesh = makeMesh(
      Float32Array.from([...positions, ...positions]),
      triangles.map((i) => i + vertexCount),
    );
    const part = { ...mesh.parts[0], vertexCount };
    mesh.parts = [
      { ...part, name: 'speck', triangleCount: 0 },
      { ...part, vertexStart: vertexCount },
    ];
    const { bytes, order } = await write({ ...asset, mesh }, { kind: 'static', attributes: [] }, PRECISION);
    const read = (await readGltf(bytes)).mesh;
    expect(read.positions.length).toBe(3 * order.length);
    expect(Math.min(...order)).toBe(vertexCount);
    const apart = order.map((v, i) => Math.abs(mesh.positions[3 * v] - read.positions[3 * i]));
    expect(Math.max(...apart)).toBeLessThan(2 * PRECISION.positionStep);
  });

  it('expands to a plain file that the validator accepts', async () => {
    const { bytes } = await writeCompactGlb(asset, content, PRECISION);
    const plain = await writeGlb(await readGltf(bytes));
    const { issues } = await validateBytes(plain);
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
    expect((splitGlb(plain).json as { extensionsUsed?: string[] }).extensionsUsed ?? []).not.toContain(
      'OSSIFY_compact_skin',
    );
  });

  it('keeps texture coordinates, colours and normals within their bits, with seams', async () => {
    const { mesh } = model;
    const count = mesh.positions.length / 3;
    const attributes = [
      { name: 'TEXCOORD_0', size: 2, values: Float32Array.from({ length: 2 * count }, (_, n) => (n % 97) / 97) },
      { name: 'COLOR_0', size: 3, values: Float32Array.from({ length: 3 * count }, (_, n) => (n % 11) / 10) },
    ];
    const painted = { ...model, mesh: { ...mesh, attributes } };
    const { bytes, order } = await writeCompactGlb(makeAsset(painted), { kind: 'skin', model: painted }, PRECISION, {
      shading: 'smooth',
    });
    const read = (await readGltf(bytes)).mesh;
    for (const { name, size, values } of attributes) {
      const own = read.attributes.find((one) => one.name === name)!;
      order.forEach((v, i) => {
        for (let c = 0; c < size; c++) expect(own.values[size * i + c]).toBeCloseTo(values[size * v + c], 2);
      });
    }
    for (let i = 0; i < order.length; i++)
      expect(Math.hypot(...read.normals!.subarray(3 * i, 3 * i + 3))).toBeCloseTo(1, 5);
  });

  it('keeps several roots: nodes without a parent, also after nodes with one', async () => {
    const { skeleton } = model;
    const last = skeleton.parents.length - 1;
    const parents = skeleton.parents.slice();
    // a leaf becomes a root of its own
    parents[last] = -1;
    expect(parents).not.toContain(last);
    const loose = { ...model, skeleton: { ...skeleton, parents } };
    const { bytes } = await writeCompactGlb(makeAsset(loose), { kind: 'skin', model: loose }, PRECISION);
    const plain = await readGltf(await writeGlb(makeAsset(loose), { kind: 'skin', model: loose }));
    const read = await readGltf(bytes);
    const rootsOf = ({ rig }: typeof read): string[] =>
      rig!.skeleton.names.filter((_, j) => rig!.skeleton.parents[j] < 0).sort();
    expect(rootsOf(plain).length).toBeGreaterThan(1);
    expect(rootsOf(read)).toEqual(rootsOf(plain));
  });

  it('refuses morph targets, and names the way out', async () => {
    const morphs = await readGltf(
      await writeGlb(assetOfSample(makeSample('sheet', { resolution: 200, frames: 4 })), { kind: 'clip' }),
    );
    await expect(writeCompactGlb(morphs, { kind: 'clip' }, PRECISION)).rejects.toThrow(InputError);
    await expect(writeCompactGlb(morphs, { kind: 'clip' }, PRECISION)).rejects.toThrow(/morph targets.*--codec auto/);
  });

  it('stores a mesh without bones', async () => {
    const mesh = makeMesh(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0), Uint32Array.of(0, 1, 2, 1, 3, 2));
    const still = { kind: 'clip', name: 'still', mesh, times: Float64Array.of(0), positions: mesh.positions } as const;
    const { bytes, order } = await writeCompactGlb(
      { ...makeAsset(still), clips: [] },
      { kind: 'static', attributes: [] },
      PRECISION,
    );
    const read = await readGltf(bytes);
    order.forEach((v, i) => {
      for (let r = 0; r < 3; r++) expect(read.mesh.positions[3 * i + r]).toBeCloseTo(mesh.positions[3 * v + r], 3);
    });
  });

  it('is read with one sentence about what is wrong with its JSON', async () => {
    const { bytes } = await writeCompactGlb(asset, content, PRECISION);
    const { json, binary } = splitGlb(bytes) as {
      json: { extensions: { OSSIFY_compact_skin: Record<string, unknown> }; bufferViews: Record<string, unknown>[] };
      binary: Uint8Array;
    };
    const own = json.extensions.OSSIFY_compact_skin;
    const [mesh] = own.meshes as Record<string, unknown>[];
    const faults: [Record<string, unknown>, RegExp][] = [
      [{ ...own, version: 2 }, /version 2/],
      [{ ...own, bufferView: 7 }, /buffer view 7/],
      [{ ...own, meshes: [] }, /0 primitives, but its stream has 1/],
      [{ ...own, meshes: [{ ...mesh, skin: 4 }] }, /skin 4, which is missing/],
      [{ ...own, meshes: [{ ...mesh, nodes: [9] }] }, /node 9/],
      [{ ...own, meshes: [{ ...mesh, primitives: [{ material: 3 }] }] }, /material 3/],
    ];
    for (const [extension, fault] of faults) {
      const damaged = packGlb({ ...json, extensions: { OSSIFY_compact_skin: extension } }, binary);
      await expect(readGltf(damaged)).rejects.toThrow(FormatError);
      await expect(readGltf(damaged)).rejects.toThrow(fault);
    }
    const longer = { ...json, bufferViews: [{ ...json.bufferViews[0], byteLength: 1e6 }] };
    await expect(readGltf(packGlb(longer, binary))).rejects.toThrow(/ends at byte/);
  });
});
