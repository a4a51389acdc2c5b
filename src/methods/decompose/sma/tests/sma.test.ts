// SPDX-License-Identifier: MIT
import { afterAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Clip } from '../../../../core/model/clip/clip.ts';
import { checkSkin } from '../../../../core/model/skin/skin.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { sma } from '../sma.ts';
import { smaByCount } from '../sma-by-count.ts';
import { joinOutliers, splitCores } from '../sma-patches.ts';

const compute = await makeCompute({ threads: 1 });
afterAll(() => compute.dispose());

/** Stiff parts that turn on their own. */
const parts = makeSample('parts', { resolution: 608, frames: 6 }).clip;
const animal = makeSample('quadruped', { resolution: 400, frames: 6 }).clip;

const change = (clip: Clip, edit: (positions: Float32Array, frame: number) => void): Clip => {
  const positions = clip.positions.slice();
  const stride = clip.mesh.positions.length;
  for (let k = 0; k < clip.times.length; k++) edit(positions.subarray(k * stride, (k + 1) * stride), k);
  return { ...clip, positions };
};

describe('sma', () => {
  it('finds the rigid parts of a motion, and reproduces it', async () => {
    const { eta, eRms, model, bonesFound, warnings } = await sma(compute, parts);
    expect(eta).toBeGreaterThan(0.5);
    expect(warnings).toBeUndefined();
    expect(bonesFound).toBeGreaterThan(1);
    expect(model.skeleton.names.length).toBe(bonesFound);
    checkSkin(model.skin, bonesFound);
    expect(eRms).toBeLessThan(20);
  });

  it('has lower errors with flexible than with rigid bones, and with any than with positive weights', async () => {
    const errors: Record<string, number> = {};
    for (const transforms of ['rigid', 'affine'] as const) {
      for (const weightsBy of ['nnls', 'bounded', 'tsvd'] as const) {
        const { eRms, model } = await sma(compute, animal, { transforms, weightsBy });
        errors[transforms + weightsBy] = eRms;
        checkSkin(model.skin, model.skeleton.names.length);
      }
      expect(errors[`${transforms}bounded`]).toBeLessThan(errors[`${transforms}nnls`]);
      expect(errors[`${transforms}tsvd`]).toBeLessThan(errors[`${transforms}bounded`]);
    }
    expect(errors.affinennls).toBeLessThan(errors.rigidnnls);
  });

  it('finds epsilon for a number of bones', async () => {
    for (const bones of [2, 5]) {
      const { bonesFound, model } = await smaByCount(compute, animal, { bones });
      expect([bonesFound, model.skeleton.names.length]).toEqual([bones, bones]);
    }
    const { warnings } = await smaByCount(compute, animal, { bones: 400 });
    expect(warnings?.join()).toMatch(/finds \d+ bones at most in this motion, not 400/);
    const { clip } = makeSample('bar-bend', { resolution: 100, frames: 3 });
    const still = change(clip, (positions) => positions.set(clip.mesh.positions));
    expect(await smaByCount(compute, still, { bones: 2 })).toMatchObject({ bonesFound: 1, rigidPieces: 1 });
  });

  it('warns if too few triangles move with a bone, and finishes', async () => {
    const { clip: flag } = makeSample('sheet', { resolution: 700, frames: 16 });
    const { eta, warnings, model } = await sma(compute, flag);
    expect(eta).toBeLessThan(0.5);
    expect(warnings?.join()).toMatch(/poor candidate/);
    checkSkin(model.skin, model.skeleton.names.length);
  });

  it('accepts one frame, triangles without area in some frames, and triangles that fold over', async () => {
    const stride = animal.mesh.positions.length;
    const one = { ...animal, positions: animal.positions.slice(stride, 2 * stride), times: animal.times.slice(1, 2) };
    expect((await sma(compute, one)).eRms).toBeLessThan(30);
    const { triangles } = animal.mesh;
    const collapsed = change(animal, (frame, k) => {
      if (k !== 3) return;
      for (let c = 0; c < 60; c += 3)
        for (const corner of [1, 2])
          frame.copyWithin(3 * triangles[c + corner], 3 * triangles[c], 3 * triangles[c] + 3);
    });
    const result = await sma(compute, collapsed);
    expect(result.degenerateTriangles).toBeGreaterThan(0);
    expect(result.eRms).toBeLessThan(60);
    const folded = change(animal, (frame, k) => {
      if (k % 2 === 0) for (let i = 2; i < frame.length; i += 3) frame[i] = -frame[i];
    });
    const { model } = await sma(compute, folded, { transforms: 'rigid' });
    expect(model.motions[0].matrices.every(Number.isFinite)).toBe(true);
  });

  it('rejects invalid input', async () => {
    await expect(sma(compute, parts, { epsilon: 0 })).rejects.toThrow('epsilon must be above zero, got 0');
    await expect(sma(compute, parts, { transforms: 'similarity' })).rejects.toThrow('rigid or affine');
    await expect(sma(compute, parts, { negativity: -1 })).rejects.toThrow('must not be negative');
    const points = { ...parts, mesh: { ...parts.mesh, triangles: new Uint32Array(0) } };
    await expect(sma(compute, points)).rejects.toThrow('has no triangles');
  });

  it('gives the same bytes on two threads', async () => {
    const two = await makeCompute({ threads: 2 });
    const [a, b] = [await sma(compute, animal), await sma(two, animal)];
    two.dispose();
    expect(b.model.motions[0].matrices).toEqual(a.model.motions[0].matrices);
    expect(b.model.skin).toEqual(a.model.skin);
  });

  it('stops on request, with a complete model', async () => {
    const { status, model } = await sma(compute, animal, { signal: AbortSignal.abort() });
    expect(status).toBe('stopped');
    checkSkin(model.skin, model.skeleton.names.length);
  });
});

describe('splitCores', () => {
  it('separates disconnected triangles of a mode, and drops small patches', () => {
    // a strip of four triangles, two apart from them, one more alone; all of mode 0 but one of mode 1
    const corners = Uint32Array.from([0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5, 10, 11, 12, 11, 12, 13, 20, 21, 22]);
    const labels = Int32Array.from([0, 0, 0, 1, 0, 0, 0]);
    expect(splitCores(corners, labels, 2)).toEqual({ boneCount: 3, labels: Int32Array.from([0, 0, 0, 2, 1, 1, -1]) });
  });
});

describe('joinOutliers', () => {
  it('gives outliers the bone of the lowest error', () => {
    // two triangles move by +1, two by -1 along x; one of each is an outlier
    const corners = Uint32Array.from({ length: 12 }, (_, c) => c);
    const rest = Float64Array.from({ length: 36 }, (_, e) => ((e * 7) % 11) / 3 + (e % 3));
    const posed = rest.map((x, e) => (e % 3 === 0 ? x + (e < 18 ? 1 : -1) : x));
    const rotations = Float32Array.from({ length: 36 }, (_, e) => ((e % 9) % 4 === 0 ? 1 : 0));
    const labels = Int32Array.from([0, -1, 1, -1]);
    const triangles = { count: 4, corners, areas: new Float64Array(4).fill(1), rotations, labels };
    const joined = joinOutliers(triangles, { frameCount: 1, rest, posed }, 'rigid', 2);
    expect([...joined]).toEqual([0, 0, 1, 1]);
  });
});
