// SPDX-License-Identifier: MIT
import type { Extras } from '../../core/model/surface-look.ts';
import { type FbxValue, numberOfFbx } from './syntax/fbx-node.ts';
import type { FbxObject } from './syntax/fbx-object.ts';

/** Properties that a program keeps for itself, under the names of users. */
const INTERNAL =
  /^(mr displacement|3dsMax|Maya|MaxHandle|UDP3DSMAX|currentUVSet|filmboxTypeID|liw|lockInfluenceWeights|mayaManifest)/;
/** Text that is JSON of an object or a list. */
const JSON_TEXT = /^\s*[[{]/;

/** Custom properties of an object, by their flags; undefined if it has none. */
export function readFbxExtras({ node }: Pick<FbxObject, 'node'>): Extras | undefined {
  const extras: Record<string, unknown> = {};
  for (const list of node.children) {
    if (list.name !== 'Properties70' && list.name !== 'Properties60') continue;
    const skipped = list.name === 'Properties70' ? 4 : 3;
    for (const { values } of list.children) {
      const [name] = values;
      const flags = values[skipped - 1];
      if (typeof name !== 'string' || typeof flags !== 'string' || !flags.includes('U') || INTERNAL.test(name))
        continue;
      const value = valueOfProperty(String(values[1]), values.slice(skipped));
      if (value !== undefined) Object.defineProperty(extras, name, { value, enumerable: true, configurable: true });
    }
  }
  return Object.keys(extras).length > 0 ? extras : undefined;
}

function valueOfProperty(type: string, values: readonly FbxValue[]): unknown {
  const [first] = values;
  if (typeof first === 'string') return JSON_TEXT.test(first) ? parse(first) : first;
  const numbers = values.map(numberOfFbx);
  if (numbers.length === 0 || !numbers.every((x) => x !== undefined && Number.isFinite(x))) return undefined;
  if (/^bool$/i.test(type)) return numbers[0] !== 0;
  return numbers.length === 1 ? numbers[0] : numbers;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
