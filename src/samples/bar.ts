// SPDX-License-Identifier: MIT
import { cosineOf, sineOf } from '../core/math/sine.ts';
import { makeTimes } from '../core/model/clip/clip.ts';
import type { Mesh } from '../core/model/mesh/mesh.ts';
import { makeSkin, type Skin } from '../core/model/skin/skin.ts';
import { type BonePlan, makeBlendClip, makePlanMotion, makePlanSkeleton } from './rigs/bones.ts';
import { makeRoundedBox } from './rounded-box.ts';
import { phaseOf, SAMPLE_FPS, type SampleBody, type SampleOptions } from './sample.ts';

const LENGTH = 4;
const BONES = 6;
/** Center of the first bone, and the step to the next. The joint between two bones is halfway. */
const FIRST = 0.75;
const STEP = 0.5;
const MAX_BEND = (24 * Math.PI) / 180;
const MAX_TWIST = Math.PI;

/** An upright bar on six bones that bends to either side, 24 degrees in each of five joints. */
export function makeBarBend(options: Required<SampleOptions>): SampleBody {
  const mesh = makeBar(options.resolution, 'bar-bend');
  const plan: BonePlan[] = Array.from({ length: BONES }, (_, j) => ({
    name: `bone${j}`,
    parent: j - 1,
    head: [0, j === 0 ? 0 : FIRST + (j - 0.5) * STEP, 0],
  }));
  const skin = makeBarSkin(mesh);
  const motion = makePlanMotion('bend', plan, options.frames, (j, k) => ({
    z: j === 0 ? 0 : MAX_BEND * sineOf(phaseOf(k, options.frames)),
  }));
  return {
    clip: makeBlendClip(mesh, skin, motion),
    skeleton: makePlanSkeleton(plan),
    skin,
    motion,
    isExact: true,
  };
}

/** Half the length of the blend between the two bones of bar-joint. */
const BLEND = 1;
const JOINT_BEND = Math.PI / 2;
const JOINT_TWIST = (2 * Math.PI) / 3;

/** An upright bar on two bones with one joint halfway, which bends by 90 degrees, then twists by 120, then does both. */
export function makeBarJoint(options: Required<SampleOptions>): SampleBody {
  const mesh = makeBar(options.resolution, 'bar-joint');
  const plan: BonePlan[] = [
    { name: 'lower', parent: -1, head: [0, 0, 0] },
    { name: 'upper', parent: 0, head: [0, LENGTH / 2, 0] },
  ];
  const bones: number[] = [],
    weights: number[] = [];
  for (let c = 1; c < mesh.positions.length; c += 3) {
    const upper = smoothstep((mesh.positions[c] - LENGTH / 2 + BLEND) / (2 * BLEND));
    bones.push(0, 1);
    weights.push(1 - upper, upper);
  }
  const skin = makeSkin(bones, weights, 2);
  // a third of the loop each
  const motion = makePlanMotion('bend, twist, both', plan, options.frames, (j, k) => {
    const thirds = (3 * k) / options.frames;
    const part = Math.min(2, Math.floor(thirds));
    const ratio = sineOf(Math.PI * (thirds - part));
    if (j === 0) return {};
    return { z: part === 1 ? 0 : JOINT_BEND * ratio, y: part === 0 ? 0 : JOINT_TWIST * ratio };
  });
  return { clip: makeBlendClip(mesh, skin, motion), skeleton: makePlanSkeleton(plan), skin, motion, isExact: true };
}

/** An upright bar whose sections rotate about its axis, up to half a turn at the top: a few bones cannot reproduce it exactly. */
export function makeBarTwist(options: Required<SampleOptions>): SampleBody {
  const mesh = makeBar(options.resolution, 'bar-twist');
  const rest = mesh.positions;
  const positions = new Float32Array(options.frames * rest.length);
  for (let k = 0; k < options.frames; k++) {
    const most = MAX_TWIST * sineOf(phaseOf(k, options.frames));
    for (let c = 0; c < rest.length; c += 3) {
      const angle = most * smoothstep(rest[c + 1] / LENGTH);
      const o = k * rest.length + c;
      positions[o] = cosineOf(angle) * rest[c] + sineOf(angle) * rest[c + 2];
      positions[o + 1] = rest[c + 1];
      positions[o + 2] = cosineOf(angle) * rest[c + 2] - sineOf(angle) * rest[c];
    }
  }
  return {
    clip: { kind: 'clip', name: 'twist', mesh, positions, times: makeTimes(options.frames, SAMPLE_FPS) },
    isExact: false,
  };
}

/** Stands on the ground: y from 0 to LENGTH. */
function makeBar(resolution: number, name: string): Mesh {
  const mesh = makeRoundedBox([0.8, LENGTH, 0.6], 0.15, resolution, name);
  for (let c = 1; c < mesh.positions.length; c += 3) mesh.positions[c] += LENGTH / 2;
  return mesh;
}

/** Quadratic B-splines along the bar: at most three influences, and a smooth bend. */
function makeBarSkin(mesh: Mesh): Skin {
  const bones: number[] = [],
    weights: number[] = [];
  const clamp = (j: number): number => Math.min(BONES - 1, Math.max(0, j));
  for (let c = 1; c < mesh.positions.length; c += 3) {
    const place = (mesh.positions[c] - FIRST) / STEP;
    const j = Math.round(place);
    const f = place - j;
    bones.push(clamp(j - 1), clamp(j), clamp(j + 1));
    weights.push(0.5 * (0.5 - f) ** 2, 0.75 - f * f, 0.5 * (0.5 + f) ** 2);
  }
  return makeSkin(bones, weights, 3);
}

function smoothstep(x: number): number {
  const t = Math.min(1, Math.max(0, x));
  return t * t * (3 - 2 * t);
}
