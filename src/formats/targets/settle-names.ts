// SPDX-License-Identifier: MIT
import { quoteName } from '../../core/model/plain-text.ts';
import type { Scene } from '../gltf/index.ts';
import { listJoints } from './nodes/list-joints.ts';
import type { NameRule } from './target.ts';

/** Names that are quoted in a note. */
const QUOTED = 3;

/**
 * Gives every node a name that a target reads as it is: without refused characters, short enough, and unlike any other. Bones keep their names before other nodes.
 * @param title the target, for messages
 */
export function settleNames(scene: Scene, rule: NameRule, title: string, log?: (message: string) => void): Scene {
  const { names } = scene.nodes;
  const { joints } = listJoints(scene);
  const taken = new Set<string>();
  const settled = [...names];
  const order = [...names.keys()].sort((a, b) => Number(joints.has(b)) - Number(joints.has(a)) || a - b);
  for (const n of order) {
    const base = allowed(names[n], rule) || 'node';
    let own = shorten(base, rule.longest);
    for (let k = 2; taken.has(keyOf(own, rule)); k++) {
      const end = `_${k}`;
      own = `${shorten(base, rule.longest - end.length)}${end}`;
    }
    taken.add(keyOf(own, rule));
    settled[n] = own;
  }
  const changed = [...names.keys()].filter((n) => settled[n] !== names[n] && names[n] !== '');
  if (changed.length > 0) {
    const quoted = changed.slice(0, QUOTED).map((n) => `${quoteName(names[n])} is ${quoteName(settled[n])}`);
    log?.(
      `${changed.length === 1 ? 'a name was' : `${changed.length} names were`} changed, which ${title} would change: ${quoted.join(', ')}${changed.length > QUOTED ? ', …' : ''}`,
    );
  }
  if (settled.every((name, n) => name === names[n])) return scene;
  return { ...scene, nodes: { ...scene.nodes, names: settled } };
}

/** The name without characters that the target refuses, and without spaces at its ends. */
export function allowed(name: string, { refused, becomes = () => '_' }: Pick<NameRule, 'refused' | 'becomes'>): string {
  return name.trim().replace(refused, (character) => becomes(character));
}

const keyOf = (name: string, { isCaseBlind }: NameRule): string => (isCaseBlind ? name.toLowerCase() : name);

/** Cuts a name to a number of bytes in UTF-8. */
function shorten(name: string, longest: number): string {
  const encoder = new TextEncoder();
  if (encoder.encode(name).length <= longest) return name;
  let own = '';
  let size = 0;
  for (const letter of name) {
    size += encoder.encode(letter).length;
    if (size > longest) break;
    own += letter;
  }
  return own;
}
