// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { InputError } from '../../core/model/errors.ts';
import type { JointRangeWords, RangeTable } from './ranges-of-motion.ts';

/**
 * The joint limits of a glTF file as a table of ranges: node `extras.jointLimits = { rotation: [[low, high], [low, high], [low, high]] }`, degrees about x, y and z
 * in the joint's own frame, R = Rx Ry Rz. Values are not checked here, but by readRanges. Throws if no bone has limits.
 */
export function rangesFromLimits(asset: Pick<Asset, 'rig' | 'source'>): RangeTable {
  const table = listLimits(asset);
  if (Object.keys(table).length === 0)
    throw new InputError(
      'ranges of motion',
      'the file has no joint limits (extras.jointLimits of nodes); use a file of ranges',
    );
  return table;
}

/** The same limits; an empty table if no bone has any. */
export function listLimits({ rig, source }: Pick<Asset, 'rig' | 'source'>): RangeTable {
  const nodes: unknown = source?.json.nodes;
  const isBone = new Set(rig?.skeleton.names);
  const table = new Map<string, JointRangeWords>();
  for (const node of Array.isArray(nodes) ? nodes : []) {
    const { name, extras } = node as { name?: unknown; extras?: { jointLimits?: unknown } };
    const limits = extras?.jointLimits;
    if (typeof name !== 'string' || limits === undefined || !isBone.has(name)) continue;
    if (typeof limits !== 'object' || limits === null || !('rotation' in limits))
      throw new InputError('ranges of motion', `the joint limits of bone "${name}" have no rotation`);
    table.set(name, { rotation: limits.rotation as JointRangeWords['rotation'] });
  }
  return Object.fromEntries(table);
}
