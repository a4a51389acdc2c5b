// SPDX-License-Identifier: MIT
import { findTrunk } from '../../core/model/skin/find-trunk.ts';
import type { Character } from './character.ts';

/** Which nodes take part when the motion of a trunk moves to a root. */
export interface RootPlan {
  /** The joint whose motion is moved. */
  trunk: number;
  /** The joint that gets it; -1 for a new node above `top`. */
  root: number;
  /** The node without a parent above the trunk. */
  top: number;
  /** Nodes below the root that keep their transforms and follow it. They draw nothing and do not move. */
  carried: ReadonlySet<number>;
  /** Nodes below the root and the carried ones that stay where they are: their transforms are made anew. */
  kept: readonly number[];
  /** Those of them that move something drawn. */
  seen: ReadonlySet<number>;
}

/** Chooses the root. Undefined if no joint can be a trunk. */
export function planRoot({ nodes, joints, drawn, animations, hips }: Character): RootPlan | undefined {
  const moving = new Set(animations.flatMap(({ tracks }) => tracks.filter(isMotion).map(({ node }) => node)));
  const trunk = findTrunk(nodes, { joints, moving, hips });
  if (trunk < 0) return undefined;
  const { parents } = nodes;
  const above: number[] = [];
  for (let n = parents[trunk]; n >= 0; n = parents[n]) above.unshift(n);
  const top = above[0] ?? trunk;
  const first = above.find((n) => joints.has(n)) ?? -1;
  // a bone with weights would take its vertices along
  const root = first >= 0 && !drawn.has(first) ? first : -1;
  const path = root < 0 ? above : above.slice(above.indexOf(root) + 1);
  const fixed = path.findIndex((n) => drawn.has(n) || moving.has(n));
  const carried = new Set(fixed < 0 ? path : path.slice(0, fixed));
  const matters = listAbove(parents, new Set([...joints, ...drawn]));
  const shows = listAbove(parents, drawn);
  const isChild = (n: number): boolean =>
    root < 0 && n === top ? true : parents[n] >= 0 && (parents[n] === root || carried.has(parents[n]));
  const kept = [...parents.keys()].filter((n) => isChild(n) && !carried.has(n) && matters[n] === 1);
  return { trunk, root, top, carried, kept, seen: new Set(kept.filter((n) => shows[n] === 1)) };
}

const isMotion = ({ path }: { path: string }): boolean => path !== 'weights';

/** By node: whether it, or one below it, is one of these. */
function listAbove(parents: Int32Array, nodes: ReadonlySet<number>): Uint8Array {
  const is = Uint8Array.from(parents, (_, n) => (nodes.has(n) ? 1 : 0));
  for (let n = parents.length - 1; n >= 0; n--) if (is[n] === 1 && parents[n] >= 0) is[parents[n]] = 1;
  return is;
}
