// SPDX-License-Identifier: MIT
// Motions of one rig on another. Let W(k) be the world rotation of a joint of the source in frame k, W0 at rest, V and V0 those of its pair in the target, F the turn about the vertical from the source's front to the target's, and A the
// alignment of the target's rest pose with the source's (align-rests.ts). Then
//   V(k) = F W(k) W0⁻¹ F⁻¹ A V0
// since the rotation since rest is the same in both, once the target stands as the source does at rest. The hips move as s F (p(k) − o) + q with s the ratio of the lengths of legs, o and q the places on the ground below the hips at
// rest. Feet that stand are held in their place (hold-feet.ts), and hands stay out of the body (keep-arms-out.ts). Joints that the source does not have keep their rest relative to their parent.
import { conjugateQuaternion, multiplyQuaternions } from '../../core/math/quaternion.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import { InputError } from '../../core/model/errors.ts';
import { listFrameTimes } from '../../deformers/playback/index.ts';
import { alignRests } from './align-rests.ts';
import { bendLimb } from './bend-limb.ts';
import { findPlants } from './find-plants.ts';
import { type FootGoals, type Leg, listLegs, planFoot } from './hold-feet.ts';
import { ArmGuard } from './keep-arms-out.ts';
import { type JointPair, matchBodies } from './match-bodies.ts';
import { PoseTracks } from './pose-tracks.ts';
import { makeRestRig, type RestRig, type RetargetRig } from './rest-rig.ts';
import { type SampledMotion, sampleSource } from './sample-source.ts';
import { TargetPose } from './target-pose.ts';
import { plus, rotateInto, type Vector, yawBetween } from './vectors.ts';

export interface RetargetOptions {
  /** Feet that stand in the source stand in the target. Default: true. */
  holdFeet?: boolean;
}

export interface RetargetResult {
  animations: Animation[];
  /** Pairs of joints. */
  pairs: readonly JointPair[];
  /** Ratio of the lengths of legs. */
  scale: number;
  /** Intervals in which a foot stands, over all animations. */
  plantCount: number;
  /** Largest distance of a contact point from the middle of its interval, relative to the length of a leg. */
  slide: number;
}

/** Pairs below which two rigs have too little in common. */
const MIN_PAIRS = 4;

/**
 * Moves animations from one rig to another by the labels of their joints. Throws an InputError if they have too little in common.
 */
export function retarget(
  from: RetargetRig,
  animations: readonly Animation[],
  to: RetargetRig,
  options: RetargetOptions = {},
): RetargetResult {
  const [source, target] = [makeRestRig(from), makeRestRig(to)];
  const pairs = matchBodies(source, target);
  const hips = [source, target].map((rig) => rig.slots.get('hips')?.[0]);
  const [sourceHips, targetHips] = hips;
  if (pairs.length < MIN_PAIRS || sourceHips === undefined || targetHips === undefined)
    throw new InputError(
      'retarget',
      `the rigs have ${pairs.length} joints of a body in common, including the hips; at least ${MIN_PAIRS} are needed`,
    );
  const transfer = new Transfer(source, target, pairs, { source: sourceHips, target: targetHips });
  const made = animations.map((animation) => transfer.run(animation, options.holdFeet !== false));
  return {
    animations: made.map(({ animation }) => animation),
    pairs,
    scale: transfer.scale,
    plantCount: made.reduce((sum, one) => sum + one.plantCount, 0),
    slide: made.reduce((most, one) => Math.max(most, one.slide), 0),
  };
}

class Transfer {
  readonly scale: number;
  readonly #source: RestRig;
  readonly #target: RestRig;
  readonly #pairs: readonly JointPair[];
  readonly #hips: { source: number; target: number };
  readonly #facing: Float64Array;
  /** pairCount x 4: F W0⁻¹ goes in between; these are W0⁻¹ F⁻¹ A V0 */
  readonly #rest: Float64Array;
  readonly #legs: readonly Leg[];
  readonly #pose: TargetPose;
  readonly #guard: ArmGuard;
  readonly #isQuadruped: boolean;

  constructor(source: RestRig, target: RestRig, pairs: readonly JointPair[], hips: { source: number; target: number }) {
    this.#source = source;
    this.#target = target;
    this.#pairs = pairs;
    this.#hips = hips;
    this.scale = source.legLength > 0 && target.legLength > 0 ? target.legLength / source.legLength : 1;
    this.#facing = yawBetween(source.front, target.front);
    this.#rest = restOf(source, target, pairs, this.#facing);
    this.#isQuadruped = isQuadruped(target);
    this.#legs = listLegs(source, target, this.#isQuadruped);
    this.#guard = new ArmGuard(source, target);
    this.#pose = new TargetPose(
      target,
      pairs.map(({ to }) => to),
      hips.target,
    );
  }

  run(animation: Animation, holdsFeet: boolean): { animation: Animation; plantCount: number; slide: number } {
    const times = listFrameTimes(animation);
    const motion = sampleSource(this.#source, animation, times);
    const floor = this.#floorOf(motion);
    const tracks = new PoseTracks(this.#target, this.#pairs, this.#pose.moved, times);
    const plants = this.#legs.map(({ from }) => findPlants(pointOf(motion, from), times, this.#source.legLength || 1));
    const goals = holdsFeet ? this.#planFeet(motion, floor, plants) : undefined;
    const drops = goals ? this.#planDrops(motion, floor, goals) : new Float64Array(times.length);
    const contacts = this.#legs.map(() => new Float64Array(3 * times.length));
    for (let k = 0; k < times.length; k++) {
      this.#play(motion, floor, k, drops[k]);
      if (goals) this.#bendLegs(goals, k, drops[k]);
      if (!this.#isQuadruped) this.#guard.apply(this.#pose, placesAt(motion, k));
      this.#legs.forEach(({ contact }, n) => {
        contacts[n].set(this.#pose.places.subarray(3 * contact, 3 * contact + 3), 3 * k);
      });
      tracks.add(this.#pose, k);
    }
    const slides = contacts.flatMap((points, n) => plants[n].map(({ first, last }) => slideOf(points, first, last)));
    return {
      animation: {
        name: animation.name,
        duration: times.length > 0 ? times[times.length - 1] : 0,
        tracks: tracks.finish(),
      },
      plantCount: plants.reduce((sum, list) => sum + list.length, 0),
      slide: Math.max(0, ...slides) / (this.#target.legLength || 1),
    };
  }

  /** The plain transfer of a frame, the hips lowered. */
  #play(motion: SampledMotion, floor: number, k: number, drop: number): void {
    const { turns, places } = motion;
    const count = this.#source.nodes.names.length;
    const turn = new Float64Array(4);
    this.#pairs.forEach(({ from, to }, p) => {
      multiplyQuaternions(this.#facing, turns, turn, 0, 4 * (k * count + from));
      multiplyQuaternions(turn, this.#rest, turn, 0, 4 * p);
      this.#pose.turn(to, turn);
    });
    const o = 3 * (k * count + this.#hips.source);
    const rest = this.#source.places.subarray(3 * this.#hips.source, 3 * this.#hips.source + 3);
    const own = this.#target.places.subarray(3 * this.#hips.target, 3 * this.#hips.target + 3);
    const way: Vector = [0, 0, 0];
    rotateInto(this.#facing, [places[o] - rest[0], 0, places[o + 2] - rest[2]], way);
    const height = this.scale * (places[o + 1] - floor);
    this.#pose.placeHips([own[0] + this.scale * way[0], this.#ground + height - drop, own[2] + this.scale * way[2]]);
    this.#pose.update();
  }

  get #ground(): number {
    return (
      this.#target.ground ??
      groundOfFeet(
        this.#target,
        this.#legs.map(({ contact }) => contact),
      )
    );
  }

  /** Height of the ground that the source stands on: by its skin at rest, else where its feet are lowest, below which they have the height that they have at rest. */
  #floorOf(motion: SampledMotion): number {
    const { ground } = this.#source;
    if (ground !== undefined) return ground;
    const count = this.#source.nodes.names.length;
    const lows = this.#legs.flatMap(({ from }) =>
      Array.from({ length: motion.times.length }, (_, k) => motion.places[3 * (k * count + from) + 1]),
    );
    if (lows.length === 0) return 0;
    const sorted = Float64Array.from(lows).sort();
    const low = sorted[Math.floor(sorted.length * LOWEST)];
    const rest = this.#legs[0] ? this.#contactHeight(this.#legs[0]) / this.scale : 0;
    return low - rest;
  }

  /** Height of a contact point of the target above the ground at rest. */
  #contactHeight({ contact }: Leg): number {
    return Math.max(0, this.#target.places[3 * contact + 1] - this.#ground);
  }

  #planFeet(
    motion: SampledMotion,
    floor: number,
    plants: readonly (readonly { first: number; last: number }[])[],
  ): FootGoals[] {
    const { times } = motion;
    const plain = this.#legs.map(() => new Float64Array(3 * times.length));
    for (let k = 0; k < times.length; k++) {
      this.#play(motion, floor, k, 0);
      this.#legs.forEach(({ contact }, n) => {
        plain[n].set(this.#pose.places.subarray(3 * contact, 3 * contact + 3), 3 * k);
      });
    }
    const count = this.#source.nodes.names.length;
    return this.#legs.map((leg, n) => {
      const rest = this.#contactHeight(leg);
      const lows = plants[n].map(({ first, last }) => lowestOf(motion, leg.from, count, first, last));
      const stand = Math.min(...lows);
      const heights = Float64Array.from(times, (_, k) => {
        const above = motion.places[3 * (k * count + leg.from) + 1] - stand;
        return this.#ground + rest + this.scale * Math.max(0, above);
      });
      return planFoot(plain[n], heights, plants[n], times);
    });
  }

  /** How far the hips come down in each frame so that standing feet are in reach. */
  #planDrops(motion: SampledMotion, floor: number, goals: readonly FootGoals[]): Float64Array {
    const { times } = motion;
    const drops = new Float64Array(times.length);
    for (let k = 0; k < times.length; k++) {
      this.#play(motion, floor, k, 0);
      this.#legs.forEach((leg, n) => {
        if (goals[n].stands[k]) drops[k] = Math.max(drops[k], this.#missingReach(leg, goals[n], k));
      });
    }
    return spread(drops, times);
  }

  #missingReach({ upper, middle, end }: Leg, { shift }: FootGoals, k: number): number {
    const { places } = this.#pose;
    const at = (node: number): Vector => [places[3 * node], places[3 * node + 1], places[3 * node + 2]];
    const [a, b, c] = [at(upper), at(middle), at(end)];
    const reach =
      REACH * (Math.hypot(...[0, 1, 2].map((r) => b[r] - a[r])) + Math.hypot(...[0, 1, 2].map((r) => c[r] - b[r])));
    const goal = plus(c, shift.subarray(3 * k, 3 * k + 3));
    const away = Math.hypot(goal[0] - a[0], goal[2] - a[2]);
    if (away > reach) return 0;
    return Math.max(0, a[1] - goal[1] - Math.sqrt(reach * reach - away * away));
  }

  #bendLegs(goals: readonly FootGoals[], k: number, drop: number): void {
    const pose = this.#pose;
    const pole: Vector = [this.#target.front[0], 0, this.#target.front[2]];
    this.#legs.forEach((leg, n) => {
      const { upper, middle, end, contact } = leg;
      const at = (node: number): Vector => [
        pose.places[3 * node],
        pose.places[3 * node + 1],
        pose.places[3 * node + 2],
      ];
      const { shift, stands } = goals[n];
      const move: Vector = [shift[3 * k], shift[3 * k + 1] + drop, shift[3 * k + 2]];
      // a foot in the air does not go below the ground
      const low = this.#ground + this.#contactHeight(leg) - (at(contact)[1] + move[1]);
      if (!stands[k] && low > 0) move[1] += low;
      if (Math.hypot(...move) < STILL * (this.#target.legLength || 1)) return;
      const [a, b, c] = [at(upper), at(middle), at(end)];
      const bend = bendLimb(a, b, c, plus(c, move), leg.slots[0].startsWith('thigh') ? pole : [-pole[0], 0, -pole[2]]);
      if (!bend) return;
      const turned = new Float64Array(4);
      multiplyQuaternions(bend.upper, pose.turnOf(upper), turned);
      pose.turn(upper, turned);
      multiplyQuaternions(bend.middle, pose.turnOf(middle), turned);
      pose.turn(middle, turned);
    });
    pose.update();
  }
}

/** Share of the heights of feet below the ground of a source without a skin. */
const LOWEST = 0.05;
/** Length of a leg relative to its bones, up to which hips do not come down. */
const REACH = 0.998;
/** Corrections below this, relative to the leg, are left out. */
const STILL = 1e-5;
/** Seconds over which a drop of the hips is spread. */
const SPREAD = 0.15;

function restOf(source: RestRig, target: RestRig, pairs: readonly JointPair[], facing: Float64Array): Float64Array {
  const aligned = alignRests(source, target, pairs, facing);
  const back = new Float64Array(4);
  conjugateQuaternion(facing, back);
  const out = new Float64Array(4 * pairs.length);
  pairs.forEach(({ from, to }, p) => {
    conjugateQuaternion(source.turns, out, 4 * from, 4 * p);
    multiplyQuaternions(out, back, out, 4 * p, 0, 4 * p);
    multiplyQuaternions(out, aligned, out, 4 * p, 4 * p, 4 * p);
    multiplyQuaternions(out, target.turns, out, 4 * p, 4 * to, 4 * p);
  });
  return out;
}

/** Whether the hands of a rig are near the ground relative to its hips. */
function isQuadruped({ slots, places, ground }: RestRig): boolean {
  const [hand, hips] = [slots.get('hand.left') ?? slots.get('lowerArm.left'), slots.get('hips')];
  const foot = slots.get('foot.left') ?? slots.get('shin.left');
  if (!hand || !hips || !foot) return false;
  const floor = ground ?? places[3 * foot[0] + 1];
  return places[3 * hand[0] + 1] - floor < FRONT_LEG * (places[3 * hips[0] + 1] - floor);
}

const FRONT_LEG = 0.5;

function groundOfFeet({ places }: RestRig, contacts: readonly number[]): number {
  return contacts.length > 0 ? Math.min(...contacts.map((node) => places[3 * node + 1])) : 0;
}

function pointOf({ places, times, turns }: SampledMotion, node: number): Float64Array {
  const count = turns.length / (4 * times.length);
  const out = new Float64Array(3 * times.length);
  for (let k = 0; k < times.length; k++)
    out.set(places.subarray(3 * (k * count + node), 3 * (k * count + node) + 3), 3 * k);
  return out;
}

/** nodeCount x 3: places of the source in a frame */
function placesAt({ places, times }: SampledMotion, k: number): Float64Array {
  const size = places.length / times.length;
  return places.subarray(k * size, (k + 1) * size);
}

function lowestOf({ places }: SampledMotion, node: number, count: number, first: number, last: number): number {
  let low = Infinity;
  for (let k = first; k <= last; k++) low = Math.min(low, places[3 * (k * count + node) + 1]);
  return low;
}

/** Largest horizontal distance from the middle of an interval. */
function slideOf(points: Float64Array, first: number, last: number): number {
  const n = last - first + 1;
  let [x, z] = [0, 0];
  for (let k = first; k <= last; k++) {
    x += points[3 * k] / n;
    z += points[3 * k + 2] / n;
  }
  let most = 0;
  for (let k = first; k <= last; k++) most = Math.max(most, Math.hypot(points[3 * k] - x, points[3 * k + 2] - z));
  return most;
}

/** The largest drop of a window, then the mean of a window: smooth, and nowhere less than needed by much. */
function spread(drops: Float64Array, times: ArrayLike<number>): Float64Array {
  const step = times.length > 1 ? (times[times.length - 1] - times[0]) / (times.length - 1) : 1;
  const half = Math.max(1, Math.round(SPREAD / (step || 1)));
  const over = (list: Float64Array, take: (window: Float64Array) => number): Float64Array =>
    list.map((_, k) => take(list.subarray(Math.max(0, k - half), k + half + 1)));
  const most = over(drops, (window) => window.reduce((a, b) => Math.max(a, b), 0));
  return over(most, (window) => window.reduce((a, b) => a + b, 0) / window.length);
}
