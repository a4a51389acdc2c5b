// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import { readRanges } from '../../../../fit/poses/ranges-of-motion.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { precomputeDdm } from '../../../mush/precompute-ddm.ts';
import { fillCross, listMembers, makeBoneMoments } from '../../compress-moments.ts';
import { listCompressPoints } from '../../compress-points.ts';
import { Responses } from '../../compress-responses.ts';
import { listJoints } from '../../examples/continuous-joints.ts';
import { makeQuadratureSpace } from '../../examples/continuous-quadrature.ts';
import { makePointWeights, measureWeights } from '../../objectives/update-weights.ts';
import { copyBone, makeBoneMaker, sumSpread } from '../virtual-bones.ts';
import { BoneUpdater } from '../virtual-update.ts';

describe('the update of a virtual bone', async () => {
  const { clip, skeleton, skin } = makeSample('bar-bend', { resolution: 200, frames: 1 });
  const ddm = await precomputeDdm(clip.mesh, skeleton!, skin!, { lambda: 20 });
  const points = listCompressPoints(ddm);
  const joints = listJoints(ddm.skeleton, points, readRanges({ '*': 50 }, ddm.skeleton, points.height));
  const space = makeQuadratureSpace(joints, joints.ranges, 6, 1);
  const responses = new Responses(space, joints, points);
  // two bones share every point, half and half: of a point in the middle, and of one to its side
  const maker = makeBoneMaker(points, ddm.skeleton, 1e-3);
  const middle = Math.floor(points.pointCount / 2);
  const truth = [maker.make([middle]), maker.make([middle + 20])];
  const fit = makePointWeights(points.pointCount, 2);
  for (let i = 0; i < points.pointCount; i++) {
    fit.bones.set([0, 1], 2 * i);
    fit.weights.set([0.5, 0.5], 2 * i);
  }
  const responsesOf = (bones: typeof truth): ReturnType<Responses['allocateScratch']>[] =>
    bones.map((bone) => {
      const room = responses.allocateScratch();
      responses.respond(bone, room);
      return room;
    });

  it('lowers the error by the reported amount, and keeps the sum of the bone', () => {
    const bones = truth.map(copyBone);
    const boneResponses = responsesOf(bones);
    const members = listMembers(fit, 2);
    const updater = new BoneUpdater(joints, space);
    let before = measureWeights(responses, boneResponses, fit);
    const first = before;
    for (let iteration = 0; iteration < 6; iteration++) {
      const k = iteration % 2;
      const bone = { k, center: bones[k].center, states: boneResponses[k].states, members: members[k] };
      const moments = makeBoneMoments({ points, responses, fit }, bone);
      const cross = new Float64Array(moments.targets.length);
      fillCross(moments, responses, boneResponses, new Float64Array(16 * moments.joints.length), cross);
      const gain = updater.update(bones[k], moments, cross);
      responses.respond(bones[k], boneResponses[k]);
      const after = measureWeights(responses, boneResponses, fit);
      expect(before - after).toBeCloseTo(gain, 8);
      before = after;
      const spread = sumSpread(bones[k].deltas);
      for (let c = 0; c < 6; c++) expect(spread[c]).toBeCloseTo(bones[k].spread[c], 10);
    }
    expect(before).toBeLessThan(0.9 * first);
  });

  it('recovers disturbed multi-weights', () => {
    // points that move exactly as the bone: their responses are those of the undisturbed one
    const own = responsesOf([truth[0]])[0];
    const bone = copyBone(truth[0]);
    const random = makeRandom(4);
    for (let c = 0; c < 10; c++) {
      const change = 0.05 * random.normal() * Math.abs(bone.deltas[c] || 1e-4);
      bone.deltas[c] += change;
      bone.deltas[10 + c] -= change;
    }
    const { rows } = space;
    const states = own.states;
    const listed = Array.from(states.keys()).filter((g) => states[g] === 2);
    // N of points all around, about the center; C = −T N for the bone's own T
    const moments = {
      square: Float64Array.of(1, 0, 0, 0.1, 0, 1, 0, 0, 0, 0, 1, 0, 0.1, 0, 0, 9),
      joints: listed,
      targets: new Float64Array(4 * rows * listed.length),
      others: [],
      shared: new Float64Array(0),
    };
    const cross = new Float64Array(moments.targets.length);
    listed.forEach((g, place) => {
      for (let r = 0; r < rows; r++) {
        const t = own.blocks.slice(4 * (rows * g + r), 4 * (rows * g + r) + 4);
        t[3] += t[0] * bone.center[0] + t[1] * bone.center[1] + t[2] * bone.center[2];
        for (let d = 0; d < 4; d++)
          for (let c = 0; c < 4; c++) cross[4 * (rows * place + r) + d] -= t[c] * moments.square[4 * c + d];
      }
    });
    const updater = new BoneUpdater(joints, space);
    let first = 0;
    let last = 0;
    for (let n = 0; n < 8; n++) {
      last = updater.update(bone, moments, cross);
      if (n === 0) first = last;
    }
    expect(first).toBeGreaterThan(0);
    expect(last).toBeLessThan(1e-4 * first);
    const after = responsesOf([bone])[0];
    const distance = (a: Float64Array, b: Float64Array): number =>
      Math.sqrt(a.reduce((s, v, c) => s + (v - b[c]) ** 2, 0));
    expect(distance(after.blocks, own.blocks)).toBeLessThan(
      0.05 * Math.sqrt(own.blocks.reduce((s, v) => s + v * v, 0)),
    );
  });
});
