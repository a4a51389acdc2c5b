// SPDX-License-Identifier: MIT

import { makeRandom, type Random } from '../../core/math/random.ts';
import { cosineOf, sineOf } from '../../core/math/sine.ts';
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
import { planLimbs } from './plan-limbs.ts';

const SPREAD = 0.7;
const DEGREES = Math.PI / 180;

/** The motion of a bone: an oscillation about one axis, once or twice per loop. */
interface Swing {
  axis: 'x' | 'y' | 'z';
  /** Degrees; the middle plus or minus the amplitude is within 60. */
  middle: number;
  amplitude: number;
  lag: number;
  beats: number;
}

/** A body that is moved by its bones. */
export type RiggedBody = SampleBody & Required<Pick<SampleBody, 'skeleton' | 'skin' | 'motion'>>;

interface Body {
  plan: BonePlan[];
  lumps: Lump[];
  /** Per bone. */
  swings: Swing[][];
}

/**
 * A random animal: a spine, two or three pairs of legs, a neck with a head and feelers, a tail. The clip is exactly linear
 * blend skinning of its bones and weights, with joint rotations of up to 60 degrees.
 */
export function makeCreature(options: Required<SampleOptions>): RiggedBody {
  const { frames } = options;
  const { plan, lumps: fine, swings } = makeBody(makeRandom(options.seed));
  const lumps = thickenLumps(fine, options.resolution);
  const { min, max } = boundsOfLumps(lumps);
  const mesh = polygonize(makeFleshField(lumps), min, max, options.resolution, 'creature');
  const skin = paintWeights(mesh.positions, lumps, plan.length, SPREAD);
  const motion = makePlanMotion('move', plan, frames, (j, k) => {
    const turn: BoneTurn = {};
    for (const { axis, middle, amplitude, lag, beats } of swings[j]) {
      turn[axis] = DEGREES * (middle + amplitude * sineOf(beats * phaseOf(k, frames) - lag));
    }
    return turn;
  });
  return {
    clip: makeBlendClip(mesh, skin, motion),
    skeleton: makePlanSkeleton(plan),
    skin,
    motion,
    isExact: true,
  };
}

function makeBody(random: Random): Body {
  const { plan, lumps, addLimb } = planLimbs();
  const body: Body = { plan, lumps, swings: [] };
  const between = (low: number, high: number): number => low + (high - low) * random.next();
  const addBone: AddBone = (name, parent, from, to, radii, melt, swings) => {
    body.swings.push(swings);
    return addLimb(name, parent, from, to, radii, melt);
  };

  // The spine, from the hips forward: slightly arched, thicker in its middle.
  const segments = 3 + random.below(2);
  const reach = between(0.24, 0.32);
  const girth = between(0.17, 0.23);
  // Low bodies have legs that are spread wide; tall ones stand over their feet.
  const height = between(0.5, 0.85);
  const arch = between(0, 0.08);
  const spineAt = (n: number): Vector => {
    const t = n / segments;
    return [0, height + arch * sineOf(Math.PI * t), reach * (n - segments / 2)];
  };
  const girthAt = (n: number): number => girth * (0.78 + 0.3 * sineOf((Math.PI * (n + 0.4)) / (segments + 0.8)));
  const spine: number[] = [];
  for (let n = 0; n < segments; n++) {
    const swings: Swing[] =
      n === 0 ? [] : [{ axis: 'y', middle: 0, amplitude: between(6, 12), lag: 0.9 * n, beats: 1 }];
    const radii: [number, number] = [girthAt(n), girthAt(n + 1)];
    spine.push(addBone(`Spine${n}`, n - 1, spineAt(n), spineAt(n + 1), radii, 0.02, swings));
  }

  addNeck(addBone, spine[segments - 1], spineAt(segments), girthAt(segments), between);
  addTail(addBone, spine[0], spineAt(0), girthAt(0), between);

  // Legs at equal distances along the spine; opposite legs differ by half a period.
  const pairs = 2 + random.below(2);
  const stance = between(0.1, 0.18) + 0.7 * (0.85 - height);
  const thickness = between(0.07, 0.095);
  for (let n = 0; n < pairs; n++) {
    const place = 0.35 + ((segments - 0.7) * n) / (pairs - 1);
    const bone = spine[Math.min(segments - 1, Math.floor(place))];
    const swing = pairs > 2 ? between(16, 24) : between(22, 30);
    const bend = between(24, 30);
    for (const side of [1, -1]) {
      // Close neighbours on one side have similar phases, so that they do not collide.
      const lag = Math.PI * n * (pairs > 2 ? 0.25 : 0.6) + (side > 0 ? 0 : Math.PI);
      addLeg(addBone, `Leg${n}${side > 0 ? 'L' : 'R'}`, bone, spineAt(place), girthAt(place), {
        side,
        stance,
        thickness,
        swing,
        bend,
        lag,
      });
    }
  }
  return body;
}

type AddBone = (
  name: string,
  parent: number,
  from: Vector,
  to: Vector,
  radii: [number, number],
  melt: number,
  swings: Swing[],
) => number;
type Between = (low: number, high: number) => number;

/** A neck of two bones that rises forward, a head with a snout, and two feelers. */
function addNeck(addBone: AddBone, chest: number, root: Vector, girth: number, between: Between): void {
  const length = between(0.16, 0.28);
  const rise = between(0.5, 1.1);
  const along = (from: Vector, distance: number, slope: number): Vector => [
    0,
    from[1] + distance * sineOf(slope),
    from[2] + distance * cosineOf(slope),
  ];
  const base = along(root, 0.4 * girth, rise);
  const middle = along(base, length, rise);
  const top = along(middle, length, rise * 0.8);
  const thin = between(0.4, 0.55) * girth;
  const neck0 = addBone('Neck0', chest, base, middle, [0.75 * girth, thin * 1.15], 0.1, [
    { axis: 'y', middle: 0, amplitude: between(10, 20), lag: 2, beats: 1 },
    { axis: 'x', middle: 0, amplitude: between(4, 10), lag: 1, beats: 2 },
  ]);
  const neck1 = addBone('Neck1', neck0, middle, top, [thin * 1.15, thin], 0.02, [
    { axis: 'y', middle: 0, amplitude: between(10, 20), lag: 3, beats: 1 },
  ]);
  const skull = between(0.55, 0.7) * girth;
  const nose: Vector = [0, top[1] - 0.04, top[2] + skull * 1.9];
  const head = addBone('Head', neck1, top, nose, [skull, 0.5 * skull], 0.06, [
    { axis: 'x', middle: 0, amplitude: between(10, 20), lag: 0.5, beats: 2 },
  ]);
  const feeler = between(0.16, 0.3);
  for (const side of [1, -1]) {
    const from: Vector = [side * 0.45 * skull, top[1] + 0.75 * skull, top[2]];
    const to: Vector = [side * (0.45 * skull + 0.5 * feeler), from[1] + 0.8 * feeler, from[2] - 0.3 * feeler];
    addBone(`Feeler${side > 0 ? 'L' : 'R'}`, head, from, to, [0.052, 0.042], 0.05, [
      { axis: 'z', middle: 0, amplitude: between(15, 30), lag: side, beats: 2 },
    ]);
  }
}

/** Two to five bones that slope down to the back, each with a delay. */
function addTail(addBone: AddBone, hips: number, root: Vector, girth: number, between: Between): void {
  const count = Math.floor(between(2, 5.999));
  const length = between(0.17, 0.25);
  let parent = hips;
  let from: Vector = [0, root[1] + 0.15 * girth, root[2] - 0.55 * girth];
  for (let n = 0; n < count; n++) {
    const slope = 0.15 + 0.18 * n;
    const to: Vector = [0, from[1] - length * sineOf(slope), from[2] - length * cosineOf(slope)];
    const radiusAt = (m: number): number => 0.045 + (0.6 * girth - 0.045) * (1 - m / count) * Math.sqrt(1 - m / count);
    const radii: [number, number] = [radiusAt(n), radiusAt(n + 1)];
    parent = addBone(`Tail${n}`, parent, from, to, radii, n === 0 ? 0.08 : 0.02, [
      { axis: 'y', middle: 0, amplitude: between(18, 28), lag: 1 + 0.9 * n, beats: 1 },
    ]);
    from = to;
  }
}

interface Leg {
  side: number;
  /** Lateral distance of the foot from the hip, metres. */
  stance: number;
  thickness: number;
  swing: number;
  bend: number;
  lag: number;
}

/** Thigh, shank and foot. The knee bends forward between 0 and twice `bend`, at most 60 degrees. */
function addLeg(addBone: AddBone, name: string, spine: number, root: Vector, girth: number, leg: Leg): void {
  const { side, stance, thickness } = leg;
  const hip: Vector = [side * 0.62 * girth, root[1] - 0.25 * girth, root[2]];
  const ankle: Vector = [side * (0.62 * girth + stance), 0.08, root[2] - 0.02];
  const knee: Vector = [side * (0.62 * girth + 0.75 * stance), 0.08 + 0.52 * (hip[1] - 0.08), root[2] + 0.04];
  const toe: Vector = [ankle[0] + side * 0.02, 0.055, ankle[2] + 0.17];
  const thigh = addBone(`${name}Thigh`, spine, hip, knee, [thickness * 1.25, thickness * 0.8], 0.09, [
    { axis: 'x', middle: -leg.bend / 2, amplitude: leg.swing, lag: leg.lag, beats: 1 },
  ]);
  const shank = addBone(`${name}Shank`, thigh, knee, ankle, [thickness * 0.8, thickness * 0.58], 0.015, [
    { axis: 'x', middle: leg.bend, amplitude: leg.bend, lag: leg.lag + 0.5 * Math.PI, beats: 1 },
  ]);
  addBone(`${name}Foot`, shank, ankle, toe, [thickness * 0.62, thickness * 0.6], 0.03, [
    { axis: 'x', middle: -leg.bend / 2, amplitude: leg.bend / 2, lag: leg.lag + 0.5 * Math.PI, beats: 1 },
  ]);
}
