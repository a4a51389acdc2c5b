// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeAsset } from '../../../core/model/make-asset.ts';
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
