// SPDX-License-Identifier: MIT
// Rest poses made alike. Let d be the direction of a bone of the target at rest, e that of its pair in the source, turned by F to the target's front. The alignment of a limb's bones follows the limb from the body on:
//   A(upper) = swing(d → e),   A(next) = swing(A(previous) d → e) A(previous)
// so that an arm turns as a whole from A-pose to T-pose and a hand keeps its palm. A limb is aligned only if its upper or its lower bone differs by more than 15°: smaller differences are those of bodies in one pose. Measured
// against clips that both rigs have (Michelle and Samba Dancing.fbx, one dance): 2.9° without, 4.9° with alignment of small differences. Fingers follow the hand. The trunk, the clavicles and what has no direction keep A = 1 or that of the joint above: a spine of another shape is anatomy, not pose. Feet
// turn about the vertical alone, since both soles are flat at rest.
import { multiplyQuaternions } from '../../core/math/quaternion.ts';
import type { JointPair } from './match-bodies.ts';
import { nextJoint, type RestRig } from './rest-rig.ts';
import { dot, minus, rotateInto, swingBetween, unitOf, type Vector, yawBetween } from './vectors.ts';

/** Parts that are aligned, and the part above whose alignment they begin with. */
const ABOVE: Readonly<Record<string, string | undefined>> = {
  upperArm: '',
  lowerArm: 'upperArm',
  hand: 'lowerArm',
  thigh: '',
  shin: 'thigh',
};

/** Fingers take the alignment of the hand. */
const FINGER = /^(thumb|index|middle|ring|little)$/;
/** Cosine of the angle from which on two limbs are in another pose. */
const OTHER_POSE = Math.cos(Math.PI / 12);

/**
 * The alignment of each pair: count x 4 quaternions.
 * @param facing F, x y z w
 */
export function alignRests(
  source: RestRig,
  target: RestRig,
  pairs: readonly JointPair[],
  facing: Float64Array,
): Float64Array {
  const out = new Float64Array(4 * pairs.length);
  const lastOf = new Map<string, number>();
  const others = new Set(pairs.filter((pair) => differs(source, target, pair, facing)).map(({ slot }) => slot));
  const isOther = (part: string, side: string): boolean =>
    (LIMBS.find((limb) => limb.includes(part)) ?? []).some((one) => others.has(`${one}.${side}`));
  const sorted = pairs.map((pair, p) => ({ pair, p })).sort((a, b) => rankOf(a.pair) - rankOf(b.pair));
  for (const { pair, p } of sorted) {
    const [part, side = '', chain] = pair.slot.split('.');
    const start = lastOf.get(pair.slot) ?? lastOf.get(`${ABOVE[part] ?? ''}.${side}`);
    if (start !== undefined && part in ABOVE) out.set(out.subarray(4 * start, 4 * start + 4), 4 * p);
    else out.set([0, 0, 0, 1], 4 * p);
    lastOf.set(pair.slot, p);
    if (part === 'foot') out.set(footTurn(source, target, pair, facing), 4 * p);
    const foot = lastOf.get(`foot.${side}`);
    if (part === 'toes' && !chain && foot !== undefined) out.set(out.subarray(4 * foot, 4 * foot + 4), 4 * p);
    const hand = lastOf.get(`hand.${side}`) ?? lastOf.get(`lowerArm.${side}`);
    if (FINGER.test(part) && hand !== undefined) out.set(out.subarray(4 * hand, 4 * hand + 4), 4 * p);
    if (!(part in ABOVE) || !isOther(part, side)) continue;
    const [d, e] = [directionOf(target, pair.to), directionOf(source, pair.from)];
    if (!d || !e) continue;
    rotateInto(facing, e, e);
    rotateInto(out, d, d, 4 * p);
    multiplyQuaternions(swingBetween(d, e), out, out, 0, 4 * p, 4 * p);
  }
  return out;
}

/** Joints nearer to the body first. */
function rankOf({ slot, to }: JointPair): number {
  const order = ['upperArm', 'lowerArm', 'hand', 'thigh', 'shin', 'foot'];
  const place = order.indexOf(slot.split('.')[0]);
  return (place < 0 ? order.length : place) * 1e6 + to;
}

const LIMBS = [
  ['upperArm', 'lowerArm', 'hand'],
  ['thigh', 'shin'],
];

/** Whether a long bone of a limb points elsewhere. */
function differs(source: RestRig, target: RestRig, { from, to, slot }: JointPair, facing: Float64Array): boolean {
  if (!/^(upperArm|lowerArm|thigh|shin)\./.test(slot)) return false;
  const [d, e] = [directionOf(target, to), directionOf(source, from)];
  if (!d || !e) return false;
  rotateInto(facing, e, e);
  return dot(d, e) < OTHER_POSE;
}

function directionOf(rig: RestRig, node: number): Vector | undefined {
  const next = nextJoint(rig, node);
  if (next === undefined) return undefined;
  return unitOf(minus(rig.places.subarray(3 * next, 3 * next + 3), rig.places.subarray(3 * node, 3 * node + 3)));
}

/** Steeper feet have no heading. */
const STEEP = 0.3;

function footTurn(source: RestRig, target: RestRig, { from, to }: JointPair, facing: Float64Array): Float64Array {
  const [d, e] = [directionOf(target, to), directionOf(source, from)];
  const none = Float64Array.of(0, 0, 0, 1);
  if (!d || !e || Math.hypot(d[0], d[2]) < STEEP || Math.hypot(e[0], e[2]) < STEEP) return none;
  rotateInto(facing, e, e);
  return yawBetween(d, e);
}
