// SPDX-License-Identifier: MIT
// Rigs that are linear blend skinning already: a conversion must give them back (Mukai 2018, §6.1, figure 3 a and b).

import { cosineOf, sineOf } from '../../core/math/sine.ts';
import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';
import { makeAdjacency } from '../../core/mesh/topology/adjacency.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../deformers/linear-blend/index.ts';
import { capsuleRings, makeRingTube } from '../ring-tube.ts';
import { makeLatticeSurface } from '../surfaces/lattice-surface.ts';
import type { BonePlan } from './bones.ts';
import { type Lump, paintWeights } from './flesh.ts';
import { makeRigDraft, planChain, type RigDraft } from './rig-draft.ts';

const SERIAL = { length: 2.4, radius: 0.16, joints: 6, rings: 31, around: 20 };

/** A tube of 622 vertices on six joints in a row, three influences. */
export function makeLinearSerial(): RigDraft {
  const { length, radius, joints, rings, around } = SERIAL;
  const section = { y: 0, z: 0, height: radius, depth: radius };
  const mesh = makeRingTube(
    capsuleRings(rings, [0, length], radius, () => section),
    [0, length],
    around,
    'lbs-serial',
  );
  const step = length / joints;
  const plan = planChain(
    'joint',
    Array.from({ length: joints }, (_, j) => [j * step, 0, 0]),
  );
  // quadratic B-splines about the middles of the bones
  const bones: number[] = [],
    weights: number[] = [];
  const clamp = (j: number): number => Math.min(joints - 1, Math.max(0, j));
  for (let c = 0; c < mesh.positions.length; c += 3) {
    const place = mesh.positions[c] / step - 0.5;
    const j = Math.round(place);
    const f = place - j;
    bones.push(clamp(j - 1), clamp(j), clamp(j + 1));
    weights.push(0.5 * (0.5 - f) ** 2, 0.75 - f * f, 0.5 * (0.5 + f) ** 2);
  }
  const skin = makeSkin(bones, weights, 3);
  return makeRigDraft(
    'lbs-serial',
    mesh,
    plan,
    skin,
    () => makeLinearBlend(mesh, skin, joints),
    (j, phase) => (j === 0 ? {} : { z: 0.5 * sineOf(phase - 0.5 * j), y: 0.25 * sineOf(2 * phase - j) }),
  );
}

/** Metres per lattice cell of the branch. */
const CELL = 0.08;
/** How far the corners of the lattice melt away: rounds of moving every vertex half way to the mean of its neighbours. */
const ROUNDS = 3;

/** A trunk with two boughs, 602 vertices on six joints, up to four influences. */
export function makeLinearBranch(): RigDraft {
  const mesh = makeLatticeSurface(
    [
      { min: [-2, 0, -2], max: [2, 18, 2] },
      { min: [-12, 11, -2], max: [-2, 14, 2] },
      { min: [2, 11, -2], max: [12, 14, 2] },
    ],
    (x, y, z) => [CELL * x, CELL * y, CELL * z],
    'lbs-branch',
  );
  roundCorners(mesh);
  const at = (x: number, y: number): [number, number, number] => [CELL * x, CELL * y, 0];
  const plan: BonePlan[] = [
    { name: 'trunk', parent: -1, head: at(0, 0) },
    { name: 'crown', parent: 0, head: at(0, 8) },
    { name: 'leftBough', parent: 1, head: at(2, 12.5) },
    { name: 'leftTwig', parent: 2, head: at(7, 12.5) },
    { name: 'rightBough', parent: 1, head: at(-2, 12.5) },
    { name: 'rightTwig', parent: 4, head: at(-7, 12.5) },
  ];
  const tips = [at(0, 8), at(0, 18), at(7, 12.5), at(12, 12.5), at(-7, 12.5), at(-12, 12.5)];
  const lumps: Lump[] = plan.map(({ head }, bone) => {
    const radius = (bone < 2 ? 2 : 1.7) * CELL;
    return { bone, from: head, to: tips[bone], fromRadius: radius, toRadius: radius, melt: 0 };
  });
  const skin = paintWeights(mesh.positions, lumps, plan.length, 1.5);
  return makeRigDraft(
    'lbs-branch',
    mesh,
    plan,
    skin,
    () => makeLinearBlend(mesh, skin, plan.length),
    (j, phase) => {
      if (j === 0) return {};
      if (j === 1) return { z: 0.4 * sineOf(phase) };
      const side = j < 4 ? 1 : -1;
      return { z: 0.6 * side * sineOf(phase - 0.4 * j), y: 0.4 * cosineOf(phase - 0.4 * j) - 0.4 };
    },
  );
}

/** Moves every vertex half way to the mean of its neighbours, some rounds over. In place. */
function roundCorners(mesh: Mesh): void {
  const { positions } = mesh;
  const { rowStart, neighbours } = makeAdjacency(positions.length / 3, mesh.triangles);
  for (let round = 0; round < ROUNDS; round++) {
    const before = Float64Array.from(positions);
    for (let i = 0; i + 1 < rowStart.length; i++) {
      for (let c = 0; c < 3; c++) {
        let sum = 0;
        for (let e = rowStart[i]; e < rowStart[i + 1]; e++) sum += before[3 * neighbours[e] + c];
        positions[3 * i + c] = 0.5 * before[3 * i + c] + (0.5 * sum) / (rowStart[i + 1] - rowStart[i]);
      }
    }
  }
  if (mesh.normals) vertexNormalsInto(positions, mesh.triangles, mesh.normals);
}
