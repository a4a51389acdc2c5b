// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import { weldClip } from '../../../../core/mesh/topology/weld.ts';
import type { SkinnedModel } from '../../../../core/model/asset.ts';
import type { Clip } from '../../../../core/model/clip/clip.ts';
import { poseOf } from '../../../../core/model/clip/motion.ts';
import type { PointSource } from '../../../../core/model/clip/point-source.ts';
import { makeLinearBlend } from '../../../../deformers/linear-blend/make-linear-blend.ts';
import { measureError } from '../../../../measure/error/measure-error.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { ssdr, ssdrInBlocks } from '../../ssdr/ssdr.ts';
import { canSolveInBlocks, isLarge } from '../can-solve-in-blocks.ts';
import { makeClipSource } from '../make-clip-source.ts';

const OPTIONS = { bones: 12, iterations: 10 };

function largeOf(clip: Clip) {
  const weld = weldClip(clip);
  return { source: makeClipSource(clip, weld), mesh: clip.mesh, pointOfVertex: weld.pointOfVertex };
}

function play({ mesh, skin, skeleton, motions: [motion] }: SkinnedModel, clip: Clip): Clip {
  const positions = new Float32Array(clip.positions.length);
  const deformer = makeLinearBlend(mesh, skin, skeleton.names.length);
  const stride = mesh.positions.length;
  for (let k = 0; k < clip.times.length; k++)
    deformer.deformInto({ bones: poseOf(motion, k) }, positions.subarray(k * stride, (k + 1) * stride));
  return { ...clip, positions };
}

describe('ssdrInBlocks', () => {
  it('refuses a coordinate that is too large to solve, in frames and points that are searched or not', async () => {
    const { clip } = makeSample('bar-bend', { resolution: 150, frames: 230 });
    const compute = await makeCompute({ threads: 1 });
    try {
      for (const k of [3, 78, 130, 201, 226]) {
        const positions = clip.positions.slice();
        positions[k * clip.mesh.positions.length + 3 * (k % 100)] = 9e17;
        const solving = ssdrInBlocks(compute, largeOf({ ...clip, positions }), { bones: 2, iterations: 1 });
        await expect(solving).rejects.toThrow('has a coordinate of 9.0e+17; bones are solved up to 1e+16');
      }
    } finally {
      compute.dispose();
    }
  }, 60_000);

  it('comes close to a solve of the whole clip, with more frames than are searched', async () => {
    const { clip } = makeSample('quadruped', { resolution: 150, frames: 260 });
    const compute = await makeCompute({ threads: 1 });
    try {
      const whole = await ssdr(compute, clip, OPTIONS);
      const blocks = await ssdrInBlocks(compute, largeOf(clip), OPTIONS);
      expect(blocks.eRms).toBeLessThan(1.05 * whole.eRms);
      expect(measureError(clip, play(blocks.model, clip)).eRms).toBeCloseTo(blocks.eRms, 3);
    } finally {
      compute.dispose();
    }
  }, 60_000);

  it('keeps the rest pose if it has to, and frames that are far from the origin', async () => {
    const { clip: near } = makeSample('creature', { resolution: 300, frames: 20 });
    const move = (positions: Float32Array) => positions.map((x, c) => x + (c % 3 === 1 ? 100 : 0));
    const clip = { ...near, positions: move(near.positions) };
    const compute = await makeCompute({ threads: 1 });
    try {
      const { model, eRms, eRmsBeforeRest } = await ssdrInBlocks(compute, largeOf(clip), {
        ...OPTIONS,
        keepRest: true,
      });
      expect([...model.mesh.positions]).toEqual([...clip.mesh.positions]);
      expect(eRmsBeforeRest).toBe(eRms);
      expect(eRms).toBeLessThan(1.05 * (await ssdr(compute, near, { ...OPTIONS, keepRest: true })).eRms);
    } finally {
      compute.dispose();
    }
  }, 60_000);

  it('gives the same result for blocks of any size, however points are read', async () => {
    const { clip } = makeSample('quadruped', { resolution: 300, frames: 12 });
    const large = largeOf(clip);
    const { source } = large;
    const counted: number[] = [];
    const later: PointSource = {
      ...source,
      async readBlock(first, count, visit) {
        counted.push(count);
        await new Promise((resolve) => setTimeout(resolve));
        await source.readBlock(first, count, visit);
      },
    };
    const compute = await makeCompute({ threads: 1 });
    try {
      const plain = await ssdrInBlocks(compute, large, OPTIONS);
      const slow = await ssdrInBlocks(compute, { ...large, source: later }, OPTIONS);
      expect(slow.eRms).toBe(plain.eRms);
      expect(counted.reduce((sum, count) => sum + count, 0)).toBe(3 * source.pointCount);
    } finally {
      compute.dispose();
    }
  }, 60_000);
});

describe('canSolveInBlocks', () => {
  it('excludes noise, unless the rest pose is kept, other norms, and the rule of the paper', () => {
    expect(canSolveInBlocks({})).toBe(true);
    expect(canSolveInBlocks({ deviation: 0.1 })).toBe(false);
    expect(canSolveInBlocks({ deviation: 0.1, keepRest: true })).toBe(true);
    expect(canSolveInBlocks({ norm: 'max' })).toBe(false);
    expect(canSolveInBlocks({ support: 'effect' })).toBe(false);
  });

  it('is required by ssdrInBlocks', async () => {
    const { clip } = makeSample('quadruped', { resolution: 300, frames: 4 });
    const compute = await makeCompute({ threads: 1 });
    const solve = ssdrInBlocks(compute, largeOf(clip), { ...OPTIONS, deviation: 0.1 });
    await expect(solve).rejects.toThrow('deviation 0; solve the whole clip');
    compute.dispose();
  });
});

describe('isLarge', () => {
  it('compares points times frames, so that long clips and large meshes are both large', () => {
    expect(isLarge(2000, 5000)).toBe(true);
    expect(isLarge(1e6, 100)).toBe(true);
    expect(isLarge(10_000, 200)).toBe(false);
  });
});
