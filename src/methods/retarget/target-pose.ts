// SPDX-License-Identifier: MIT
// The target in a frame. Some joints have a world rotation, the others keep their rest relative to their parent. Joints whose limb goes on at a node that is not below it (the feet of rigs with inverse kinematics) are
// carried along by the joint that they belong to.
import { conjugateQuaternion, multiplyQuaternions } from '../../core/math/quaternion.ts';
import type { RestRig } from './rest-rig.ts';
import { rotateInto, type Vector } from './vectors.ts';

/** A joint that is carried by another one. */
interface Carried {
  node: number;
  by: number;
  /** Offset at rest in the axes of the carrying joint, model units. */
  offset: Vector;
}

/** The slot that a slot hangs on. */
const HUNG_ON: Readonly<Record<string, string>> = {
  foot: 'shin',
  shin: 'thigh',
  hand: 'lowerArm',
  lowerArm: 'upperArm',
  toes: 'foot',
};

export class TargetPose {
  readonly rig: RestRig;
  /** nodeCount x 3: places in this frame */
  readonly places: Float64Array;
  /** nodeCount x 4: world rotations in this frame */
  readonly turns: Float64Array;
  /** nodeCount x 4: local rotations */
  readonly locals: Float64Array;
  /** nodeCount x 3: local translations */
  readonly offsets: Float64Array;
  /** Nodes whose translation is set. */
  readonly moved: ReadonlySet<number>;
  /** By node: whether its world rotation is given. */
  readonly #isGiven: Uint8Array;
  /** nodeCount x 4: given world rotations */
  readonly #given: Float64Array;
  readonly #restLocals: Float64Array;
  readonly #carried: readonly Carried[];
  readonly #hips: number;
  readonly #hipsPlace: Float64Array;

  constructor(rig: RestRig, given: readonly number[], hips: number) {
    const { nodes, turns, places } = rig;
    const count = nodes.names.length;
    this.rig = rig;
    this.#hips = hips;
    this.#hipsPlace = places.slice(3 * hips, 3 * hips + 3);
    this.places = places.slice();
    this.turns = turns.slice();
    this.locals = new Float64Array(4 * count);
    this.offsets = Float64Array.from(nodes.translations);
    this.#given = turns.slice();
    this.#isGiven = new Uint8Array(count);
    for (const node of given) this.#isGiven[node] = 1;
    this.#restLocals = new Float64Array(4 * count);
    const inverse = new Float64Array(4);
    nodes.parents.forEach((parent, n) => {
      if (parent < 0) this.#restLocals.set(turns.subarray(4 * n, 4 * n + 4), 4 * n);
      else {
        conjugateQuaternion(turns, inverse, 4 * parent);
        multiplyQuaternions(inverse, turns, this.#restLocals, 0, 4 * n, 4 * n);
      }
    });
    this.#carried = listCarried(rig, given);
    this.moved = new Set([hips, ...this.#carried.map(({ node }) => node)]);
  }

  /** Sets the world rotation of a given joint for the next update. */
  turn(node: number, q: ArrayLike<number>, o = 0): void {
    for (let c = 0; c < 4; c++) this.#given[4 * node + c] = q[o + c];
  }

  /** The world rotation that is set for a given joint. */
  turnOf(node: number): Float64Array {
    return this.#given.slice(4 * node, 4 * node + 4);
  }

  placeHips(place: ArrayLike<number>): void {
    for (let c = 0; c < 3; c++) this.#hipsPlace[c] = place[c];
  }

  get hipsPlace(): Float64Array {
    return this.#hipsPlace;
  }

  /** Computes places and rotations of all nodes from what is set. */
  update(): void {
    const { parents } = this.rig.nodes;
    for (let n = 0; n < parents.length; n++) this.#placeNode(n);
    for (const { node, by, offset } of this.#carried) {
      const place: Vector = [0, 0, 0];
      rotateInto(this.turns, offset, place, 4 * by);
      for (let c = 0; c < 3; c++) place[c] += this.places[3 * by + c];
      this.#moveTo(node, place);
      for (let n = node; n < parents.length; n++) if (n === node || this.#isBelow(n, node)) this.#placeNode(n);
    }
  }

  #isBelow(node: number, above: number): boolean {
    const { parents } = this.rig.nodes;
    let n = parents[node];
    while (n > above) n = parents[n];
    return n === above;
  }

  #placeNode(n: number): void {
    const { parents } = this.rig.nodes;
    const parent = parents[n];
    if (n === this.#hips) this.#moveTo(n, this.#hipsPlace);
    if (parent < 0) {
      for (let c = 0; c < 3; c++) this.places[3 * n + c] = this.offsets[3 * n + c];
    } else {
      const size = this.rig.sizes[parent];
      const moved: Vector = [0, 0, 0];
      rotateInto(this.turns, this.offsets, moved, 4 * parent, 3 * n);
      for (let c = 0; c < 3; c++) this.places[3 * n + c] = this.places[3 * parent + c] + size * moved[c];
    }
    if (this.#isGiven[n]) {
      this.turns.set(this.#given.subarray(4 * n, 4 * n + 4), 4 * n);
      if (parent < 0) this.locals.set(this.#given.subarray(4 * n, 4 * n + 4), 4 * n);
      else {
        const inverse = new Float64Array(4);
        conjugateQuaternion(this.turns, inverse, 4 * parent);
        multiplyQuaternions(inverse, this.#given, this.locals, 0, 4 * n, 4 * n);
      }
      return;
    }
    this.locals.set(this.#restLocals.subarray(4 * n, 4 * n + 4), 4 * n);
    if (parent < 0) this.turns.set(this.#restLocals.subarray(4 * n, 4 * n + 4), 4 * n);
    else multiplyQuaternions(this.turns, this.#restLocals, this.turns, 4 * parent, 4 * n, 4 * n);
  }

  /** Sets the local translation that puts a node at a place, with its parent as it is now. */
  #moveTo(node: number, place: ArrayLike<number>): void {
    const parent = this.rig.nodes.parents[node];
    if (parent < 0) {
      for (let c = 0; c < 3; c++) this.offsets[3 * node + c] = place[c];
      return;
    }
    const inverse = new Float64Array(4);
    conjugateQuaternion(this.turns, inverse, 4 * parent);
    const size = this.rig.sizes[parent];
    const local: Vector = [0, 0, 0];
    rotateInto(
      inverse,
      [0, 1, 2].map((c) => (place[c] - this.places[3 * parent + c]) / size),
      local,
    );
    for (let c = 0; c < 3; c++) this.offsets[3 * node + c] = local[c];
  }
}

function listCarried({ slots, nodes, places, turns }: RestRig, given: readonly number[]): Carried[] {
  const out: Carried[] = [];
  for (const [slot, [node]] of slots) {
    const [part, side, chain] = slot.split('.');
    const by = chain ? undefined : slots.get(`${HUNG_ON[part] ?? ''}.${side}`)?.[0];
    if (by === undefined || !given.includes(node) || isAbove(nodes.parents, by, node)) continue;
    const inverse = new Float64Array(4);
    conjugateQuaternion(turns, inverse, 4 * by);
    const offset: Vector = [0, 0, 0];
    rotateInto(
      inverse,
      [0, 1, 2].map((c) => places[3 * node + c] - places[3 * by + c]),
      offset,
    );
    out.push({ node, by, offset });
  }
  // what carries comes before what is carried
  const rank = ({ by }: Carried): number => (out.some(({ node }) => node === by) ? 1 : 0);
  return out.sort((a, b) => rank(a) - rank(b));
}

function isAbove(parents: Int32Array, above: number, node: number): boolean {
  let n = node;
  while (n >= 0 && n !== above) n = parents[n];
  return n === above;
}
