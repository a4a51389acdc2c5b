// SPDX-License-Identifier: MIT
import { cosineOf, sineOf } from '../../core/math/sine.ts';
import { type Motion, poseOf } from '../../core/model/clip/motion.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import {
  type BonePlan,
  type BoneTurn,
  makeBlendClip,
  makePlanMotion,
  makePlanSkeleton,
  type Vector,
} from '../rigs/bones.ts';
import { boundsOfLumps, type Lump, makeFleshField, paintWeights, thickenLumps } from '../rigs/flesh.ts';
import { phaseOf, type SampleBody, type SampleOptions } from '../sample.ts';
import { polygonize } from '../surfaces/polygonize.ts';

/** Width of the transition of weights between bones, relative to a lump's radius. */
const SPREAD = 0.6;

/** Phase at which each foot touches the ground, relative to the stride: the order of a walk, on each side the hind foot before the fore foot. */
const FOOTFALL = { LeftHind: 0, LeftFore: 0.25, RightHind: 0.5, RightFore: 0.75 };

interface Body {
  plan: BonePlan[];
  lumps: Lump[];
}

/** A four-legged animal that walks on the spot; belly, neck and thighs have soft tissue. */
export function makeQuadruped(options: Required<SampleOptions>): SampleBody {
  const { frames } = options;
  const { plan, lumps: fine } = makeBody();
  const lumps = thickenLumps(fine, options.resolution);
  const { min, max } = boundsOfLumps(lumps);
  const mesh = polygonize(makeFleshField(lumps), min, max, options.resolution, 'quadruped');
  const skin = paintWeights(mesh.positions, lumps, plan.length, SPREAD);
  const walk = makePlanMotion('walk', plan, frames, (j, k) => turnOf(plan[j].name, phaseOf(k, frames), 0));
  const drops = makeDrops(plan, walk);
  const motion = makePlanMotion('walk', plan, frames, (j, k) => turnOf(plan[j].name, phaseOf(k, frames), drops[k]));
  return {
    clip: makeBlendClip(mesh, skin, motion, makeSoftTissue(mesh, frames)),
    skeleton: makePlanSkeleton(plan),
    skin,
    motion,
    isExact: false,
  };
}

/** Bones of the tail: name, parent, ends and radii. */
const TAIL: readonly [string, string, Vector, Vector, number, number][] = [
  ['Tail1', 'Pelvis', [0, 0.78, -0.46], [0, 0.75, -0.62], 0.045, 0.04],
  ['Tail2', 'Tail1', [0, 0.75, -0.62], [0, 0.65, -0.77], 0.04, 0.042],
  ['Tail3', 'Tail2', [0, 0.65, -0.77], [0, 0.5, -0.87], 0.042, 0.03],
];

/** Bones of the left legs, from the body down: name, ends, radii and melt; and the bone that each leg is on. */
const LEGS: readonly (readonly [leg: readonly [string, Vector, Vector, number, number, number][], root: string])[] = [
  [
    [
      ['ForeUpper', [0.1, 0.68, 0.3], [0.115, 0.45, 0.22], 0.085, 0.058, 0.09],
      ['ForeLower', [0.115, 0.45, 0.22], [0.115, 0.22, 0.26], 0.055, 0.036, 0.015],
      ['ForeFoot', [0.115, 0.22, 0.26], [0.115, 0.06, 0.27], 0.036, 0.034, 0.02],
      ['ForeToe', [0.115, 0.06, 0.27], [0.115, 0.04, 0.34], 0.038, 0.038, 0.03],
    ],
    'Chest',
  ],
  [
    [
      ['HindUpper', [0.095, 0.7, -0.34], [0.125, 0.47, -0.25], 0.125, 0.072, 0.09],
      ['HindLower', [0.125, 0.47, -0.25], [0.125, 0.26, -0.42], 0.066, 0.037, 0.015],
      ['HindFoot', [0.125, 0.26, -0.42], [0.125, 0.06, -0.37], 0.037, 0.034, 0.02],
      ['HindToe', [0.125, 0.06, -0.37], [0.125, 0.04, -0.3], 0.038, 0.038, 0.03],
    ],
    'Pelvis',
  ],
];

function makeBody(): Body {
  const plan: BonePlan[] = [];
  const lumps: Lump[] = [];
  const addBone = (name: string, parent: string, head: Vector): number =>
    plan.push({ name, parent: plan.findIndex((b) => b.name === parent), head }) - 1;
  const addLump = (
    bone: number,
    from: Vector,
    fromRadius: number,
    to: Vector,
    toRadius: number,
    melt: number,
  ): void => {
    lumps.push({ bone, from, to, fromRadius, toRadius, melt });
  };

  const pelvis = addBone('Pelvis', '', [0, 0.74, -0.3]);
  addLump(pelvis, [0, 0.72, -0.38], 0.125, [0, 0.7, -0.12], 0.142, 0.02);
  const spine = addBone('Spine', 'Pelvis', [0, 0.76, -0.08]);
  addLump(spine, [0, 0.7, -0.12], 0.142, [0, 0.685, 0.12], 0.168, 0.02);
  const chest = addBone('Chest', 'Spine', [0, 0.76, 0.14]);
  addLump(chest, [0, 0.685, 0.12], 0.168, [0, 0.7, 0.32], 0.145, 0.02);
  const neck = addBone('Neck', 'Chest', [0, 0.79, 0.37]);
  addLump(neck, [0, 0.76, 0.36], 0.12, [0, 1.0, 0.56], 0.075, 0.12);
  const head = addBone('Head', 'Neck', [0, 1.01, 0.57]);
  addLump(head, [0, 1.03, 0.58], 0.085, [0, 1.0, 0.66], 0.07, 0.05);
  addLump(head, [0, 1.0, 0.66], 0.06, [0, 0.96, 0.82], 0.042, 0.07);
  for (const side of [1, -1]) addLump(head, [side * 0.05, 1.08, 0.56], 0.034, [side * 0.075, 1.18, 0.545], 0.024, 0.03);

  for (const [name, parent, from, to, fromRadius, toRadius] of TAIL) {
    addLump(addBone(name, parent, from), from, fromRadius, to, toRadius, name === 'Tail1' ? 0.06 : 0.015);
  }

  for (const side of [1, -1]) {
    const name = side > 0 ? 'Left' : 'Right';
    const at = ([x, y, z]: Vector): Vector => [side * x, y, z];
    for (const [leg, root] of LEGS) {
      let parent: string = root;
      for (const [part, from, to, fromRadius, toRadius, melt] of leg) {
        addLump(addBone(name + part, parent, at(from)), at(from), fromRadius, at(to), toRadius, melt);
        parent = name + part;
      }
    }
  }
  return { plan, lumps };
}

/**
 * The walk. A positive rotation about x moves a leg backwards. In the first half of its stride a leg is on the ground and moves
 * back; in the second it is lifted (bent) and moves forward.
 * @param drop how much the body is lowered, metres
 */
function turnOf(bone: string, phase: number, drop: number): BoneTurn {
  const leg = /^(Left|Right)(Fore|Hind)(Upper|Lower|Foot|Toe)$/.exec(bone);
  if (leg) {
    const [, side, pair, part] = leg;
    const own = phase - 2 * Math.PI * FOOTFALL[`${side}${pair}` as keyof typeof FOOTFALL];
    const swing = -cosineOf(own);
    const lift = Math.max(0, -sineOf(own)) ** 2;
    if (pair === 'Fore') {
      if (part === 'Upper') return { x: 0.38 * swing - 0.12 * lift };
      if (part === 'Lower') return { x: -0.45 * lift };
      if (part === 'Foot') return { x: 1.05 * lift + 0.1 * swing };
      return { x: 0.35 * lift - 0.3 * swing };
    }
    if (part === 'Upper') return { x: 0.36 * swing - 0.15 * lift };
    if (part === 'Lower') return { x: 0.7 * lift + 0.08 * swing };
    if (part === 'Foot') return { x: -0.65 * lift - 0.12 * swing };
    return { x: 0.6 * lift - 0.25 * swing };
  }
  switch (bone) {
    case 'Pelvis':
      return { z: 0.03 * sineOf(phase), y: 0.05 * cosineOf(phase), shift: [0.012 * sineOf(phase), -drop, 0] };
    case 'Spine':
      return { y: -0.05 * cosineOf(phase), x: 0.02 * sineOf(2 * phase) };
    case 'Chest':
      return { y: -0.04 * cosineOf(phase), z: -0.04 * sineOf(phase) };
    case 'Neck':
      return { x: 0.07 * sineOf(2 * phase + 0.6), y: 0.03 * cosineOf(phase) };
    case 'Head':
      return { x: -0.06 * sineOf(2 * phase + 0.3), y: 0.05 * cosineOf(phase) };
    default: {
      // The tail follows from segment to segment.
      const n = Number(bone.slice(4));
      return { y: 0.22 * sineOf(phase - 0.8 * n), x: 0.05 * sineOf(2 * phase - 0.8 * n) };
    }
  }
}

/** Distance of the lowest toe from the ground in each frame: a smooth minimum over the four. */
function makeDrops(plan: BonePlan[], walk: Motion): Float64Array {
  const toes = plan.flatMap((bone, j) => (bone.name.endsWith('Toe') ? [j] : []));
  const softness = 0.01;
  return Float64Array.from(walk.times, (_, k) => {
    const bones = poseOf(walk, k);
    let sum = 0;
    for (const j of toes) {
      const [x, y, z] = plan[j].head;
      const o = j * 16;
      const height = bones[o + 1] * x + bones[o + 5] * y + bones[o + 9] * z + bones[o + 13] - y;
      sum += Math.exp(-height / softness);
    }
    return -softness * Math.log(sum / 2); // no offset with two feet on the ground
  });
}

/** Displacements in addition to the bones: a belly that moves up and down twice per stride, and muscles that swell alternately. */
function makeSoftTissue(
  mesh: Mesh,
  frames: number,
): (k: number, positions: Float32Array, normals: Float32Array) => void {
  const rest = mesh.positions;
  const vertexCount = rest.length / 3;
  const bump = (i: number, center: Vector, reach: Vector): number => {
    let squared = 0;
    for (let c = 0; c < 3; c++) squared += ((rest[3 * i + c] - center[c]) / reach[c]) ** 2;
    return Math.exp(-squared);
  };
  const belly = Float64Array.from({ length: vertexCount }, (_, i) => bump(i, [0, 0.53, 0.02], [0.2, 0.12, 0.24]));
  const throat = Float64Array.from({ length: vertexCount }, (_, i) => bump(i, [0, 0.78, 0.5], [0.1, 0.12, 0.12]));
  const sides = [1, -1].map((side) => ({
    legs: side > 0 ? (['LeftHind', 'LeftFore'] as const) : (['RightHind', 'RightFore'] as const),
    thigh: Float64Array.from({ length: vertexCount }, (_, i) => bump(i, [side * 0.2, 0.62, -0.34], [0.1, 0.14, 0.12])),
    shoulder: Float64Array.from({ length: vertexCount }, (_, i) =>
      bump(i, [side * 0.18, 0.63, 0.27], [0.08, 0.12, 0.1]),
    ),
  }));
  return (k, positions, normals) => {
    const phase = phaseOf(k, frames);
    const down = 0.022 * sineOf(2 * phase - 0.9) + 0.006 * sineOf(4 * phase - 1.4);
    const back = 0.016 * sineOf(2 * phase - 0.4);
    for (let i = 0; i < vertexCount; i++) {
      positions[3 * i + 1] -= down * belly[i] + 0.6 * back * throat[i];
      positions[3 * i + 2] -= back * throat[i];
      for (const { legs, thigh, shoulder } of sides) {
        const bulge =
          0.016 * thigh[i] * sineOf(phase - 2 * Math.PI * FOOTFALL[legs[0]] - 0.5) +
          0.011 * shoulder[i] * sineOf(phase - 2 * Math.PI * FOOTFALL[legs[1]] - 0.5);
        for (let c = 0; c < 3; c++) positions[3 * i + c] += bulge * normals[3 * i + c];
      }
    }
  };
}
