// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { justBefore } from '../../../../core/keyframes/list-jumps.ts';
import type { Asset } from '../../../../core/model/asset.ts';
import type { Track } from '../../../../core/model/clip/animation.ts';
import { makeAsset } from '../../../../core/model/make-asset.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { makeLooseSkeleton } from '../../../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { listPlayedClips, sampleClipInto } from '../../index.ts';

/** A triangle on one node that slides along x as a track tells. */
function slideBy(interpolation: Track['interpolation'], keys: readonly (readonly [number, number])[]): Asset {
  const mesh = makeMesh(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), Uint32Array.of(0, 1, 2));
  const times = Float32Array.from(keys, ([time]) => time);
  const values = Float32Array.from(keys.flatMap(([, x]) => [x, 0, 0]));
  const track: Track = { node: 0, path: 'translation', interpolation, times, values };
  return {
    ...makeAsset(
      { kind: 'clip', name: 'slide', mesh, positions: mesh.positions, times: Float64Array.of(0) },
      { name: 'slide' },
    ),
    nodes: {
      names: ['slider'],
      parents: Int32Array.of(-1),
      translations: new Float64Array(3),
      rotations: Float64Array.of(0, 0, 0, 1),
      scales: Float64Array.of(1, 1, 1),
    },
    rig: {
      skeleton: makeLooseSkeleton(1),
      skin: makeSkin([0, 0, 0], [1, 1, 1], 1),
      nodeOfBone: Int32Array.of(0),
      isJoint: Uint8Array.of(1),
    },
    clips: [],
    animations: [{ name: 'slide', duration: Math.max(...times), tracks: [track] }],
  };
}

const played = (asset: Asset) => listPlayedClips({ input: 'slide.glb', asset }, { filled: true })[0];

/** x of the first vertex at a time. */
function placeAt(asset: Asset, time: number): number {
  const out = new Float32Array(9);
  sampleClipInto(played(asset).clip, time, out);
  return out[0];
}

describe('frames of an animation', () => {
  it('are those of its rate where keys are regular', () => {
    const { clip } = played(
      slideBy(
        'LINEAR',
        Array.from({ length: 31 }, (_, k) => [k / 30, k % 2]),
      ),
    );
    expect(clip.times).toHaveLength(31);
  });

  it('keep a jump: one frame before it and one at it', () => {
    const asset = slideBy('STEP', [
      [0, 0],
      [0.517, 5],
      [1, 5],
    ]);
    const { times } = played(asset).clip;
    const jump = Math.fround(0.517);
    expect([...times]).toEqual(expect.arrayContaining([jump, justBefore(jump)]));
    expect(placeAt(asset, 0.5165)).toBe(0);
    expect(placeAt(asset, 0.5175)).toBe(5);
  });

  it('are also at uneven keys', () => {
    const asset = slideBy('LINEAR', [
      [0, 0],
      [0.111, 0],
      [0.1222, 3],
      [0.13, 0],
      [1, 0],
    ]);
    expect(placeAt(asset, Math.fround(0.1222))).toBe(3);
    expect(placeAt(asset, 0.11)).toBe(0);
  });

  it('are at one rate where a rate is given', () => {
    const asset = slideBy('STEP', [
      [0, 0],
      [0.517, 5],
      [1, 5],
    ]);
    const [{ clip }] = listPlayedClips({ input: 'slide.glb', asset }, { filled: true, rate: 10 });
    expect(clip.times).toHaveLength(11);
  });
});
