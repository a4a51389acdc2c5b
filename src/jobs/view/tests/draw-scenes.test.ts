// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { frameOf } from '../../../core/model/clip/clip.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { writeGlb } from '../../../formats/gltf/write-glb.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { assetOfSample, skinnedOfSample } from '../../sample/sample-asset.ts';
import { makeErrorScenes, makeScenes } from '../draw-scenes.ts';

const sample = makeSample('creature', { resolution: 300, frames: 4 });
const clip = assetOfSample(sample);
const bytes = await writeGlb(clip, { kind: 'skin', model: skinnedOfSample(sample)! });
const skinned = await readAsset([{ name: 'creature.glb', bytes }], {});

describe('scenes', () => {
  it('give bones the colours of their regions where weights are shown, and one colour elsewhere', () => {
    const colorsOf = (weights?: boolean | string) => {
      const [{ scene }] = makeScenes(skinned, { bones: true, weights }).scenes;
      expect(scene.points?.length).toBe(skinned.rig?.skeleton.names.length);
      return new Set(scene.points?.map(({ color }) => color.join(' '))).size;
    };
    expect(colorsOf(true)).toBeGreaterThan(5);
    expect(colorsOf()).toBe(1);
    expect(colorsOf('0')).toBe(1);
  });

  it('carry errors as values on one scale over all frames, in the unit that either file says', () => {
    const moved = { ...clip, clips: [{ ...sample.clip, positions: sample.clip.positions.slice() }] };
    const stride = sample.clip.mesh.positions.length;
    // Vertex 7 is off by 0.25 in frame 2 alone.
    moved.clips[0].positions[2 * stride + 21] += 0.25;
    const { scenes, scale } = makeErrorScenes({ ...clip, metresPerUnit: undefined }, moved, { framesSheet: 4 });
    expect(scenes.map(({ caption }) => caption)).toEqual(['frame 0', 'frame 1', 'frame 2', 'frame 3']);
    expect(scale?.unit).toBe('m');
    for (const [k, { scene }] of scenes.entries()) {
      expect(scene.colors).toBeUndefined();
      expect(scene.heat?.scale).toEqual(scale);
      expect(scene.positions).toEqual(frameOf(moved.clips[0], k));
      const values = Array.from(scene.heat?.values ?? []);
      expect(values[7]).toBeCloseTo(k === 2 ? 0.25 : 0, 6);
      expect(values.filter((value) => value > 0).length).toBe(k === 2 ? 1 : 0);
    }
    expect(scale?.max).toBeCloseTo(0.25, 6);
  });

  it('name the option that asked for a frame that does not exist', () => {
    expect(() => makeScenes(clip, { frame: 9 })).toThrow(/^--frame: frame 9 does not exist; the last frame is 3$/);
    expect(() => makeScenes(clip, { frames: { first: 9 }, framesSheet: 2 })).toThrow(/^--frames: frame 9/);
  });

  it('have no scale where nothing is off', () => {
    const { scenes, scale } = makeErrorScenes(clip, clip, { framesSheet: 2 });
    expect([scenes.length, scale]).toEqual([2, undefined]);
  });

  it('show virtual bones at the centers of their vertices, and refuse files without them', () => {
    const { skeleton, skin } = skinned.rig!;
    const identity = makeSkin([...skeleton.names.keys()], new Array(skeleton.names.length).fill(1), 1);
    const layers = { kind: 'linear-two-layer', mesh: skinned.mesh, skeleton, virtualBones: identity, skin } as const;
    const [{ scene }] = makeScenes({ ...skinned, linearTwoLayer: layers }, { virtualBones: true }).scenes;
    expect(scene.points?.length).toBe(new Set(skin.boneIndices).size);
    const both = makeScenes({ ...skinned, linearTwoLayer: layers }, { virtualBones: true, bones: true, frame: 1 });
    expect(both.scenes[0].scene.points?.length).toBe(skeleton.names.length + new Set(skin.boneIndices).size);
    expect(() => makeScenes(skinned, { virtualBones: true })).toThrow(
      /--virtual-bones: requires a file with two layers/,
    );
  });

  it('show errors alone', () => {
    expect(() => makeErrorScenes(clip, skinned, { bones: true })).toThrow(/--error: cannot be used with --bones/);
    expect(() => makeErrorScenes(clip, skinned, { weights: true })).toThrow(/--error: cannot be used with --weights/);
  });
});
