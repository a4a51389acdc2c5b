// SPDX-License-Identifier: MIT
// Names come out of files that anyone may have made: an escape sequence in a joint's name must not move a terminal's cursor, and a mark that
// turns the direction of writing must not make one name read as another.

/** Control characters, line breaks of Unicode, and marks that turn the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Longest name that a message quotes whole. */
const MAX_NAME = 60;

/** Text on one line, with each control character replaced. */
export function plainText(text: string): string {
  return text.replace(CONTROL, (character) => (/\s/.test(character) ? ' ' : '\ufffd'));
}

/** The same for several lines; line breaks and the sequences that set a style are kept. */
export function plainLines(text: string): string {
  // split with a group keeps the separators, at odd places
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
  const parts = text.split(/(\n|\u001b\[[0-9;]*m)/);
  return parts.map((part, n) => (n % 2 === 1 ? part : plainText(part))).join('');
}

/** A name without control characters, truncated. */
export function shortName(name: string, max = MAX_NAME): string {
  const characters = [...plainText(name)];
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : characters.join('');
}

/** A short name in quotation marks. */
export function quoteName(name: string): string {
  return `"${shortName(name)}"`;
}
