// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { poseOf } from '../../../core/model/clip/motion.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { makeDdmPrecompute } from '../make-ddm-precompute.ts';
import { measureDrop } from '../measure-drop.ts';

describe('the error of dropping entries', () => {
  it('is zero for the same model, grows with the threshold, and is smaller by folding', async () => {
    const { clip, skeleton, skin, motion } = makeSample('creature', { resolution: 600, frames: 6 });
    if (!skeleton || !skin || !motion) throw new Error('the creature has bones');
    const precompute = await makeDdmPrecompute(clip.mesh, skeleton, skin, { threshold: 0 });
    const full = await precompute.model();
    const poses = [1, 3, 5].map((k) => poseOf(motion, k));
    expect(measureDrop(full, full, poses)).toMatchObject({ rms: 0, max: 0 });
    const at = async (threshold: number, drop: 'fold' | 'renormalize') =>
      measureDrop(full, await precompute.model({ threshold, drop }), poses);
    const small = await at(1e-4, 'fold');
    const large = await at(1e-2, 'fold');
    const scaled = await at(1e-2, 'renormalize');
    expect(small.rms).toBeGreaterThan(0);
    expect(large.rms).toBeGreaterThan(small.rms);
    expect(large.rms).toBeLessThan(scaled.rms);
    expect(large.max).toBeGreaterThanOrEqual(large.rms);
    expect(large.entriesPerVertex).toBeLessThan(small.entriesPerVertex);
    expect(small.entriesPerVertex).toBeLessThan(small.entriesPerVertexBefore);
    expect(large.perPose).toHaveLength(3);
  });
});
