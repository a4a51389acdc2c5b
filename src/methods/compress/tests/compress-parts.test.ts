// SPDX-License-Identifier: MIT
// What the parts of the formulation are worth (Le et al. 2021, §7), in small: docs/benchmarks/compress.md has the figures of larger models.
import { describe, expect, it } from 'vitest';
import { compose, makeIdentities } from '../../../core/math/mat4.ts';
import { type Motion, poseOf } from '../../../core/model/clip/motion.ts';
import type { TwoLayer } from '../../../core/model/deformed/two-layer.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeDdm } from '../../../deformers/direct-delta-mush/make-ddm.ts';
import { makeTwoLayer } from '../../../deformers/two-layer/make-two-layer.ts';
import { readRanges } from '../../../fit/poses/ranges-of-motion.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { precomputeDdm } from '../../mush/precompute-ddm.ts';
import { compressDdm } from '../compress-ddm.ts';
import { listCompressPoints } from '../compress-points.ts';
import { Responses } from '../compress-responses.ts';
import type { CompressOptions } from '../compressor.ts';
import { listJoints } from '../examples/continuous-joints.ts';
import { makeQuadratureSpace } from '../examples/continuous-quadrature.ts';
import { makeLinearSpace } from '../examples/continuous-space.ts';
import { makeNearestBones, measureNearest } from '../objectives/compress-start.ts';
import { makePointWeights, updateWeights } from '../objectives/update-weights.ts';
import { makeBoneMaker, packVirtualBones } from '../virtual-bones/virtual-bones.ts';

const { clip, skeleton, skin, motion: bend } = makeSample('bar-bend', { resolution: 500, frames: 8 });
const ddm = await precomputeDdm(clip.mesh, skeleton!, skin!, { lambda: 20 });

/** RMS over all frames, as a part of the size. */
function rmsOf(model: TwoLayer, size: number, motion = bend!): number {
  const count = ddm.mesh.positions.length;
  const [a, b] = [new Float64Array(count), new Float64Array(count)];
  const [truth, result] = [makeDdm(ddm), makeTwoLayer(model)];
  let sum = 0;
  for (let k = 0; k < motion.times.length; k++) {
    const bones = poseOf(motion, k);
    truth.deformInto({ bones }, a);
    result.deformInto({ bones }, b);
    for (let c = 0; c < count; c++) sum += (a[c] - b[c]) ** 2;
  }
  return Math.sqrt((3 * sum) / (count * motion.times.length)) / size;
}

describe('the parts of the compression of a bar', () => {
  const base: CompressOptions = {
    virtualBones: 16,
    influences: 4,
    iterations: 10,
    poses: 8,
    threads: 1,
    motions: [bend!],
  };
  const errorWith = async (options: CompressOptions): Promise<number> => {
    const { model, size } = await compressDdm(ddm, { ...base, ...options });
    return rmsOf(model, size);
  };

  it('each lower the true error: hierarchy, coordinates, multi-weights, relocation', async () => {
    const all = await errorWith({});
    expect(await errorWith({ maps: { hierarchy: false } })).toBeGreaterThan(3 * all);
    expect(await errorWith({ maps: { coordinates: false } })).toBeGreaterThan(3 * all);
    expect(await errorWith({ update: 'none' })).toBeGreaterThan(1.5 * all);
    expect(await errorWith({ relocate: 0 })).toBeGreaterThan(all);
    expect(await errorWith({ objective: 'linear' })).toBeGreaterThan(1.5 * all);
  });

  it('lower it with the ranges of the motion', async () => {
    // one joint turns far, the others hardly at all
    const joint = Math.floor(ddm.skeleton.names.length / 2);
    const elbow = turnJoint(joint, [-1.2, -0.8, -0.4, 0.4, 0.8, 1.2]);
    const ranges = { '*': 5, [ddm.skeleton.names[joint]]: 80 };
    const errors: number[] = [];
    for (const maps of [{}, { ranges: false }]) {
      const { model, size } = await compressDdm(ddm, { ...base, relocate: 0.1, rangeRatio: 1, ranges, maps });
      errors.push(rmsOf(model, size, elbow));
    }
    expect(errors[0]).toBeLessThan(0.7 * errors[1]);
  });
});

/** A joint and all below it turned about its place, a frame per angle. */
function turnJoint(joint: number, angles: number[]): Motion {
  const { names, parents, bindMatrices } = ddm.skeleton;
  const isUnder = names.map(() => false);
  const matrices = makeIdentities(names.length * angles.length);
  for (let j = 0; j < names.length; j++) {
    isUnder[j] = j === joint || (parents[j] >= 0 && isUnder[parents[j]]);
    if (!isUnder[j]) continue;
    angles.forEach((angle, k) => {
      const o = 16 * (k * names.length + j);
      const turn = new Float64Array(16);
      compose([0, 0, 0], [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)], [1, 1, 1], turn);
      const [x, y] = [bindMatrices[16 * joint + 12], bindMatrices[16 * joint + 13]];
      turn[12] = x - turn[0] * x - turn[4] * y;
      turn[13] = y - turn[1] * x - turn[5] * y;
      matrices.set(turn, o);
    });
  }
  return { name: 'elbow', times: Float64Array.from(angles.keys()), matrices };
}

describe('the linearization (§7.4)', () => {
  it('finds weights for as many virtual bones as there are bones that are nearly as good as those of the true transform', async () => {
    const points = listCompressPoints(ddm);
    const joints = listJoints(ddm.skeleton, points, readRanges({ '*': 60 }, ddm.skeleton, points.height));
    // a virtual bone for each master bone: the mean of the points that mostly follow it
    const groups: number[][] = ddm.skeleton.names.map(() => []);
    for (let i = 0; i < points.pointCount; i++) {
      let best = points.rowStart[i];
      for (let e = best; e < points.rowStart[i + 1]; e++)
        if (points.centered[10 * e + 9] > points.centered[10 * best + 9]) best = e;
      groups[points.boneIndices[best]].push(i);
    }
    const maker = makeBoneMaker(points, ddm.skeleton, 0);
    const bones = groups.filter((group) => group.length > 0).map((group) => maker.make(group));
    const solve = async (responses: Responses): Promise<TwoLayer> => {
      const boneResponses = bones.map((bone) => responses.respond(bone, responses.allocateScratch()));
      const nearest = makeNearestBones(points.pointCount, bones.length);
      for (let i = 0; i < points.pointCount; i++) nearest.bones.set([...bones.keys()], i * bones.length);
      measureNearest(responses, boneResponses, nearest, points.pointCount);
      const fit = makePointWeights(points.pointCount, 4);
      await updateWeights(responses, boneResponses, nearest, fit, { candidates: bones.length });
      const rows = Array.from(points.pointOfVertex, (p) => [4 * p, 4 * p + 4] as const);
      const own = makeSkin(
        rows.flatMap(([from, to]) => [...fit.bones.subarray(from, to)]),
        rows.flatMap(([from, to]) => [...fit.weights.subarray(from, to)]),
        4,
      );
      return {
        kind: 'two-layer',
        mesh: ddm.mesh,
        skeleton: ddm.skeleton,
        ...packVirtualBones(bones, points.origin),
        skin: own,
      };
    };
    const linear = rmsOf(await solve(new Responses(makeLinearSpace(joints), joints, points)), points.height);
    const space = makeQuadratureSpace(joints, joints.ranges, 16, 0);
    const nonlinear = rmsOf(await solve(new Responses(space, joints, points)), points.height);
    expect(linear).toBeLessThan(0.02);
    expect(linear).toBeLessThan(1.25 * nonlinear);
  });
});
