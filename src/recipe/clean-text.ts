// SPDX-License-Identifier: MIT

/**
 * Text that is safe to print on a terminal and stays on one line. Names come out of files that anyone may have made:
 * an escape sequence in a joint's name must not move the cursor or rename the window.
 */
export function cleanText(text: string): string {
  let clean = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
    // Marks that turn the direction of writing can make a name read as another one.
    const isDirection = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    const isBreak = code === 0x2028 || code === 0x2029;
    clean += isControl || isDirection || isBreak ? (/\s/.test(character) ? ' ' : '\ufffd') : character;
  }
  return clean;
}

/** Text of several lines, colours kept: the same for what was put together from names that nobody cleaned. */
export function cleanLines(text: string): string {
  // Split with a group keeps what it splits at, in the odd places: line breaks and the sequences that set a colour.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
  const parts = text.split(/(\n|\u001b\[[0-9;]*m)/);
  return parts.map((part, n) => (n % 2 === 1 ? part : cleanText(part))).join('');
}

/** A name for a line of text: clean, and cut where it would fill the screen. */
export function shortName(name: string, most = 60): string {
  const characters = [...cleanText(name)];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : characters.join('');
}
