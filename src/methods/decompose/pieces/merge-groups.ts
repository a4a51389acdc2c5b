// SPDX-License-Identifier: MIT
// Merges groups of rigid pieces: the pair of groups whose common motion has the lowest squared error first. Pairs are screened by the error of one group under the motion of the
// other, which needs no rotation. Where there are many groups, pairs are sought within cells of similar motions, until half of the groups are left; then in new cells.
// Comparing all groups takes time with the square of their number (10,000 boxes, 20 bones: over 100 s).
import { BinaryHeap } from '../../../fit/clusters/index.ts';
import { listMotionCells } from './list-motion-cells.ts';
import { MotionScreen } from './motion-screen.ts';
import { addMoments, type Group, makeGroup, measureJoined } from './rigid-moments.ts';

/** Groups that are all compared. */
const LAST_SIZE = 512;
/** Groups per cell where there are more. Not tuned for quality: errors of the groups of 4,000 boxes differ by 1 % between 32 and 512, and from those of all pairs. */
const CELL_SIZE = 64;
/** Pairs of a group whose exact cost is computed. Not tuned. */
const CANDIDATES = 8;

interface Pair {
  cost: number;
  a: number;
  b: number;
}

export interface MergeLimits {
  /** Minimum number of groups. */
  count: number;
  /** Whether pieces may form a group. Default: always. */
  canJoin?: (pieces: number[]) => boolean;
}

/** The groups that are left, in the order of their last merge. */
export function mergeGroups(start: readonly Group[], { count, canJoin }: MergeLimits): readonly Group[] {
  let groups = start;
  for (let phase = 0; groups.length > count; phase++) {
    const cells = listMotionCells(groups, groups.length > LAST_SIZE ? CELL_SIZE : LAST_SIZE, phase);
    const isLast = cells.length === 1;
    const merge = new Merge(groups, cells, canJoin);
    const next = merge.run(isLast ? count : Math.max(count, groups.length >> 1));
    const isStuck = next.length === groups.length;
    groups = next;
    if (isLast || isStuck) break;
  }
  return groups;
}

/** Merges within cells. */
class Merge {
  readonly #groups: Group[];
  readonly #cells: number[][];
  /** The cell of every group. */
  readonly #cellOf: number[];
  readonly #canJoin: MergeLimits['canJoin'];
  readonly #screen: MotionScreen;
  readonly #queue = new BinaryHeap<Pair>(
    (p, q) => p.cost < q.cost || (p.cost === q.cost && (p.a - q.a || p.b - q.b) < 0),
  );

  constructor(groups: readonly Group[], cells: readonly number[][], canJoin: MergeLimits['canJoin']) {
    this.#groups = groups.map((group) => ({ ...group, pairs: 0 }));
    this.#cells = cells.map((members) => [...members]);
    this.#cellOf = new Array<number>(groups.length).fill(0);
    cells.forEach((members, cell) => {
      for (const n of members) this.#cellOf[n] = cell;
    });
    this.#canJoin = canJoin;
    this.#screen = new MotionScreen(groups);
  }

  run(count: number): Group[] {
    const groups = this.#groups;
    let alive = groups.length;
    for (let a = 0; a < alive; a++) this.#propose(a, true);
    while (alive > count) {
      const pair = this.#queue.pop();
      if (!pair) break;
      const members = [groups[pair.a], groups[pair.b]];
      for (const group of members) group.pairs--;
      if (members.every(({ isAlive }) => isAlive)) {
        if (this.#join(pair, members)) alive--;
      } else if (!this.#canJoin) {
        // a group whose pairs all ended gets new ones
        for (const index of [pair.a, pair.b])
          if (groups[index].isAlive && groups[index].pairs === 0) this.#propose(index, false);
      }
    }
    return groups.filter(({ isAlive }) => isAlive);
  }

  /** Puts the exact costs of a group's closest pairs in the queue. */
  #propose(a: number, isFirst: boolean): void {
    const groups = this.#groups;
    for (const b of this.#listNear(a, isFirst)) {
      const cost = measureJoined(groups[a].moments, groups[b].moments) - groups[a].error - groups[b].error;
      this.#queue.push({ cost, a: Math.min(a, b), b: Math.max(a, b) });
      groups[a].pairs++;
      groups[b].pairs++;
    }
  }

  #join({ a }: Pair, members: readonly Group[]): boolean {
    const joined = members.flatMap(({ pieces }) => pieces).sort((p, q) => p - q);
    if (this.#canJoin && !this.#canJoin(joined)) return false;
    for (const group of members) group.isAlive = false;
    const index = this.#groups.length;
    this.#groups.push(makeGroup(joined, addMoments(members[0].moments, members[1].moments)));
    this.#cellOf.push(this.#cellOf[a]);
    this.#cells[this.#cellOf[a]].push(index);
    this.#propose(index, false);
    return true;
  }

  /** The live groups of its cell whose motion is closest to that of a group; with isFirst only those of a larger index are considered, so that a pair is listed once. */
  #listNear(a: number, isFirst: boolean): number[] {
    const groups = this.#groups;
    const near: Pair[] = [];
    for (const b of this.#cells[this.#cellOf[a]]) {
      if (b === a || (isFirst && b < a) || !groups[b].isAlive) continue;
      const limit = near.length === CANDIDATES ? near[CANDIDATES - 1].cost : Number.POSITIVE_INFINITY;
      const cost = Math.min(
        this.#screen.measure(groups[b].moments, groups[a].motion, limit, this.#screen.frames),
        this.#screen.measure(groups[a].moments, groups[b].motion, limit, this.#screen.frames),
      );
      if (cost >= limit) continue;
      let at = near.length;
      while (at > 0 && near[at - 1].cost > cost) at--;
      near.splice(at, 0, { cost, a, b });
      if (near.length > CANDIDATES) near.pop();
    }
    return near.map(({ b }) => b);
  }
}
