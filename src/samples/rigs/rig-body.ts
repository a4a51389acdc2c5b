// SPDX-License-Identifier: MIT
// A body with corrective shapes (Mukai 2018, §6.5, figure 3 f): its plain weights change too abruptly, and corrective shapes for six examples per joint correct
// shoulders, elbows, hips, knees and trunk.

import { quaternionFromAxisAngle } from '../../core/math/quaternion.ts';
import { sineOf } from '../../core/math/sine.ts';
import type { MorphDriver, MorphDriverPose } from '../../core/model/deformed/morph-drivers.ts';
import type { MorphTarget } from '../../core/model/deformed/morphs.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../deformers/linear-blend/index.ts';
import { makeCorrectiveShapes, restDisplacements } from '../../deformers/rig-sources/index.ts';
import { polygonize } from '../surfaces/polygonize.ts';
import { type BoneTurn, makePlanMotion, makePlanSkeleton } from './bones.ts';
import { boundsOfLumps, makeFleshField, paintWeights } from './flesh.ts';
import { planBody } from './rig-body-plan.ts';
import { makeRigDraft, type RigDraft } from './rig-draft.ts';

const RESOLUTION = 11356;
/** Part of a lump's radius over which weights pass from bone to bone: as bound, and as the sculptor wants it. */
const PLAIN_SPREAD = 0.08;
const WANTED_SPREAD = 0.52;
const EXAMPLE_ANGLE = (75 * Math.PI) / 180;
/** Radians over which an example fades. */
const RADIUS = 2;
/** Joints with corrective shapes. */
const DRIVING = /^(Spine|Waist|Chest|Neck|Head|(Left|Right)(Collar|Arm|ForeArm|Hand|Thigh|Shank|Foot))$/;
/** Displacements shorter than this, metres, are left out of a shape. */
const LEAST = 2e-4;

const AXES = ['x', 'y', 'z'] as const;

/** A body of about 11,400 vertices on 42 joints, with a corrective shape for each of six turns of nineteen joints. */
export function makeCorrectiveBody(): RigDraft {
  const { plan, lumps } = planBody();
  const { min, max } = boundsOfLumps(lumps);
  const mesh = polygonize(makeFleshField(lumps), min, max, RESOLUTION, 'corrective-body');
  const skin = paintWeights(mesh.positions, lumps, plan.length, PLAIN_SPREAD);
  const wanted = paintWeights(mesh.positions, lumps, plan.length, WANTED_SPREAD);
  const skeleton = makePlanSkeleton(plan);
  const targets: MorphTarget[] = [];
  const drivers: MorphDriver[] = [];
  const vertexCount = mesh.positions.length / 3;
  plan.forEach(({ name }, bone) => {
    if (!DRIVING.test(name)) return;
    const poses: MorphDriverPose[] = [];
    for (const axis of AXES) {
      for (const sign of [1, -1]) {
        const angle = sign * EXAMPLE_ANGLE;
        const turn: BoneTurn = { [axis]: angle };
        const bones = makePlanMotion('example', plan, 1, (j) => (j === bone ? turn : {})).matrices;
        const shape = sculpt(mesh.positions, mesh.triangles, wanted, bones);
        const positions = restDisplacements({ mesh, skeleton, skin }, bones, shape);
        dropShort(positions);
        const target = `${name}${sign > 0 ? '+' : '-'}${axis}`;
        targets.push({ name: target, node: 0, weight: targets.length, vertexStart: 0, vertexCount, positions });
        const rotation: [number, number, number, number] = [0, 0, 0, 1];
        quaternionFromAxisAngle(
          AXES.map((a) => (a === axis ? 1 : 0)),
          angle,
          rotation,
        );
        poses.push({ rotations: [rotation], targets: { [target]: 1 } });
      }
    }
    drivers.push({ joints: [name], radius: RADIUS, poses });
  });
  const morphs = { targets, restWeights: [] };
  const deformer = makeCorrectiveShapes({ mesh, skeleton, skin, morphs }, drivers);
  const draft = makeRigDraft(
    'corrective-body',
    mesh,
    plan,
    skin,
    () => deformer,
    (j, phase) => turnOf(plan[j].name, phase),
  );
  return { ...draft, corrected: { morphs, drivers, deformer } };
}

/** The shape a sculptor wants at a pose. */
function sculpt(rest: Float32Array, triangles: Uint32Array, wanted: Skin, bones: Float64Array): Float32Array {
  const shape = new Float32Array(rest.length);
  const mesh = { name: '', positions: rest, triangles, attributes: [], parts: [] };
  makeLinearBlend(mesh, wanted, bones.length / 16).deformInto({ bones }, shape);
  return shape;
}

function dropShort(displacements: Float32Array): void {
  for (let c = 0; c < displacements.length; c += 3) {
    const square = displacements[c] ** 2 + displacements[c + 1] ** 2 + displacements[c + 2] ** 2;
    if (square < LEAST * LEAST) displacements.fill(0, c, c + 3);
  }
}

function turnOf(name: string, phase: number): BoneTurn {
  const side = name.startsWith('Left') ? 1 : -1;
  const swing = sineOf(phase) * side;
  switch (name.replace(/^(Left|Right)/, '')) {
    case 'Spine':
    case 'Waist':
      return { y: 0.15 * sineOf(phase), x: 0.1 };
    case 'Arm':
      return { z: -side * (0.9 + 0.3 * swing), y: -0.5 * swing };
    case 'ForeArm':
      return { y: -side * (0.7 + 0.5 * swing) };
    case 'Thigh':
      return { x: -0.5 - 0.7 * swing };
    case 'Shank':
      return { x: 0.7 + 0.6 * swing };
    case 'Foot':
      return { x: -0.2 * swing };
    default:
      return {};
  }
}
