// SPDX-License-Identifier: MIT
// The strict form against plain loops over vertices: moments, poses, joints, and all of them together.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { type NormalizedClip, normalizeBones, normalizeClip } from '../../../../fit/skin/normalize-clip.ts';
import { SkinFit } from '../../../../fit/skin/skin-fit.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { jointTopology } from '../joint-topology.ts';
import { type JointTree, makeJointTree } from '../joint-tree.ts';
import { StrictFit } from '../strict-fit.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => {
  compute.dispose();
});

const sample = makeSample('creature', { resolution: 500, frames: 8, seed: 1 });
const truth = sample.skeleton!;
const boneCount = truth.names.length;
const OPTIONS = { size: 2, relative: 1e-6, absolute: 0, hinges: false, hold: false };

/** A fit with the true bones, and the true tree, joints a little off. */
async function start(
  off: number,
): Promise<{ fit: SkinFit; tree: JointTree; normalized: NormalizedClip; joints: Float64Array }> {
  const normalized = normalizeClip(compute, sample.clip);
  const fit = new SkinFit(compute, normalized.trajectories, boneCount, {
    ...{ influences: 4, transforms: 'rigid', ridge: 1e-9, sweeps: 2, support: 'exchange' },
  });
  fit.bones.view().set(normalizeBones(normalized, sample.motion!.matrices, boneCount));
  await fit.solveWeights('cold');
  const random = makeRandom(1);
  const joints = new Float64Array(3 * boneCount);
  for (let j = 0; j < boneCount; j++)
    for (let r = 0; r < 3; r++)
      joints[3 * j + r] = (truth.bindMatrices[16 * j + 12 + r] - normalized.restCenter[r]) / normalized.size;
  const edges = Array.from(truth.parents.keys())
    .filter((j) => truth.parents[j] >= 0)
    .map((b) => {
      const at = [0, 1, 2].map((r) => joints[3 * b + r] + off * random.normal());
      return { a: truth.parents[b], b, joint: [at[0], at[1], at[2]] as [number, number, number] };
    });
  return { fit, tree: makeJointTree(boneCount, edges, 0), normalized, joints };
}

/** The largest gap at any joint in any frame, from the bones alone. */
function measureGaps(fit: SkinFit, { parents, joints }: JointTree): number {
  const bones = fit.bones.view();
  let max = 0;
  for (let row = 0; row < bones.length / (4 * boneCount); row++) {
    for (let j = 0; j < boneCount; j++) {
      if (parents[j] < 0) continue;
      const [p, q] = [(row * boneCount + parents[j]) * 4, (row * boneCount + j) * 4];
      let apart = bones[p + 3] - bones[q + 3];
      for (let c = 0; c < 3; c++) apart += (bones[p + c] - bones[q + c]) * joints[3 * j + c];
      max = Math.max(max, Math.abs(apart));
    }
  }
  return max;
}

/** Σ over vertices and frames of the squared distance, from bones and weights alone. */
function measureError(fit: SkinFit): number {
  const { trajectories, weights } = fit;
  const [rest, posed, bones] = [trajectories.rest.view(), trajectories.posed.view(), fit.bones.view()];
  const [ids, values] = [weights.bones.view(), weights.weights.view()];
  const rows = 3 * trajectories.frameCount;
  let sum = 0;
  for (let i = 0; i < trajectories.vertexCount; i++) {
    for (let row = 0; row < rows; row++) {
      let v = -posed[i * rows + row];
      for (let e = i * weights.influences; e < (i + 1) * weights.influences; e++) {
        const o = (row * boneCount + ids[e]) * 4;
        v +=
          values[e] *
          (bones[o] * rest[3 * i] + bones[o + 1] * rest[3 * i + 1] + bones[o + 2] * rest[3 * i + 2] + bones[o + 3]);
      }
      sum += v * v;
    }
  }
  return sum;
}

describe('the strict form', () => {
  it('connects every joint exactly, and its error is that of its bones and weights', async () => {
    const { fit, tree } = await start(0.03);
    const strict = new StrictFit(fit.compute, fit, tree, OPTIONS);
    await strict.measure();
    await strict.pose(2);
    expect(measureGaps(fit, tree)).toBeLessThan(1e-13);
    await strict.alternate(3);
    expect(measureGaps(fit, tree)).toBeLessThan(1e-13);
    expect(fit.error).toBeCloseTo(measureError(fit), 9);
  });

  it('has poses and joints at a local minimum', async () => {
    const { fit, tree } = await start(0.02);
    const strict = new StrictFit(fit.compute, fit, tree, { ...OPTIONS, relative: 1e-12 });
    const blends = await strict.measure();
    for (let n = 0; n < 30; n++) {
      await strict.solveJoints(blends);
      await strict.pose(3);
    }
    const best = measureError(fit);
    for (const [bone, r] of [
      [2, 0],
      [5, 1],
      [9, 2],
    ]) {
      for (const step of [0.003, -0.003]) {
        tree.joints[3 * bone + r] += step;
        await strict.pose(0);
        expect(measureError(fit)).toBeGreaterThan(best * (1 - 1e-9));
        tree.joints[3 * bone + r] -= step;
      }
    }
  });

  it('keeps hinges near their anchors along their axis only with the option hinges', async () => {
    const apart = [false, true].map(() => ({ along: 0, across: 0 }));
    for (const [n, hinges] of [false, true].entries()) {
      // joints that are off leave poses from which the error says something along the axis, though little
      const { fit, tree, joints } = await start(0.01);
      const strict = new StrictFit(fit.compute, fit, tree, { ...OPTIONS, hinges, hold: true });
      const blends = await strict.measure();
      await strict.pose(3);
      // knees turn about x
      for (let j = 0; j < boneCount; j++) {
        if (!truth.names[j].endsWith('Shank')) continue;
        strict.springs.anchors.set(joints.subarray(3 * j, 3 * j + 3), 3 * j);
        strict.springs.anchors[3 * j] += 0.3;
      }
      await strict.solveJoints(blends);
      for (let j = 0; j < boneCount; j++) {
        if (!truth.names[j].endsWith('Shank')) continue;
        apart[n].along += Math.abs(tree.joints[3 * j] - strict.springs.anchors[3 * j]);
        apart[n].across += Math.hypot(
          tree.joints[3 * j + 1] - joints[3 * j + 1],
          tree.joints[3 * j + 2] - joints[3 * j + 2],
        );
      }
    }
    expect(apart[1].along).toBeLessThan(0.5 * apart[0].along);
    expect(apart[1].across).toBeLessThan(2 * apart[0].across + 0.04);
  });

  it('lowers the error in every iteration and converges to the ground truth', async () => {
    const { fit, tree, joints } = await start(0.03);
    const strict = new StrictFit(fit.compute, fit, tree, OPTIONS);
    await strict.measure();
    await strict.pose(3);
    await fit.solveWeights('warm');
    const first = fit.error;
    let before = first;
    await strict.alternate(25, () => {
      expect(fit.error).toBeLessThan(before * 1.001);
      before = fit.error;
      return false;
    });
    expect(before).toBeLessThan(0.02 * first);
    // neck0 turns about two axes, so its joint is where the motion says
    const neck = truth.names.indexOf('Neck0');
    for (let r = 0; r < 3; r++) expect(Math.abs(tree.joints[3 * neck + r] - joints[3 * neck + r])).toBeLessThan(0.02);
  });

  it('finds the true topology from the true bones', async () => {
    const { fit } = await start(0);
    const strict = new StrictFit(fit.compute, fit, (await start(0)).tree, OPTIONS);
    await strict.measure();
    const { edges } = jointTopology(fit);
    const wanted = new Set(Array.from(truth.parents, (p, j) => `${Math.min(p, j)}-${Math.max(p, j)}`));
    expect(edges).toHaveLength(boneCount - 1);
    for (const { a, b } of edges) expect(wanted, `${truth.names[a]} ${truth.names[b]}`).toContain(`${a}-${b}`);
  });
});
