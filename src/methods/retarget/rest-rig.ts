// SPDX-License-Identifier: MIT
// A rig at rest, as retargeting needs it: where joints are and how they are turned, and which joint is which part of the body.

import { compose, multiply } from '../../core/math/mat4.ts';
import { quaternionFromMatrix } from '../../core/math/quaternion.ts';
import type { NodeTree } from '../../core/model/skin/node-tree.ts';
import { FINGERS, type JointLabel } from '../../fit/anatomy/index.ts';

/** A rig as it is handed over. The y axis points up. */
export interface RetargetRig {
  nodes: NodeTree;
  /** By node. */
  labels: readonly (JointLabel | undefined)[];
  /** Unit vector to the front, horizontal. */
  front: readonly [number, number, number];
  /** By node that is a joint of a skin: its bind matrix, 16 numbers in model space. Other nodes rest as the file has them. */
  binds?: ReadonlyMap<number, ArrayLike<number>>;
  /** Lowest coordinate of the skin at rest. */
  ground?: number;
  /** Radius of the skin of the bones of the trunk, by node. */
  radii?: ReadonlyMap<number, number>;
}

export interface RestRig extends RetargetRig {
  /** nodeCount x 3 */
  places: Float64Array;
  /** nodeCount x 4: world rotations */
  turns: Float64Array;
  /** nodeCount: mean scale of the world matrix */
  sizes: Float64Array;
  /** Nodes by part: `thigh.left`, `spine`, `tail`, `ear.left.1`; in the order of the chain. */
  slots: ReadonlyMap<string, readonly number[]>;
  /** Length of a leg: thigh, shin, and the height of the ankle above the ground; mean of both. */
  legLength: number;
}

export const slotOf = ({ part, side, chain }: JointLabel): string =>
  `${part}${side ? `.${side}` : ''}${chain > 0 ? `.${chain}` : ''}`;

export function makeRestRig(rig: RetargetRig): RestRig {
  const { nodes, labels, binds } = rig;
  const count = nodes.names.length;
  const worlds = new Float64Array(16 * count);
  const [places, turns, sizes] = [new Float64Array(3 * count), new Float64Array(4 * count), new Float64Array(count)];
  const plain = new Float64Array(16);
  for (let n = 0; n < count; n++) {
    const bind = binds?.get(n);
    if (bind) for (let c = 0; c < 16; c++) worlds[16 * n + c] = bind[c];
    else {
      compose(nodes.translations, nodes.rotations, nodes.scales, worlds, 3 * n, 4 * n, 3 * n, 16 * n);
      if (nodes.parents[n] >= 0) multiply(worlds, worlds, worlds, 16 * nodes.parents[n], 16 * n, 16 * n);
    }
    sizes[n] = splitInto(worlds, 16 * n, plain);
    quaternionFromMatrix(plain, turns, 0, 4 * n);
    places.set(worlds.subarray(16 * n + 12, 16 * n + 15), 3 * n);
  }
  const slots = listSlots(labels);
  const partial = { ...rig, places, turns, sizes, slots };
  return { ...partial, legLength: measureLeg(partial) };
}

/** Fills out with the rotation of a matrix whose columns are across one another, and returns its mean scale. */
export function splitInto(m: ArrayLike<number>, o: number, out: Float64Array): number {
  let product = 1;
  for (let c = 0; c < 3; c++) {
    const length = Math.hypot(m[o + 4 * c], m[o + 4 * c + 1], m[o + 4 * c + 2]);
    product *= length;
    for (let r = 0; r < 3; r++) out[4 * c + r] = m[o + 4 * c + r] / (length || 1);
  }
  return Math.cbrt(product) || 1;
}

function listSlots(labels: RetargetRig['labels']): Map<string, number[]> {
  const slots = new Map<string, { node: number; order: number }[]>();
  labels.forEach((label, node) => {
    if (!label || label.part === 'end' || label.part === 'root') return;
    const slot = slotOf(label);
    const own = slots.get(slot) ?? [];
    own.push({ node, order: label.order });
    slots.set(slot, own);
  });
  return new Map(
    [...slots].map(([slot, list]) => [slot, list.sort((a, b) => a.order - b.order).map(({ node }) => node)]),
  );
}

/** Mean of both legs; the height of the thighs above the ground if a leg has no foot; 0 without legs. */
function measureLeg({ slots, places, ground }: Omit<RestRig, 'legLength'>): number {
  const lengths = ['left', 'right'].flatMap((side) => {
    const [thigh, shin, foot] = ['thigh', 'shin', 'foot'].map((part) => slots.get(`${part}.${side}`)?.[0]);
    if (thigh === undefined || shin === undefined) return [];
    if (foot === undefined) return ground === undefined ? [] : [places[3 * thigh + 1] - ground];
    const floor = ground ?? lowestOf(slots, places, side);
    return distance(places, thigh, shin) + distance(places, shin, foot) + Math.max(0, places[3 * foot + 1] - floor);
  });
  return lengths.length > 0 ? lengths.reduce((sum, x) => sum + x, 0) / lengths.length : 0;
}

function lowestOf(slots: RestRig['slots'], places: Float64Array, side: string): number {
  const joints = [...(slots.get(`foot.${side}`) ?? []), ...(slots.get(`toes.${side}`) ?? [])];
  return joints.reduce((low, node) => Math.min(low, places[3 * node + 1]), Infinity);
}

export function distance(places: Float64Array, a: number, b: number): number {
  return Math.hypot(
    places[3 * a] - places[3 * b],
    places[3 * a + 1] - places[3 * b + 1],
    places[3 * a + 2] - places[3 * b + 2],
  );
}

/** The slots after a slot in a limb, of which the first that a rig has is where a bone points to. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  clavicle: ['upperArm'],
  upperArm: ['lowerArm'],
  lowerArm: ['hand'],
  hand: ['middle', 'index', 'ring', 'little', 'toes.1'],
  thigh: ['shin'],
  shin: ['foot'],
  foot: ['toes'],
};

/** The joint that a bone points to; undefined at the end of a limb. */
export function nextJoint({ slots, nodes, labels }: RestRig, node: number): number | undefined {
  const label = labels[node];
  if (!label) return undefined;
  const own = slots.get(slotOf(label)) ?? [];
  const after = own[own.indexOf(node) + 1];
  if (after !== undefined) return after;
  for (const part of NEXT[label.part] ?? []) {
    const [name, chain] = part.split('.');
    const found = slots.get(`${name}.${label.side}${chain ? `.${chain}` : ''}`)?.[0];
    if (found !== undefined) return found;
  }
  const isFinger = FINGERS.some((finger) => finger === label.part) || label.part === 'toes';
  return isFinger ? [...nodes.parents.keys()].find((n) => nodes.parents[n] === node) : undefined;
}
