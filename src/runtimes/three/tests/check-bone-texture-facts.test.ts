// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { checkBoneTextureFacts } from '../check-bone-texture-facts.ts';

const FACTS = {
  layout: 'bone-texture',
  texelsPerBone: 2,
  center: [0, 0, 0],
  min: [0, 0, 0, 0, 0, 0, 0, 0],
  max: [1, 1, 1, 1, 1, 1, 1, 1],
  joints: ['TEXCOORD_1', 'TEXCOORD_2'],
  weights: ['TEXCOORD_3', 'TEXCOORD_4'],
  clips: [{ name: 'walk', start: 0, frames: 8, fps: 24 }],
};
const SIZE = { width: 6, height: 8 };

describe('checkBoneTextureFacts', () => {
  it('accepts the file of a texture', () => {
    expect(() => checkBoneTextureFacts(FACTS, SIZE)).not.toThrow();
  });

  it.each([
    [null, 'it must be an object'],
    [[], 'it must be an object'],
    ['{}', 'it must be an object'],
    [{}, 'its layout is missing; use the JSON file of ossify bake --as bone-texture'],
    [{ ...FACTS, layout: 'vertex-texture' }, 'its layout is "vertex-texture"'],
    [{ ...FACTS, texelsPerBone: 4 }, 'texelsPerBone must be 2 or 3, got 4'],
    [{ ...FACTS, center: [0, 0] }, 'center must be 3 finite numbers'],
    [{ ...FACTS, min: [0, 0, 0, 0, 0, 0, 0, Number.NaN] }, 'min must be 8 finite numbers'],
    [{ ...FACTS, max: '11111111' }, 'max must be 8 finite numbers'],
    [{ ...FACTS, joints: ['TEXCOORD_1'] }, 'joints must be the names of two UV sets'],
    [{ ...FACTS, weights: ['a', '__proto__'] }, 'weights must be the names of two UV sets'],
    [{ ...FACTS, clips: [] }, 'clips must be a list of clips'],
    [{ ...FACTS, clips: [null] }, 'clips[0] must be an object'],
    [{ ...FACTS, clips: [{ ...FACTS.clips[0], start: -1 }] }, 'clips[0].start must be a whole number, got -1'],
    [{ ...FACTS, clips: [{ ...FACTS.clips[0], frames: 0 }] }, 'clips[0].frames must be at least 1, got 0'],
    [{ ...FACTS, clips: [{ ...FACTS.clips[0], fps: 0 }] }, 'clips[0].fps must be positive, got 0'],
    [{ ...FACTS, clips: [{ ...FACTS.clips[0], start: 3 }] }, 'clips[0] needs rows up to 11, but the texture has 8'],
    [{ ...FACTS, texelsPerBone: 3, min: Array(12).fill(0), max: Array(12).fill(1) }, undefined],
  ])('names what is wrong with %j', (facts, fault) => {
    if (fault === undefined) expect(() => checkBoneTextureFacts(facts, SIZE)).not.toThrow();
    else expect(() => checkBoneTextureFacts(facts, SIZE)).toThrow(`BoneTexture: ${fault}`);
  });

  it('refuses a texture of other bones', () => {
    expect(() => checkBoneTextureFacts(FACTS, { width: 7, height: 8 })).toThrow('7 texels per row');
  });
});
