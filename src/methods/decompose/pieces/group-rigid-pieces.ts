// SPDX-License-Identifier: MIT
// Groups of rigid pieces with one rigid motion each, where there are fewer bones than pieces: pairs of groups are merged (merge-groups.ts) until the number is reached. Then
// pieces move to the group of the lowest error (Lloyd).
import { fitRigidMotion, type RigidPiece } from '../../../core/mesh/topology/list-rigid-pieces.ts';
import { type Clip, frameCountOf } from '../../../core/model/clip/clip.ts';
import { mergeGroups } from './merge-groups.ts';
import { MotionScreen } from './motion-screen.ts';
import { type Group, type Moments, makeGroup, measureMoments, measureUnder, sumMoments } from './rigid-moments.ts';

/** More lower the error of the groups, and raise that of the solve that starts from them (4,000 boxes, 20 bones, three seeds: E_RMS 1.405 with 4, 1.440 with 20). */
const LLOYD_ITERATIONS = 4;

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

/** Groups pieces by their motion, by first piece. Without options every piece is a group. */
export function groupRigidPieces(clip: Clip, pieces: readonly RigidPiece[], options: GroupOptions = {}): RigidGroup[] {
  const { count = options.maxError === undefined ? pieces.length : 1, maxError = Number.POSITIVE_INFINITY } = options;
  if (pieces.length <= count) return pieces.map((piece, n) => ({ ...piece, pieces: [n] }));
  const all = pieces.map((piece, n) => makeGroup([n], measureMoments(clip, piece.vertices)));
  const limits = new Float64Array(frameCountOf(clip)).fill(maxError);
  const hasLimit = maxError < Number.POSITIVE_INFINITY;
  const canJoin = (joined: number[]) => fitRigidMotion(clip, joinVertices(pieces, joined), limits) !== undefined;
  const groups = mergeGroups(all, hasLimit ? { count, canJoin } : { count }).map((group) => group.pieces);
  const final = hasLimit ? groups : refineGroups(all, groups);
  return final
    .sort((p, q) => p[0] - q[0])
    .map((members) => {
      const vertices = joinVertices(pieces, members);
      return { pieces: members, vertices, matrices: fitRigidMotion(clip, vertices)! };
    });
}

/** Lloyd iterations over pieces; a group never loses its last piece. */
function refineGroups(pieces: readonly Group[], start: readonly number[][]): number[][] {
  const screen = new MotionScreen(pieces);
  let groups = start.map((members) => [...members]);
  for (let iteration = 0; iteration < LLOYD_ITERATIONS; iteration++) {
    const motions = groups.map((members) => makeGroup([], sumMoments(members.map((n) => pieces[n].moments))).motion);
    const next: number[][] = groups.map(() => []);
    let isMoved = false;
    groups.forEach((members, own) => {
      for (const n of members) {
        const best = members.length > 1 ? findClosest(pieces[n].moments, motions, own, screen) : own;
        next[best].push(n);
        isMoved ||= best !== own;
      }
    });
    if (!isMoved || next.some((members) => members.length === 0)) break;
    groups = next.map((members) => members.sort((p, q) => p - q));
  }
  return groups;
}

/** The motion of the lowest error, the own one among equals. */
function findClosest(moments: Moments, motions: readonly Float64Array[], own: number, screen: MotionScreen): number {
  let best = own;
  let lowest = measureUnder(moments, motions[own]);
  for (let j = 0; j < motions.length; j++) {
    const error = j === own ? lowest : screen.measure(moments, motions[j], lowest);
    if (error < lowest) {
      best = j;
      lowest = error;
    }
  }
  return best;
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
