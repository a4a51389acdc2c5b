// SPDX-License-Identifier: MIT
import { InputError } from '../../../core/model/errors.ts';
import type { GivenHierarchy } from '../skeleton-input.ts';

interface ListedJoint {
  name: string;
  parent?: string;
  position: [number, number, number];
}

/**
 * Checks a list of joints, each with name, parent and position, and sorts it.
 * @param file what errors name
 * @param list parsed JSON
 */
export function parseHierarchy(file: string, list: unknown): GivenHierarchy {
  return sortJoints(file, readList(file, list));
}

function readList(file: string, list: unknown): ListedJoint[] {
  if (!Array.isArray(list) || list.length === 0)
    throw new InputError(file, 'expected a list of joints, each with name, parent and position');
  const known = new Set<string>();
  return list.map((item: unknown, n) => {
    const { name, parent, position } = (item ?? {}) as Record<string, unknown>;
    if (typeof name !== 'string' || name === '') throw new InputError(file, `joint ${n} has no name`);
    if (known.has(name)) throw new InputError(file, `there are two joints called "${name}"`);
    known.add(name);
    if (parent !== undefined && parent !== null && typeof parent !== 'string')
      throw new InputError(file, `the parent of "${name}" must be the name of a joint`);
    const isPoint = Array.isArray(position) && position.length === 3 && position.every(Number.isFinite);
    if (!isPoint) throw new InputError(file, `the position of "${name}" must be three numbers`);
    return { name, parent: parent ?? undefined, position: position as [number, number, number] };
  });
}

/** Parents before their children. */
function sortJoints(file: string, joints: readonly ListedJoint[]): GivenHierarchy {
  const byName = new Map(joints.map((joint) => [joint.name, joint]));
  const order = new Map<string, number>();
  for (const joint of joints) {
    const way: ListedJoint[] = [];
    for (let at: ListedJoint | undefined = joint; at && !order.has(at.name); ) {
      if (way.includes(at)) throw new InputError(file, `"${at.name}" is its own ancestor`);
      way.push(at);
      if (at.parent !== undefined && !byName.has(at.parent))
        throw new InputError(file, `the parent of "${at.name}", "${at.parent}", is not in the list`);
      at = at.parent === undefined ? undefined : byName.get(at.parent);
    }
    for (const { name } of way.reverse()) order.set(name, order.size);
  }
  const names = [...order.keys()];
  const sorted = names.map((name) => byName.get(name) as ListedJoint);
  return {
    names,
    parents: Int32Array.from(sorted, ({ parent }) => (parent === undefined ? -1 : (order.get(parent) ?? -1))),
    positions: Float64Array.from(sorted.flatMap(({ position }) => position)),
  };
}
