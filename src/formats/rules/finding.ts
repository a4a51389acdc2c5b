// SPDX-License-Identifier: MIT
import { shortName } from '../../core/model/plain-text.ts';

/** An error stops players or loses the character; a warning shows in some of them; a note is for information. */
export type Severity = 'error' | 'warning' | 'note';

/** Where a finding is. Names are those of the file; things without a name have their index. */
export interface Place {
  mesh?: string;
  part?: number;
  /** The first vertex, of the mesh. */
  vertex?: number;
  /** Number of vertices, triangles or keys. */
  count?: number;
  node?: string;
  joint?: string;
  skin?: string;
  /** Morph target. */
  morph?: string;
  material?: string;
  image?: string;
  animation?: string;
  /** A file of a package, a place in the JSON, or the words of a reader. */
  where?: string;
}

/** A rule that a file breaks, and what to do about it. */
export interface Finding {
  /** Short name of the rule. */
  rule: string;
  severity: Severity;
  place: Place;
  /** What is wrong, without capital and full stop. */
  fault: string;
  /** What to do. */
  remedy: string;
  /** Whether --fix repairs it. */
  canFix: boolean;
}

const NAMED = ['skin', 'joint', 'node', 'morph', 'material', 'image', 'animation'] as const;

/** A place for people: mesh "Body", part 1, vertex 12. */
export function describePlace(place: Place): string {
  const { mesh, part, vertex, where } = place;
  return [
    ...(mesh === undefined ? [] : [`mesh ${quote(mesh)}`]),
    ...(part === undefined ? [] : [`part ${part}`]),
    ...NAMED.flatMap((key) => {
      const name = place[key];
      return name === undefined ? [] : [`${key === 'morph' ? 'morph target' : key} ${quote(name)}`];
    }),
    ...(vertex === undefined ? [] : [`vertex ${vertex}`]),
    ...(where === undefined || where === '' ? [] : [shortName(where, 160)]),
  ].join(', ');
}

const quote = (name: string): string => (/^\d+$/.test(name) ? name : `"${shortName(name)}"`);

const ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 };

/** Findings that are listed when they say the same of different places; more become one. */
const MAX_ALIKE = 3;
/** Findings of one rule that are listed. The others are counted. */
const MAX_OF_RULE = 12;

/**
 * Findings for people, the gravest first; those of one severity stay in order. Many that say the same of different places become one, and of those that differ, a
 * dozen are listed.
 */
export function settleFindings(findings: readonly Finding[]): Finding[] {
  const joined = group(findings, ({ rule, severity, fault, canFix }) => [rule, severity, fault, canFix]).flatMap(
    (same) => (same.length <= MAX_ALIKE ? same : [joinAlike(same)]),
  );
  const listed = group(joined, ({ rule, canFix }) => [rule, canFix]).flatMap((same) => [
    ...same.slice(0, MAX_OF_RULE),
    ...same.slice(MAX_OF_RULE, MAX_OF_RULE + 1).map((first) => joinOthers(first, same.length - MAX_OF_RULE)),
  ]);
  return listed.sort((a, b) => ORDER[a.severity] - ORDER[b.severity]);
}

/** Findings with the same key, in the order of the first of each. */
function group(findings: readonly Finding[], keyOf: (finding: Finding) => readonly unknown[]): Finding[][] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = JSON.stringify(keyOf(finding));
    const known = groups.get(key);
    if (known) known.push(finding);
    else groups.set(key, [finding]);
  }
  return [...groups.values()];
}

function joinAlike(same: readonly Finding[]): Finding {
  const [first] = same;
  const place = { ...first.place, count: same.length };
  return { ...first, place, fault: `${first.fault}; the same in ${same.length - 1} other places` };
}

function joinOthers(first: Finding, count: number): Finding {
  return { ...first, place: { ...first.place, count }, fault: `${count} more places, the first: ${first.fault}` };
}
