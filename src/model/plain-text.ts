// SPDX-License-Identifier: MIT

/** Control characters, line breaks of Unicode, and marks that turn the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Longest name that a message quotes whole. */
const MAX_NAME = 60;

/** Text on one line, with each control character replaced: names in files may hold anything, such as escape sequences of a terminal. */
export function plainText(text: string): string {
  return text.replace(CONTROL, '\ufffd');
}

/** A name of a file as messages quote it: in quotation marks, without control characters, truncated. */
export function quoteName(name: string): string {
  const plain = plainText(name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 3)}...` : name);
  return `"${plain}"`;
}
