// SPDX-License-Identifier: MIT
// A rig with a helper bone already (Mukai 2018, §6.2, figure 3 c): when the middle joint turns, one side of the bar swells.

import { compose } from '../../core/math/mat4.ts';
import { sineOf } from '../../core/math/sine.ts';
import { makeSkin } from '../../core/model/skin/skin.ts';
import { makeDrivenBones } from '../../deformers/rig-sources/index.ts';
import { capsuleRings, makeRingTube } from '../ring-tube.ts';
import { makeRigDraft, planChain, type RigDraft, smoothstep } from './rig-draft.ts';

const LENGTH = 2.4;
const RADIUS = 0.25;
const RINGS = 49;
const AROUND = 40;
const JOINTS = [0, 0.8, 1.6];
/** Half of the way over which weights change at a joint. */
const BLEND = 0.2;
/** Where the helper sits, how far along the bar its hold goes, and how strong it is. */
const HELPER = { x: 0.42, y: 0.4 * RADIUS, reach: 0.42, hold: 0.9 };
/** At a quarter turn of the middle joint: how far the helper is pushed out, how it leans (radians), and how much it grows along x, y and z. */
const PUSH = 0.15;
const LEAN = 0.15;
const GROWTH = [0, 0.52, 0.7];

/** A bar of 1962 vertices on three joints, and one helper bone with scale. */
export function makeHelperBar(): RigDraft {
  const section = { y: 0, z: 0, height: RADIUS, depth: RADIUS };
  const mesh = makeRingTube(
    capsuleRings(RINGS, [0, LENGTH], RADIUS, () => section),
    [0, LENGTH],
    AROUND,
    'helper-bone',
  );
  const plan = planChain(
    'joint',
    JOINTS.map((x) => [x, 0, 0]),
  );
  const bones: number[] = [],
    weights: number[] = [],
    plain: number[] = [];
  for (let c = 0; c < mesh.positions.length; c += 3) {
    const x = mesh.positions[c],
      y = mesh.positions[c + 1];
    const past = [1, 2].map((j) => smoothstep(x, JOINTS[j] - BLEND, JOINTS[j] + BLEND));
    const row = [1 - past[0], past[0] - past[1], past[1]];
    const away = Math.min(1, Math.abs(x - HELPER.x) / HELPER.reach);
    const hold = HELPER.hold * (1 - away * away) ** 2 * smoothstep(y / RADIUS, -0.4, 0.6);
    bones.push(0, 1, 2, 3);
    weights.push(...row.map((w) => w * (1 - hold)), hold);
    plain.push(...row, 0);
  }
  const skin = makeSkin(bones, weights, 4);
  const bindMatrix = new Float64Array(16);
  compose([HELPER.x, HELPER.y, 0], [0, 0, 0, 1], [1, 1, 1], bindMatrix);
  return makeRigDraft(
    'helper-bone',
    mesh,
    plan,
    makeSkin(bones, plain, 4),
    (skeleton) =>
      makeDrivenBones({ mesh, skeleton, skin }, [
        {
          name: 'helper',
          parent: 0,
          bindMatrix,
          drive(turns, out) {
            // 1 − cos and sin of the middle joint's turn, as quaternions have them: smooth for half turns too
            const amount = 2 * (turns[4] ** 2 + turns[5] ** 2 + turns[6] ** 2);
            const bend = 2 * turns[6] * turns[7];
            out[1] = PUSH * amount;
            out[5] = LEAN * bend;
            for (let c = 0; c < 3; c++) out[6 + c] += GROWTH[c] * amount;
          },
        },
      ]),
    (j, phase) => (j === 0 ? {} : { z: 1.4 * sineOf(phase - 0.6 * (j - 1)) * (j === 1 ? 1 : 0.5) }),
  );
}
