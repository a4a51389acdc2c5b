// SPDX-License-Identifier: MIT
import type { NodeTree } from '../../core/model/skin/node-tree.ts';

/** Forms of a name, from the strictest: as it is, without namespaces, without signs, in lower case, without the prefix of Mixamo. */
const FORMS: readonly ((name: string) => string)[] = [
  (name) => name,
  stripNamespace,
  (name) => lettersOf(stripNamespace(name)),
  (name) => lettersOf(stripNamespace(name)).toLowerCase(),
  (name) =>
    lettersOf(stripNamespace(name))
      .toLowerCase()
      .replace(/^mixamorig\d*(?=.)/, ''),
];

/** Names that nodes without a name get, and those of holders that every file has. They match nothing. */
const NAMELESS = /^(node|object|root ?node|scene|axes)?[ _.]?\d*$/i;

/** A name without namespaces: 'mixamorig:Hips' and 'Armature|Hips' give 'Hips'. */
export function stripNamespace(name: string): string {
  return name.replace(/^.*[:|](?=.)/s, '');
}

/** Letters and digits: exporters replace other signs by underscores, or leave them out. */
function lettersOf(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Finds the nodes of a character that the nodes of another file are, by their names. Each form of a name is tried on the nodes that are left: a node matches
 * if one node of the character has that form; of several, the one whose nodes above match too, and then the first.
 * @param wanted nodes of the other file, parents first
 * @param isJoint by node of the character: joints come before other nodes of the same name
 * @returns by node of the other file: the node of the character, -1 for none
 */
export function matchRigJoints(
  character: NodeTree,
  other: NodeTree,
  wanted: readonly number[],
  isJoint: (node: number) => boolean,
): Int32Array {
  const match = new Int32Array(other.names.length).fill(-1);
  const taken = new Set<number>();
  for (const formOf of FORMS) {
    const places = groupByForm(character, formOf);
    for (const node of wanted) {
      if (match[node] >= 0 || NAMELESS.test(other.names[node])) continue;
      const form = formOf(other.names[node]);
      const free = (form === '' ? [] : (places.get(form) ?? [])).filter((place) => !taken.has(place));
      if (free.length === 0) continue;
      const joints = free.filter(isJoint);
      const place = nearest(joints.length > 0 ? joints : free, character, other, node);
      match[node] = place;
      taken.add(place);
    }
  }
  return match;
}

function groupByForm({ names }: NodeTree, formOf: (name: string) => string): Map<string, number[]> {
  const places = new Map<string, number[]>();
  names.forEach((name, n) => {
    const form = formOf(name);
    const own = places.get(form);
    if (own) own.push(n);
    else places.set(form, [n]);
  });
  return places;
}

/** Of several nodes of a name, the one whose path has the longest end in common with the other's. */
function nearest(places: readonly number[], character: NodeTree, other: NodeTree, node: number): number {
  if (places.length === 1) return places[0];
  const common = places.map((place) => {
    let count = 0;
    for (let [a, b] = [character.parents[place], other.parents[node]]; a >= 0 && b >= 0; count++) {
      if (lettersOf(stripNamespace(character.names[a])) !== lettersOf(stripNamespace(other.names[b]))) break;
      [a, b] = [character.parents[a], other.parents[b]];
    }
    return count;
  });
  return places[common.indexOf(Math.max(...common))];
}
