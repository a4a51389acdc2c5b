// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../../core/math/mat4.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import type { RigSource } from '../../../../core/model/skin/rig-source.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../../../deformers/linear-blend/make-linear-blend.ts';
import { listRotations } from '../../convert-rig.ts';
import { enlargePoses, samplePoses } from '../sample-poses.ts';
import { SourceProbe } from '../source-probe.ts';

/** A chain along x with one vertex per joint, beside it. */
function makeChain(jointCount: number): RigSource {
  const numbers = Array.from({ length: jointCount }, (_, j) => j);
  const mesh = makeMesh(Float32Array.from(numbers.flatMap((j) => [j + 0.5, 0.3, 0])), new Uint32Array(0), 'chain');
  const bindMatrices = makeIdentities(jointCount);
  for (const j of numbers) bindMatrices[16 * j + 12] = j;
  const parents = Int32Array.from(numbers, (j) => j - 1);
  const skeleton = { names: numbers.map((j) => `joint ${j}`), parents, bindMatrices };
  const skin = makeSkin(
    numbers,
    numbers.map(() => 1),
    1,
  );
  return { name: 'chain', mesh, skeleton, skin, deformer: makeLinearBlend(mesh, skin, jointCount) };
}

async function sampleChain(jointCount: number) {
  const source = makeChain(jointCount);
  const probe = new SourceProbe(source);
  const lists = listRotations(source);
  const set = await samplePoses(probe, lists, {
    samples: 20,
    epsilon: 0.01,
    sampling: 'importance',
    epsilonOf: 'region',
    seed: 0,
  });
  const turned = Array.from({ length: jointCount - 1 }, (_, j) => j + 1);
  const wide = await enlargePoses(probe, lists, set, turned);
  /** The rotations of a joint in the poses that turn it alone, as text. */
  const rotationsOf = (of: typeof set, joint: number) =>
    Array.from(of.moved.keys())
      .filter((k) => of.moved[k] === joint)
      .map((k) => of.rotations.slice((k * jointCount + joint) * 4, (k * jointCount + joint) * 4 + 4).join(' '));
  return { set, wide, lists, turned, rotationsOf };
}

describe('enlargePoses', () => {
  it('uses all rotations of a few joints, each with a weight of one', async () => {
    const { wide, lists, turned, rotationsOf } = await sampleChain(3);
    for (const joint of turned) expect(new Set(rotationsOf(wide, joint)).size).toBe(lists[joint].length / 4);
    expect(wide.weights.every((weight) => weight === 1)).toBe(true);
  });

  it('limits the number of poses for many joints, keeps the given ones and weights each by its neighbours', async () => {
    const { set, wide, lists, turned, rotationsOf } = await sampleChain(41);
    const alone = Array.from(wide.moved.keys()).filter((k) => wide.moved[k] >= 0);
    expect(alone.length).toBeLessThanOrEqual(2000);
    for (const joint of turned) {
      const found = new Set(rotationsOf(wide, joint));
      expect(found.size).toBe(50);
      for (const kept of rotationsOf(set, joint)) expect(found).toContain(kept);
      const total = alone.reduce((sum, k) => sum + (wide.moved[k] === joint ? wide.weights[k] : 0), 0);
      // the rest pose stands for those nearest to it
      expect(total).toBeGreaterThan(0.8 * (lists[joint].length / 4));
      expect(total).toBeLessThanOrEqual(lists[joint].length / 4 + 0.5 * found.size);
    }
  });
});
