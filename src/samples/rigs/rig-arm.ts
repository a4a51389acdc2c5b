// SPDX-License-Identifier: MIT
// An arm whose elbow is sculpted at five poses (Mukai 2018, §6.4, figure 3 e): pose space deformation with wrinkles in the crook, an elbow that keeps its
// point and a muscle that bulges.

import { quaternionFromAxisAngle } from '../../core/math/quaternion.ts';
import { cosineOf, sineOf } from '../../core/math/sine.ts';
import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';
import { makeSkin } from '../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../deformers/linear-blend/index.ts';
import { makePoseSpace, type PosedRig, restDisplacements } from '../../deformers/rig-sources/index.ts';
import { capsuleRings, makeRingTube, type TubeRing } from '../ring-tube.ts';
import { type BonePlan, makePlanMotion, makePlanSkeleton } from './bones.ts';
import { makeRigDraft, type RigDraft, smoothstep } from './rig-draft.ts';

const RINGS = 31;
const AROUND = 20;
/** Rings are closer together at the elbow, where the wrinkles are. */
const CROWDING = 0.6;
const LENGTH = 1;
const ELBOW = 0.54;
const WRIST = 0.84;
/** Half of the way over which the weights change at the elbow and at the wrist. */
const BLENDS = [0.1, 0.06];
const RADIUS_OF_POSES = 1.8;
const DEGREES = Math.PI / 180;

/** Poses of the elbow: about z (up), and about y (sideways), degrees. */
const POSES: { z?: number; y?: number }[] = [{ z: 45 }, { z: 90 }, { z: -70 }, { y: 70 }, { y: -70 }];

/** Metres at a bend of a quarter turn: how far upper arm and forearm bulge, the elbow stands out, and the wrinkles go in and out. */
const BULGE = 0.065;
const FORE_BULGE = 0.025;
const POINT = 0.04;
/** From wrinkle to wrinkle. */
const WAVE = 0.07;
const WRINKLE = 0.011;

/** An arm of 622 vertices on three joints: shoulder, elbow and wrist. */
export function makePoseSpaceArm(): RigDraft {
  const mesh = makeRingTube(
    capsuleRings(RINGS, [0, LENGTH], 0.06, sectionAt, CROWDING),
    [0, LENGTH],
    AROUND,
    'pose-space-arm',
  );
  const plan: BonePlan[] = [
    { name: 'shoulder', parent: -1, head: [0, 0, 0] },
    { name: 'elbow', parent: 0, head: [ELBOW, 0, 0] },
    { name: 'wrist', parent: 1, head: [WRIST, 0, 0] },
  ];
  const bones: number[] = [],
    weights: number[] = [];
  for (let c = 0; c < mesh.positions.length; c += 3) {
    const past = [ELBOW, WRIST].map((x, n) => smoothstep(mesh.positions[c], x - BLENDS[n], x + BLENDS[n]));
    bones.push(0, 1, 2);
    weights.push(1 - past[0], past[0] - past[1], past[1]);
  }
  const skin = makeSkin(bones, weights, 3);
  const rig: PosedRig = { mesh, skeleton: makePlanSkeleton(plan), skin };
  const examples = POSES.map((pose) => {
    const axis = pose.z === undefined ? [0, 1, 0] : [0, 0, 1];
    const angle = DEGREES * (pose.z ?? pose.y ?? 0);
    const rotation: [number, number, number, number] = [0, 0, 0, 1];
    quaternionFromAxisAngle(axis, angle, rotation);
    const turn = pose.z === undefined ? { y: angle } : { z: angle };
    const bent = makePlanMotion('bent', plan, 1, (j) => (j === 1 ? turn : {})).matrices;
    // sideways towards −z for a positive turn about y
    const inside: [number, number] = pose.z === undefined ? [0, -Math.sign(angle)] : [Math.sign(angle), 0];
    return {
      rotations: [rotation],
      displacements: restDisplacements(rig, bent, sculpt(rig, bent, Math.abs(angle), inside)),
    };
  });
  return makeRigDraft(
    'pose-space-arm',
    mesh,
    plan,
    skin,
    () => makePoseSpace(rig, examples, { joints: [1], radius: RADIUS_OF_POSES }),
    (j, phase) => {
      if (j === 1) return { z: 1.5 * Math.max(0, sineOf(phase)), y: 0.9 * Math.min(0, sineOf(phase)) };
      return j === 2 ? { z: 0.4 * sineOf(phase - 0.8) } : {};
    },
  );
}

/** An upper arm that is thickest in its first half, a narrow elbow, a tapering forearm, a hand. */
function sectionAt(x: number): Omit<TubeRing, 'x'> {
  const upper = 0.115 - 0.03 * smoothstep(x, 0.15, ELBOW);
  const fore = 0.1 - 0.045 * smoothstep(x, ELBOW + 0.1, WRIST) + 0.012 * smoothstep(x, WRIST, LENGTH);
  const mix = smoothstep(x, ELBOW - 0.05, ELBOW + 0.12);
  const r = upper * (1 - mix) + fore * mix;
  return { y: 0, z: 0, height: r, depth: r * (0.95 - 0.15 * smoothstep(x, WRIST - 0.1, WRIST + 0.05)) };
}

/**
 * What a sculptor makes of the arm bent by the skin alone.
 * @param inside the side that the bend closes: y and z of a direction across the arm
 * @returns vertexCount x 3, posed
 */
function sculpt({ mesh, skin }: PosedRig, bones: Float64Array, angle: number, inside: [number, number]): Float32Array {
  const rest = mesh.positions;
  const shape = new Float32Array(rest.length);
  const normals = new Float32Array(rest.length);
  makeLinearBlend(mesh, skin, 3).deformInto({ bones }, shape);
  vertexNormalsInto(shape, mesh.triangles, normals);
  const strength = angle / (Math.PI / 2);
  const bump = (x: number, middle: number, reach: number): number => Math.exp(-(((x - middle) / reach) ** 2));
  for (let c = 0; c < rest.length; c += 3) {
    const x = rest[c];
    const { height } = sectionAt(x);
    // 1 on the inside of the bend, −1 on the outside
    const side = (rest[c + 1] * inside[0] + rest[c + 2] * inside[1]) / height;
    const inner = smoothstep(side, -0.3, 0.8);
    const outer = smoothstep(-side, 0, 0.9);
    const bulge = BULGE * inner * bump(x, 0.3, 0.15) + FORE_BULGE * inner * bump(x, ELBOW + 0.16, 0.09);
    const point = POINT * outer * bump(x, ELBOW, 0.09);
    const wrinkles = WRINKLE * inner * bump(x, ELBOW - 0.02, 0.11) * cosineOf((2 * Math.PI * (x - ELBOW)) / WAVE);
    const out = strength * (bulge + point + wrinkles);
    for (let d = 0; d < 3; d++) shape[c + d] += out * normals[c + d];
  }
  return shape;
}
