// SPDX-License-Identifier: MIT
import type { Random } from '../../src/core/math/random.ts';
import { pick } from '../fuzz-format.ts';
import { INTEGERS } from './mutate-bytes.ts';

/** Stands for a number that overflows; JSON.stringify would write null. */
const OVERFLOW = '\u0001overflow';
const VALUES: readonly unknown[] = [
  ...[null, true, false, '', '\u001b[2J', 'VEC3', 'SCALAR', 'LINEAR', '../x.bin', 'data:,', 'x.bin', OVERFLOW],
  ...[-1, 0.5, 1.5, 2 ** 53, 1e38, 3.5e38, 1e300, -1e300, 1e-300],
  ...[[], {}, [0], [0, 0, 0], [1e300, 1e300, 1e300], [0, 0, 0, 0], [[[[]]]]],
];

type Container = Record<string | number, unknown>;
interface Place {
  owner: Container;
  key: string | number;
}

/** Every value of a JSON tree, by where it is. */
export function listPlaces(root: unknown): Place[] {
  const places: Place[] = [];
  const open: unknown[] = [root];
  for (let owner = open.pop(); owner !== undefined; owner = open.pop()) {
    if (typeof owner !== 'object' || owner === null) continue;
    const keys = Array.isArray(owner) ? owner.keys() : Object.keys(owner);
    for (const key of keys) {
      places.push({ owner: owner as Container, key });
      open.push((owner as Container)[key]);
    }
  }
  return places;
}

/** Makes one change to a JSON tree, in place: another value, a removed, copied, renamed or repeated field. */
export function mutateJsonInto(random: Random, root: unknown): void {
  const places = listPlaces(root);
  if (places.length === 0) return;
  const { owner, key } = pick(random, places);
  const value = owner[key];
  switch (random.below(10)) {
    case 0:
    case 1:
    case 2:
      owner[key] = typeof value === 'number' ? nearNumber(random, value) : pickValue(random);
      return;
    case 3:
      owner[key] = pickValue(random);
      return;
    case 4:
      if (Array.isArray(owner)) owner.splice(key as number, 1);
      else delete owner[key];
      return;
    case 5: {
      const other = pick(random, places);
      owner[key] = structuredClone(other.owner[other.key]);
      return;
    }
    case 6: {
      const other = pick(random, places);
      const otherValue = other.owner[other.key];
      // An exchange of a value with one inside it would make a cycle.
      if (isInside(value, other.owner) || isInside(otherValue, owner)) return;
      [owner[key], other.owner[other.key]] = [otherValue, value];
      return;
    }
    case 7:
      if (Array.isArray(owner)) {
        const count = random.below(8) === 0 ? 300 : 1 + random.below(4);
        for (let n = 0; n < count; n++) owner.splice(key as number, 0, structuredClone(value));
      } else owner[key] = Array.from({ length: random.below(5) }, () => structuredClone(value));
      return;
    case 8: {
      const names = places.map((place) => place.key).filter((name) => typeof name === 'string');
      if (!Array.isArray(owner) && names.length > 0) {
        delete owner[key];
        owner[pick(random, names)] = value;
      } else owner[key] = nearNumber(random, 0);
      return;
    }
    default:
      if (Array.isArray(owner)) owner.push(structuredClone(value));
      else
        owner[pick(random, ['count', 'byteOffset', 'extensions', 'sparse', 'children', 'min'])] = nearNumber(random, 1);
  }
}

/** A copy: later changes must not reach the list. */
function pickValue(random: Random): unknown {
  return structuredClone(pick(random, VALUES));
}

function isInside(value: unknown, owner: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return value === owner || listPlaces(value).some((place) => place.owner[place.key] === owner);
}

function nearNumber(random: Random, value: number): unknown {
  switch (random.below(5)) {
    case 0:
      return value + 1;
    case 1:
      return value - 1;
    case 2:
      return pick(random, [value * 2, value / 2, -value, value + 4, value * 1e6]);
    case 3:
      return random.below(12);
    default:
      return pick(random, INTEGERS);
  }
}

/** The text of a mutated tree. */
export function jsonText(root: unknown): string {
  return JSON.stringify(root).replaceAll(JSON.stringify(OVERFLOW), '1e999');
}
