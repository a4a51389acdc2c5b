// SPDX-License-Identifier: MIT
// A flip-book is a scene that shows one part after the other: each frame of a motion is a mesh of its own, switched by visibility, by a scale of
// zero, or by a place far away.

import { sampleTrackInto } from '../../../core/keyframes/sample-track.ts';
import { compose, multiply, transformPoint } from '../../../core/math/mat4.ts';
import type { Track } from '../../../core/model/clip/animation.ts';
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';

/** A scene of rigid pieces, and what switches them. Node indices are those of the tree. */
export interface SwitchedScene {
  tree: NodeTree;
  /** The node of each piece. */
  places: readonly number[];
  /** Centre and diagonal of the box of a piece, in the space of its node. */
  boxOf(piece: number): { center: Float64Array; diagonal: number };
  /** Tracks of translation, rotation and scale that play together. */
  tracks: readonly Track[];
  /** Tracks of one number per key: 0 hides the node, others show it. */
  visibility: readonly Track[];
  /** By node: whether it is hidden where no track shows it. */
  isHidden: Uint8Array;
}

/** A frame of a flip-book. */
export interface FlipFrame {
  /** Seconds. */
  time: number;
  /** Pieces that are drawn, ascending. */
  pieces: number[];
  /** As many: column-major matrices from the space of the node to model space */
  matrices: Float64Array[];
  /** The first piece that this frame alone draws. */
  piece: number;
}

/** Fewer frames are alternatives (open and closed eyes), not a motion. */
export const MIN_FLIP_FRAMES = 3;

/** Scale below which a piece counts as hidden, relative to its largest one. Some files use 0.001 instead of 0. */
const HIDDEN_SCALE_RATIO = 0.01;

/** Distance from its usual place, in diagonals of a piece, at which it is on stage: files hide pieces that far away. */
const FAR_DIAGONALS = 10;

/** Seconds within which keys count as one: exporters round times, and put a key just before the next one. */
const SAME_TIME = 1e-4;

/** Ratio of the range of a translation between two keys that makes it a jump. */
const JUMP_RATIO = 0.9;

/** Maximum number of pieces, nodes or tracks times keys. Larger files are read as they are. */
const MAX_STATES = 2e7;

/** Frames may repeat, as in a motion forth and back, but not more often than this. */
const MAX_REPEATS = 4;

/** Finds the frames of a flip-book; undefined if the scene is none: if pieces move while they are shown, or two frames share a piece. */
export function findFlipBook(scene: SwitchedScene): FlipFrame[] | undefined {
  const { tree, places, tracks, visibility } = scene;
  const pieceCount = places.length;
  const mayHide = listSwitches(scene);
  if (places.filter((node) => mayHide[node]).length < MIN_FLIP_FRAMES) return undefined;
  const times = listSwitchTimes(scene);
  const width = Math.max(tree.parents.length, pieceCount, tracks.length + visibility.length);
  if (times.length < MIN_FLIP_FRAMES || width * times.length > MAX_STATES) return undefined;
  const { isShown, isMoved } = observe(scene, times);
  const isSwitched = places.map((_, p) => times.some((_, n) => isShown[n * pieceCount + p] === 0));
  if (places.some((_, p) => !isSwitched[p] && isMoved[p])) return undefined;

  const states: { time: number; own: number[] }[] = [];
  let before = '';
  for (const [n, time] of times.entries()) {
    const own = places.flatMap((_, p) => (isSwitched[p] && isShown[n * pieceCount + p] ? [p] : []));
    const key = own.join();
    if (own.length > 0 && key !== before) states.push({ time, own });
    if (own.length > 0) before = key;
  }
  const order = orderStates(states);
  if (!order) return undefined;
  return order.map(({ time, own }) => {
    const worlds = worldsAt(scene, time);
    const pieces = places.flatMap((_, p) => (!isSwitched[p] || own.includes(p) ? [p] : []));
    return {
      time,
      pieces,
      matrices: pieces.map((p) => worlds.slice(places[p] * 16, places[p] * 16 + 16)),
      piece: own[0],
    };
  });
}

/** The states up to the end of the first loop; undefined if they are too few, or if one piece belongs to two different ones. */
function orderStates<State extends { own: number[] }>(states: State[]): State[] | undefined {
  const keyOfPiece = new Map<number, string>();
  const keys = new Set<string>();
  for (const { own } of states) {
    const key = own.join();
    keys.add(key);
    for (const p of own) {
      if ((keyOfPiece.get(p) ?? key) !== key) return undefined;
      keyOfPiece.set(p, key);
    }
  }
  if (keys.size < MIN_FLIP_FRAMES) return undefined;
  const seen = new Set<string>();
  const first = states[0].own.join();
  const end = states.findIndex(({ own }, n) => {
    seen.add(own.join());
    return n > 0 && seen.size === keys.size && own.join() === first;
  });
  // The frame that closes a loop stays: it gives the last frame its duration.
  const order = end < 0 ? states : states.slice(0, end + 1);
  return order.length > MAX_REPEATS * keys.size ? undefined : order;
}

/** By node, 0 or 1: whether its tracks, or those of a node above it, could hide it. Most animated files end here. */
function listSwitches({ tree, tracks, visibility }: SwitchedScene): Uint8Array {
  const mayHide = new Uint8Array(tree.parents.length);
  for (const { node } of visibility) mayHide[node] = 1;
  for (const track of tracks)
    if ((track.path === 'scale' && isEverTiny(track)) || (track.path === 'translation' && isJump(track)))
      mayHide[track.node] = 1;
  for (const [node, parent] of tree.parents.entries()) if (parent >= 0 && mayHide[parent]) mayHide[node] = 1;
  return mayHide;
}

function isEverTiny({ values }: Track): boolean {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  return values.some((value) => Math.abs(value) <= HIDDEN_SCALE_RATIO * largest);
}

/** Whether a translation changes by most of its range between two keys. */
function isJump({ values, interpolation }: Track): boolean {
  if (interpolation === 'CUBICSPLINE') return false;
  for (let c = 0; c < 3; c++) {
    let [low, high, step] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
    for (let o = c; o < values.length; o += 3) {
      low = Math.min(low, values[o]);
      high = Math.max(high, values[o]);
      if (o >= 3) step = Math.max(step, Math.abs(values[o] - values[o - 3]));
    }
    if (high > low && step >= JUMP_RATIO * (high - low)) return true;
  }
  return false;
}

/** The times at which something may be switched, those that are equal but for rounding as one: the last. */
function listSwitchTimes({ tracks, visibility }: SwitchedScene): number[] {
  const all = new Set<number>();
  for (const { path, times } of tracks) if (path !== 'rotation') for (const time of times) all.add(time);
  for (const { times } of visibility) for (const time of times) all.add(time);
  const sorted = [...all].sort((a, b) => a - b);
  return sorted.filter((time, n) => !(sorted[n + 1] - time < SAME_TIME));
}

/** Whether each piece is drawn at each time (timeCount x pieceCount), and whether it ever moves. */
function observe(scene: SwitchedScene, times: readonly number[]): { isShown: Uint8Array; isMoved: boolean[] } {
  const { places, tracks } = scene;
  const pieceCount = places.length;
  const sizes = new Float64Array(times.length * pieceCount);
  const isVisible = new Uint8Array(times.length * pieceCount);
  const hasPlaces = tracks.some(({ path }) => path === 'translation');
  const centers = new Float64Array(hasPlaces ? 3 * sizes.length : 0);
  const boxes = hasPlaces ? places.map((_, p) => scene.boxOf(p)) : [];
  const isMoved = places.map(() => false);
  let first: Float64Array | undefined;
  for (const [n, time] of times.entries()) {
    const worlds = worldsAt(scene, time);
    const hidden = hiddenAt(scene, time);
    first ??= worlds;
    for (let p = 0; p < pieceCount; p++) {
      const at = n * pieceCount + p;
      const o = places[p] * 16;
      sizes[at] = Math.max(...[0, 4, 8].map((c) => Math.hypot(worlds[o + c], worlds[o + c + 1], worlds[o + c + 2])));
      isVisible[at] = 1 - hidden[places[p]];
      if (hasPlaces) transformPoint(worlds, boxes[p].center, centers, o, 0, 3 * at);
      for (let c = 0; c < 16 && !isMoved[p]; c++) isMoved[p] = worlds[o + c] !== first[o + c];
    }
  }
  for (let p = 0; p < pieceCount; p++) {
    const at = (n: number) => n * pieceCount + p;
    const size = times.reduce((most, _, n) => Math.max(most, sizes[at(n)]), 0);
    for (let n = 0; n < times.length; n++) if (!(sizes[at(n)] > HIDDEN_SCALE_RATIO * size)) isVisible[at(n)] = 0;
    if (hasPlaces && times.every((_, n) => isVisible[at(n)])) {
      const far = FAR_DIAGONALS * size * boxes[p].diagonal;
      const distances = measureFromUsual(centers, pieceCount, p);
      if (distances.some((distance) => distance > far))
        for (const [n, distance] of distances.entries()) isVisible[at(n)] = distance > far ? 1 : 0;
    }
  }
  return { isShown: isVisible, isMoved };
}

/** Distances of a piece from its median place, over time. A piece that is shown once is hidden in most frames, so that place is off stage. */
function measureFromUsual(centers: Float64Array, pieceCount: number, p: number): number[] {
  const timeCount = centers.length / (3 * pieceCount);
  const valuesOf = (c: number) => Array.from({ length: timeCount }, (_, n) => centers[3 * (n * pieceCount + p) + c]);
  const [x, y, z] = [0, 1, 2].map((c) => {
    const values = valuesOf(c);
    const usual = [...values].sort((a, b) => a - b)[timeCount >> 1];
    return values.map((value) => value - usual);
  });
  return x.map((_, n) => Math.hypot(x[n], y[n], z[n]));
}

/** nodeCount x 16, column-major: node to model space at a time */
function worldsAt({ tree, tracks }: SwitchedScene, time: number): Float64Array {
  const values = {
    translation: tree.translations.slice(),
    rotation: tree.rotations.slice(),
    scale: tree.scales.slice(),
  };
  for (const track of tracks) {
    if (track.path !== 'weights')
      sampleTrackInto(track, time, values[track.path], track.node * (track.path === 'rotation' ? 4 : 3));
  }
  const worlds = new Float64Array(tree.parents.length * 16);
  for (const [node, parent] of tree.parents.entries()) {
    compose(values.translation, values.rotation, values.scale, worlds, 3 * node, 4 * node, 3 * node, 16 * node);
    if (parent >= 0) multiply(worlds, worlds, worlds, 16 * parent, 16 * node, 16 * node);
  }
  return worlds;
}

/** By node, 0 or 1: whether it or a node above it is hidden at a time. */
function hiddenAt({ tree, visibility, isHidden }: SwitchedScene, time: number): Uint8Array {
  const hidden = isHidden.slice();
  const value = new Float64Array(1);
  for (const track of visibility) {
    if (track.times.length === 0) continue;
    sampleTrackInto(track, time, value);
    hidden[track.node] = value[0] === 0 ? 1 : 0;
  }
  for (const [node, parent] of tree.parents.entries()) if (parent >= 0 && hidden[parent]) hidden[node] = 1;
  return hidden;
}
