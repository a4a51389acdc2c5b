// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import type { Asset } from '../../../core/model/asset.ts';
import { frameOf } from '../../../core/model/clip/clip.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { bakeAt } from '../bake/bake-at.ts';
import { bakeClip } from '../bake/bake-clip.ts';
import { makeAssetFrames } from '../make-asset-frames.ts';

// A triangle on a node that turns half round about z in a second, with a morph target that lifts it.
const mesh = makeMesh(Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0]), Uint32Array.of(0, 1, 2));
const asset: Asset = {
  name: 'turn',
  mesh,
  nodes: {
    names: ['node'],
    parents: Int32Array.of(-1),
    translations: new Float64Array(3),
    rotations: Float64Array.of(0, 0, 0, 1),
    scales: Float64Array.of(1, 1, 1),
  },
  rig: {
    skeleton: { names: ['bone'], parents: Int32Array.of(-1), bindMatrices: makeIdentities(1) },
    skin: makeSkin([0, 0, 0], [1, 1, 1], 1),
    nodeOfBone: Int32Array.of(0),
    isJoint: Uint8Array.of(1),
  },
  morphs: {
    targets: [
      {
        name: 'up',
        node: 0,
        weight: 0,
        vertexStart: 0,
        vertexCount: 3,
        positions: Float32Array.from([0, 0, 1, 0, 0, 1, 0, 0, 1]),
      },
    ],
    restWeights: [{ node: 0, weights: Float32Array.of(0) }],
  },
  animations: [
    {
      name: 'turn',
      duration: 1,
      tracks: [
        {
          node: 0,
          path: 'rotation',
          interpolation: 'LINEAR',
          times: Float32Array.of(0, 1),
          values: Float32Array.of(0, 0, 0, 1, 0, 0, 1, 0),
        },
        {
          node: 0,
          path: 'weights',
          interpolation: 'LINEAR',
          times: Float32Array.of(0, 1),
          values: Float32Array.of(0, 1),
        },
      ],
    },
  ],
  clips: [],
  up: 'y',
  byteLength: 0,
};

describe('makeAssetFrames and bakeAt', () => {
  it('give the frames that baking the clip gives', () => {
    const clip = bakeClip(asset, { fps: 100 });
    const frames = makeAssetFrames(asset, { rate: 100 });
    const at = bakeAt(asset, asset.animations[0], clip.times);
    expect(frames.times).toEqual(clip.times);
    expect(at.positions).toEqual(clip.positions);
    for (const k of [0, 37, 100]) {
      expect([...frames.frameAt(k)]).toEqual([...frameOf(clip, k)]);
      expect(frames.poseAt(k)).toHaveLength(16);
    }
    // The last frame: turned by half a turn, lifted by one.
    const last = frames.frameAt(100);
    [0, 0, 1, -1, 0, 1, 0, -1, 1].forEach((value, c) => {
      expect(last[c]).toBeCloseTo(value, 6);
    });
  });

  it('show the shape as it stands where nothing is animated', () => {
    const frames = makeAssetFrames({ ...asset, animations: [] });
    expect(frames.times).toHaveLength(1);
    expect([...frames.frameAt(0)]).toEqual([...mesh.positions]);
  });
});
