// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import { RULES } from './catalog/list-rules.ts';
import type { Rule } from './rule.ts';

/** Rules whose fix gives materials or images other numbers. */
const RENUMBERING = ['material-unused', 'image-unused'];

/** Rules whose fix can be made: materials with extensions that a scene does not hold keep their places, so that none of them is lost. */
export function listFixable({ source }: Asset): readonly Rule[] {
  const { materials } = source?.json ?? {};
  const list: readonly unknown[] = Array.isArray(materials) ? materials : [];
  return list.some(isExtended) ? RULES.filter(({ id }) => !RENUMBERING.includes(id)) : RULES;
}

function isExtended(material: unknown): boolean {
  const { extensions = {} } = material as { extensions?: object };
  return Object.keys(extensions).some((name) => name !== 'KHR_materials_unlit');
}
