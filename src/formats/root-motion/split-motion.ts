// SPDX-License-Identifier: MIT
// The motion of a trunk as the motion of a root and a rest. With world matrices W at a time, W₀ at rest, and G the motion on the ground (heading.ts), the root gets
// the world matrix G W₀(root). A node c that stays where it is gets the local matrix W'(parent)⁻¹ W(c), where W' is computed from the keys of the root as players
// interpolate them: so the composition is exact at every key of c. Between keys it is off by the second order of the turns, so that keys are added halfway until it is not.
import { listMotionTimes, NodeMotion } from '../../core/keyframes/node-motion.ts';
import { decomposeAffineInto, isSheared, makeAffineFactors } from '../../core/math/decompose-affine.ts';
import { IDENTITY, invertAffine, multiply } from '../../core/math/mat4.ts';
import type { Animation, Track } from '../../core/model/clip/animation.ts';
import { InputError } from '../../core/model/errors.ts';
import { quoteName } from '../../core/model/plain-text.ts';
import type { NodeTree } from '../../core/model/skin/node-tree.ts';
import type { Character } from './character.ts';
import { Heading, type Stand, turnOf } from './heading.ts';
import type { RootPlan } from './plan-root.ts';

/** Error between keys up to which none is added, relative to the size. */
const BETWEEN_LIMIT = 1e-5;
/** How often an interval may be halved. */
const MAX_HALVINGS = 8;
/** Change of a component below which a track says nothing: single precision. */
const STILL = 1e-7;

/** An animation whose root moves. */
export interface SplitMotion {
  animation: Animation;
  /** Largest distance on the ground, metres, and largest turn, radians. */
  distance: number;
  turn: number;
}

/** Moves what the trunk does on the ground in an animation. Undefined if it does nothing there. */
export class MotionSplitter {
  readonly #character: Character;
  readonly #plan: RootPlan;
  readonly #keepsGround: boolean;
  /** nodeCount x 16: world matrices at rest */
  readonly #rest: Float64Array;
  /** The nodes, and at the end a new root. */
  readonly #tree: NodeTree;
  /** Index of the root: that of a new one follows those of the nodes. */
  readonly #root: number;

  /** @param keepsGround whether the root gets the motion on the ground; if not, it is removed */
  constructor(character: Character, plan: RootPlan, keepsGround: boolean) {
    this.#character = character;
    this.#plan = plan;
    this.#keepsGround = keepsGround;
    const { nodes } = character;
    this.#root = plan.root < 0 ? nodes.names.length : plan.root;
    this.#tree = plan.root < 0 ? withRoot(nodes) : nodes;
    const still = new NodeMotion(nodes, { tracks: [] });
    this.#rest = new Float64Array(16 * nodes.names.length);
    for (let n = 0; n < nodes.names.length; n++) this.#worldInto(still, n, 0, this.#rest, 16 * n);
  }

  split(animation: Animation): SplitMotion | undefined {
    const { kept, root } = this.#plan;
    const { nodes } = this.#character;
    const motion = new NodeMotion(nodes, animation);
    const times = this.#listTimes(motion);
    if (times.length === 0) return undefined;
    const grounds = this.#followTrunk(motion, times);
    const distance = grounds.reduce((most, m) => Math.max(most, Math.hypot(m[12], m[14])), 0);
    const turn = grounds.reduce((most, m) => Math.max(most, turnOf(m)), 0);
    if (distance <= STILL * this.#character.size && turn <= STILL) return undefined;
    const made = this.#refine(motion, times);
    const replaced = new Set([...kept, root]);
    const tracks = animation.tracks.filter(({ node, path }) => path === 'weights' || !replaced.has(node));
    return { animation: { ...animation, tracks: [...tracks, ...made] }, distance, turn };
  }

  /** Keys of the trunk, the nodes above it, and those that stay where they are. */
  #listTimes(motion: NodeMotion): Float32Array {
    const { trunk, kept } = this.#plan;
    const { parents } = this.#character.nodes;
    const tracks = new Set<Track>();
    for (let n = trunk; n >= 0; n = parents[n]) for (const track of motion.tracksOf(n)) tracks.add(track);
    if (tracks.size === 0) return new Float32Array(0);
    for (const node of kept) for (const track of motion.tracksOf(node)) tracks.add(track);
    return listMotionTimes([...tracks]);
  }

  /** G at times in order. */
  #followTrunk(motion: NodeMotion, times: Float32Array): Float64Array[] {
    const { trunk } = this.#plan;
    const heading = new Heading(standOf(this.#rest.subarray(16 * trunk, 16 * trunk + 16)));
    const world = new Float64Array(16);
    return Array.from(times, (time) => {
      this.#worldInto(motion, trunk, time, world);
      const ground = new Float64Array(16);
      heading.followInto(standOf(world), ground);
      return ground;
    });
  }

  /** Adds keys until the motion between them is that of before. */
  #refine(motion: NodeMotion, first: Float32Array): Track[] {
    let times = first;
    let tracks = this.#makeTracks(motion, times);
    for (let round = 0; round < MAX_HALVINGS; round++) {
      const middles = this.#listMiddles(motion, times, tracks);
      if (middles.length === 0) break;
      times = Float32Array.from(new Set([...times, ...middles])).sort();
      tracks = this.#makeTracks(motion, times);
    }
    return tracks;
  }

  /** Times halfway between keys where the error is too large. */
  #listMiddles(motion: NodeMotion, times: Float32Array, tracks: readonly Track[]): number[] {
    const { seen } = this.#plan;
    const { size } = this.#character;
    const middles = Float32Array.from(
      { length: Math.max(0, times.length - 1) },
      (_, k) => (times[k] + times[k + 1]) / 2,
    );
    const grounds = this.#keepsGround ? [] : this.#followTrunk(motion, middles);
    const made = new NodeMotion(this.#tree, { tracks });
    const [local, parent, expected, inverse] = [0, 1, 2, 3].map(() => new Float64Array(16));
    return [...middles].filter((time, k) => {
      if (time <= times[k] || time >= times[k + 1]) return false;
      return [...seen].some((node) => {
        this.#parentInto(motion, made, node, time, parent);
        made.localInto(node, time, local);
        multiply(parent, local, local);
        this.#worldInto(motion, node, time, expected);
        if (grounds[k] && invertAffine(grounds[k], inverse)) multiply(inverse, expected, expected);
        return !(errorOf(local, expected, size) <= BETWEEN_LIMIT * size);
      });
    });
  }

  #makeTracks(motion: NodeMotion, times: Float32Array): Track[] {
    const { kept, root } = this.#plan;
    const grounds = this.#followTrunk(motion, times);
    const [matrix, inverse, world] = [0, 1, 2].map(() => new Float64Array(16));
    const parentOfRoot = root < 0 ? -1 : this.#character.nodes.parents[root];
    const rootTracks = this.#keyNode(this.#root, times, (k, out) => {
      if (root < 0) out.set(IDENTITY);
      else out.set(this.#rest.subarray(16 * root, 16 * root + 16));
      if (this.#keepsGround) multiply(grounds[k], out, out);
      if (parentOfRoot < 0) return;
      this.#worldInto(motion, parentOfRoot, times[k], matrix);
      if (invertAffine(matrix, inverse)) multiply(inverse, out, out);
    });
    const made = new NodeMotion(this.#tree, { tracks: rootTracks });
    const others = kept.flatMap((node) =>
      this.#keyNode(node, times, (k, out) => {
        this.#parentInto(motion, made, node, times[k], matrix);
        this.#worldInto(motion, node, times[k], world);
        if (!this.#keepsGround && invertAffine(grounds[k], inverse)) multiply(inverse, world, world);
        if (invertAffine(matrix, inverse)) multiply(inverse, world, out);
      }),
    );
    return [...rootTracks, ...others];
  }

  /** Translation, rotation and scale of a node at times; those that stay at rest are left out. */
  #keyNode(node: number, times: Float32Array, localInto: (k: number, out: Float64Array) => void): Track[] {
    const tree = this.#tree;
    const local = new Float64Array(16);
    const factors = makeAffineFactors();
    const translations = new Float32Array(3 * times.length);
    const rotations = new Float32Array(4 * times.length);
    const scales = new Float32Array(3 * times.length);
    for (let k = 0; k < times.length; k++) {
      localInto(k, local);
      if (isSheared(local))
        throw new InputError(
          quoteName(tree.names[node]),
          'is below a bone that is scaled along one axis, so its motion cannot be moved to a root without shear; leave --root out',
        );
      decomposeAffineInto(local, factors, 0, true);
      translations.set(factors.translation, 3 * k);
      scales.set(factors.scale, 3 * k);
      const { rotation } = factors;
      let dot = 0;
      for (let c = 0; c < 4 && k > 0; c++) dot += rotation[c] * rotations[4 * (k - 1) + c];
      for (let c = 0; c < 4; c++) rotations[4 * k + c] = dot < 0 ? -rotation[c] : rotation[c];
    }
    const put = (path: 'translation' | 'rotation' | 'scale', values: Float32Array, list: Float64Array): Track[] => {
      const size = path === 'rotation' ? 4 : 3;
      const rest = list.subarray(size * node, size * node + size);
      return isStill(values, size, rest) ? [] : [{ node, path, interpolation: 'LINEAR', times, values }];
    };
    return [
      ...put('translation', translations, tree.translations),
      ...put('rotation', rotations, tree.rotations),
      ...put('scale', scales, tree.scales),
    ];
  }

  /** The world matrix of the parent of a node that stays, after the root has moved. */
  #parentInto(motion: NodeMotion, made: NodeMotion, node: number, time: number, out: Float64Array): void {
    const { root, carried } = this.#plan;
    const { parents } = this.#character.nodes;
    const local = new Float64Array(16);
    const path: number[] = [];
    for (let n = parents[node]; n >= 0 && carried.has(n); n = parents[n]) path.unshift(n);
    out.set(IDENTITY);
    const above = root < 0 ? -1 : parents[root];
    if (above >= 0) this.#worldInto(motion, above, time, out);
    made.localInto(this.#root, time, local);
    multiply(out, local, out);
    for (const n of path) {
      made.localInto(n, time, local);
      multiply(out, local, out);
    }
  }

  #worldInto(motion: NodeMotion, node: number, time: number, out: Float64Array, offset = 0): void {
    const { parents } = this.#character.nodes;
    const local = new Float64Array(16);
    const world = Float64Array.from(IDENTITY);
    for (let n = node; n >= 0; n = parents[n]) {
      motion.localInto(n, time, local);
      multiply(local, world, world);
    }
    out.set(world, offset);
  }
}

/** Nodes with one more at the origin. It comes last, since it is only played. */
function withRoot({ names, parents, translations, rotations, scales }: NodeTree): NodeTree {
  return {
    names: [...names, 'root'],
    parents: Int32Array.of(...parents, -1),
    translations: Float64Array.of(...translations, 0, 0, 0),
    rotations: Float64Array.of(...rotations, 0, 0, 0, 1),
    scales: Float64Array.of(...scales, 1, 1, 1),
  };
}

function standOf(world: Float64Array): Stand {
  const factors = makeAffineFactors();
  decomposeAffineInto(world, factors, 0, true);
  return { rotation: factors.rotation, position: factors.translation };
}

/** Largest distance by which two matrices place a point that is `reach` from their origins, relative to their scale. */
function errorOf(a: Float64Array, b: Float64Array, reach: number): number {
  let turn = 0;
  for (let c = 0; c < 3; c++) {
    const o = 4 * c;
    const length = Math.hypot(b[o], b[o + 1], b[o + 2]) || 1;
    turn = Math.max(turn, Math.hypot(a[o] - b[o], a[o + 1] - b[o + 1], a[o + 2] - b[o + 2]) / length);
  }
  return Math.hypot(a[12] - b[12], a[13] - b[13], a[14] - b[14]) + (turn * reach) / 2;
}

/** Whether all keys of a track are the values at rest. A quaternion and its negative are one rotation. */
function isStill(values: Float32Array, size: number, rest: Float64Array): boolean {
  const differs = (sign: number, k: number): boolean =>
    rest.some((x, c) => Math.abs(sign * values[k + c] - x) > STILL * Math.max(1, Math.abs(x)));
  for (let k = 0; k < values.length; k += size) if (differs(1, k) && (size === 3 || differs(-1, k))) return false;
  return true;
}
