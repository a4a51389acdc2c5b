// SPDX-License-Identifier: MIT

/**
 * Formats a value as JSON for files and terminals. Lists of numbers are on one line. Characters that affect terminals and that JSON.stringify does not
 * escape (control characters beyond ASCII, marks of writing direction) are escaped.
 */
export function jsonText(value: unknown): string {
  // Strings in JSON contain no line breaks, so this matches only lists, and only those without strings and nested lists.
  const flat = JSON.stringify(value, null, 2).replace(/\[\n([^[\]{}"]*)\n *\]/g, (_, items: string) => {
    return `[${items.trim().replace(/\n */g, ' ')}]`;
  });
  return escapeMarks(flat);
}

/** A value as one line of JSON with its line break, with the same characters escaped. */
export function jsonLine(value: unknown): string {
  return `${escapeMarks(JSON.stringify(value))}\n`;
}

function escapeMarks(json: string): string {
  return json.replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
