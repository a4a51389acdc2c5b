// SPDX-License-Identifier: MIT
// A rig in one sentence: "a humanoid with fingers, Mixamo names, T pose".
import { type Anatomy, FINGERS, type Side } from './anatomy.ts';
import type { RigShape } from './rig-shape.ts';

/** Names that programs give. */
export type Convention = 'Mixamo' | 'VRM' | 'Unreal' | 'Rigify' | 'Biped';

/** Patterns of names, and the programs they are of. The first with most names wins. */
const CONVENTIONS: readonly (readonly [Convention, RegExp])[] = [
  [
    'Mixamo',
    /^(mixamorig\d*[:_ ]?)?((Left|Right)(Up)?Leg|(Left|Right)(Fore)?Arm|(Left|Right)(Foot|Hand|ToeBase|Shoulder)|Spine[12]?|Hips|(Left|Right)Hand(Thumb|Index|Middle|Ring|Pinky)\d|HeadTop_End|(Left|Right)Toe_End|Neck|Head|(Left|Right)Eye)$/,
  ],
  [
    'VRM',
    /^(hips|spine|chest|upperChest|neck|head|(left|right)(Upper|Lower)(Arm|Leg)|(left|right)(Hand|Foot|Toes|Shoulder)|J_(Bip|Sec|Adj)_.*|(left|right)(Thumb|Index|Middle|Ring|Little)(Metacarpal|Proximal|Intermediate|Distal))$/,
  ],
  [
    'Unreal',
    /^(root|pelvis|spine_\d+|neck_\d+|head|(clavicle|upperarm|lowerarm|hand|thigh|calf|foot|ball)_[lr]|(index|middle|ring|pinky|thumb)_(\d+|metacarpal)(_leaf)?_[lr])$/,
  ],
  ['Rigify', /^(DEF|ORG|MCH)-|^(upper_arm|forearm|thigh|shin|toe|shoulder|hand|foot)\.[LR]$|^spine\.\d+$/],
  ['Biped', /^(Bip0?\d*)( |_|$)/],
];

/** Share of the names with a part that fit a program. */
const MOST = 0.8;

/** Poses of arms at rest: T, horizontal; A, down at about 45°; I, down. */
export type ArmPose = 'T' | 'A' | 'I';

/** Angles below the horizontal between poses, degrees. */
const T_POSE = 20;
const A_POSE = 70;

export interface RigDescription {
  kind: Anatomy['kind'] | 'humanoid';
  hasFingers: boolean;
  convention?: Convention;
  pose?: ArmPose;
  front: readonly [number, number, number];
  /** What is missing for a humanoid. */
  missing: string[];
  sentence: string;
}

/** Describes a rig with its labels. */
export function describeRig(shape: RigShape, anatomy: Anatomy): RigDescription {
  const { labels, missing, front } = anatomy;
  const kind = anatomy.kind === 'biped' && missing.length === 0 ? 'humanoid' : anatomy.kind;
  const hasFingers = labels.some((one) => FINGERS.some((finger) => finger === one?.part && finger !== 'thumb'));
  const convention = findConvention(shape.names, anatomy);
  const pose = kind === 'humanoid' ? armPoseOf(shape, anatomy) : undefined;
  const words = [
    bodyWords(kind, missing, hasFingers),
    ...(convention ? [`${convention} names`] : []),
    ...(pose ? [`${pose} pose`] : []),
    ...(front[2] > FORWARD ? [] : [`faces ${axisOf(front)}`]),
  ];
  return {
    ...{ kind, hasFingers, front, missing, sentence: words.join(', ') },
    ...(convention ? { convention } : {}),
    ...(pose ? { pose } : {}),
  };
}

/** Cosine from which a front is +z. */
const FORWARD = 0.9;

function bodyWords(kind: RigDescription['kind'], missing: readonly string[], hasFingers: boolean): string {
  if (kind === 'humanoid') return `a humanoid ${hasFingers ? 'with' : 'without'} fingers`;
  if (kind === 'quadruped') return 'a quadruped';
  if (kind === 'insect') return 'an insect, or another body with many legs';
  if (kind === 'none') return 'no legs found: not a humanoid';
  return `no ${missing.join(' and no ')} found: a biped, not a humanoid`;
}

function axisOf([x, , z]: readonly number[]): string {
  if (Math.abs(x) > Math.abs(z)) return x > 0 ? '+x' : '-x';
  return z > 0 ? '+z' : '-z';
}

function findConvention(names: readonly string[], { labels }: Anatomy): Convention | undefined {
  const own = names.filter((_, j) => labels[j] !== undefined);
  const counted = CONVENTIONS.map(([name, pattern]) => ({
    name,
    count: own.filter((one) => pattern.test(one)).length,
  }));
  const best = counted.reduce((a, b) => (b.count > a.count ? b : a));
  return own.length > 0 && best.count >= MOST * own.length ? best.name : undefined;
}

/** By the mean direction of both arms from shoulder to wrist. */
function armPoseOf({ joints }: RigShape, { labels }: Anatomy): ArmPose | undefined {
  const find = (part: string, side: Side): number =>
    labels.findIndex((one) => one?.part === part && one.side === side && one.order === 0);
  let [down, out] = [0, 0];
  for (const side of ['left', 'right'] as const) {
    const [upper, lower, hand] = ['upperArm', 'lowerArm', 'hand'].map((part) => find(part, side));
    const end = hand >= 0 ? hand : lower;
    if (upper < 0 || end < 0) return undefined;
    const [x, y, z] = [0, 1, 2].map((c) => joints[3 * end + c] - joints[3 * upper + c]);
    down -= y;
    out += Math.hypot(x, z);
  }
  const angle = (Math.atan2(down, out) * 180) / Math.PI;
  return angle < T_POSE ? 'T' : angle < A_POSE ? 'A' : 'I';
}
