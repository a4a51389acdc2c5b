// SPDX-License-Identifier: MIT
import { quoteName } from '../../../core/model/plain-text.ts';

/** What gets a name: joints before other nodes, nodes before the meshes, cameras and lights that they carry. */
export interface NamedModel {
  name: string;
  /** Smaller numbers keep their name. */
  rank: number;
  isMesh: boolean;
}

/** Names in a note. */
const SHOWN = 3;

/**
 * Gives every model a name of its own: three.js finds what an animation moves by name, after it has removed some letters, and engines refuse
 * two bones of one name. Returns the names; says which were changed.
 */
export function makeModelNames(models: readonly NamedModel[], log?: (message: string) => void): string[] {
  const names = models.map(({ name }) => name);
  const taken = new Set<string>();
  const renamed: string[] = [];
  const order = [...models.keys()].sort((a, b) => models[a].rank - models[b].rank || a - b);
  for (const m of order) {
    const { name, isMesh } = models[m];
    const base = keyOf(name) === '' ? `node_${m}` : name;
    let own = base;
    for (let n = 2; taken.has(keyOf(own)); n++) own = isMesh && n === 2 ? `${base}_mesh` : `${base}_${n}`;
    taken.add(keyOf(own));
    names[m] = own;
    if (own !== name && name !== '') renamed.push(`${quoteName(name)} became ${quoteName(own)}`);
  }
  if (renamed.length > 0) {
    const more = renamed.length > SHOWN ? ` and ${renamed.length - SHOWN} more` : '';
    log?.(
      `${renamed.length} nodes and meshes share a name with others, which players of FBX confuse: ${renamed.slice(0, SHOWN).join(', ')}${more}`,
    );
  }
  return names;
}

/** What three.js makes of a name. */
function keyOf(name: string): string {
  return name.replace(/\s/g, '_').replace(/[[\].:/]/g, '');
}
