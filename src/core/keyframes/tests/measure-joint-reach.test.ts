// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { compose, makeIdentities, multiply, transformPoint } from '../../math/mat4.ts';
import { makeRandom } from '../../math/random.ts';
import type { SkinnedModel } from '../../model/asset.ts';
import { makeMesh } from '../../model/mesh/mesh.ts';
import { makeSkin } from '../../model/skin/skin.ts';
import { makeBoneBalls, measureJointReach } from '../measure-joint-reach.ts';

const BONES = 3;
const ABOVES = Int32Array.of(-1, 0, 1);
const FRAMES = 4;

/** A chain of three bones along x. Points 0 to 4 follow the first bone, 5 to 9 the second, 10 to 14 the third. */
function makeChain(): SkinnedModel {
  const random = makeRandom(3);
  const bindMatrices = makeIdentities(BONES);
  for (let j = 0; j < BONES; j++) bindMatrices[16 * j + 12] = j;
  const positions = Float32Array.from({ length: 45 }, (_, c) => random.next() + (c % 3 === 0 ? Math.floor(c / 15) : 0));
  return {
    mesh: makeMesh(positions, new Uint32Array(0)),
    skeleton: { names: ['a', 'b', 'c'], parents: ABOVES, bindMatrices },
    skin: makeSkin(
      Array.from({ length: 15 }, (_, i) => Math.floor(i / 5)),
      Array.from({ length: 15 }, () => 1),
      1,
    ),
  } satisfies Pick<SkinnedModel, 'mesh' | 'skeleton' | 'skin'> as SkinnedModel;
}

/** Every bone turns about its own place and moves. */
function makeMotion() {
  const matrices = new Float64Array(FRAMES * BONES * 16);
  const local = new Float64Array(16);
  for (let k = 0; k < FRAMES; k++)
    for (let j = 0; j < BONES; j++) {
      const half = 0.2 * k * (j + 1);
      compose([0.1 * k, 0.3 * j * k, 0], [0, 0, Math.sin(half), Math.cos(half)], [1, 1, 1], local);
      const at = 16 * (k * BONES + j);
      if (j === 0) matrices.set(local, at);
      else multiply(matrices, local, matrices, at - 16, 0, at);
    }
  return { name: 'move', times: Float64Array.from({ length: FRAMES }, (_, k) => k), matrices };
}

describe('measureJointReach', () => {
  it('is at least the distance of every vertex from its joint and the joints above, and not much more', () => {
    const model = makeChain();
    const motion = makeMotion();
    const balls = makeBoneBalls(model);
    const { distances } = measureJointReach(balls, motion, model.skeleton.bindMatrices, ABOVES);
    const joint = new Float64Array(3);
    const point = new Float64Array(3);
    for (let n = 0; n < BONES; n++)
      for (let k = 0; k < FRAMES; k++) {
        transformPoint(motion.matrices, model.skeleton.bindMatrices, joint, 16 * (k * BONES + n), 16 * n + 12, 0);
        let farthest = 0;
        for (let i = 5 * n; i < 15; i++) {
          const at = 16 * (k * BONES + Math.floor(i / 5));
          transformPoint(motion.matrices, Float64Array.from(model.mesh.positions), point, at, 3 * i, 0);
          farthest = Math.max(farthest, Math.hypot(...point.map((x, c) => x - joint[c])));
        }
        expect(distances[n * FRAMES + k]).toBeGreaterThanOrEqual(farthest - 1e-9);
        // a ball is wider than its points: by at most its radius
        expect(distances[n * FRAMES + k]).toBeLessThanOrEqual(farthest + 2 * Math.max(...balls.radii));
      }
  });
});
