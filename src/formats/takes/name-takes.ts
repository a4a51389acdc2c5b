// SPDX-License-Identifier: MIT
import { stripNamespace } from './match-rig-joints.ts';

/** Names that programs give to animations of which the user has not named any. */
const GENERIC =
  /^(mixamo\.com|(unreal )?take[ _.]?\d*|animation[ _.]?\d*|anim[ _.]?\d*|action[ _.]?\d*|armature(action)?|base ?layer|layer[ _.]?\d*|animstack[ _.:]*\d*|clip[ _.]?\d*|default|scene|untitled|global|animstack)([ _.]\d+)?$/i;

/**
 * The name of an animation that came with a file: its own without namespaces, or the file's if it is one that programs give.
 * @param file name of the file without its extension
 */
export function nameTake(own: string, file: string): string {
  const parts = own
    .split('|')
    .map((part) => stripNamespace(part).trim())
    .filter((part) => part !== '' && !GENERIC.test(part));
  // 'Armature|Walk|BaseLayer' and 'Armature|Walk' are "Walk"
  return parts.at(-1) ?? file;
}

/** A name that is not taken yet: 'walk', 'walk 2' … It is added to those that are. */
export function makeUnique(name: string, taken: Set<string>): string {
  let own = name;
  for (let n = 2; taken.has(own); n++) own = `${name} ${n}`;
  taken.add(own);
  return own;
}
