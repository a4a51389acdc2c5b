// SPDX-License-Identifier: MIT
/// <reference path="gltf-validator.d.ts" />
// The Khronos validator knows all rules of glTF. It is loaded when a glTF is checked, and its messages are put into the words of this list.
import type { Finding, Severity } from '../finding.ts';
import { describePlace } from '../finding.ts';
import { GltfPlaces } from './place-in-gltf.ts';
import { findCodeMeaning } from './validator-codes.ts';

/** Messages that are looked at. A file with more has one fault in many places. */
const MAX_MESSAGES = 2000;
/** Bytes of the largest file that is validated: the validator holds it twice. */
const MAX_BYTES = 512 * 2 ** 20;

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'note', 'note'];

interface Message {
  code: string;
  message: string;
  severity: number;
  pointer?: string;
}

/**
 * Checks a glTF with the Khronos validator. Information and hints are left out.
 * @param json the JSON of the glTF, for names; an empty object if it could not be parsed
 * @param resolve reads a file beside it
 * @param seen rules of findings that there are already: messages that mean the same are left out
 */
export async function checkWithValidator(
  bytes: Uint8Array,
  json: Readonly<Record<string, unknown>>,
  { resolve, seen }: { resolve?: (uri: string) => Promise<Uint8Array>; seen: ReadonlySet<string> },
): Promise<Finding[]> {
  if (bytes.length > MAX_BYTES) return [];
  const { validateBytes } = await import('gltf-validator');
  let messages: Message[];
  try {
    const result = await validateBytes(bytes, {
      maxIssues: MAX_MESSAGES,
      ...(resolve ? { externalResourceFunction: resolve } : {}),
    });
    ({ messages } = result.issues);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    messages = [{ code: 'INVALID_JSON', message: why.split('\n')[0], severity: 0 }];
  }
  const isNew = ({ code }: Message): boolean => {
    const { rule, same = [] } = findCodeMeaning(code);
    return ![rule, ...same].some((one) => seen.has(one));
  };
  return groupMessages(messages.filter(isNew), new GltfPlaces(json));
}

/** One finding per rule and place, with the number of messages. */
function groupMessages(messages: readonly Message[], places: GltfPlaces): Finding[] {
  const found = new Map<string, { finding: Finding; count: number }>();
  for (const { code, message, severity: level, pointer = '' } of messages) {
    if (level > 1) continue;
    const { rule, severity = SEVERITIES[level], fault, remedy, canFix } = findCodeMeaning(code);
    const place = places.find(pointer);
    const key = `${rule} ${describePlace(place)}`;
    const known = found.get(key);
    if (known) {
      known.count++;
      continue;
    }
    found.set(key, { finding: { rule, severity, place, fault: fault ?? plain(message), remedy, canFix }, count: 1 });
  }
  return [...found.values()].map(({ finding, count }) =>
    count === 1 ? finding : { ...finding, place: { ...finding.place, count } },
  );
}

/** A sentence without capital and full stop. */
const plain = (sentence: string): string => {
  const text = sentence.replace(/\.$/, '').replaceAll('`', '"');
  return /^[A-Z][a-z]/.test(text) ? `${text[0].toLowerCase()}${text.slice(1)}` : text;
};
