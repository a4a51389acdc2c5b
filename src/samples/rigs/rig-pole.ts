// SPDX-License-Identifier: MIT
// Delta Mush on a square pole with thorns (Mukai 2018, §6.3, figure 3 d). The plain weights are rough, which Delta Mush permits: without it
// thorns fold and the surface near joints is irregular; with it the pole bends smoothly and every thorn keeps its shape.

import { makeRandom } from '../../core/math/random.ts';
import { sineOf } from '../../core/math/sine.ts';
import { makeSkin } from '../../core/model/skin/skin.ts';
import { makeDeltaMush } from '../../deformers/delta-mush/index.ts';
import { makeLinearBlend } from '../../deformers/linear-blend/index.ts';
import { makeLatticeSurface } from '../surfaces/lattice-surface.ts';
import { makeRigDraft, planChain, type RigDraft, smoothstep } from './rig-draft.ts';

/** Lattice cells across and along: 4 x 4 x 30 has 514 points on its surface. */
const ACROSS = 4;
const ALONG = 30;
const WIDTH = 0.2;
const LENGTH = 2.4;
const THORN = 0.05;
/** Joints above the root, as parts of the length; over which part the plain weights change at each, and by how much that misses for a vertex. */
const JOINTS = [1 / 3, 2 / 3];
const BLEND = 0.1;
const CARELESSNESS = 0.15;
const MUSH = { iterations: 5, lambda: 0.5, method: 'explicit' } as const;

/** A pole of 514 vertices on three joints. */
export function makeMushPole(): RigDraft {
  const mesh = makeLatticeSurface(
    [{ min: [0, 0, 0], max: [ACROSS, ALONG, ACROSS] }],
    (x, y, z) => {
      const p = [WIDTH * (x / ACROSS - 0.5), LENGTH * (y / ALONG), WIDTH * (z / ACROSS - 0.5)];
      // a thorn on every second point of every second row, off the edges
      if (y % 2 === 0 || (x + z) % 2 === 1) return p;
      if ((x === 0 || x === ACROSS) && z > 0 && z < ACROSS) p[0] += x === 0 ? -THORN : THORN;
      if ((z === 0 || z === ACROSS) && x > 0 && x < ACROSS) p[2] += z === 0 ? -THORN : THORN;
      return p;
    },
    'delta-mush-pole',
  );
  const plan = planChain('joint', [[0, 0, 0], ...JOINTS.map((t): [number, number, number] => [0, t * LENGTH, 0])]);
  const bones: number[] = [],
    weights: number[] = [];
  const random = makeRandom(0);
  for (let c = 1; c < mesh.positions.length; c += 3) {
    const t = mesh.positions[c] / LENGTH + CARELESSNESS * (2 * random.next() - 1);
    const past = JOINTS.map((joint) => smoothstep(t, joint - BLEND, joint + BLEND));
    bones.push(0, 1, 2);
    weights.push(1 - past[0], past[0] - past[1], past[1]);
  }
  const skin = makeSkin(bones, weights, 3);
  return makeRigDraft(
    'delta-mush-pole',
    mesh,
    plan,
    skin,
    () => makeDeltaMush(makeLinearBlend(mesh, skin, plan.length), mesh, MUSH),
    (j, phase) => (j === 0 ? {} : { z: 1.2 * sineOf(phase - 0.5 * j) }),
  );
}
