// SPDX-License-Identifier: MIT

import { type LimbPlan, planLimbs } from '../creatures/plan-limbs.ts';
import type { Vector } from './bones.ts';

/** Fingers: name, where across the hand, and how long; the thumb is apart. */
const FINGERS = [
  ['Index', 0.036, 0.1],
  ['Middle', 0.012, 0.11],
  ['Ring', -0.012, 0.1],
  ['Little', -0.036, 0.08],
] as const;

/** A figure with arms spread, facing +z, its feet on the ground: 42 joints, and the flesh about them. */
export function planBody(): Pick<LimbPlan, 'plan' | 'lumps'> {
  const { plan, lumps, addLimb: add, addLump } = planLimbs();
  const both = (add: (name: string, at: (x: number, y: number, z: number) => Vector) => void): void => {
    add('Left', (x, y, z) => [x, y, z]);
    add('Right', (x, y, z) => [-x, y, z]);
  };

  const hips = add('Hips', -1, [0, 0.96, 0], [0, 1.02, 0], [0.13, 0.125], 0.02);
  for (const x of [0.07, -0.07]) addLump(hips, [x, 0.93, -0.01], [x, 0.98, 0], [0.11, 0.1], 0.08);
  const spine = add('Spine', hips, [0, 1.06, 0], [0, 1.16, 0], [0.118, 0.122], 0.04);
  const waist = add('Waist', spine, [0, 1.18, 0], [0, 1.26, 0], [0.122, 0.13], 0.04);
  const chest = add('Chest', waist, [0, 1.3, 0], [0, 1.4, 0], [0.13, 0.115], 0.04);
  for (const x of [0.07, -0.07]) addLump(chest, [x, 1.3, 0.01], [x, 1.4, 0], [0.1, 0.085], 0.08);
  const neck = add('Neck', chest, [0, 1.5, 0], [0, 1.58, 0.01], [0.062, 0.056], 0.06);
  const head = add('Head', neck, [0, 1.6, 0.01], [0, 1.7, 0.015], [0.08, 0.098], 0.05);
  addLump(head, [0, 1.63, 0.04], [0, 1.62, 0.06], [0.07, 0.055], 0.05);
  both((side, at) => {
    const collar = add(`${side}Collar`, chest, at(0.05, 1.45, 0), at(0.15, 1.45, -0.005), [0.07, 0.075], 0.06);
    const arm = add(`${side}Arm`, collar, at(0.19, 1.44, -0.01), at(0.44, 1.44, -0.01), [0.068, 0.048], 0.05);
    const fore = add(`${side}ForeArm`, arm, at(0.46, 1.44, -0.01), at(0.7, 1.44, 0), [0.05, 0.034], 0.02);
    const hand = add(`${side}Hand`, fore, at(0.72, 1.44, 0), at(0.79, 1.44, 0), [0.034, 0.034], 0.02);
    for (const z of [0.024, -0.024]) addLump(hand, at(0.75, 1.44, z), at(0.8, 1.44, z), [0.026, 0.024], 0.02);
    const thumb = add(`${side}Thumb1`, hand, at(0.75, 1.435, 0.04), at(0.79, 1.43, 0.07), [0.019, 0.017], 0.02);
    add(`${side}Thumb2`, thumb, at(0.79, 1.43, 0.07), at(0.83, 1.425, 0.09), [0.017, 0.0145], 0.01);
    for (const [name, z, length] of FINGERS) {
      const tip = 0.82 + length;
      const middle = 0.82 + 0.5 * length;
      const first = add(`${side}${name}1`, hand, at(0.82, 1.44, z), at(middle, 1.44, 1.1 * z), [0.0145, 0.0145], 0.012);
      add(`${side}${name}2`, first, at(middle, 1.44, 1.1 * z), at(tip, 1.44, 1.2 * z), [0.0145, 0.014], 0.005);
    }
    const thigh = add(`${side}Thigh`, hips, at(0.095, 0.92, 0), at(0.105, 0.52, 0.005), [0.105, 0.062], 0.05);
    const shank = add(`${side}Shank`, thigh, at(0.105, 0.5, 0.005), at(0.11, 0.12, -0.01), [0.062, 0.042], 0.02);
    addLump(shank, at(0.108, 0.4, -0.012), at(0.11, 0.3, -0.015), [0.058, 0.05], 0.03);
    const foot = add(`${side}Foot`, shank, at(0.11, 0.08, -0.01), at(0.115, 0.045, 0.1), [0.046, 0.036], 0.03);
    addLump(foot, at(0.11, 0.045, -0.04), at(0.112, 0.04, 0.02), [0.04, 0.038], 0.03);
    add(`${side}Toes`, foot, at(0.115, 0.035, 0.13), at(0.118, 0.03, 0.18), [0.036, 0.028], 0.03);
  });
  return { plan, lumps };
}
