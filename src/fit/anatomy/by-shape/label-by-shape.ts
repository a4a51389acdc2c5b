// SPDX-License-Identifier: MIT
// Labels of a rig without a look at its names: which limbs reach the ground, what hangs on what, and where the skin is. Sides need a front, which find-front.ts decides.
import type { BodyKind, BodyPart, JointLabel, Side } from '../anatomy.ts';
import type { RigShape } from '../rig-shape.ts';
import { attachOf, type BodyPlan, isNearer, pathBetween, planBody } from './body-plan.ts';
import type { BodyTree } from './body-tree.ts';
import { labelFingers } from './label-fingers.ts';
import { chainOfLimb, splitArm, splitLeg } from './limb-chain.ts';
import { type Limb, type LimbPair, listBelowOf } from './list-limbs.ts';

export interface ShapeLabels {
  kind: BodyKind;
  /** Sides are those of a character whose left is at the positive side of the axis. */
  labels: (JointLabel | undefined)[];
  /** The axis across the plane of symmetry. */
  axis: 0 | 2;
  plan: BodyPlan;
  /** Whether a biped has arms. */
  hasArms: boolean;
}

/** Share of the volume beyond the chest that the head has with what hangs on it. */
const HEAD = 0.3;
/** Length of a branch at the hips, relative to the size, from which on it is a tail. */
const TAIL = 0.08;
/** Second smallest by smallest extent of a limb's skin, from which on it is a wing. */
const FLAT = 4;

export function labelByShape(shape: RigShape): ShapeLabels | undefined {
  const plan = planBody(shape);
  return plan && new ShapeLabeler(plan).run();
}

class ShapeLabeler {
  readonly #plan: BodyPlan;
  readonly #tree: BodyTree;
  readonly #labels: (JointLabel | undefined)[];
  readonly #used = new Set<LimbPair>();
  #hasArms = false;

  constructor(plan: BodyPlan) {
    this.#plan = plan;
    this.#tree = plan.tree;
    this.#labels = plan.tree.shape.names.map(() => undefined);
  }

  run(): ShapeLabels {
    const { kind, legs, mirror } = this.#plan;
    for (const pair of legs) this.#used.add(pair);
    if (kind === 'biped') this.#labelBiped();
    else if (kind === 'quadruped') this.#labelQuadruped();
    else this.#labelOther();
    this.#labelPairs();
    return { kind, labels: this.#labels, axis: mirror.axis, plan: this.#plan, hasArms: this.#hasArms };
  }

  #put(bone: number, part: BodyPart, side?: Side, chain = 0, order = 0): void {
    this.#labels[bone] ??= { part, ...(side ? { side } : {}), chain, order };
  }

  #labelBiped(): void {
    const tree = this.#tree;
    const { legs, limbs } = this.#plan;
    this.#put(tree.root, 'hips');
    this.#labelLegs(legs[0], 'thigh');
    const arms = limbs.pairs
      .filter((pair) => pair !== legs[0] && pair.center[1] > legs[0].center[1] && pair.low > legs[0].low)
      .filter(({ plus, minus }) => Math.min(plus.bones.length, minus.bones.length) > 1)
      .sort((a, b) => b.mass - a.mass)[0];
    const chest = arms ? attachOf(tree, arms) : this.#highestEnd();
    const path = pathBetween(tree, tree.root, chest);
    if (arms) {
      this.#hasArms = true;
      this.#used.add(arms);
      this.#labelArms(arms);
      this.#labelSpine(path.slice(1));
      this.#labelHead(path);
    } else this.#labelHead([tree.root]);
    this.#labelTail(path);
  }

  #labelQuadruped(): void {
    const tree = this.#tree;
    const { legs, chest = tree.root } = this.#plan;
    const path = pathBetween(tree, tree.root, chest);
    this.#put(tree.root, 'hips');
    this.#labelLegs(legs[0], 'thigh');
    this.#labelLegs(legs[1], 'upperArm');
    this.#labelSpine(path.slice(1));
    this.#labelHead(path);
    this.#labelTail(path);
    this.#hasArms = true;
  }

  /** An insect, or a body without legs: the trunk from end to end, the heavier end in front. */
  #labelOther(): void {
    const tree = this.#tree;
    const { legs } = this.#plan;
    legs.forEach((pair, chain) => {
      for (const [limb, side] of sidesOf(pair))
        chainOfLimb(tree, limb.top).forEach((bone, order) => {
          this.#put(bone, 'leg', side, chain, order);
        });
    });
    this.#put(tree.root, 'hips');
    this.#labelHead([tree.root]);
    this.#labelTail([tree.root]);
  }

  /** A bone without children, of the trunk: the highest. */
  #highestEnd(): number {
    const tree = this.#tree;
    const { isTrunk } = this.#plan.limbs;
    const { centers } = tree.shape;
    return tree.order
      .filter((j) => isTrunk[j])
      .reduce((best, j) => (centers[3 * j + 1] > centers[3 * best + 1] ? j : best), tree.root);
  }

  #labelSpine(bones: readonly number[]): void {
    bones.forEach((bone, order) => {
      this.#put(bone, 'spine', undefined, 0, order);
    });
  }

  /** The branch of the trunk beyond the chest: neck, head and jaw. */
  #labelHead(path: readonly number[]): void {
    const chest = path[path.length - 1];
    const { kind, legs } = this.#plan;
    const isAhead = (j: number): boolean =>
      kind !== 'quadruped' || path.length > 1 || isNearer(this.#tree, j, legs[1], legs[0]);
    const branches = this.#trunkBelow(chest).filter((j) => !path.includes(j) && isAhead(j));
    const [first] = branches.sort((a, b) => this.#headScore(b, chest) - this.#headScore(a, chest));
    if (first === undefined) return;
    if ((kind === 'insect' || kind === 'none') && branches.length < 2) {
      this.#labelSpine(this.#mainChain(first));
      return;
    }
    const chain = this.#mainChain(first);
    const whole = this.#volumeBelow(first);
    const lasts = chain.filter((bone) => this.#volumeBelow(bone) >= HEAD * whole);
    const head = lasts[lasts.length - 1];
    const place = chain.indexOf(head);
    chain.slice(0, place).forEach((bone, order) => {
      this.#put(bone, 'neck', undefined, 0, order);
    });
    this.#put(head, 'head');
    this.#labelFace(first, head);
  }

  /** Bones behind the head: the jaw; and pairs of ears there and on the neck. */
  #labelFace(neck: number, head: number): void {
    this.#trunkBelow(head).forEach((jaw, chain) => {
      this.#mainChain(jaw).forEach((bone, order) => {
        this.#put(bone, 'jaw', undefined, chain, order);
      });
    });
    const face = new Set(listBelowOf(this.#tree, neck));
    let chain = 0;
    for (const pair of this.#plan.limbs.pairs) {
      if (this.#used.has(pair) || !face.has(pair.plus.on)) continue;
      this.#used.add(pair);
      const isEye = [pair.plus, pair.minus].every((limb) => isInside(this.#tree.shape, limb, head));
      for (const [limb, side] of sidesOf(pair))
        chainOfLimb(this.#tree, limb.top).forEach((bone, order) => {
          this.#put(bone, isEye ? 'eye' : 'ear', side, isEye ? 0 : chain, order);
        });
      if (!isEye) chain++;
    }
  }

  /** How much a branch of the trunk is a head: by volume and height; a branch of an insect also by its distance to the front. */
  #headScore(bone: number, from: number): number {
    const { shape } = this.#tree;
    const bones = listBelowOf(this.#tree, bone);
    const volume = bones.reduce((sum, j) => sum + shape.masses[j] ** 1.5, 0) / (this.#volumeBelow(from) || 1);
    const top = bones.reduce((high, j) => Math.max(high, shape.boxes[6 * j + 4]), -Infinity);
    const pairs = this.#plan.limbs.pairs.filter(({ plus }) => bones.includes(plus.on) && !this.#isLeg(plus)).length;
    const height = (top - shape.box[1]) / (shape.box[4] - shape.box[1] || 1);
    const chain = this.#mainChain(bone);
    const end = chain.slice(-2).reduce((sum, j) => sum + shape.masses[j] ** 1.5, 0) / (this.#volumeBelow(from) || 1);
    return this.#plan.kind === 'biped' ? volume + 2 * height + pairs / 2 : 2 * end + height / 2 + pairs / 2;
  }

  #isLeg(limb: Limb): boolean {
    return this.#plan.legs.some(({ plus, minus }) => plus === limb || minus === limb);
  }

  /** Branches of the trunk off the path from hips to chest: those in its first half are tails if they are long, others are limbs of no name. */
  #labelTail(path: readonly number[]): void {
    const { shape, joints } = this.#tree;
    let chain = 0;
    path.forEach((on, n) => {
      if (n > (path.length - 1) / 2) return;
      for (const first of this.#trunkBelow(on)) {
        if (path.includes(first) || this.#labels[first]) continue;
        const bones = this.#mainChain(first);
        const start = joints.subarray(3 * first, 3 * first + 3);
        const reach = Math.max(...bones.map((j) => farthestOf(shape, j, start)));
        const away = Math.max(...bones.map((j) => distanceTo(shape.centers, j, start)));
        // a single bone may be the pelvis of a rig whose legs hang on the spine
        if (bones.length > 1 ? reach < TAIL * shape.size : away < TAIL * shape.size) continue;
        bones.forEach((bone, order) => {
          this.#put(bone, 'tail', undefined, chain, order);
        });
        chain++;
      }
    });
  }

  #labelLegs(pair: LimbPair, upper: 'thigh' | 'upperArm'): void {
    const parts: readonly BodyPart[] = upper === 'thigh' ? ['thigh', 'shin', 'foot'] : ['upperArm', 'lowerArm', 'hand'];
    for (const [limb, side] of sidesOf(pair)) {
      const { before, chain } = (upper === 'thigh' ? splitLeg : splitArm)(this.#tree, limb.top);
      if (upper === 'upperArm')
        before.forEach((bone, order) => {
          this.#put(bone, 'clavicle', side, 0, order);
        });
      chain.forEach((bone, n) => {
        if (n < parts.length) this.#put(bone, parts[n], side);
        else this.#put(bone, 'toes', side, upper === 'thigh' ? 0 : 1, n - parts.length);
      });
    }
  }

  #labelArms(pair: LimbPair): void {
    const isWing = [pair.plus, pair.minus].every((limb) => flatnessOf(this.#tree.shape, limb) > FLAT);
    for (const [limb, side] of sidesOf(pair)) {
      if (isWing) {
        chainOfLimb(this.#tree, limb.top).forEach((bone, order) => {
          this.#put(bone, 'wing', side, 0, order);
        });
        continue;
      }
      const { before, chain } = splitArm(this.#tree, limb.top);
      before.forEach((bone, order) => {
        this.#put(bone, 'clavicle', side, 0, order);
      });
      const parts = ['upperArm', 'lowerArm', 'hand'] as const;
      chain.slice(0, 3).forEach((bone, n) => {
        this.#put(bone, parts[n], side);
      });
      if (chain.length > 2)
        labelFingers(this.#tree, chain[2], (bone, part, order) => this.#put(bone, part, side, 0, order));
    }
    if (isWing) this.#hasArms = false;
  }

  /** Pairs that are left: wings of bodies with legs, fins of others. */
  #labelPairs(): void {
    const { kind, limbs } = this.#plan;
    const counts = { wing: 0, fin: 0, limb: 0 };
    for (const pair of limbs.pairs) {
      if (this.#used.has(pair)) continue;
      const isFlat = [pair.plus, pair.minus].every((limb) => flatnessOf(this.#tree.shape, limb) > FLAT);
      const part = kind === 'none' ? 'fin' : isFlat ? 'wing' : 'limb';
      const chain = counts[part]++;
      for (const [limb, side] of sidesOf(pair))
        chainOfLimb(this.#tree, limb.top).forEach((bone, order) => {
          this.#put(bone, part, side, chain, order);
        });
    }
  }

  #trunkBelow(bone: number): number[] {
    return this.#tree.children[bone].filter((j) => this.#plan.limbs.isTrunk[j]);
  }

  /** From a bone on, the child with the largest volume below it. */
  #mainChain(first: number): number[] {
    const chain = [first];
    for (let next = this.#heaviestBelow(first); next !== undefined; next = this.#heaviestBelow(next)) chain.push(next);
    return chain;
  }

  #heaviestBelow(bone: number): number | undefined {
    return this.#trunkBelow(bone).sort((a, b) => this.#volumeBelow(b) - this.#volumeBelow(a))[0];
  }

  #volumeBelow(bone: number): number {
    return listBelowOf(this.#tree, bone).reduce((sum, j) => sum + this.#tree.shape.masses[j] ** 1.5, 0);
  }
}

function sidesOf({ plus, minus }: LimbPair): [Limb, Side][] {
  return [
    [plus, 'left'],
    [minus, 'right'],
  ];
}

function distanceTo(points: Float64Array, bone: number, from: ArrayLike<number>): number {
  return Math.hypot(points[3 * bone] - from[0], points[3 * bone + 1] - from[1], points[3 * bone + 2] - from[2]);
}

/** Whether the box of a limb is inside that of a bone. */
function isInside({ boxes }: RigShape, { bones }: Limb, bone: number): boolean {
  return bones.every((j) =>
    [0, 1, 2].every((c) => boxes[6 * j + c] >= boxes[6 * bone + c] && boxes[6 * j + 3 + c] <= boxes[6 * bone + 3 + c]),
  );
}

/** Distance from a point to the farthest corner of the box of a bone. */
function farthestOf({ boxes, joints }: RigShape, bone: number, from: ArrayLike<number>): number {
  let sum = 0;
  for (let c = 0; c < 3; c++) {
    const ends = [boxes[6 * bone + c], boxes[6 * bone + 3 + c], joints[3 * bone + c]].filter(Number.isFinite);
    sum += Math.max(...ends.map((x) => Math.abs(x - from[c]))) ** 2;
  }
  return Math.sqrt(sum);
}

/** Second smallest by smallest extent of the box of a limb's skin. */
function flatnessOf({ boxes }: RigShape, { bones }: Limb): number {
  const [low, high] = [
    [Infinity, Infinity, Infinity],
    [-Infinity, -Infinity, -Infinity],
  ];
  for (const j of bones)
    for (let c = 0; c < 3; c++) {
      low[c] = Math.min(low[c], boxes[6 * j + c]);
      high[c] = Math.max(high[c], boxes[6 * j + 3 + c]);
    }
  const extents = high.map((x, c) => x - low[c]).sort((a, b) => a - b);
  return extents[0] > 0 && Number.isFinite(extents[0]) ? extents[1] / extents[0] : 0;
}
