// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { type JointLabel, labelByName, labelJoints, shapeOfNodes } from '../index.ts';
import { HORSE, HUMAN, type JointRow, makeNodes } from './make-body.ts';

const short = (label: JointLabel | undefined): string =>
  label ? `${label.part}${label.side ? `.${label.side[0]}` : ''}${label.order || ''}` : '-';

function labelsOf(rows: readonly JointRow[], turn = 0, options = {}) {
  const shape = shapeOfNodes(makeNodes(rows, turn));
  const found = labelJoints(shape, options);
  return { ...found, of: (name: string) => short(found.labels[shape.names.indexOf(name)]) };
}

describe('labelJoints on shapes', () => {
  it('finds the body of a human whose names mean nothing', () => {
    const human = labelsOf(HUMAN);
    expect(human).toMatchObject({ kind: 'biped', source: 'shape', missing: [], front: [0, 0, 1] });
    expect(['p', 'q', 'r', 'n', 'h'].map(human.of)).toEqual(['hips', 'spine', 'spine1', 'neck', 'head']);
    expect(['aL', 'bL', 'cL', 'dL'].map(human.of)).toEqual(['clavicle.l', 'upperArm.l', 'lowerArm.l', 'hand.l']);
    expect(['kR', 'lR', 'mR', 'oR'].map(human.of)).toEqual(['thigh.r', 'shin.r', 'foot.r', 'toes.r']);
    expect(['e1R', 'f1R', 'g1R'].map(human.of)).toEqual(['thumb.r', 'index.r', 'middle.r']);
  });

  it.each([
    [Math.PI, [0, 0, -1]],
    [Math.PI / 2, [1, 0, 0]],
  ])('keeps the sides of a human turned by %f', (turn, front) => {
    const human = labelsOf(HUMAN, turn);
    expect(human.front.map(Math.round)).toEqual(front);
    expect(['bL', 'kR', 'e1L'].map(human.of)).toEqual(['upperArm.l', 'thigh.r', 'thumb.l']);
  });

  it('takes a given front', () => {
    expect(labelsOf(HUMAN, 0, { front: [0, 0, -1] }).of('bL')).toBe('upperArm.r');
  });

  it('tells head from tail of a quadruped, and front legs from hind legs', () => {
    const horse = labelsOf(HORSE);
    expect(horse).toMatchObject({ kind: 'quadruped', front: [0, 0, 1] });
    expect(['p', 'w1', 'f1L', 'f2L', 'k1R', 'k2R'].map(horse.of)).toEqual([
      ...['hips', 'tail', 'upperArm.l', 'lowerArm.l', 'thigh.r', 'shin.r'],
    ]);
    expect(horse.missing).toEqual(['arms (it has four legs)']);
    expect(labelsOf(HORSE, Math.PI).of('f1L')).toBe('upperArm.l');
  });

  it('finds the same body from any root of the tree', () => {
    // hung from the chest
    const parents: Record<string, string> = { p: 'q', q: 'r', r: '' };
    const rows = [...HUMAN]
      .map((row): JointRow => (row[0] in parents ? [row[0], parents[row[0]], row[2], row[3], row[4]] : row))
      .sort((a, b) => ['r', 'q', 'p'].indexOf(b[0]) - ['r', 'q', 'p'].indexOf(a[0]));
    const sorted = ['r', 'q', 'p'].flatMap((name) => rows.filter((row) => row[0] === name));
    const human = labelsOf([...sorted, ...rows.filter((row) => !'rqp'.includes(row[0]))]);
    expect(['bL', 'cL', 'kL', 'lL', 'h'].map(human.of)).toEqual([
      ...['upperArm.l', 'lowerArm.l', 'thigh.l', 'shin.l', 'head'],
    ]);
  });

  it('names what is missing, and guesses nothing', () => {
    const noArms = HUMAN.filter(([name]) => !/^[a-g]\d?\*/.test(name));
    expect(labelsOf(noArms).missing).toEqual(['arms']);
    const stick = labelsOf([
      ['a', '', 0, 0, 0],
      ['b', 'a', 0, 1, 0],
    ]);
    expect(stick.kind).toBe('none');
    expect(stick.missing).toContain('legs');
  });
});

/** By program: a thigh, a shin, a foot, an upper arm, a lower arm, a hand, a clavicle, all left, in the order from the body; and the trunk. */
const PROGRAMS: Record<string, { trunk: string[]; leg: string[]; arm: string[]; right: string }> = {
  mixamo: {
    trunk: [
      'mixamorig:Hips',
      'mixamorig:Spine',
      'mixamorig:Spine1',
      'mixamorig:Spine2',
      'mixamorig:Neck',
      'mixamorig:Head',
    ],
    leg: ['mixamorig:LeftUpLeg', 'mixamorig:LeftLeg', 'mixamorig:LeftFoot', 'mixamorig:LeftToeBase'],
    arm: ['mixamorig:LeftShoulder', 'mixamorig:LeftArm', 'mixamorig:LeftForeArm', 'mixamorig:LeftHand'],
    right: 'mixamorig:RightArm',
  },
  vrm: {
    trunk: ['hips', 'spine', 'chest', 'upperChest', 'neck', 'head'],
    leg: ['leftUpperLeg', 'leftLowerLeg', 'leftFoot', 'leftToes'],
    arm: ['leftShoulder', 'leftUpperArm', 'leftLowerArm', 'leftHand'],
    right: 'rightUpperArm',
  },
  vroid: {
    trunk: ['J_Bip_C_Hips', 'J_Bip_C_Spine', 'J_Bip_C_Chest', 'J_Bip_C_UpperChest', 'J_Bip_C_Neck', 'J_Bip_C_Head'],
    leg: ['J_Bip_L_UpperLeg', 'J_Bip_L_LowerLeg', 'J_Bip_L_Foot', 'J_Bip_L_ToeBase'],
    arm: ['J_Bip_L_Shoulder', 'J_Bip_L_UpperArm', 'J_Bip_L_LowerArm', 'J_Bip_L_Hand'],
    right: 'J_Bip_R_UpperArm',
  },
  unreal: {
    trunk: ['pelvis', 'spine_01', 'spine_02', 'spine_03', 'neck_01', 'head'],
    leg: ['thigh_l', 'calf_l', 'foot_l', 'ball_l'],
    arm: ['clavicle_l', 'upperarm_l', 'lowerarm_l', 'hand_l'],
    right: 'upperarm_r',
  },
  rigify: {
    trunk: ['hips', 'DEF-spine.001', 'DEF-spine.002', 'DEF-spine.003', 'DEF-neck', 'DEF-head'],
    leg: ['DEF-thigh.L', 'DEF-shin.L', 'DEF-foot.L', 'DEF-toe.L'],
    arm: ['DEF-shoulder.L', 'DEF-upper_arm.L', 'DEF-forearm.L', 'DEF-hand.L'],
    right: 'DEF-upper_arm.R',
  },
  biped: {
    trunk: ['Bip01 Pelvis', 'Bip01 Spine', 'Bip01 Spine1', 'Bip01 Spine2', 'Bip01 Neck', 'Bip01 Head'],
    leg: ['Bip01 L Thigh', 'Bip01 L Calf', 'Bip01 L Foot', 'Bip01 L Toe0'],
    arm: ['Bip01 L Clavicle', 'Bip01 L UpperArm', 'Bip01 L Forearm', 'Bip01 L Hand'],
    right: 'Bip01 R UpperArm',
  },
  quaternius: {
    trunk: ['Hips', 'Abdomen', 'Torso', 'Chest', 'Neck', 'Head'],
    leg: ['UpperLeg.L', 'LowerLeg.L', 'Foot.L', 'Toes.L'],
    arm: ['Shoulder.L', 'UpperArm.L', 'LowerArm.L', 'Palm.L'],
    right: 'UpperArm.R',
  },
  daz: {
    trunk: ['hip', 'abdomen', 'abdomen2', 'chest', 'neck', 'head'],
    leg: ['lThigh', 'lShin', 'lFoot', 'lToe'],
    arm: ['lCollar', 'lShldr', 'lForeArm', 'lHand'],
    right: 'rShldr',
  },
  joints: {
    trunk: ['Hips', 'Chest', 'Chest2', 'Chest3', 'Neck', 'Head'],
    leg: ['LeftHip', 'LeftKnee', 'LeftAnkle', 'LeftToe'],
    arm: ['LeftCollar', 'LeftShoulder', 'LeftElbow', 'LeftWrist'],
    right: 'RightShoulder',
  },
};

describe('labelByName', () => {
  it.each(Object.entries(PROGRAMS))('reads the names of %s', (_, { trunk, leg, arm, right }) => {
    const mirror = (name: string): string =>
      name
        .replace(/Left/, 'Right')
        .replace(/left/, 'right')
        .replace(/_l$/, '_r')
        .replace(/\.L$/, '.R')
        .replace(/ L /, ' R ')
        .replace(/_L_/, '_R_')
        .replace(/^l(?=[A-Z])/, 'r');
    const rows = [
      ...trunk.map((name, n) => [name, trunk[n - 1] ?? ''] as const),
      ...leg.map((name, n) => [name, leg[n - 1] ?? trunk[0]] as const),
      ...leg.map((name, n) => [mirror(name), n > 0 ? mirror(leg[n - 1]) : trunk[0]] as const),
      ...arm.map((name, n) => [name, arm[n - 1] ?? trunk[3]] as const),
      ...arm.map((name, n) => [mirror(name), n > 0 ? mirror(arm[n - 1]) : trunk[3]] as const),
    ];
    const names = rows.map(([name]) => name);
    const labels = labelByName({ names, parents: Int32Array.from(rows, ([, parent]) => names.indexOf(parent)) });
    const of = (name: string): string => short(labels[names.indexOf(name)]);
    expect(trunk.map(of)).toEqual(['hips', 'spine', 'spine1', 'spine2', 'neck', 'head']);
    expect(leg.map(of)).toEqual(['thigh.l', 'shin.l', 'foot.l', 'toes.l']);
    expect(arm.map(of)).toEqual(['clavicle.l', 'upperArm.l', 'lowerArm.l', 'hand.l']);
    expect(of(right)).toBe('upperArm.r');
  });

  it('leaves targets, twist bones and ends of bones without a part', () => {
    const names = ['UpperArm.L', 'IKArm.L', 'PoleTarget.L', 'upperarm_twist_01_l', 'HeadTop_End'];
    const labels = labelByName({ names, parents: Int32Array.of(-1, -1, -1, 0, -1) });
    expect(labels.map(short)).toEqual(['upperArm.l', '-', '-', '-', 'end']);
  });

  it('numbers the legs of an insect from the front', () => {
    const names = ['BottomLeg1.L', 'MidLeg1.L', 'MidLeg2.L', 'TopLeg1.L'];
    const labels = labelByName({ names, parents: Int32Array.of(-1, -1, 1, -1) });
    expect(labels.map((one) => [one?.part, one?.chain, one?.order])).toEqual([
      ['leg', 2, 0],
      ['leg', 1, 0],
      ['leg', 1, 1],
      ['leg', 0, 0],
    ]);
  });
});
