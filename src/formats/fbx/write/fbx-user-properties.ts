// SPDX-License-Identifier: MIT
import type { Extras } from '../../../core/model/surface-look.ts';
import { fbxDouble } from '../syntax/fbx-pack.ts';
import type { FbxProperty } from './fbx-builder.ts';

/** Custom properties as those of a user, which editors show: numbers, texts and truth values as such, all else as JSON. */
export function listUserProperties(extras: Extras | undefined): FbxProperty[] {
  return Object.entries(extras ?? {}).flatMap(([name, value]): FbxProperty[] => {
    if (typeof value === 'boolean') return [[name, 'bool', '', 'U', value ? 1 : 0]];
    if (typeof value === 'number' && Number.isFinite(value)) return [[name, 'double', 'Number', 'U', fbxDouble(value)]];
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return text === undefined ? [] : [[name, 'KString', '', 'U', text]];
  });
}
