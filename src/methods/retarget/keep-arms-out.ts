// SPDX-License-Identifier: MIT
// Hands that come into the body of a wider character. The trunk is a chain of capsules from joint to joint, with the radius of the skin at rest. Let c be the distance of a wrist from the nearest capsule in the source, scaled by the length
// of the arm, and c' that in the target. Where c' is below both c and a tenth of the arm, the wrist moves away from the axis of the capsule by min(c, 0.1 arm) − c', and the arm bends (bend-limb.ts). The hand keeps its rotation.
import { multiplyQuaternions } from '../../core/math/quaternion.ts';
import { bendLimb } from './bend-limb.ts';
import { distance, type RestRig } from './rest-rig.ts';
import type { TargetPose } from './target-pose.ts';
import { dot, lengthOf, minus, plus, unitOf, type Vector } from './vectors.ts';

/** Distance from which on hands are left alone, relative to the arm. */
const NEAR = 0.1;

interface Capsule {
  from: number;
  to: number;
  radius: number;
}

interface Arm {
  upper: number;
  lower: number;
  hand: number;
  length: number;
}

/** The trunk and the arms of a rig. */
interface Body {
  capsules: readonly Capsule[];
  arms: readonly (Arm | undefined)[];
}

export class ArmGuard {
  readonly #source: Body;
  readonly #target: Body;
  readonly #front: Vector;

  constructor(source: RestRig, target: RestRig) {
    this.#target = bodyOf(target);
    const own = bodyOf(source);
    // a source without a skin has a trunk of the same build
    const scale = ratio(own, this.#target);
    const radius = mean(this.#target.capsules.map((one) => one.radius)) / scale;
    this.#source = { ...own, capsules: own.capsules.map((one) => (one.radius > 0 ? one : { ...one, radius })) };
    this.#front = [target.front[0], target.front[1], target.front[2]];
  }

  /** Bends the arms of the target in a frame. @param places nodeCount x 3 of the source in it */
  apply(pose: TargetPose, places: Float64Array): void {
    let isChanged = false;
    this.#target.arms.forEach((arm, side) => {
      const own = this.#source.arms[side];
      if (!arm || !own) return;
      const scale = arm.length / own.length;
      const there = clearance(places, this.#source.capsules, own.hand);
      const here = clearance(pose.places, this.#target.capsules, arm.hand);
      if (!there || !here) return;
      const wanted = Math.min(scale * there.distance, NEAR * arm.length);
      if (here.distance >= wanted) return;
      isChanged = this.#push(pose, arm, plus(here.point, here.away, wanted - here.distance)) || isChanged;
    });
    if (isChanged) pose.update();
  }

  #push(pose: TargetPose, { upper, lower, hand }: Arm, goal: Vector): boolean {
    const at = (node: number): Vector => [pose.places[3 * node], pose.places[3 * node + 1], pose.places[3 * node + 2]];
    const back: Vector = [-this.#front[0], 0, -this.#front[2]];
    const bend = bendLimb(at(upper), at(lower), at(hand), goal, back);
    if (!bend) return false;
    const turned = new Float64Array(4);
    multiplyQuaternions(bend.upper, pose.turnOf(upper), turned);
    pose.turn(upper, turned);
    multiplyQuaternions(bend.middle, pose.turnOf(lower), turned);
    pose.turn(lower, turned);
    return true;
  }
}

function bodyOf(rig: RestRig): Body {
  const { slots, places, radii } = rig;
  const trunk = [...(slots.get('hips') ?? []), ...(slots.get('spine') ?? []), ...(slots.get('neck') ?? []).slice(0, 1)];
  const capsules = trunk.slice(0, -1).map((from, n) => ({ from, to: trunk[n + 1], radius: radii?.get(from) ?? 0 }));
  const arms = ['left', 'right'].map((side): Arm | undefined => {
    const [upper, lower, hand] = ['upperArm', 'lowerArm', 'hand'].map((part) => slots.get(`${part}.${side}`)?.[0]);
    if (upper === undefined || lower === undefined || hand === undefined) return undefined;
    return { upper, lower, hand, length: distance(places, upper, lower) + distance(places, lower, hand) };
  });
  return { capsules, arms };
}

const mean = (list: readonly number[]): number => list.reduce((sum, x) => sum + x, 0) / (list.length || 1);

function ratio(a: Body, b: Body): number {
  const lengthOfArms = ({ arms }: Body): number => mean(arms.flatMap((arm) => (arm ? [arm.length] : [])));
  return lengthOfArms(b) / (lengthOfArms(a) || 1) || 1;
}

interface Clearance {
  /** Place of the joint. */
  point: Vector;
  /** From the axis to the joint. */
  away: Vector;
  /** Negative inside. */
  distance: number;
}

/** Distance of a joint from the nearest capsule. */
function clearance(places: Float64Array, capsules: readonly Capsule[], joint: number): Clearance | undefined {
  const at = (node: number): Vector => [places[3 * node], places[3 * node + 1], places[3 * node + 2]];
  const point = at(joint);
  let best: Clearance | undefined;
  for (const { from, to, radius } of capsules) {
    const [a, b] = [at(from), at(to)];
    const line = minus(b, a);
    const t = Math.min(1, Math.max(0, dot(minus(point, a), line) / (dot(line, line) || 1)));
    const way = minus(point, plus(a, line, t));
    const away = unitOf(way);
    const found = lengthOf(way) - radius;
    if (away && (!best || found < best.distance)) best = { point, away, distance: found };
  }
  return best;
}
