// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { labelJoints, NAME_SETS, type NameSet, nameJoints, shapeOfNodes } from '../index.ts';
import { HORSE, HUMAN, makeNodes } from './make-body.ts';

const human = shapeOfNodes(makeNodes(HUMAN));
const named = (set: NameSet): string[] => nameJoints(human.names, labelJoints(human), set);

/** Both sides of a list of names with an asterisk for the side. */
const both = (names: readonly string[], left: string, right: string): string[] =>
  names.flatMap((name) => [name.replace('*', left), name.replace('*', right)]);

/** Bones that each program looks for by name: those of a humanoid that the test's body has. */
const WANTED: Record<Exclude<NameSet, 'generic'>, string[]> = {
  mixamo: [
    ...['Hips', 'Spine', 'Spine1', 'Neck', 'Head'],
    ...both(['*Shoulder', '*Arm', '*ForeArm', '*Hand', '*UpLeg', '*Leg', '*Foot', '*ToeBase'], 'Left', 'Right'),
    ...both(['*HandThumb1', '*HandIndex1', '*HandMiddle1'], 'Left', 'Right'),
  ],
  // the required bones of VRM 1.0, and some others
  vrm: [
    ...['hips', 'spine', 'chest', 'neck', 'head'],
    ...both(
      ['*UpperArm', '*LowerArm', '*Hand', '*UpperLeg', '*LowerLeg', '*Foot', '*Toes', '*Shoulder'],
      'left',
      'right',
    ),
    ...both(['*ThumbMetacarpal', '*IndexProximal', '*MiddleProximal'], 'left', 'right'),
  ],
  // the required bones of HumanBodyBones, and some others
  unity: [
    ...['Hips', 'Spine', 'Chest', 'Neck', 'Head'],
    ...both(
      ['*UpperLeg', '*LowerLeg', '*Foot', '*UpperArm', '*LowerArm', '*Hand', '*Toes', '*Shoulder'],
      'Left',
      'Right',
    ),
  ],
  // the mannequin
  unreal: [
    ...['pelvis', 'spine_01', 'spine_02', 'neck_01', 'head'],
    ...both(['clavicle_*', 'upperarm_*', 'lowerarm_*', 'hand_*', 'thigh_*', 'calf_*', 'foot_*', 'ball_*'], 'l', 'r'),
    ...both(['thumb_01_*', 'index_01_*', 'middle_01_*'], 'l', 'r'),
  ],
  // SkeletonProfileHumanoid
  godot: [
    ...['Hips', 'Spine', 'Chest', 'Neck', 'Head'],
    ...both(
      ['*Shoulder', '*UpperArm', '*LowerArm', '*Hand', '*UpperLeg', '*LowerLeg', '*Foot', '*Toes'],
      'Left',
      'Right',
    ),
    ...both(['*ThumbMetacarpal', '*IndexProximal', '*MiddleProximal'], 'Left', 'Right'),
  ],
};

describe('nameJoints', () => {
  it.each(Object.entries(WANTED))('gives a human the names that %s looks for', (set, wanted) => {
    const names = named(NAME_SETS.find((one) => one === set) ?? 'generic');
    expect(names).toEqual(expect.arrayContaining(wanted));
    expect(new Set(names).size).toBe(names.length);
  });

  it('names sides by where they are', () => {
    const names = named('mixamo');
    const place = names.indexOf('LeftForeArm');
    expect(human.names[place]).toBe('cL');
    expect(human.joints[3 * place]).toBeGreaterThan(0);
  });

  it('gives names of programs that it reads again', () => {
    for (const set of NAME_SETS.filter((one) => one !== 'generic')) {
      const again = labelJoints({ ...human, names: named(set) });
      expect(again.source, set).toBe('names');
      expect(again.missing, set).toEqual([]);
    }
  });

  it('distributes long spines over the slots of a set, the ends first', () => {
    const parents = Int32Array.of(-1, 0, 1, 2, 3, 4);
    const labels = [0, 1, 2, 3, 4].map((order) => ({ part: 'spine' as const, chain: 0, order }));
    const anatomy = { ...labelJoints(human), labels: [{ part: 'hips' as const, chain: 0, order: 0 }, ...labels] };
    const own = Array.from(parents, (_, j) => `j${j}`);
    expect(nameJoints(own, anatomy, 'vrm')).toEqual(['hips', 'spine', 'j2', 'chest', 'j4', 'upperChest']);
    expect(nameJoints(own, anatomy, 'unreal').slice(1)).toEqual([1, 2, 3, 4, 5].map((n) => `spine_0${n}`));
  });

  it('names the legs of a quadruped by their place', () => {
    const horse = shapeOfNodes(makeNodes(HORSE));
    const names = nameJoints(horse.names, labelJoints(horse), 'generic');
    expect(names).toEqual(expect.arrayContaining(['hips', 'front_upper_arm_L', 'back_thigh_R', 'tail_1', 'tail_2']));
  });
});
