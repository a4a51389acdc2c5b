// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { compose, multiply } from '../../../../core/math/mat4.ts';
import { type Motion, poseOf } from '../../../../core/model/clip/motion.ts';
import { makeDdm } from '../../../../deformers/direct-delta-mush/make-ddm.ts';
import { readRanges } from '../../../../fit/poses/ranges-of-motion.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { precomputeDdm } from '../../../mush/precompute-ddm.ts';
import { fillCross, listMembers, makeBoneMoments } from '../../compress-moments.ts';
import { listCompressPoints } from '../../compress-points.ts';
import { Responses } from '../../compress-responses.ts';
import { makePointWeights, measureWeights } from '../../objectives/update-weights.ts';
import { copyBone, makeBoneMaker, sumSpread } from '../../virtual-bones/virtual-bones.ts';
import { BoneUpdater } from '../../virtual-bones/virtual-update.ts';
import { addFrames, MAX_EXAMPLE_FRAMES } from '../continuous-frames.ts';
import { listJoints } from '../continuous-joints.ts';
import { makeQuadratureSpace } from '../continuous-quadrature.ts';

const { clip, skeleton, skin, motion: bend } = makeSample('bar-bend', { resolution: 150, frames: 5 });
const ddm = await precomputeDdm(clip.mesh, skeleton!, skin!, { lambda: 20 });
const points = listCompressPoints(ddm);
const joints = listJoints(ddm.skeleton, points, readRanges({ '*': 50 }, ddm.skeleton, points.height));
const single = makeQuadratureSpace(joints, joints.ranges, 3, 1);
const jointCount = joints.bones.length;

/** The same motion, carried elsewhere and turned as a whole. */
function carry(motion: Motion): Motion {
  const whole = new Float64Array(16);
  compose([3, -20, 7], [0.6, 0, 0, 0.8], [1, 1, 1], whole);
  const matrices = new Float64Array(motion.matrices.length);
  for (let o = 0; o < matrices.length; o += 16) multiply(whole, motion.matrices, matrices, 0, o, o);
  return { ...motion, matrices };
}

/** What points do in a frame: rows of the groups of frames, pointCount x frames x 3. */
function listFrameValues(motion: Motion, weight: number): Float64Array[] {
  const space = addFrames(single, joints, points, [motion], weight);
  const { start, joints: listed, offsets, values } = new Responses(space, joints, points).points;
  return Array.from({ length: points.pointCount }, (_, i) => {
    const parts: number[] = [];
    for (let e = start[i]; e < start[i + 1]; e++) {
      if (listed[e] >= jointCount) parts.push(...values.subarray(offsets[e], offsets[e] + space.rows));
    }
    return Float64Array.from(parts);
  });
}

describe('frames in addition to continuous examples', () => {
  it('equal the shapes of the deformer, up to a rigid motion and the root of their weight', () => {
    const frames = bend!.times.length;
    const weight = 4;
    const found = listFrameValues(bend!, weight);
    const scale = Math.sqrt((weight * single.poses) / frames);
    const out = new Float64Array(ddm.mesh.positions.length);
    // two groups of three poses for five frames: the last pose counts nothing
    expect(found[0]).toHaveLength(18);
    for (let k = 0; k < frames; k++) {
      makeDdm(ddm).deformInto({ bones: poseOf(bend!, k) }, out);
      const at = (i: number, c: number): number => points.positions[3 * i + c] + found[i][3 * k + c] / scale;
      for (let i = 0; i + 40 < points.pointCount; i += 13) {
        const [a, b] = [points.vertexOfPoint[i], points.vertexOfPoint[i + 40]];
        const truth = Math.hypot(...[0, 1, 2].map((c) => out[3 * a + c] - out[3 * b + c]));
        const own = Math.hypot(...[0, 1, 2].map((c) => at(i, c) - at(i + 40, c)));
        expect(own).toBeCloseTo(truth, 8);
      }
    }
    for (const rows of found) expect([...rows.slice(15)]).toEqual([0, 0, 0]);
  });

  it('do not depend on a rigid motion of the whole model', () => {
    const here = listFrameValues(bend!, 1);
    const there = listFrameValues(carry(bend!), 1);
    here.forEach((rows, i) => {
      for (let r = 0; r < rows.length; r++) expect(there[i][r]).toBeCloseTo(rows[r], 8);
    });
  });

  it('are evenly spaced if there are many, and at least one is required', () => {
    const long: Motion = {
      name: 'long',
      times: Float64Array.from({ length: 500 }, (_, k) => k),
      matrices: Float64Array.from(
        { length: 500 * 16 * joints.boneCount },
        (_, n) => bend!.matrices[n % (16 * joints.boneCount)],
      ),
    };
    const space = addFrames(single, joints, points, [long], 1);
    expect(space.groupCount).toBe(jointCount + MAX_EXAMPLE_FRAMES / single.poses);
    expect(() => addFrames(single, joints, points, [], 1)).toThrow('examples above 0 requires an animation');
    expect(() => addFrames(single, joints, points, [{ ...long, matrices: new Float64Array(16) }], 1)).toThrow(
      'the motion "long" and the skeleton have different numbers of bones',
    );
  });

  it('let the update of a virtual bone lower the error by the reported amount', () => {
    const space = addFrames(single, joints, points, [bend!], 2);
    const responses = new Responses(space, joints, points);
    const maker = makeBoneMaker(points, ddm.skeleton, 1e-3);
    const middle = Math.floor(points.pointCount / 2);
    const bones = [maker.make([middle]), maker.make([middle + 20])].map(copyBone);
    const boneResponses = bones.map((bone) => responses.respond(bone, responses.allocateScratch()));
    const fit = makePointWeights(points.pointCount, 2);
    for (let i = 0; i < points.pointCount; i++) {
      fit.bones.set([0, 1], 2 * i);
      fit.weights.set([0.5, 0.5], 2 * i);
    }
    const members = listMembers(fit, 2);
    const updater = new BoneUpdater(joints, space);
    const first = measureWeights(responses, boneResponses, fit);
    let before = first;
    for (let iteration = 0; iteration < 8; iteration++) {
      const k = iteration % 2;
      const bone = { k, center: bones[k].center, states: boneResponses[k].states, members: members[k] };
      const moments = makeBoneMoments({ points, responses, fit }, bone);
      const cross = new Float64Array(moments.targets.length);
      fillCross(moments, responses, boneResponses, new Float64Array(16 * moments.joints.length), cross);
      const gain = updater.update(bones[k], moments, cross);
      responses.respond(bones[k], boneResponses[k]);
      const after = measureWeights(responses, boneResponses, fit);
      expect(Math.abs(before - after - gain)).toBeLessThan(1e-8 * first);
      before = after;
      const spread = sumSpread(bones[k].deltas);
      for (let c = 0; c < 6; c++) expect(spread[c]).toBeCloseTo(bones[k].spread[c], 10);
    }
    expect(before).toBeLessThan(0.9 * first);
  });

  it('have the gradient of finite differences', () => {
    // with frames alone, a step of Gauss-Newton from a bone that nearly fits lands close to the bottom
    const space = addFrames(single, joints, points, [bend!], 1e6);
    const responses = new Responses(space, joints, points);
    const bone = makeBoneMaker(points, ddm.skeleton, 1e-3).make([Math.floor(points.pointCount / 2)]);
    const own = responses.respond(bone, responses.allocateScratch());
    const disturbed = copyBone(bone);
    for (const c of [0, 4, 7, 3]) {
      const change = 0.02 * disturbed.deltas[c];
      disturbed.deltas[c] += change;
      disturbed.deltas[10 + c] -= change;
    }
    const listed = Array.from(own.states.keys()).filter((g) => g >= jointCount);
    const { rows } = space;
    const square = Float64Array.of(1, 0, 0, 0.1, 0, 1, 0, 0, 0, 0, 1, 0, 0.1, 0, 0, 9);
    const moments = {
      square,
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
          for (let c = 0; c < 4; c++) cross[4 * (rows * place + r) + d] -= t[c] * square[4 * c + d];
      }
    });
    const updater = new BoneUpdater(joints, space);
    const gains = Array.from({ length: 6 }, () => updater.update(disturbed, moments, cross));
    expect(gains[0]).toBeGreaterThan(0);
    expect(gains[0]).toBeGreaterThan(0.9 * gains.reduce((sum, gain) => sum + gain, 0));
    expect(gains[5]).toBeLessThan(1e-4 * gains[0]);
  });
});
