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

/** Findings with the gravest first; those of one severity stay in order. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => ORDER[a.severity] - ORDER[b.severity]);
}
