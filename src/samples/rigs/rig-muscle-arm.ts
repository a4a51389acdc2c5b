// SPDX-License-Identifier: MIT
// An arm with one muscle, exaggerated (Mukai 2018, §6.6, figures 3 h and 9): the biceps shortens with the elbow and swells.

import { cosineOf } from '../../core/math/sine.ts';
import { type Muscle, makeMuscles } from '../../deformers/rig-sources/index.ts';
import { type LimbPlan, planLimbs } from '../creatures/plan-limbs.ts';
import { polygonize } from '../surfaces/polygonize.ts';
import { boundsOfLumps, makeFleshField, paintWeights } from './flesh.ts';
import { makeRigDraft, type RigDraft } from './rig-draft.ts';

const RESOLUTION = 15768;
const ELBOW = 0.5;
const WRIST = 0.75;
/** Part of a lump's radius over which weights pass from bone to bone. */
const SPREAD = 0.9;

const BICEPS: Muscle = {
  name: 'biceps',
  origin: { joint: 0, point: [0.08, 0.03, 0] },
  insertion: { joint: 1, point: [0.57, 0.03, 0] },
  radius: 0.065,
  reach: 0.06,
  swell: 6,
};

/** An arm of about 15,800 vertices on ten joints: upper arm, forearm in two, hand, five fingers and a second joint of the thumb. */
export function makeMuscleArm(): RigDraft {
  const { plan, lumps } = makeArm();
  const { min, max } = boundsOfLumps(lumps);
  const mesh = polygonize(makeFleshField(lumps), min, max, RESOLUTION, 'muscle-arm');
  const skin = paintWeights(mesh.positions, lumps, plan.length, SPREAD);
  return makeRigDraft(
    'muscle-arm',
    mesh,
    plan,
    skin,
    (skeleton) => makeMuscles({ mesh, skeleton, skin }, [BICEPS]),
    (j, phase) => {
      const bend = 0.5 - 0.5 * cosineOf(phase);
      if (plan[j].name === 'foreArm') return { z: 1.75 * bend };
      if (plan[j].name === 'foreTwist') return { x: -0.4 * bend };
      if (plan[j].parent === 3) return { z: 0.9 * bend };
      return {};
    },
  );
}

function makeArm(): Pick<LimbPlan, 'plan' | 'lumps'> {
  const { plan, lumps, addLimb: add, addLump } = planLimbs();
  const upper = add('upperArm', -1, [-0.02, 0, 0], [ELBOW, 0, 0], [0.12, 0.082], 0.05);
  const fore = add('foreArm', upper, [ELBOW, 0, 0], [0.63, 0, 0], [0.078, 0.072], 0.02);
  const twist = add('foreTwist', fore, [0.63, 0, 0], [WRIST, 0, 0], [0.072, 0.045], 0.02);
  const hand = add('hand', twist, [WRIST, 0, 0], [0.82, 0, 0], [0.045, 0.05], 0.02);
  for (const z of [-0.025, 0.025]) {
    addLump(hand, [0.78, 0, z], [0.84, 0, z], [0.035, 0.032], 0.02);
  }
  const thumb = add('thumb', hand, [0.77, 0.005, 0.05], [0.81, 0.015, 0.085], [0.024, 0.02], 0.03);
  add('thumbTip', thumb, [0.81, 0.015, 0.085], [0.85, 0.022, 0.115], [0.02, 0.016], 0.01);
  for (const [name, z, length] of [
    ['index', 0.045, 0.09],
    ['middle', 0.015, 0.1],
    ['ring', -0.015, 0.09],
    ['little', -0.045, 0.07],
  ] as const) {
    add(name, hand, [0.85, 0, z], [0.85 + length, 0, 1.15 * z], [0.0175, 0.0145], 0.012);
  }
  return { plan, lumps };
}
