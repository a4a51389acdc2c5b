// SPDX-License-Identifier: MIT
// Labels from the names of joints. Names decide the family (arm, leg, finger, spine …) and the side; the tree decides the place in a limb where names leave it open or
// contradict one another: the joints of an arm are clavicle, upper arm, lower arm, hand from the body on, those of a leg thigh, shin, foot, toes.
import type { BodyPart, JointLabel, Side } from '../anatomy.ts';
import type { RigShape } from '../rig-shape.ts';
import { listWords, type NamedPart, type NameReading, readJointName } from './read-joint-name.ts';
import { depthsOf, listChildren } from './tree-walk.ts';

type Labels = (JointLabel | undefined)[];

const SIDES = ['left', 'right'] as const;
const ARM: ReadonlySet<NamedPart> = new Set(['clavicle', 'shoulder', 'upperArm', 'lowerArm', 'arm', 'wrist', 'hand']);
const LEG: ReadonlySet<NamedPart> = new Set(['thigh', 'shin', 'leg', 'foot', 'toes', 'hips']);
const ARM_ORDER = ['upperArm', 'lowerArm', 'hand'] as const;
const LEG_ORDER = ['thigh', 'shin', 'foot'] as const;
/** First digit of a finger of Biped. */
const BIPED_FINGERS = ['thumb', 'index', 'middle', 'ring', 'little'] as const;
/** Words for legs of insects, from the front. */
const LEG_IDS = ['front', 'top', 'frontmid', 'mid', 'backmid', 'bottom', 'back'];
/** Legs per side from which letters mean legs of an insect. */
const INSECT_LEGS = 3;

/** Labels of all joints that their names explain. */
export function labelByName({ names, parents }: Pick<RigShape, 'names' | 'parents'>): Labels {
  const prefix = commonPrefix(names);
  return new NameLabeler(
    names.map((name) => readJointName(name, prefix)),
    parents,
  ).run();
}

/** Share of the names that begin with a word, from which on it is the name of the character. */
const SHARED = 0.8;

function commonPrefix(names: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const name of names) {
    const [first] = listWords(name);
    if (first !== undefined) counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  const [best] = [...counts].sort((a, b) => b[1] - a[1]);
  return best && names.length > 2 && best[1] > SHARED * names.length ? best[0] : undefined;
}

/** Which leg of several a name is of. */
function legIdOf({ limb, letter }: NameReading): string | undefined {
  return limb || letter ? `${limb ?? ''}${letter ?? ''}` : undefined;
}

class NameLabeler {
  readonly #readings: readonly NameReading[];
  readonly #parents: Int32Array;
  readonly #depths: Int32Array;
  readonly #labels: Labels;

  constructor(readings: readonly NameReading[], parents: Int32Array) {
    this.#readings = readings;
    this.#parents = parents;
    this.#depths = depthsOf(parents);
    this.#labels = readings.map(() => undefined);
  }

  run(): Labels {
    for (const side of SIDES) {
      if (!this.#labelInsect(side)) this.#labelLeg(side);
      this.#labelArm(side);
      this.#labelFingers(side);
    }
    this.#labelTrunk();
    for (const part of ['eye', 'ear', 'wing', 'fin'] as const)
      for (const side of [...SIDES, undefined]) this.#labelChains(part, side);
    for (const part of ['tail', 'jaw'] as const) this.#labelChains(part, undefined);
    this.#readings.forEach(({ isEnd, side, part }, j) => {
      if (isEnd && part && !this.#labels[j]) this.#put(j, 'end', side);
    });
    return this.#labels;
  }

  #put(joint: number, part: BodyPart, side: Side | undefined, chain = 0, order = 0): void {
    this.#labels[joint] ??= { part, ...(side ? { side } : {}), chain, order };
  }

  /** Joints whose readings fulfil a condition, those near the root first. */
  #list(isWanted: (reading: NameReading, joint: number) => boolean): number[] {
    const found: number[] = [];
    this.#readings.forEach((reading, j) => {
      if (!reading.isEnd && !reading.isHelper && !this.#labels[j] && isWanted(reading, j)) found.push(j);
    });
    return found.sort((a, b) => this.#depths[a] - this.#depths[b] || a - b);
  }

  /** Of joints, those on the path to the deepest one, from the body on; and the others. */
  #chainOf(joints: readonly number[]): { chain: number[]; others: number[] } {
    const wanted = new Set(joints);
    let best: number[] = [];
    for (const joint of joints) {
      const path: number[] = [];
      for (let j = joint; j >= 0; j = this.#parents[j]) if (wanted.has(j)) path.unshift(j);
      if (path.length > best.length) best = path;
    }
    return { chain: best, others: joints.filter((j) => !best.includes(j)) };
  }

  #partOf(joint: number): NamedPart | undefined {
    return this.#readings[joint].part;
  }

  #labelInsect(side: Side): boolean {
    const legs = this.#list(
      (one) => one.side === side && legIdOf(one) !== undefined && one.part !== undefined && LEG.has(one.part),
    );
    const rank = (id: string): number => (LEG_IDS.includes(id) ? LEG_IDS.indexOf(id) : id.charCodeAt(0));
    const ids = legs.map((j) => legIdOf(this.#readings[j]) ?? '');
    const letters = [...new Set(ids)].sort((a, b) => rank(a) - rank(b));
    if (letters.length < INSECT_LEGS) return false;
    letters.forEach((letter, chain) => {
      const own = legs.filter((_, n) => ids[n] === letter);
      own.forEach((j, order) => {
        this.#put(j, 'leg', side, chain, order);
      });
    });
    return true;
  }

  #labelLeg(side: Side): void {
    const joints = this.#list(
      ({ part, side: own, limb }) => own === side && limb !== 'front' && part !== undefined && LEG.has(part),
    );
    const isThigh = (j: number): boolean => this.#partOf(j) !== 'hips';
    // "LeftHip" is the thigh of rigs that are named by joints, and a bone before the thigh in others
    const named = joints.some((j) => ['thigh', 'leg'].includes(this.#partOf(j) ?? ''))
      ? joints.filter(isThigh)
      : joints;
    const { chain: whole, others } = this.#chainOf(named);
    const thigh = whole.findIndex((j) => this.#partOf(j) === 'thigh');
    const chain = whole.slice(Math.max(0, thigh));
    chain.forEach((j, n) => {
      if (n < LEG_ORDER.length) this.#put(j, LEG_ORDER[n], side);
      else this.#put(j, 'toes', side, 0, n - LEG_ORDER.length);
    });
    this.#fixEarlyToes(chain, side);
    // feet that hang on something else than the leg
    for (const j of others) {
      const part = this.#partOf(j);
      if (part === 'foot' && !chain.some((one) => this.#labels[one]?.part === 'foot')) this.#put(j, 'foot', side);
      else if (part === 'toes') this.#put(j, 'toes', side, 1);
    }
  }

  /** A leg without a joint for the shin or the foot: toes and feet are what they are called. */
  #fixEarlyToes(chain: readonly number[], side: Side): void {
    const toes = chain.findIndex((j) => this.#partOf(j) === 'toes');
    if (toes < 0 || toes >= LEG_ORDER.length) return;
    chain.slice(toes).forEach((j, order) => {
      this.#labels[j] = { part: 'toes', side, chain: 0, order };
    });
  }

  #labelArm(side: Side): void {
    const joints = this.#list(
      ({ part, side: own, limb }) =>
        own === side && limb !== 'back' && part !== undefined && (ARM.has(part) || (limb === 'front' && LEG.has(part))),
    );
    const { chain } = this.#chainOf(joints);
    const parts = chain.map((j) => this.#partOf(j));
    const collar = parts.lastIndexOf('clavicle');
    const shoulder = parts.indexOf('shoulder');
    const hasUpper = parts.some((part) => part === 'upperArm' || part === 'arm') || chain.some((j) => this.#isFront(j));
    // "shoulder" is the upper arm below a collar, or where nothing else is
    const upper = parts.indexOf('upperArm') >= 0 ? parts.indexOf('upperArm') : parts.indexOf('thigh');
    const first = upper >= 0 ? upper : collar >= 0 ? collar + 1 : shoulder >= 0 && hasUpper ? shoulder + 1 : 0;
    chain.slice(0, first).forEach((j, order) => {
      this.#put(j, 'clavicle', side, 0, order);
    });
    const arm = chain.slice(first);
    const wrist = arm.findIndex((j) => this.#partOf(j) === 'wrist');
    arm.forEach((j, n) => {
      const own = this.#partOf(j);
      if (n < ARM_ORDER.length) this.#put(j, ARM_ORDER[n], side);
      else if (this.#isFront(j)) this.#put(j, 'toes', side, 1, n - ARM_ORDER.length);
      else if (own === 'hand' && wrist >= 0) this.#put(j, 'hand', side, 0, 1);
    });
  }

  #isFront(joint: number): boolean {
    return this.#readings[joint].limb === 'front';
  }

  #labelFingers(side: Side): void {
    const fingers = this.#list(({ part, side: own }) => own === side && part === 'finger');
    const partOf = (j: number): BodyPart | undefined => {
      const own = this.#partOf(j);
      if (own === 'finger') return BIPED_FINGERS[Number(this.#readings[j].digits.charAt(0) || NaN)];
      return BIPED_FINGERS.find((one) => one === own);
    };
    const named = this.#list(
      ({ side: own }, j) => own === side && this.#partOf(j) !== 'finger' && partOf(j) !== undefined,
    );
    for (const finger of BIPED_FINGERS) {
      const own = [...named, ...fingers].filter((j) => partOf(j) === finger);
      this.#chainOf(own).chain.forEach((j, order) => {
        this.#put(j, finger, side, 0, order);
      });
    }
  }

  #labelTrunk(): void {
    const free = (part: NamedPart) => this.#list((reading) => reading.part === part && reading.side === undefined);
    const [hips] = free('hips');
    // hips that the legs do not hang on are a bone of the skin alone
    const legRoot = this.#legRoot();
    const pelvis = hips === undefined || (legRoot !== undefined && !this.#isAbove(hips, legRoot)) ? legRoot : hips;
    if (pelvis !== undefined) this.#labels[pelvis] = { part: 'hips', chain: 0, order: 0 };
    const necks = free('neck');
    const head = free('head')[0] ?? (necks.length > 1 ? necks[necks.length - 1] : undefined);
    if (head !== undefined) this.#put(head, 'head', undefined);
    const isBelowHips = (j: number): boolean => pelvis === undefined || this.#isAbove(pelvis, j);
    const trunk = [...free('spine'), ...free('shoulder'), ...free('clavicle')].filter(isBelowHips);
    const toHead = trunk.filter((j) => head === undefined || this.#isAbove(j, head));
    const spine = toHead.length > 0 ? toHead : trunk;
    this.#chainOf(spine.sort((a, b) => this.#depths[a] - this.#depths[b])).chain.forEach((j, order) => {
      this.#put(j, 'spine', undefined, 0, order);
    });
    this.#chainOf(free('neck')).chain.forEach((j, order) => {
      this.#put(j, 'neck', undefined, 0, order);
    });
  }

  /** The nearest joint above both thighs. */
  #legRoot(): number | undefined {
    const [a, b] = SIDES.map((side) => this.#labels.findIndex((one) => one?.part === 'thigh' && one.side === side));
    if (a < 0 || b < 0) return undefined;
    for (let j = this.#parents[a]; j >= 0; j = this.#parents[j]) if (this.#isAbove(j, b)) return j;
    return undefined;
  }

  #isAbove(above: number, joint: number): boolean {
    let j = joint;
    while (j >= 0 && j !== above) j = this.#parents[j];
    return j === above;
  }

  /** Joints of a part, by connected chains. */
  #labelChains(part: NamedPart & BodyPart, side: Side | undefined): void {
    const joints = this.#list((reading) => reading.part === part && reading.side === side);
    const children = listChildren(this.#parents);
    let chain = 0;
    for (const first of joints) {
      if (this.#labels[first]) continue;
      let order = 0;
      for (let j: number | undefined = first; j !== undefined; j = children[j].find((c) => joints.includes(c)))
        this.#put(j, part, side, chain, order++);
      chain++;
    }
  }
}
