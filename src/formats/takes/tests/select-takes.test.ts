// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { cutTrack } from '../../../core/keyframes/cut-track.ts';
import { sampleTrackInto } from '../../../core/keyframes/sample-track.ts';
import type { Interpolation, Track } from '../../../core/model/clip/animation.ts';
import { bakeAt } from '../../../deformers/playback/index.ts';
import { readAsset } from '../../assets/index.ts';
import { selectTakes } from '../select-takes.ts';
import { glbOf, makeBiped } from './make-rig.ts';

const read = () => {
  const scene = makeBiped();
  const run = { ...scene.animations[0], name: 'run' };
  return readAsset([{ name: 'biped.glb', bytes: glbOf({ ...scene, animations: [...scene.animations, run] }) }]);
};

describe('selected animations', () => {
  it('are those of a name or an index', async () => {
    const asset = await read();
    const names = async (animation: string): Promise<string[]> =>
      (await selectTakes(asset, { animation })).animations.map(({ name }) => name);
    expect([await names('run'), await names('0')]).toEqual([['run'], ['walk']]);
    await expect(selectTakes(asset, { animation: 'swim' })).rejects.toThrow('there is no animation "swim"');
    expect(await selectTakes(asset, {})).toBe(asset);
  });

  it('are cut to frames, and begin at zero', async () => {
    const asset = await read();
    const cut = await selectTakes(asset, { animation: 'walk', frames: { first: 15, last: 45 } });
    expect(cut.animations[0].duration).toBeCloseTo(1, 6);
    const a = bakeAt(cut, cut.animations[0], Float64Array.of(0, 0.3, 1)).positions;
    const b = bakeAt(asset, asset.animations[0], Float64Array.of(0.5, 0.8, 1.5)).positions;
    expect(a.every((x, c) => Math.abs(x - b[c]) < 1e-5)).toBe(true);
    await expect(selectTakes(asset, { frames: { step: 2 } })).rejects.toThrow('it has no step here');
    await expect(selectTakes(asset, { frames: { first: 900 } })).rejects.toThrow('frame 900 does not exist');
  });
});

describe('cutTrack', () => {
  it.each<Interpolation>(['STEP', 'LINEAR', 'CUBICSPLINE'])('keeps the values between keys (%s)', (interpolation) => {
    const stride = interpolation === 'CUBICSPLINE' ? 9 : 3;
    const track: Track = {
      ...{ node: 0, path: 'translation', interpolation },
      times: Float32Array.of(0, 1, 2, 4),
      values: Float32Array.from({ length: 4 * stride }, (_, v) => Math.sin(7 * v)),
    };
    for (const [start, end] of [
      [0.25, 3.5],
      [1, 2],
      [1.25, 1.5],
      [-1, 6],
    ]) {
      const cut = cutTrack(track, start, end);
      expect(cut.times[0]).toBe(0);
      for (const ratio of [0, 0.2, 0.5, 0.9]) {
        const time = start + ratio * (end - start);
        const [a, b] = [new Float64Array(3), new Float64Array(3)];
        sampleTrackInto(track, time, a);
        sampleTrackInto(cut, time - start, b);
        a.forEach((x, c) => {
          expect(b[c]).toBeCloseTo(x, 5);
        });
      }
    }
  });
});
