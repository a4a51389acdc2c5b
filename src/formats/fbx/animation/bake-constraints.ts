// SPDX-License-Identifier: MIT
// Constraints as keys of the nodes that they place. Players of glTF and USD have none, so that a constrained node would stay where its sources move.
//
// With W(n, t) the world matrix of node n, and C(t) what a constraint computes of its sources, a weighted mean w of them:
//   position:  the translation of W is that of C, which is the mean of the sources' translations
//   rotation:  the rotation of W is that of C, the normalized sum of the sources' quaternions on the side of the first
//   scale:     the scale of W is the mean of the sources' scales
//   parent:    both, moved by the offset of each source
//   aim:       R a = unit vector to the mean of the sources, and R u as close as it can be to the up direction
// Offsets have different meanings in programs, and all of them leave the pose of the file as it is. They are taken from there: C⁻¹ W at rest.
// A source's place follows from nodes above it, which may be constrained too, so that constraints apply in the order of the file's nodes.

import { NodeMotion } from '../../../core/keyframes/node-motion.ts';
import { decomposeAffine } from '../../../core/math/decompose-affine.ts';
import { compose, invertAffine, multiply } from '../../../core/math/mat4.ts';
import { multiplyQuaternions, normalizeQuaternion, quaternionFromMatrix } from '../../../core/math/quaternion.ts';
import type { Animation, Track } from '../../../core/model/clip/animation.ts';
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';

type Axes = readonly [boolean, boolean, boolean];

/** A constraint on the nodes of a scene. */
export interface NodeConstraint {
  kind: 'position' | 'rotation' | 'scale' | 'parent' | 'aim';
  node: number;
  sources: readonly { node: number; weight: number }[];
  /** Axes that it sets. */
  translates: Axes;
  scales: Axes;
  aim?: {
    direction: Float64Array;
    up: Float64Array;
    upKind: 'scene' | 'object' | 'objectRotation' | 'vector' | 'none';
    world: Float64Array;
    upNode?: number;
  };
}

const PATHS = {
  position: ['translation'],
  rotation: ['rotation'],
  scale: ['scale'],
  parent: ['translation', 'rotation'],
  aim: ['rotation'],
} as const;

/** The nodes that constraints place. */
export interface ConstrainedTree {
  nodes: NodeTree;
  /** A node above all others that is no part of the world of the constraints, since it changes axes and units; -1 for none. */
  top: number;
}

/** Numbers that all keys may take. */
const MAX_KEYS = 2 ** 22;

/** The animations with keys of what constraints move. Nodes that have keys of their own were baked by the program that wrote the file. */
export function bakeConstraints(
  tree: ConstrainedTree,
  animations: readonly Animation[],
  constraints: readonly NodeConstraint[],
  log?: (message: string) => void,
): Animation[] {
  if (constraints.length === 0) return [...animations];
  const ordered = [...constraints].sort((a, b) => a.node - b.node);
  let baked = 0;
  let left = MAX_KEYS;
  const out = animations.map((animation) => {
    const tracks = [...animation.tracks];
    for (const constraint of ordered) {
      const made = bakeOne(tree, tracks, constraint, left);
      left -= made.reduce((sum, { values }) => sum + values.length, 0);
      tracks.push(...made);
      baked += made.length > 0 ? 1 : 0;
    }
    return { ...animation, tracks };
  });
  if (baked > 0) log?.(`${baked === 1 ? 'a constraint is' : `${baked} constraints are`} applied as keys`);
  return out;
}

function bakeOne(tree: ConstrainedTree, tracks: readonly Track[], constraint: NodeConstraint, left: number): Track[] {
  const { nodes } = tree;
  const { node, sources, kind, aim } = constraint;
  const free = PATHS[kind].filter((path) => !tracks.some((track) => track.node === node && track.path === path));
  const read = [...sources.map((source) => source.node), ...(aim?.upNode === undefined ? [] : [aim.upNode]), node];
  const chain = new Set(read.flatMap((one) => listAbove(nodes, one)));
  const times = new Set(
    tracks.filter((track) => chain.has(track.node) && track.path !== 'weights').flatMap((track) => [...track.times]),
  );
  if (free.length === 0 || times.size === 0 || 7 * times.size > left) return [];
  const rest = new Places(tree, new NodeMotion(nodes, { tracks: [] }), 0);
  const offset = new Float64Array(16);
  if (!invertAffine(targetOf(constraint, rest), offset)) return [];
  multiply(offset, rest.world(node), offset);
  const motion = new NodeMotion(nodes, { tracks });
  const sorted = Float32Array.from(times).sort();
  const values = {
    translation: new Float32Array(3 * sorted.length),
    rotation: new Float32Array(4 * sorted.length),
    scale: new Float32Array(3 * sorted.length),
  };
  sorted.forEach((time, k) => {
    const places = new Places(tree, motion, time);
    const local = localOf(constraint, places, offset);
    values.translation.set(local.translation, 3 * k);
    values.rotation.set(local.rotation, 4 * k);
    values.scale.set(local.scale, 3 * k);
  });
  const { translations, rotations, scales } = nodes;
  const still = {
    translation: translations.subarray(3 * node, 3 * node + 3),
    rotation: rotations.subarray(4 * node, 4 * node + 4),
    scale: scales.subarray(3 * node, 3 * node + 3),
  };
  return free
    .filter((path) => values[path].some((x, c) => Math.abs(x - still[path][c % still[path].length]) > SAME))
    .map((path) => ({ node, path, interpolation: 'LINEAR', times: sorted, values: values[path] }));
}

/** World matrices of nodes at a time. */
class Places {
  readonly #tree: ConstrainedTree;
  readonly #motion: NodeMotion;
  readonly #time: number;

  constructor(tree: ConstrainedTree, motion: NodeMotion, time: number) {
    this.#tree = tree;
    this.#motion = motion;
    this.#time = time;
  }

  local(node: number): Float64Array {
    const out = new Float64Array(16);
    this.#motion.localInto(node, this.#time, out);
    return out;
  }

  world(node: number): Float64Array {
    const { nodes, top } = this.#tree;
    const out = identity();
    for (let n = node; n >= 0 && n !== top; n = nodes.parents[n]) multiply(this.local(n), out, out);
    return out;
  }

  /** The world matrix of what a node hangs below. */
  above(node: number): Float64Array {
    const parent = this.#tree.nodes.parents[node];
    return parent < 0 ? identity() : this.world(parent);
  }
}

/** Difference of a number from the rest pose below which it does not move. */
const SAME = 1e-6;

const identity = (): Float64Array => Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);

/** Translation, rotation and scale of a node below its parent, with the axes that the constraint sets. */
function localOf(
  constraint: NodeConstraint,
  places: Places,
  offset: Float64Array,
): { translation: ArrayLike<number>; rotation: ArrayLike<number>; scale: ArrayLike<number> } {
  const { node, kind, translates, scales } = constraint;
  const world = new Float64Array(16);
  multiply(targetOf(constraint, places), offset, world);
  const own = decomposeAffine(places.local(node));
  const inverse = new Float64Array(16);
  if (!invertAffine(places.above(node), inverse)) return own;
  const now = places.world(node);
  // a position moves the node in the world, and leaves how it is turned
  if (kind === 'position') for (let c = 0; c < 12; c++) world[c] = now[c];
  if (kind !== 'position' && kind !== 'parent') for (let c = 12; c < 15; c++) world[c] = now[c];
  for (let c = 0; c < 3; c++) if (!translates[c]) world[12 + c] = now[12 + c];
  multiply(inverse, world, world);
  const made = decomposeAffine(world);
  return {
    translation: made.translation,
    rotation: made.rotation,
    scale: Float64Array.from(made.scale, (x, c) => (scales[c] ? x : own.scale[c])),
  };
}

/** What a constraint computes of its sources, as a matrix of the world. */
function targetOf(constraint: NodeConstraint, places: Places): Float64Array {
  const { sources, node, kind, aim } = constraint;
  const total = sources.reduce((sum, { weight }) => sum + weight, 0);
  const translation = new Float64Array(3);
  const rotation = new Float64Array(4);
  const scale = new Float64Array(3);
  const first = new Float64Array(4);
  sources.forEach(({ node: source, weight }, s) => {
    const own = decomposeAffine(places.world(source));
    if (s === 0) first.set(own.rotation);
    const side = own.rotation.reduce((sum, x, c) => sum + x * first[c], 0) < 0 ? -1 : 1;
    for (let c = 0; c < 3; c++) {
      translation[c] += (weight / total) * own.translation[c];
      scale[c] += (weight / total) * own.scale[c];
    }
    for (let c = 0; c < 4; c++) rotation[c] += (side * weight * own.rotation[c]) / total;
  });
  normalizeQuaternion(rotation, rotation);
  const now = decomposeAffine(places.world(node));
  if (kind === 'aim' && aim) {
    aimInto(aim, now.translation, translation, places, rotation);
    return placed(now.translation, rotation, now.scale);
  }
  if (kind === 'position') return placed(translation, [0, 0, 0, 1], [1, 1, 1]);
  if (kind === 'scale') return placed(now.translation, now.rotation, scale);
  return placed(kind === 'parent' ? translation : now.translation, rotation, kind === 'parent' ? [1, 1, 1] : now.scale);
}

function placed(t: ArrayLike<number>, r: ArrayLike<number>, s: ArrayLike<number>): Float64Array {
  const out = new Float64Array(16);
  compose(t, r, s, out);
  return out;
}

/** The rotation that takes the aim direction to a point, and the up direction as close as it can to its own. */
function aimInto(
  { direction, up, upKind, world, upNode }: NonNullable<NodeConstraint['aim']>,
  from: ArrayLike<number>,
  to: ArrayLike<number>,
  places: Places,
  out: Float64Array,
): void {
  const goal = Float64Array.from({ length: 3 }, (_, c) => to[c] - from[c]);
  let side = Float64Array.from(world);
  if (upNode !== undefined && upKind === 'object') {
    const place = places.world(upNode);
    side = Float64Array.from({ length: 3 }, (_, c) => place[12 + c] - from[c]);
  } else if (upNode !== undefined && upKind === 'objectRotation') {
    const m = places.world(upNode);
    side = Float64Array.from({ length: 3 }, (_, c) => m[c] * world[0] + m[4 + c] * world[1] + m[8 + c] * world[2]);
  }
  const target = new Float64Array(4);
  const source = new Float64Array(4);
  frameInto(goal, side, target);
  frameInto(direction, up, source);
  multiplyQuaternions(target, [-source[0], -source[1], -source[2], source[3]], out);
}

/** The rotation whose x axis is a direction, and whose y axis is in the half plane of another. */
function frameInto(x: Float64Array, y: Float64Array, out: Float64Array): void {
  const a = unit(x);
  let c = cross(a, y);
  // parallel: any direction across
  if (Math.hypot(...c) < 1e-9) c = cross(a, Math.abs(a[0]) < 0.9 ? Float64Array.of(1, 0, 0) : Float64Array.of(0, 1, 0));
  c = unit(c);
  const b = cross(c, a);
  quaternionFromMatrix([...a, 0, ...b, 0, ...c, 0, 0, 0, 0, 1], out);
}

const cross = (a: Float64Array, b: Float64Array): Float64Array =>
  Float64Array.of(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);

function unit(v: Float64Array): Float64Array {
  const length = Math.hypot(...v);
  return length > 0 ? v.map((x) => x / length) : Float64Array.of(1, 0, 0);
}

function listAbove({ parents }: NodeTree, node: number): number[] {
  const out: number[] = [];
  for (let n = node; n >= 0; n = parents[n]) out.push(n);
  return out;
}
