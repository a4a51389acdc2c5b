// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { normalizeBones, normalizeClip } from '../fit/normalize-clip.ts';
import { SkinFit } from '../fit/skin-fit.ts';
import { SolveMonitor } from '../fit/solve-monitor.ts';
import type { Compute } from '../kernels/compute.ts';
import { makeCompute } from '../kernels/make-compute.ts';
import { pointTriangles } from '../mesh/weld.ts';
import { makeSample } from '../sample/make-sample.ts';
import { jointTopology } from './joint-topology.ts';
import { type JointEdge, makeJointTree } from './joint-tree.ts';
import { listInside } from './place-inside.ts';
import { refineTopology } from './refine-topology.ts';
import { measureMoments, type SolveStrictOptions, solveStrict } from './solve-strict.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => {
  compute.dispose();
});

// the middle thighs of this creature swing exactly beside the joint of two spine bones: at one point they meet both of them
const sample = makeSample('creature', { resolution: 400, frames: 12, seed: 4 });
const { names, parents } = sample.skeleton!;
const trueEdges = names.flatMap((name, j) => (parents[j] < 0 ? [] : [`${names[parents[j]]} ${name}`])).sort();

const nameEdges = (edges: readonly { a: number; b: number }[]): string[] =>
  edges.map(({ a, b }) => (parents[b] === a ? `${names[a]} ${names[b]}` : `${names[b]} ${names[a]}`)).sort();

async function start() {
  const normalized = normalizeClip(compute, sample.clip);
  const fit = new SkinFit(compute, normalized.trajectories, names.length, {
    ...{ influences: 4, transforms: 'rigid', ridge: 1e-9, sweeps: 2, support: 'exchange' },
  });
  fit.bones.view().set(normalizeBones(normalized, sample.motion!.matrices, names.length));
  await fit.solveWeights('cold');
  await measureMoments(fit);
  const triangles = pointTriangles(sample.clip.mesh.triangles, normalized.weld);
  const strict: SolveStrictOptions = {
    ...{ iterations: 3, tolerance: 1e-3, jointSolver: 'soft', size: 2, tidy: false, anywhere: true },
    inside: listInside(normalized.trajectories, triangles, 2),
    monitor: new SolveMonitor({}),
  };
  return { fit, strict };
}

describe('the tree of an exact motion', () => {
  it('is the true one where joints are rods', async () => {
    const { fit } = await start();
    expect(nameEdges(jointTopology(fit, 'soft', 0.03).edges)).toEqual(trueEdges);
  });

  it('is found again where thighs were hung on the wrong bone, with a lower error', async () => {
    const { fit, strict } = await start();
    const [thigh, spine] = [names.indexOf('Leg1LThigh'), names.indexOf('Spine1')];
    const edges = jointTopology(fit, 'soft', 0.03).edges.map((edge): JointEdge => {
      const [a, b] = parents[edge.b] === edge.a ? [edge.a, edge.b] : [edge.b, edge.a];
      if (b !== thigh) return { a, b, joint: edge.joint };
      // near the point where all three meet, so that little of the error shows
      return { a: spine, b, joint: [0.02, edge.joint[1], edge.joint[2]] };
    });
    const solved = await solveStrict(fit, { ...strict, tree: makeJointTree(names.length, edges, 0) });
    const before = fit.error;
    const refined = await refineTopology(fit, solved, { ...strict, iterations: 30 });
    const found = Array.from(refined.tree.parents, (a, b) => ({ a, b })).filter(({ a }) => a >= 0);
    expect(nameEdges(found)).toEqual(trueEdges);
    expect(refined.fit.error).toBeLessThan(before);
    expect(refined.iterations).toBeGreaterThan(solved.iterations);
  });

  it('stays where it was when the fit is far from exact', async () => {
    const { fit, strict } = await start();
    const solved = await solveStrict(fit, strict);
    fit.error = 1;
    const refined = await refineTopology(fit, solved, { ...strict, iterations: 30 });
    expect(refined.fit).toBe(fit);
    expect(refined.tree).toBe(solved.tree);
  });
});
