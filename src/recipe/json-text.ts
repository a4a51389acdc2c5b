// SPDX-License-Identifier: MIT

/**
 * A value as JSON for files and terminals: lists of numbers on one line, and what JSON.stringify leaves as it is but a
 * terminal may act on (control characters past ASCII, marks that turn the direction of writing) escaped.
 */
export function jsonText(value: unknown): string {
  // A line break is never inside a string of JSON, so this finds lists only, and of those the ones without strings and lists in them.
  const flat = JSON.stringify(value, null, 2).replace(/\[\n([^[\]{}"]*)\n *\]/g, (_, items: string) => {
    return `[${items.trim().replace(/\n */g, ' ')}]`;
  });
  return flat.replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
