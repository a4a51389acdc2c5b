// SPDX-License-Identifier: MIT
// Groups of rigid pieces with one rigid motion each, where there are fewer bones than pieces: the pair of groups whose common motion has the lowest squared error is
// merged, until the number is reached. The moments of a group (sums of u, v, v uᵀ per frame) give the exact error of a merge without visiting vertices: per frame
//   E = Σ|v − v̄|² + Σ|u − ū|² − 2 tr(RᵀM),  M = Σ(v − v̄)(u − ū)ᵀ,  R the rotation nearest to M.
// Pairs are screened by the error of one group under the motion of the other, which needs no rotation. Then pieces move to the group of the lowest error (Lloyd).
import { nearestRotationInto } from '../../../core/math/rotation.ts';
import { fitRigidMotion, type RigidPiece } from '../../../core/mesh/topology/list-rigid-pieces.ts';
import { type Clip, frameCountOf } from '../../../core/model/clip/clip.ts';
import { BinaryHeap } from '../../../fit/clusters/index.ts';

/** Frames for screening, evenly spaced, and pairs of a group whose exact cost is computed. Not tuned. */
const SCREEN_FRAMES = 16;
const CANDIDATES = 8;
const LLOYD_ITERATIONS = 4;
/** Sums per frame: v, v uᵀ (column-major), |v|². */
const SUMS = 13;

export interface GroupOptions {
  /** Maximum number of groups. Default: no limit. */
  count?: number;
  /** Merges only while every vertex stays within this distance of its group's motion, file units. Default: no limit. */
  maxError?: number;
}

/** Pieces that move with one bone. */
export interface RigidGroup extends RigidPiece {
  /** Indices of its pieces, rising. */
  pieces: number[];
}

interface Moments {
  count: number;
  /** Σu, and Σ|u|² */
  rest: Float64Array;
  /** frameCount x 13 */
  posed: Float64Array;
}

interface Group {
  pieces: number[];
  moments: Moments;
  /** frameCount x 12: R (column-major) and t, relative to the centers */
  motion: Float64Array;
  error: number;
  isAlive: boolean;
  /** Live pairs of this group in the queue. */
  pairs: number;
}

interface Pair {
  cost: number;
  a: number;
  b: number;
}

/** Groups pieces by their motion, by first piece. Without options every piece is a group. */
export function groupRigidPieces(clip: Clip, pieces: readonly RigidPiece[], options: GroupOptions = {}): RigidGroup[] {
  const { count = options.maxError === undefined ? pieces.length : 1, maxError = Number.POSITIVE_INFINITY } = options;
  if (pieces.length <= count) return pieces.map((piece, n) => ({ ...piece, pieces: [n] }));
  const all = pieces.map((piece, n) => makeGroup([n], measureMoments(clip, piece.vertices)));
  const groups = mergeGroups(clip, pieces, all, count, maxError).map((group) => group.pieces);
  const final = maxError < Number.POSITIVE_INFINITY ? groups : refineGroups(all, groups);
  return final
    .sort((p, q) => p[0] - q[0])
    .map((members) => {
      const vertices = joinVertices(pieces, members);
      return { pieces: members, vertices, matrices: fitRigidMotion(clip, vertices)! };
    });
}

function mergeGroups(
  clip: Clip,
  pieces: readonly RigidPiece[],
  start: readonly Group[],
  count: number,
  maxError: number,
): Group[] {
  const groups = start.map((group) => ({ ...group, pairs: 0 }));
  const limits = new Float64Array(frameCountOf(clip)).fill(maxError);
  const queue = new BinaryHeap<Pair>((p, q) => p.cost < q.cost || (p.cost === q.cost && (p.a - q.a || p.b - q.b) < 0));
  const propose = (a: number, isFirst: boolean): void => {
    for (const b of listNear(groups, a, isFirst)) {
      const cost =
        makeGroup([], addMoments(groups[a].moments, groups[b].moments)).error - groups[a].error - groups[b].error;
      queue.push({ cost, a: Math.min(a, b), b: Math.max(a, b) });
      groups[a].pairs++;
      groups[b].pairs++;
    }
  };
  for (let a = 0; a < groups.length; a++) propose(a, true);
  let alive = groups.length;
  while (alive > count) {
    const pair = queue.pop();
    if (!pair) break;
    const members = [groups[pair.a], groups[pair.b]];
    for (const group of members) group.pairs--;
    if (members.every(({ isAlive }) => isAlive)) {
      const joined = [...members[0].pieces, ...members[1].pieces].sort((p, q) => p - q);
      const isClose =
        maxError === Number.POSITIVE_INFINITY || fitRigidMotion(clip, joinVertices(pieces, joined), limits);
      if (isClose) {
        for (const group of members) group.isAlive = false;
        groups.push(makeGroup(joined, addMoments(members[0].moments, members[1].moments)));
        alive--;
        propose(groups.length - 1, false);
      }
    } else if (maxError === Number.POSITIVE_INFINITY) {
      // a group whose pairs all ended gets new ones
      for (const index of [pair.a, pair.b])
        if (groups[index].isAlive && groups[index].pairs === 0) propose(index, false);
    }
  }
  return groups.filter(({ isAlive }) => isAlive);
}

/** The live groups whose motion is closest to that of a group; with isFirst only those of a larger index are considered, so that a pair is listed once. */
function listNear(groups: readonly Group[], a: number, isFirst: boolean): number[] {
  const near: Pair[] = [];
  for (let b = isFirst ? a + 1 : 0; b < groups.length; b++) {
    if (b === a || !groups[b].isAlive) continue;
    const cost = Math.min(
      measureUnder(groups[b].moments, groups[a].motion, SCREEN_FRAMES),
      measureUnder(groups[a].moments, groups[b].motion, SCREEN_FRAMES),
    );
    if (near.length === CANDIDATES && cost >= near[CANDIDATES - 1].cost) continue;
    let at = near.length;
    while (at > 0 && near[at - 1].cost > cost) at--;
    near.splice(at, 0, { cost, a, b });
    if (near.length > CANDIDATES) near.pop();
  }
  return near.map(({ b }) => b);
}

/** Lloyd iterations over pieces; a group never loses its last piece. */
function refineGroups(pieces: readonly Group[], start: readonly number[][]): number[][] {
  let groups = start.map((members) => [...members]);
  for (let iteration = 0; iteration < LLOYD_ITERATIONS; iteration++) {
    const motions = groups.map(
      (members) => makeGroup([], members.map((n) => pieces[n].moments).reduce(addMoments)).motion,
    );
    const next: number[][] = groups.map(() => []);
    let isMoved = false;
    groups.forEach((members, own) => {
      for (const n of members) {
        let best = own;
        let lowest = measureUnder(pieces[n].moments, motions[own]);
        for (let j = 0; j < motions.length && members.length > 1; j++) {
          const error = j === own ? lowest : measureUnder(pieces[n].moments, motions[j]);
          if (error < lowest) {
            best = j;
            lowest = error;
          }
        }
        next[best].push(n);
        isMoved ||= best !== own;
      }
    });
    if (!isMoved || next.some((members) => members.length === 0)) break;
    groups = next.map((members) => members.sort((p, q) => p - q));
  }
  return groups;
}

/** Moments relative to the first vertex of the clip, which removes the large common part of sums whose differences matter. */
function measureMoments({ mesh, positions, times }: Clip, vertices: Uint32Array): Moments {
  const stride = mesh.positions.length;
  const u0 = mesh.positions;
  const rest = new Float64Array(4);
  const posed = new Float64Array(SUMS * times.length);
  for (const i of vertices) {
    const u = [0, 1, 2].map((r) => u0[3 * i + r] - u0[r]);
    for (let r = 0; r < 3; r++) {
      rest[r] += u[r];
      rest[3] += u[r] * u[r];
    }
    for (let k = 0; k < times.length; k++) {
      for (let r = 0; r < 3; r++) {
        const v = positions[k * stride + 3 * i + r] - positions[k * stride + r];
        posed[SUMS * k + r] += v;
        posed[SUMS * k + 3 + r] += v * u[0];
        posed[SUMS * k + 6 + r] += v * u[1];
        posed[SUMS * k + 9 + r] += v * u[2];
        posed[SUMS * k + 12] += v * v;
      }
    }
  }
  return { count: vertices.length, rest, posed };
}

function addMoments(a: Moments, b: Moments): Moments {
  const add = (p: Float64Array, q: Float64Array) => p.map((value, n) => value + q[n]);
  return { count: a.count + b.count, rest: add(a.rest, b.rest), posed: add(a.posed, b.posed) };
}

/** The rigid motion of a group and its squared error. */
function makeGroup(pieces: number[], moments: Moments): Group {
  const { count, rest, posed } = moments;
  const frameCount = posed.length / SUMS;
  const motion = new Float64Array(12 * frameCount);
  const m = new Float64Array(9);
  let error = 0;
  for (let k = 0; k < frameCount; k++) {
    const o = SUMS * k;
    let spread = rest[3] + posed[o + 12];
    for (let r = 0; r < 3; r++) {
      spread -= (rest[r] * rest[r] + posed[o + r] * posed[o + r]) / count;
      for (let c = 0; c < 3; c++) m[3 * c + r] = posed[o + 3 + 3 * c + r] - (posed[o + r] * rest[c]) / count;
    }
    const rotation = motion.subarray(12 * k, 12 * k + 9);
    nearestRotationInto(m, rotation);
    for (let e = 0; e < 9; e++) spread -= 2 * m[e] * rotation[e];
    error += Math.max(0, spread);
    for (let r = 0; r < 3; r++) {
      let t = posed[o + r];
      for (let c = 0; c < 3; c++) t -= rotation[3 * c + r] * rest[c];
      motion[12 * k + 9 + r] = t / count;
    }
  }
  return { pieces, moments, motion, error, isAlive: true, pairs: 0 };
}

/** Σ|R u + t − v|² = Σ|u|² + Σ|v|² + n|t|² + 2 tᵀ(R Σu − Σv) − 2 tr(Rᵀ Σv uᵀ), over all frames or some evenly spaced ones. */
function measureUnder(
  { count, rest, posed }: Moments,
  motion: Float64Array,
  frames = Number.POSITIVE_INFINITY,
): number {
  const frameCount = posed.length / SUMS;
  const taken = Math.min(frames, frameCount);
  let error = 0;
  for (let n = 0; n < taken; n++) {
    const k = Math.floor((n * frameCount) / taken);
    const o = SUMS * k;
    const q = 12 * k;
    error += rest[3] + posed[o + 12];
    for (let r = 0; r < 3; r++) {
      const t = motion[q + 9 + r];
      const turned = motion[q + r] * rest[0] + motion[q + 3 + r] * rest[1] + motion[q + 6 + r] * rest[2];
      error += t * (count * t + 2 * (turned - posed[o + r]));
    }
    for (let e = 0; e < 9; e++) error -= 2 * motion[q + e] * posed[o + 3 + e];
  }
  return error;
}

function joinVertices(pieces: readonly RigidPiece[], members: readonly number[]): Uint32Array {
  if (members.length === 1) return pieces[members[0]].vertices;
  const joined = new Uint32Array(members.reduce((sum, n) => sum + pieces[n].vertices.length, 0));
  let o = 0;
  for (const n of members) {
    joined.set(pieces[n].vertices, o);
    o += pieces[n].vertices.length;
  }
  return joined.sort();
}
