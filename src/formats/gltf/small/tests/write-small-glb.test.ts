// SPDX-License-Identifier: MIT
import { validateBytes } from 'gltf-validator';
import { describe, expect, it } from 'vitest';
import type { SkinnedModel } from '../../../../core/model/asset.ts';
import { makeAsset } from '../../../../core/model/make-asset.ts';
import { maxInfluencesOf } from '../../../../core/model/skin/skin.ts';
import { bakeAt } from '../../../../deformers/playback/bake/bake-at.ts';
import { assetOfSample, skinnedOfSample } from '../../../../jobs/sample/sample-asset.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { encodeDraco } from '../../codecs/encode-draco.ts';
import { splitGlb } from '../../document/split-glb.ts';
import { readGltf } from '../../read-gltf.ts';
import { writeGlb } from '../../write-glb.ts';
import { assignLanes } from '../assign-lanes.ts';
import type { SmallPrecision } from '../small-precision.ts';
import { writeSmallGlb } from '../write-small-glb.ts';

const PRECISION: SmallPrecision = {
  ...{ positionStep: 0.002, normalBits: 7, texcoordBits: 12, colorBits: 8, weightSteps: 85 },
  ...{ motionStep: 0.001, aim: 'max' },
};

/** A grid of n x n vertices. */
function makeGrid(n: number): { positions: Float32Array; triangles: Uint32Array } {
  const positions = Float32Array.from({ length: 3 * n * n }, (_, c) => {
    const i = Math.floor(c / 3);
    return [i % n, Math.floor(i / n), Math.sin(i)][c % 3];
  });
  const triangles: number[] = [];
  for (let y = 0; y + 1 < n; y++)
    for (let x = 0; x + 1 < n; x++) {
      const i = y * n + x;
      triangles.push(i, i + 1, i + n, i + 1, i + n + 1, i + n);
    }
  return { positions, triangles: Uint32Array.from(triangles) };
}

describe('encodeDraco', () => {
  it('tells which vertex each decoded one is, also where vertices are equal or a surface is not manifold', async () => {
    const { positions, triangles } = makeGrid(6);
    const twice = Float32Array.from([...positions, ...positions.subarray(0, 3), 9, 9, 9]);
    // a fin on an edge that has two triangles already, and a triangle with a copy of vertex 0
    const more = Uint32Array.from([...triangles, 7, 8, 37, 36, 1, 37]);
    const { order, cornerCount } = await encodeDraco(more, [
      { semantic: 'POSITION', values: twice, size: 3, bits: 14 },
    ]);
    expect(cornerCount).toBe(more.length);
    const used = new Set(Array.from(more, (v) => (v === 36 ? 0 : v)));
    expect(new Set(order)).toEqual(used);
    const { order: plain } = await encodeDraco(triangles, [
      { semantic: 'POSITION', values: positions, size: 3, bits: 14 },
    ]);
    expect([...plain].sort((a, b) => a - b)).toEqual([...plain.keys()]);
  });
});

describe('assignLanes', () => {
  it('keeps the bones and weights of every vertex, and gives a bone one place where it can', () => {
    const joints = new Uint16Array(100);
    const weights = new Float32Array(100);
    for (let i = 0; i < 25; i++) {
      const bones = i % 5 < 2 ? [3, 1] : i % 5 < 4 ? [1, 3, 2] : [2];
      bones.forEach((bone, e) => {
        joints[4 * i + e] = bone;
        weights[4 * i + e] = 6 - e;
      });
    }
    const rowsOf = () =>
      Array.from({ length: 25 }, (_, i) =>
        [0, 1, 2, 3]
          .flatMap((e) => (weights[4 * i + e] > 0 ? [`${joints[4 * i + e]}:${weights[4 * i + e]}`] : []))
          .sort(),
      );
    const before = rowsOf();
    assignLanes({ joints, weights }, 4);
    expect(rowsOf()).toEqual(before);
    for (const bone of [1, 2, 3]) {
      const places = new Set<number>();
      joints.forEach((one, e) => {
        if (one === bone && weights[e] > 0) places.add(e % 4);
      });
      expect(places.size).toBe(1);
    }
    // a place without weight names no bone
    joints.forEach((bone, e) => {
      if (weights[e] === 0) expect(bone).toBe(0);
    });
  });
});

describe('writeSmallGlb', () => {
  const sample = makeSample('creature', { resolution: 1500, frames: 12 });
  const model = skinnedOfSample(sample) as SkinnedModel;

  it('is a small valid file with the same motion within its steps', async () => {
    const asset = makeAsset(model);
    const { bytes, order, parts } = await writeSmallGlb(asset, { kind: 'skin', model }, PRECISION);
    const plain = await writeGlb(asset, { kind: 'skin', model }, { quantize: true, meshopt: true });
    expect(bytes.length).toBeLessThan(plain.length / 3);
    expect(parts.meshes + parts.motion + parts.json + parts.other).toBe(bytes.length);
    const { issues } = await validateBytes(bytes);
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
    const read = await readGltf(bytes);
    expect(maxInfluencesOf(read.rig!.skin)).toBeLessThanOrEqual(4);
    const { times } = model.motions[0];
    const before = bakeAt(await readGltf(plain), (await readGltf(plain)).animations[0], times);
    const after = bakeAt(read, read.animations[0], times);
    const vertexCount = before.mesh.positions.length / 3;
    let largest = 0;
    for (let k = 0; k < times.length; k++)
      order.forEach((v, i) => {
        const [a, b] = [3 * (k * vertexCount + v), 3 * (k * order.length + i)];
        const distance = Math.hypot(...[0, 1, 2].map((r) => before.positions[a + r] - after.positions[b + r]));
        largest = Math.max(largest, distance);
      });
    // a step of a weight moves a vertex by the distance of two bones' predictions
    expect(largest).toBeLessThan(0.02 * Math.max(...before.mesh.positions));
  });

  it('keeps the order of meshes with morph targets, whose numbers per vertex Draco does not store', async () => {
    const asset = assetOfSample(makeSample('sheet', { resolution: 200, frames: 4 }));
    const morphs = await readGltf(await writeGlb(asset, { kind: 'clip' }));
    const { bytes, order } = await writeSmallGlb(morphs, { kind: 'clip' }, PRECISION);
    expect([...order.keys()]).toEqual([...order]);
    const { json } = splitGlb(bytes);
    expect((json as { extensionsUsed: string[] }).extensionsUsed).not.toContain('KHR_draco_mesh_compression');
    const read = await readGltf(bytes);
    expect(read.mesh.positions).toEqual(morphs.mesh.positions);
  });
});
