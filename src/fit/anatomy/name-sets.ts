// SPDX-License-Identifier: MIT
// Names that programs look for, by what a joint is. Mixamo: the rigs of mixamo.com. VRM: humanoid of VRM 1.0. Unity: HumanBodyBones. Unreal: the mannequins of UE4 and UE5. Godot: SkeletonProfileHumanoid.
import type { JointLabel } from './anatomy.ts';

export const NAME_SETS = ['generic', 'mixamo', 'vrm', 'unity', 'unreal', 'godot'] as const;
export type NameSet = (typeof NAME_SETS)[number];

/** A label, with the number of joints in its chain. */
export interface NamedJoint extends JointLabel {
  count: number;
  /** Whether the body has front legs in the place of arms. */
  isQuadruped: boolean;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const SEGMENTS = ['Proximal', 'Intermediate', 'Distal', 'Tip'];
const THUMB = ['Metacarpal', 'Proximal', 'Distal', 'Tip'];

/** Of a chain of joints, which of three slots a joint has; undefined for one between. The first and the last slot go to the ends. */
function slotOfThree(order: number, count: number): 0 | 1 | 2 | undefined {
  if (count <= 3) return order === 0 ? 0 : order === 1 ? 1 : 2;
  if (order === 0) return 0;
  if (order === count - 1) return 2;
  return order === Math.floor(count / 2) ? 1 : undefined;
}

const digits = (n: number): string => String(n).padStart(2, '0');

const MIXAMO_PARTS: Readonly<Record<string, string>> = {
  ...{ clavicle: 'Shoulder', upperArm: 'Arm', lowerArm: 'ForeArm', hand: 'Hand' },
  ...{ thigh: 'UpLeg', shin: 'Leg', foot: 'Foot', eye: 'Eye' },
};

function mixamo({ part, side, order, count, isQuadruped }: NamedJoint): string | undefined {
  if (isQuadruped) return undefined;
  if (part === 'hips') return 'Hips';
  if (part === 'head') return 'Head';
  if (part === 'neck' || part === 'spine') return `${capital(part)}${order > 0 ? order : ''}`;
  if (!side) return undefined;
  const prefix = capital(side);
  if (part === 'toes') return order === 0 ? `${prefix}ToeBase` : order === 1 ? `${prefix}Toe_End` : undefined;
  const finger = { thumb: 'Thumb', index: 'Index', middle: 'Middle', ring: 'Ring', little: 'Pinky' }[part as string];
  if (finger) return `${prefix}Hand${finger}${order + 1}`;
  const name = MIXAMO_PARTS[part];
  return name && order === 0 && count > 0 ? prefix + name : undefined;
}

const VRM_PARTS: Readonly<Record<string, string>> = {
  ...{ clavicle: 'Shoulder', upperArm: 'UpperArm', lowerArm: 'LowerArm', hand: 'Hand' },
  ...{ thigh: 'UpperLeg', shin: 'LowerLeg', foot: 'Foot', toes: 'Toes', eye: 'Eye' },
};

function vrm({ part, side, chain, order, count, isQuadruped }: NamedJoint): string | undefined {
  if (isQuadruped || chain > 0) return undefined;
  if (part === 'hips' || part === 'head') return part;
  if ((part === 'neck' || part === 'jaw') && order === 0) return part;
  if (part === 'spine') {
    const slot = slotOfThree(order, count);
    return slot === undefined ? undefined : ['spine', 'chest', 'upperChest'][slot];
  }
  if (!side) return undefined;
  const fingers = part === 'thumb' ? THUMB : SEGMENTS;
  if (/^(thumb|index|middle|ring|little)$/.test(part))
    return order < fingers.length ? `${side}${capital(part)}${fingers[order]}` : undefined;
  const name = VRM_PARTS[part];
  return name && order === 0 ? side + name : undefined;
}

const UNREAL_PARTS: Readonly<Record<string, string>> = {
  ...{ clavicle: 'clavicle', upperArm: 'upperarm', lowerArm: 'lowerarm', hand: 'hand' },
  ...{ thigh: 'thigh', shin: 'calf', foot: 'foot', toes: 'ball' },
};

function unreal({ part, side, chain, order, isQuadruped }: NamedJoint): string | undefined {
  if (isQuadruped || chain > 0) return undefined;
  if (part === 'hips') return 'pelvis';
  if (part === 'head') return 'head';
  if (part === 'spine' || part === 'neck') return `${part}_${digits(order + 1)}`;
  if (!side) return undefined;
  const finger = { thumb: 'thumb', index: 'index', middle: 'middle', ring: 'ring', little: 'pinky' }[part as string];
  if (finger) return order < 3 ? `${finger}_${digits(order + 1)}_${side.charAt(0)}` : undefined;
  const name = UNREAL_PARTS[part];
  return name && order === 0 ? `${name}_${side.charAt(0)}` : undefined;
}

/** Words of parts whose names have two words. */
const GENERIC: Readonly<Record<string, string>> = {
  ...{ upperArm: 'upper_arm', lowerArm: 'lower_arm' },
};
const FRONT = ['clavicle', 'upperArm', 'lowerArm', 'hand'];
const BACK = ['thigh', 'shin', 'foot'];

function generic({ part, side, chain, order, count, isQuadruped }: NamedJoint): string | undefined {
  const letter = side ? `_${side.charAt(0).toUpperCase()}` : '';
  const isLong = count > 1 || ['spine', 'neck', 'tail', 'ear', 'wing', 'fin', 'leg', 'toes'].includes(part);
  const number = isLong ? `_${order + 1}` : '';
  const word = GENERIC[part] ?? part;
  if (isQuadruped && FRONT.includes(part)) return `${part === 'clavicle' ? part : `front_${word}`}${letter}${number}`;
  if (isQuadruped && BACK.includes(part)) return `back_${word}${letter}${number}`;
  if (part === 'toes') return `${chain > 0 ? 'front_' : isQuadruped ? 'back_' : ''}toes${letter}${number}`;
  return `${word}${chain > 0 ? chain + 1 : ''}${letter}${number}`;
}

const capitalized = (one: NamedJoint): string | undefined => {
  const name = vrm(one);
  return name && capital(name);
};

/** The name of a joint in a set; undefined if the set has none for it. */
export const NAMES_OF: Readonly<Record<NameSet, (joint: NamedJoint) => string | undefined>> = {
  ...{ generic, mixamo, vrm, unreal },
  unity: capitalized,
  godot: capitalized,
};
