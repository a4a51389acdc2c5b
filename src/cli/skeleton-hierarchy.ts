// SPDX-License-Identifier: MIT
// --hierarchy: joints that a file says, a skinned glTF or a list in JSON.
import { extname } from 'node:path';
import type { GivenHierarchy } from '../skeleton/skeleton-options.ts';
import type { ReadOptions } from './clip-options.ts';
import type { Context } from './command.ts';
import { JobError } from './exit-status.ts';
import { openInput } from './open-input.ts';
import { readBytes } from './read-bytes.ts';

export interface ReadHierarchy {
  hierarchy: GivenHierarchy;
  /** Files that were read. */
  paths: string[];
}

/** Reads a hierarchy; whatever is wrong with it is one sentence that starts with the file's name. */
export async function readHierarchy(file: string, context: Context<ReadOptions>): Promise<ReadHierarchy> {
  if (extname(file).toLowerCase() !== '.json') {
    const { asset, paths } = await openInput(file, context);
    if (!asset.rig) throw new JobError(`${file}: has no bones; --hierarchy takes a skinned glTF or a JSON list`);
    const { names, parents, bindMatrices } = asset.rig.skeleton;
    const positions = Float64Array.from(
      { length: 3 * names.length },
      (_, e) => bindMatrices[16 * Math.floor(e / 3) + 12 + (e % 3)],
    );
    return { hierarchy: { names, parents, positions }, paths };
  }
  let list: unknown;
  try {
    list = JSON.parse(new TextDecoder().decode(await readBytes(file)));
  } catch (error) {
    if (error instanceof SyntaxError) throw new JobError(`${file}: is not JSON: ${error.message}`, { cause: error });
    throw error;
  }
  return { hierarchy: sortJoints(file, readList(file, list)), paths: [file] };
}

interface ListedJoint {
  name: string;
  parent?: string;
  position: [number, number, number];
}

function readList(file: string, list: unknown): ListedJoint[] {
  if (!Array.isArray(list) || list.length === 0)
    throw new JobError(`${file}: expected a list of joints, each with name, parent and position`);
  const known = new Set<string>();
  return list.map((item: unknown, n) => {
    const { name, parent, position } = (item ?? {}) as Record<string, unknown>;
    if (typeof name !== 'string' || name === '') throw new JobError(`${file}: joint ${n} has no name`);
    if (known.has(name)) throw new JobError(`${file}: there are two joints called "${name}"`);
    known.add(name);
    if (parent !== undefined && parent !== null && typeof parent !== 'string')
      throw new JobError(`${file}: the parent of "${name}" must be the name of a joint`);
    const isPoint = Array.isArray(position) && position.length === 3 && position.every(Number.isFinite);
    if (!isPoint) throw new JobError(`${file}: the position of "${name}" must be three numbers`);
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
      if (way.includes(at)) throw new JobError(`${file}: "${at.name}" is its own ancestor`);
      way.push(at);
      if (at.parent !== undefined && !byName.has(at.parent))
        throw new JobError(`${file}: the parent of "${at.name}", "${at.parent}", is not in the list`);
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
