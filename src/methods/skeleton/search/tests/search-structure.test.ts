// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { pointTriangles } from '../../../../core/mesh/topology/weld.ts';
import { SolveMonitor } from '../../../../core/progress/solve-monitor.ts';
import { normalizeBones, normalizeClip } from '../../../../fit/skin/normalize-clip.ts';
import { SkinFit } from '../../../../fit/skin/skin-fit.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { type JointEdge, type JointTree, listJointEdges, makeJointTree } from '../../joints/joint-tree.ts';
import { type SolveStrictOptions, solveStrict } from '../../joints/solve-strict.ts';
import { listInside } from '../../place/place-inside.ts';
import { contractBone, contractTree } from '../../prune/contract-bone.ts';
import { dropBones } from '../../prune/drop-bones.ts';
import { pruneLeaves } from '../../prune/prune-leaves.ts';
import { addBone } from '../add-bone.ts';
import { addLimb } from '../add-limb.ts';
import { exchangeJoints } from '../exchange-joints.ts';
import { searchStructure } from '../search-structure.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => {
  compute.dispose();
});

const sample = makeSample('creature', { resolution: 300, frames: 12, seed: 1 });
const { names, parents, bindMatrices } = sample.skeleton!;
const leaf = names.length - 1;
const middle = parents[leaf];

/** The true bones, weights and tree. */
async function start(): Promise<{ fit: SkinFit; tree: JointTree; options: SolveStrictOptions }> {
  const normalized = normalizeClip(compute, sample.clip);
  const { trajectories, restCenter, size } = normalized;
  const fit = new SkinFit(compute, trajectories, names.length, {
    ...{ influences: 4, transforms: 'rigid', ridge: 1e-9, sweeps: 2, support: 'exchange' },
  });
  fit.bones.view().set(normalizeBones(normalized, sample.motion!.matrices, names.length));
  await fit.solveWeights('cold');
  const jointOf = (b: number): [number, number, number] => {
    const at = [0, 1, 2].map((r) => (bindMatrices[16 * b + 12 + r] - restCenter[r]) / size);
    return [at[0], at[1], at[2]];
  };
  const edges = Array.from(parents.keys())
    .filter((b) => parents[b] >= 0)
    .map((b) => ({ a: parents[b], b, joint: jointOf(b) }));
  const options: SolveStrictOptions = {
    ...{ iterations: 20, tolerance: 1e-3, jointSolver: 'soft', size: 2, tidy: false, anywhere: true },
    inside: listInside(trajectories, pointTriangles(sample.clip.mesh.triangles, normalized.weld), 2),
    monitor: new SolveMonitor({}),
  };
  return { fit, tree: makeJointTree(names.length, edges, parents.indexOf(-1)), options };
}

const listPairs = (tree: JointTree): string[] =>
  listJointEdges(tree)
    .map(({ a, b }: JointEdge) => [a, b].sort((p, q) => p - q).join('-'))
    .sort();

describe('searchStructure', () => {
  it('restores the order of the last two bones of a limb', async () => {
    const { fit, tree, options } = await start();
    const edges = listJointEdges(tree).map((edge) => {
      if (edge.b === middle) return { ...edge, b: leaf };
      return edge;
    });
    const wrong = makeJointTree(names.length, edges, tree.order[0]);
    await solveStrict(fit, { ...options, iterations: 3, tree: wrong });
    const tried = new Set<string>();
    let present = wrong;
    const before = fit.error;
    for (let n = 0; n < 4 && listPairs(present).join() !== listPairs(tree).join(); n++) {
      const trial = await exchangeJoints(fit, present, tried, leaf, options);
      expect(trial).toBeDefined();
      fit.restore(trial!.state);
      present = trial!.tree;
    }
    expect(listPairs(present)).toEqual(listPairs(tree));
    expect(fit.error).toBeLessThan(0.5 * before);
  });

  it('removes a bone that repeats another one, and no bone that is needed', async () => {
    const { fit, tree, options } = await start();
    const motion = new Float64Array(12 * fit.trajectories.frameCount);
    const rows = fit.bones.view();
    for (let row = 0; row < 3 * fit.trajectories.frameCount; row++) {
      const o = 4 * (row * names.length + middle);
      motion.set(rows.subarray(o, o + 4), 4 * row);
    }
    const twice = addBone(fit, motion);
    await twice.solveWeights('warm');
    const { joint } = listJointEdges(tree).find(({ b }) => b === leaf)!;
    const edges = [...listJointEdges(tree), { a: middle, b: names.length, joint }];
    const floor = 1e-8 * fit.trajectories.vertexCount * fit.trajectories.frameCount;
    const more = makeJointTree(names.length + 1, edges, tree.order[0]);
    const trial = await contractBone(twice, more, floor, undefined, options);
    expect(trial?.boneCount).toBe(names.length);
    expect(await contractBone(fit, tree, floor, undefined, options)).toBeUndefined();
  });

  it('adds a missing bone at the end of a limb', async () => {
    const { fit, tree, options } = await start();
    const fewer = dropBones(fit, (j) => j === leaf);
    await fewer.solveWeights('both');
    const short = contractTree(tree, leaf, middle);
    await solveStrict(fewer, { ...options, tree: short });
    const trial = await addLimb(fewer, short, 0.5 * fewer.error, new Set(), options);
    expect(trial?.boneCount).toBe(names.length);
    expect(listPairs(trial!.tree)).toEqual(listPairs(tree));
    expect(trial!.error).toBeLessThan(0.5 * fewer.error);
  });

  it('is followed by the removal of leaves that no vertex mainly follows', async () => {
    const { fit, tree, options } = await start();
    const solved = { ...(await solveStrict(fit, { ...options, iterations: 2, tree })), fit };
    expect(await pruneLeaves(solved, options)).toBe(solved);
    const still = new Float64Array(12 * fit.trajectories.frameCount);
    const idle = addBone(fit, still);
    const { joint } = listJointEdges(tree).find(({ b }) => b === leaf)!;
    const more = makeJointTree(names.length + 1, [...listJointEdges(tree), { a: 0, b: names.length, joint }], 0);
    const pruned = await pruneLeaves({ ...solved, fit: idle, tree: more }, { ...options, iterations: 2 });
    expect(pruned.fit.boneCount).toBe(names.length);
    expect(listPairs(pruned.tree)).toEqual(listPairs(tree));
  });

  it('keeps a true skeleton and a motion that bones do not explain', async () => {
    const { fit, tree, options } = await start();
    const solved = { ...(await solveStrict(fit, { ...options, tree })), fit };
    const same = await searchStructure(solved, { ...options, maxBones: 48 });
    expect(listPairs(same.tree)).toEqual(listPairs(tree));
    const rough = dropBones(fit, (j) => j > 2);
    await rough.solveWeights('both');
    const few = { ...(await solveStrict(rough, options)), fit: rough };
    expect(await searchStructure(few, { ...options, maxBones: 48 })).toBe(few);
  });
});
