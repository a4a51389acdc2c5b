// SPDX-License-Identifier: MIT
// Cells of groups with similar motions: the groups are halved between two motions that are far apart, until a cell is small enough. Another seed cuts at other places.
import { makeRandom } from '../../../core/math/random.ts';
import { type Group, listScreenFrames } from './rigid-moments.ts';

/** Lists cells of at most `size` groups each: indices of groups, rising. */
export function listMotionCells(groups: readonly Group[], size: number, seed: number): number[][] {
  const random = makeRandom(seed);
  const measure = makeMotionDistance(groups);
  const cells: number[][] = [];
  const open = [Array.from(groups.keys())];
  for (let members = open.pop(); members; members = open.pop()) {
    if (members.length <= size) {
      cells.push(members);
      continue;
    }
    const one = farthestFrom(members[random.below(members.length)], members, measure);
    const other = farthestFrom(one, members, measure);
    const sorted = members
      .map((n) => ({ n, key: measure(n, one) - measure(n, other) }))
      .sort((p, q) => p.key - q.key || p.n - q.n)
      .map(({ n }) => n);
    const half = sorted.length >> 1;
    open.push(sorted.slice(half).sort(rising), sorted.slice(0, half).sort(rising));
  }
  return cells;
}

type MotionDistance = (a: number, b: number) => number;

/** The squared distance of two motions, |Δt|² + ρ² |ΔR|² summed over some frames, ρ² the mean of |u|². */
function makeMotionDistance(groups: readonly Group[]): MotionDistance {
  let [square, count] = [0, 0];
  for (const { moments } of groups) {
    square += moments.rest[3];
    count += moments.count;
  }
  const frames = listScreenFrames(groups[0].motion.length / 12);
  return (a, b) => {
    const [p, q] = [groups[a].motion, groups[b].motion];
    let [turn, shift] = [0, 0];
    for (const k of frames) {
      for (let e = 12 * k; e < 12 * k + 9; e++) turn += (p[e] - q[e]) ** 2;
      for (let e = 12 * k + 9; e < 12 * k + 12; e++) shift += (p[e] - q[e]) ** 2;
    }
    return shift + (square / count) * turn;
  };
}

function farthestFrom(from: number, members: readonly number[], measure: MotionDistance): number {
  let [farthest, largest] = [from, -1];
  for (const n of members) {
    const distance = measure(n, from);
    if (distance > largest) [farthest, largest] = [n, distance];
  }
  return farthest;
}

const rising = (p: number, q: number): number => p - q;
