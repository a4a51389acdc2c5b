// SPDX-License-Identifier: MIT
import type { RepairFacts } from '../../core/model/remark.ts';
import type { Finding, Severity } from './finding.ts';

/** A remark of a reader. */
export interface ReaderRemark {
  text: string;
  kind?: 'repair';
  facts?: RepairFacts;
}

/** What a repair of a reader means. */
type Meaning = readonly [rule: string, severity: Severity, remedy: string];

const MEANINGS: Readonly<Record<string, Meaning>> = {
  weight: ['weight-number', 'error', 'paint the vertices anew; until then such weights count as zero'],
  weightSum: ['weight-sum', 'warning', 'scale the weights of each vertex to a sum of one'],
  unbound: ['weight-missing', 'warning', 'bind the vertices to a joint'],
  image: ['image-missing', 'error', 'place the image in the folder of the file, and name it by a relative path'],
  bind: ['bind-missing', 'error', 'compute the inverse bind matrix from the rest pose'],
  normal: ['normal-direction', 'warning', 'compute the normals from the triangles'],
  normalLength: ['normal-length', 'warning', 'scale the normals to unit length'],
  tangent: ['tangent-direction', 'warning', 'compute the tangents anew'],
  tangentLength: ['tangent-length', 'warning', 'scale the tangents to unit length'],
  position: ['position-finite', 'warning', 'remove the vertices: they belong to no triangle'],
  number: ['number-finite', 'warning', 'set the numbers'],
  displacement: ['morph-finite', 'error', 'export the morph target again; until then these vertices stay'],
  rotation: ['rotation-zero', 'warning', 'set the rotation'],
  key: ['key-broken', 'warning', 'remove the keys: their times do not rise, or their values are no numbers'],
  jump: ['key-jump', 'note', 'move one of the two keys'],
  channel: ['track-broken', 'warning', 'remove the track'],
  reference: ['reference', 'warning', 'remove the reference'],
  field: ['field', 'warning', 'correct the field'],
  attribute: ['attribute', 'warning', 'export the mesh again'],
  morphWeights: ['morph-weights', 'warning', 'give as many weights as morph targets'],
  sceneNode: ['scene-node', 'warning', 'list roots only'],
  node: ['node-bare', 'note', 'remove the nodes'],
};

const OTHER: Meaning = ['reader-repair', 'warning', 'export the file again, or keep the repair'];

const RULES = new Set([...Object.values(MEANINGS), OTHER].map(([rule]) => rule));

/** Whether findings of a rule are repairs of a reader, which an asset has already. */
export const isReaderRule = (rule: string): boolean => RULES.has(rule);

/** What a reader repaired or remarked, as findings. A repair is in all that is written, so --fix makes it. */
export function listReaderFindings(remarks: readonly ReaderRemark[]): Finding[] {
  const seen = new Set<string>();
  return remarks.flatMap(({ text, kind, facts }): Finding[] => {
    if (seen.has(text)) return [];
    seen.add(text);
    if (kind !== 'repair' && !facts)
      return [
        {
          ...{ rule: 'reader', severity: 'note', place: {}, fault: text },
          ...{ remedy: 'check that this is meant', canFix: false },
        },
      ];
    const [rule, severity, remedy] = MEANINGS[facts?.kind ?? ''] ?? OTHER;
    const place = facts ? { count: facts.count, ...(facts.where === '' ? {} : { where: facts.where }) } : {};
    // the first place is in the sentence and in the place: it is said once
    const fault = facts && facts.where !== '' ? text.replace(/(; the first)?: .*$/s, '') : text;
    return [{ rule, severity, place, fault, remedy, canFix: true }];
  });
}
