// SPDX-License-Identifier: MIT
// A monster's leg with eleven muscles (Mukai 2018, §6.6, figures 3 g and 8): thigh and calf shorten, swell and draw the skin along.

import { cosineOf, sineOf } from '../../core/math/sine.ts';
import { type Muscle, makeMuscles } from '../../deformers/rig-sources/index.ts';
import { type LimbPlan, planLimbs } from '../creatures/plan-limbs.ts';
import { polygonize } from '../surfaces/polygonize.ts';
import type { Vector } from './bones.ts';
import { boundsOfLumps, makeFleshField, paintWeights, thickenLumps } from './flesh.ts';
import { makeRigDraft, type RigDraft } from './rig-draft.ts';

const RESOLUTION = 522;
/** Part of a lump's radius over which weights pass from bone to bone. */
const SPREAD = 0.9;

const HIP: Vector = [0, 1, 0];
const KNEE: Vector = [0, 0.5, 0.08];
const HOCK: Vector = [0, 0.27, -0.08];
const FOOT: Vector = [0, 0.11, -0.02];

const [THIGH, SHANK, TARSUS, INSTEP] = [0, 1, 2, 3];

/** Name, joint and point of the origin, joint and point of the insertion, radius, reach, swell. */
const MUSCLES: [string, number, Vector, number, Vector, number, number, number][] = [
  ['rectus', THIGH, [0, 1.14, 0.06], SHANK, [0, 0.43, 0.11], 0.14, 0.18, 7],
  ['vastusOut', THIGH, [0.07, 1.12, 0.04], SHANK, [0.04, 0.44, 0.1], 0.12, 0.16, 7],
  ['vastusIn', THIGH, [-0.07, 1.12, 0.04], SHANK, [-0.04, 0.44, 0.1], 0.12, 0.16, 7],
  ['hamstringOut', THIGH, [0.05, 1.14, -0.05], SHANK, [0.04, 0.42, 0.02], 0.14, 0.18, 7],
  ['hamstringIn', THIGH, [-0.05, 1.14, -0.05], SHANK, [-0.04, 0.42, 0.02], 0.14, 0.18, 7],
  ['adductor', THIGH, [-0.08, 1.12, 0], SHANK, [-0.05, 0.45, 0.06], 0.1, 0.14, 7],
  ['calfOut', SHANK, [0.03, 0.5, 0.03], TARSUS, [0.01, 0.24, -0.11], 0.06, 0.06, 4],
  ['calfIn', SHANK, [-0.03, 0.5, 0.03], TARSUS, [-0.01, 0.24, -0.11], 0.06, 0.06, 4],
  ['tibialis', SHANK, [0, 0.47, 0.11], TARSUS, [0, 0.22, -0.03], 0.05, 0.05, 3],
  ['toeFlexor', TARSUS, [0, 0.25, -0.1], INSTEP, [0, 0.06, -0.01], 0.04, 0.04, 2],
  ['toeExtensor', TARSUS, [0, 0.25, -0.04], INSTEP, [0, 0.12, 0.04], 0.04, 0.04, 2],
];

/** A leg of about 520 vertices on twenty joints: thigh, shank, tarsus, instep, and four toes of four joints. */
export function makeMuscleLeg(): RigDraft {
  const { plan, lumps: fine } = makeLeg();
  const lumps = thickenLumps(fine, RESOLUTION);
  const { min, max } = boundsOfLumps(lumps);
  const mesh = polygonize(makeFleshField(lumps), min, max, RESOLUTION, 'muscle-leg');
  const skin = paintWeights(mesh.positions, lumps, plan.length, SPREAD);
  const muscles = MUSCLES.map(
    ([name, originJoint, origin, insertionJoint, insertion, radius, reach, swell]): Muscle => ({
      name,
      origin: { joint: originJoint, point: origin },
      insertion: { joint: insertionJoint, point: insertion },
      radius,
      reach,
      swell,
    }),
  );
  return makeRigDraft(
    'muscle-leg',
    mesh,
    plan,
    skin,
    (skeleton) => makeMuscles({ mesh, skeleton, skin }, muscles),
    (j, phase) => {
      if (j === SHANK) return { x: 0.4 + 0.9 * sineOf(phase) };
      if (j === TARSUS) return { x: -0.3 - 0.6 * sineOf(phase) };
      if (j === INSTEP) return { x: 0.3 * sineOf(phase) };
      return j > INSTEP ? { x: 0.15 * sineOf(phase - 0.5) } : {};
    },
  );
}

function makeLeg(): Pick<LimbPlan, 'plan' | 'lumps'> {
  const { plan, lumps, addLimb: add, addLump } = planLimbs();
  add('thigh', -1, HIP, KNEE, [0.16, 0.14], 0.02);
  // thickest in its middle
  addLump(THIGH, [0, 0.9, 0], [0, 0.76, 0.02], [0.215, 0.21], 0.06);
  add('shank', THIGH, KNEE, HOCK, [0.135, 0.075], 0.03);
  add('tarsus', SHANK, HOCK, FOOT, [0.075, 0.065], 0.03);
  const instep = add('instep', TARSUS, FOOT, [0, 0.07, 0.06], [0.07, 0.07], 0.03);
  // three toes forward, one back
  for (const [name, angle, length] of [
    ['toeOut', 0.75, 0.2],
    ['toeMiddle', 0, 0.22],
    ['toeIn', -0.75, 0.2],
    ['spur', Math.PI, 0.18],
  ] as const) {
    const isBack = angle === Math.PI;
    const at = (s: number): Vector => [
      (0.03 + s * length) * sineOf(angle),
      0.065 - 0.015 * s,
      (isBack ? -0.03 : 0.05) + (0.02 + s * length) * cosineOf(angle),
    ];
    let parent = instep;
    for (let n = 0; n < 4; n++) {
      const radiusAt = (s: number): number => 0.052 - 0.008 * s;
      parent = add(`${name}${n}`, parent, at(n / 4), at((n + 1) / 4), [radiusAt(n / 4), radiusAt((n + 1) / 4)], 0.02);
    }
  }
  return { plan, lumps };
}
