// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeAsset } from '../../../core/model/make-asset.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { SkinBuilder } from '../../../core/model/skin/skin.ts';
import { measureSurfaces } from '../../../measure/measure-surfaces.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { compressDdm } from '../../compress/compress-ddm.ts';
import { precomputeDdm } from '../../mush/precompute-ddm.ts';
import { makeLevels } from '../make-levels.ts';

const { clip, skeleton, skin, motion } = makeSample('creature', { frames: 12, resolution: 900 });
const asset = makeAsset({ kind: 'skin', mesh: clip.mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] });
const full = clip.mesh.triangles.length / 3;

/** The asset with the surface of a level. */
const play = ({ vertices, positions, triangles }: Awaited<ReturnType<typeof makeLevels>>[number]) => {
  const moved = clip.mesh.positions.slice();
  vertices.forEach((i, n) => {
    moved.set(positions.subarray(3 * n, 3 * n + 3), 3 * i);
  });
  return { ...asset, mesh: { ...asset.mesh, positions: moved, triangles: triangles.map((n) => vertices[n]) } };
};

function faceNormal(positions: Float32Array, triangles: Uint32Array, t: number): number[] {
  const at = (c: number) => positions.subarray(3 * triangles[t + c], 3 * triangles[t + c] + 3);
  const [u, v] = [1, 2].map((c) => at(c).map((x, axis) => x - at(0)[axis]));
  const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  return n.map((x) => x / Math.hypot(...n));
}

/** The asset with three vertices of its own for each triangle, and the normal of the triangle at them. */
function makeFaceted() {
  const { positions, triangles } = clip.mesh;
  const gather = (values: Float32Array) =>
    Float32Array.from({ length: 3 * triangles.length }, (_, n) => values[3 * triangles[Math.floor(n / 3)] + (n % 3)]);
  const normals = Float32Array.from({ length: 3 * triangles.length }, () => 0);
  const builder = new SkinBuilder(triangles.length, 8 * triangles.length);
  triangles.forEach((i, c) => {
    normals.set(faceNormal(positions, triangles, c - (c % 3)), 3 * c);
    for (let e = skin!.rowStart[i]; e < skin!.rowStart[i + 1]; e++) builder.add(skin!.boneIndices[e], skin!.weights[e]);
    builder.endRow(0);
  });
  const mesh = {
    ...makeMesh(
      gather(positions),
      Uint32Array.from(triangles, (_, c) => c),
    ),
    normals,
  };
  return { mesh, rig: { ...asset.rig!, skin: builder.finish() } };
}

describe('makeLevels', () => {
  it('makes a level per count, each a closed surface with vertices of the source in order', async () => {
    const levels = await makeLevels(asset, { ratios: [0.5, 0.2], keepBones: true });
    expect(levels).toHaveLength(2);
    for (const [n, { vertices, positions, triangles }] of levels.entries()) {
      const count = triangles.length / 3;
      expect(count).toBeLessThanOrEqual([0.5, 0.2][n] * full + 1);
      expect(count).toBeGreaterThan([0.5, 0.2][n] * full - 3);
      expect([...vertices]).toEqual([...vertices].sort((a, b) => a - b));
      expect(positions).toHaveLength(3 * vertices.length);
      const edges = new Map<string, number>();
      for (let c = 0; c < triangles.length; c++) {
        const [a, b] = [triangles[c], triangles[c % 3 === 2 ? c - 2 : c + 1]];
        const key = a < b ? `${a} ${b}` : `${b} ${a}`;
        edges.set(key, (edges.get(key) ?? 0) + 1);
      }
      expect(new Set(edges.values())).toEqual(new Set([2]));
    }
  });

  it('simplifies a mesh with a normal per triangle, and shades its levels by normals that were there', async () => {
    const { mesh, rig } = makeFaceted();
    const levels = await makeLevels({ ...asset, mesh, rig }, { ratios: [0.5, 0.2], keepBones: true });
    expect(levels.map(({ triangles }) => triangles.length / 3)).toEqual(
      [0.5, 0.2].map((ratio) => expect.closeTo(ratio * full, -1)),
    );
    for (const { vertices, positions, triangles } of levels) {
      expect([...vertices]).toEqual([...new Set(vertices)].sort((a, b) => a - b));
      let sum = 0;
      for (let c = 0; c < triangles.length; c++) {
        const face = faceNormal(positions, triangles, c - (c % 3));
        const i = vertices[triangles[c]];
        sum += face[0] * mesh.normals[3 * i] + face[1] * mesh.normals[3 * i + 1] + face[2] * mesh.normals[3 * i + 2];
      }
      // the cosine of 26 degrees, on average
      expect(sum / triangles.length).toBeGreaterThan(0.9);
    }
  });

  it('follows the motion: over all frames it is nearer than a level made at rest', async () => {
    const triangles = [Math.round(full / 8)];
    const [moving] = await makeLevels(asset, { triangles, keepBones: true });
    const [resting] = await makeLevels(asset, { triangles, keepBones: true, poses: 0 });
    const [a, b] = [moving, resting].map((level) => measureSurfaces(asset, play(level), 12));
    expect(a.mean).toBeLessThan(b.mean);
  });

  it('finds the fewest triangles within an error', async () => {
    const maxError = 0.04;
    const [level] = await makeLevels(asset, { maxError, keepBones: true });
    expect(level.triangles.length / 3).toBeLessThan(full / 2);
    expect(measureSurfaces(asset, play(level), 48).max).toBeLessThanOrEqual(maxError);
  });

  it('refuses a mesh whose triangles have no area, in one sentence', async () => {
    const positions = Float32Array.from([0, 0, 0, 1, 0, 0, 1, 0, 0, 2, 0, 0]);
    const mesh = { name: '', positions, triangles: Uint32Array.of(0, 1, 2, 1, 2, 3), attributes: [], parts: [] };
    const still = { kind: 'clip', name: '', mesh, positions, times: Float64Array.of(0) } as const;
    const line = { ...makeAsset(still), clips: [] };
    await expect(makeLevels(line, { triangles: [1] })).rejects.toThrow(/^levels: its triangles have no area/);
  });

  it('stops on the signal and keeps the levels that it reached', async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(makeLevels(asset, { ratios: [0.5], signal: controller.signal })).rejects.toThrow(
      /cannot be simplified|abort/i,
    );
  });

  it('refuses Direct Delta Mush and two layers in one sentence', async () => {
    const ddm = await precomputeDdm(asset.mesh, skeleton!, skin!);
    await expect(makeLevels({ ...asset, ddm }, { ratios: [0.5] })).rejects.toThrow(
      'Direct Delta Mush and two-layer skins are not simplified',
    );
    const { model: twoLayer } = await compressDdm(ddm, { virtualBones: 6, influences: 2, iterations: 1, poses: 3 });
    await expect(makeLevels({ ...asset, twoLayer }, { ratios: [0.5] })).rejects.toThrow('not simplified');
  });

  it('refuses levels that are not smaller, do not fall, or have no triangles', async () => {
    await expect(makeLevels(asset, { triangles: [0] })).rejects.toThrow(/at least one triangle/);
    await expect(makeLevels(asset, { triangles: [1e9] })).rejects.toThrow(/not smaller/);
    await expect(makeLevels(asset, { ratios: [0.2, 0.5] })).rejects.toThrow(/must fall/);
    await expect(makeLevels(asset, {})).rejects.toThrow(/give triangles, ratios or maxError/);
    const empty = { ...asset, mesh: { ...asset.mesh, triangles: new Uint32Array(0) } };
    await expect(makeLevels(empty, { ratios: [0.5] })).rejects.toThrow(/no triangles/);
    await expect(makeLevels({ ...asset, clips: [clip] }, { ratios: [0.5] })).rejects.toThrow(/decompose/);
  });
});
