// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { compose, makeIdentities } from '../../../core/math/mat4.ts';
import type { Asset } from '../../../core/model/asset.ts';
import type { Animation, Track } from '../../../core/model/clip/animation.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { bakeClip } from '../bake/bake-clip.ts';
import { sampleAnimation } from '../sample-animation.ts';

// Three vertices on a two-bone arm along x: shoulder at the origin, elbow at (1, 0, 0). The nodes hang under a root that
// stands at (0, 0, 5); the skin is bound where the root is at the origin.
function makeArm(): Asset {
  const mesh = makeMesh(Float32Array.of(0.5, 0, 0, 1.5, 0, 0, 2, 0, 0), Uint32Array.of(0, 1, 2), 'arm');
  const bindMatrices = makeIdentities(2);
  bindMatrices[16 + 12] = 1;
  return {
    name: 'arm',
    mesh,
    nodes: {
      names: ['root', 'shoulder', 'elbow'],
      parents: Int32Array.of(-1, 0, 1),
      translations: Float64Array.of(0, 0, 5, 0, 0, 0, 1, 0, 0),
      rotations: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1),
      scales: new Float64Array(9).fill(1),
    },
    rig: {
      skeleton: { names: ['shoulder', 'elbow'], parents: Int32Array.of(-1, 0), bindMatrices },
      skin: makeSkin([0, 1, 1], [1, 1, 1], 1),
      nodeOfBone: Int32Array.of(1, 2),
      isJoint: Uint8Array.of(1, 1),
    },
    animations: [],
    clips: [],
    up: 'y',
    byteLength: 0,
  };
}
const track = (node: number, path: Track['path'], times: number[], values: number[]): Track => ({
  node,
  path,
  interpolation: 'LINEAR',
  times: Float32Array.from(times),
  values: Float32Array.from(values),
});
const s = Math.SQRT1_2;
/** Bends the elbow by 90° about z within a second. */
const bend: Animation = {
  name: 'bend',
  duration: 1,
  tracks: [track(2, 'rotation', [0, 1], [0, 0, 0, 1, 0, 0, s, s])],
};

describe('sampling an animation', () => {
  it('gives rest-to-posed matrices through the hierarchy', () => {
    const { motion } = sampleAnimation(makeArm(), bend, [0, 1]);
    const rest = poseOf(motion, 0);
    expect(rest.slice(12, 15)).toEqual(Float64Array.of(0, 0, 5));
    expect(rest.slice(28, 31)).toEqual(Float64Array.of(0, 0, 5));
    const clip = bakeClip({ ...makeArm(), animations: [bend] }, { fps: 1 });
    const last = clip.positions.subarray(9);
    // The elbow stays at (1, 0, 5); what was beyond it along x is now along y.
    [0.5, 0, 5, 1, 0.5, 5, 1, 1, 5].forEach((value, c) => {
      expect(last[c]).toBeCloseTo(value, 6);
    });
  });

  it('keeps nodes without a track at rest, and all nodes without an animation', () => {
    const { motion, morphWeights } = sampleAnimation(makeArm(), undefined, [0, 3]);
    expect(poseOf(motion, 0)).toEqual(poseOf(motion, 1));
    expect(morphWeights.length).toBe(0);
  });

  it('has no bones without a rig', () => {
    const asset = makeArm();
    asset.rig = undefined;
    expect(sampleAnimation(asset, bend, [0, 1]).motion.matrices.length).toBe(0);
  });

  it('keeps at rest a bone whose bind scale is zero', () => {
    const asset = makeArm();
    compose([1, 0, 0], [0, 0, 0, 1], [0, 0, 0], asset.rig!.skeleton.bindMatrices, 0, 0, 0, 16);
    expect(poseOf(sampleAnimation(asset, bend, [1]).motion, 0).subarray(16)).toEqual(makeIdentities(1));
  });

  it('animates morph weights, with the rest weights for nodes without a track', () => {
    const asset = makeArm();
    const positions = new Float32Array(9);
    asset.morphs = {
      targets: [
        { name: 'a', node: 1, weight: 0, vertexStart: 0, vertexCount: 3, positions },
        { name: 'b', node: 1, weight: 1, vertexStart: 0, vertexCount: 3, positions },
        { name: 'c', node: 2, weight: 0, vertexStart: 0, vertexCount: 3, positions },
      ],
      restWeights: [{ node: 2, weights: Float32Array.of(0.25) }],
    };
    const wave = { name: 'wave', duration: 1, tracks: [track(1, 'weights', [0, 1], [0, 1, 1, 3])] };
    expect([...sampleAnimation(asset, wave, [0, 0.5]).morphWeights]).toEqual([0, 1, 0.25, 0.5, 2, 0.25]);
  });

  it('rejects tracks of another size than their node', () => {
    const wrongNode = { ...bend, tracks: [{ ...bend.tracks[0], node: 3 }] };
    expect(() => sampleAnimation(makeArm(), wrongNode, [0])).toThrow('node 3 of 3');
    const wrongSize = { ...bend, tracks: [track(2, 'rotation', [0, 1], [0, 0, 0, 1, 0, 0])] };
    expect(() => sampleAnimation(makeArm(), wrongSize, [0])).toThrow('3 numbers per key, expected 4');
  });
});

describe('baking a clip', () => {
  it('gives one frame of a static asset, in the rest pose of its nodes', () => {
    const clip = bakeClip(makeArm());
    expect(clip.times).toEqual(Float64Array.of(0));
    expect(clip.positions[2]).toBe(5);
    expect(clip.mesh.positions[2]).toBe(0);
  });

  it('returns clips unchanged', () => {
    const asset = makeArm();
    const clip = {
      kind: 'clip' as const,
      name: 'cache',
      mesh: asset.mesh,
      positions: new Float32Array(18),
      times: Float64Array.of(0, 1),
    };
    asset.clips = [clip];
    expect(bakeClip(asset)).toBe(clip);
  });

  it('applies morphs before the skin', () => {
    const asset = makeArm();
    asset.morphs = {
      targets: [
        { name: 'longer', node: 1, weight: 0, vertexStart: 2, vertexCount: 1, positions: Float32Array.of(1, 0, 0) },
      ],
      restWeights: [],
    };
    asset.animations = [{ ...bend, tracks: [...bend.tracks, track(1, 'weights', [0, 1], [0, 1])] }];
    const clip = bakeClip(asset, { keys: true });
    expect([...clip.times]).toEqual([0, 1]);
    [1, 2, 5].forEach((value, c) => {
      expect(clip.positions[15 + c]).toBeCloseTo(value, 6);
    });
  });

  it('gives the same frames across batches', () => {
    const asset = { ...makeArm(), animations: [bend] };
    const clip = bakeClip(asset, { fps: 200 });
    const single = bakeClip(asset, { start: 0.77, end: 0.77 });
    expect(clip.times.length).toBe(201);
    expect(clip.positions.subarray(154 * 9, 155 * 9)).toEqual(single.positions);
  });

  it('rejects more frames than the limit before allocating memory', () => {
    const asset = { ...makeArm(), animations: [{ ...bend, duration: 1e30 }] };
    expect(() => bakeClip(asset)).toThrow('of memory, above the limit of 4 GB');
    expect(() => bakeClip({ ...asset, animations: [bend] }, { fps: 1e12 })).toThrow('use a lower frame rate');
  });

  it('rejects an animation index out of range', () => {
    expect(() => bakeClip({ ...makeArm(), animations: [bend] }, { animation: 1 })).toThrow('"arm" has 1');
    expect(() => bakeClip(makeArm(), { animation: 0 })).toThrow('"arm" has 0');
  });
});
