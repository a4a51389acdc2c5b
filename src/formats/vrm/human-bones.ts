// SPDX-License-Identifier: MIT
import { fieldOf, isObject, type Json, objectsOf } from './json-walk.ts';

const SIDES = ['left', 'right'] as const;
const both = (names: readonly string[]): string[] => SIDES.flatMap((side) => names.map((name) => side + name));
const FINGERS = ['Index', 'Middle', 'Ring', 'Little'].flatMap((finger) =>
  ['Proximal', 'Intermediate', 'Distal'].map((part) => finger + part),
);

const CORE = [...['hips', 'spine', 'head'], ...both(['UpperLeg', 'LowerLeg', 'Foot', 'UpperArm', 'LowerArm', 'Hand'])];

/** Bones that a humanoid must have, by version. */
export const REQUIRED_BONES: Readonly<Record<0 | 1, readonly string[]>> = { 0: [...CORE, 'chest', 'neck'], 1: CORE };

const COMMON = [
  ...CORE,
  ...['chest', 'upperChest', 'neck', 'leftEye', 'rightEye', 'jaw'],
  ...both(['Toes', 'Shoulder', 'ThumbProximal', 'ThumbDistal', ...FINGERS]),
];

/** Names of bones, by version. */
export const HUMAN_BONES: Readonly<Record<0 | 1, ReadonlySet<string>>> = {
  0: new Set([...COMMON, ...both(['ThumbIntermediate'])]),
  1: new Set([...COMMON, ...both(['ThumbMetacarpal'])]),
};

const TRUNK: Readonly<Record<string, string>> = {
  ...{ spine: 'hips', chest: 'spine', upperChest: 'chest', neck: 'upperChest', head: 'neck' },
  ...{ jaw: 'head', Eye: 'head' },
  ...{ UpperLeg: 'hips', LowerLeg: 'UpperLeg', Foot: 'LowerLeg', Toes: 'Foot' },
  ...{ Shoulder: 'upperChest', UpperArm: 'Shoulder', LowerArm: 'UpperArm', Hand: 'LowerArm' },
  ...{ ThumbMetacarpal: 'Hand', ThumbProximal: 'ThumbMetacarpal', ThumbIntermediate: 'ThumbProximal' },
  ThumbDistal: 'ThumbIntermediate',
};

/** The bone above a human bone; undefined for the hips. A bone that a skeleton does not have is passed over: ask for the one above it. */
export function boneAbove(bone: string): string | undefined {
  const [, side = '', part] = /^(left|right)?(.*)$/.exec(bone) ?? [];
  const finger = /^(Index|Middle|Ring|Little)(Proximal|Intermediate|Distal)$/.exec(part);
  if (finger) {
    const [, name, joint] = finger;
    return joint === 'Proximal' ? `${side}Hand` : `${side}${name}${joint === 'Distal' ? 'Intermediate' : 'Proximal'}`;
  }
  const above = TRUNK[part];
  return above === undefined ? undefined : /^[A-Z]/.test(above) ? side + above : above;
}

/** The human bones of an avatar, with their nodes. */
export function listHumanBones(vrm: Json, version: 0 | 1): { name: string; node: unknown }[] {
  const bones = fieldOf(vrm, 'humanoid').humanBones;
  if (version === 0) return objectsOf(bones).map(({ bone, node }) => ({ name: String(bone), node }));
  return Object.entries(isObject(bones) ? bones : {}).map(([name, bone]) => ({
    name,
    node: isObject(bone) ? bone.node : undefined,
  }));
}
