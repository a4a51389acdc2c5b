// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { listMirrorBones, mirrorPose } from '../mirror-pose.ts';
import { PoseEditor } from '../pose-editor.ts';

describe('the bones of the other side', () => {
  it.each([
    ['LeftArm', 'RightArm'],
    ['mixamorig:LeftHand', 'mixamorig:RightHand'],
    ['arm.L', 'arm.R'],
    ['hand_l', 'hand_r'],
    ['Leg0LFoot', 'Leg0RFoot'],
  ])('of %s is %s', (left, right) => {
    expect([...listMirrorBones([left, 'Spine', right])]).toEqual([2, 1, 0]);
  });

  it('are the bones themselves in the middle, and where the other is missing', () => {
    expect([...listMirrorBones(['Spine', 'LeftEar', 'Label'])]).toEqual([0, 1, 2]);
  });
});

describe('mirrorPose', () => {
  it('reflects rotations at x = 0; twice gives the pose back', () => {
    const binds = makeIdentities(3);
    binds[16 + 12] = 1;
    binds[32 + 12] = -1;
    const rig = {
      ...{ names: ['Body', 'ArmL', 'ArmR'], parents: Int32Array.of(-1, 0, 0), binds },
      ranges: Float64Array.from({ length: 18 }, (_, n) => (n % 2 === 0 ? -3 : 3)),
    };
    const names = { ...rig, names: ['Body', 'arm.L', 'arm.R'] };
    const editor = new PoseEditor(names);
    editor.setAngles(1, [0.2, 0.3, 0.5]);
    const before = editor.bones();
    mirrorPose(editor);
    const [x, y, z] = editor.anglesOf(2);
    expect(x).toBeCloseTo(0.2, 6);
    expect(y).toBeCloseTo(-0.3, 6);
    expect(z).toBeCloseTo(-0.5, 6);
    expect(editor.anglesOf(1).every((angle) => Math.abs(angle) < 1e-9)).toBe(true);
    mirrorPose(editor);
    editor.bones().forEach((value, n) => {
      expect(value).toBeCloseTo(before[n], 6);
    });
  });
});
