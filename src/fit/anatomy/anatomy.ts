// SPDX-License-Identifier: MIT
// What the joints of a character are. Front legs of quadrupeds have the parts of arms, so that one map serves both.

/** Parts of a body. Chains (spine, neck, tail, ears, wings, fins, legs of insects, toes) have several joints of one part, told apart by `order`. */
export type BodyPart =
  | 'root'
  | 'hips'
  | 'spine'
  | 'neck'
  | 'head'
  | 'jaw'
  | 'eye'
  | 'ear'
  | 'clavicle'
  | 'upperArm'
  | 'lowerArm'
  | 'hand'
  | 'thumb'
  | 'index'
  | 'middle'
  | 'ring'
  | 'little'
  | 'thigh'
  | 'shin'
  | 'foot'
  | 'toes'
  | 'tail'
  | 'wing'
  | 'fin'
  | 'leg'
  | 'limb'
  | 'end';

export type Side = 'left' | 'right';

/** Fingers, from the thumb on. */
export const FINGERS = ['thumb', 'index', 'middle', 'ring', 'little'] as const;

export interface JointLabel {
  part: BodyPart;
  /** Absent: a joint in the middle. */
  side?: Side;
  /** Number of the chain among those of its part and side, from 0: pairs of legs of an insect from the front, ears, wings. */
  chain: number;
  /** Place in the chain, from 0 at the body. */
  order: number;
}

/** What a character is: the number of its pairs of legs. `none`: no legs were found. */
export type BodyKind = 'biped' | 'quadruped' | 'insect' | 'none';

export interface Anatomy {
  kind: BodyKind;
  /** By joint; undefined where a joint is nothing of the list: helpers, targets of inverse kinematics, clothes. */
  labels: (JointLabel | undefined)[];
  /** Unit vector to the front, horizontal. */
  front: readonly [number, number, number];
  /** Where labels came from. */
  source: 'names' | 'shape';
  /** What is missing for a humanoid, as words such as "arms"; empty for a humanoid. */
  missing: string[];
}
