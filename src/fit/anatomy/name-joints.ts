// SPDX-License-Identifier: MIT
import type { Anatomy, JointLabel } from './anatomy.ts';
import { NAMES_OF, type NameSet } from './name-sets.ts';

/**
 * Names of joints as a program looks for them. Joints that a set has no name for keep theirs; names are unique.
 * @param own names that the joints have
 */
export function nameJoints(own: readonly string[], { labels, kind }: Anatomy, set: NameSet): string[] {
  const counts = new Map<string, number>();
  const chainOf = ({ part, side, chain }: JointLabel): string => `${part}.${side}.${chain}`;
  for (const label of labels) if (label) counts.set(chainOf(label), (counts.get(chainOf(label)) ?? 0) + 1);
  const taken = new Set<string>();
  const wanted = labels.map((label) => {
    if (!label || label.part === 'end' || label.part === 'root') return undefined;
    const name = NAMES_OF[set]({ ...label, count: counts.get(chainOf(label)) ?? 1, isQuadruped: kind === 'quadruped' });
    if (name === undefined || taken.has(name)) return undefined;
    taken.add(name);
    return name;
  });
  return own.map((name, j) => wanted[j] ?? makeUnique(name, taken));
}

function makeUnique(name: string, taken: Set<string>): string {
  let free = name;
  for (let n = 2; taken.has(free); n++) free = `${name}_${n}`;
  taken.add(free);
  return free;
}
