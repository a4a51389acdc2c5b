// SPDX-License-Identifier: MIT

export interface Colors {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

/**
 * Whether to colour what goes to a stream. FORCE_COLOR decides where it is set (0 is off), as in Node itself; then NO_COLOR
 * (any value but the empty one, https://no-color.org); then whether somebody looks at a terminal that can.
 */
export function wantsColor(environment: Record<string, string | undefined>, isTerminal: boolean): boolean {
  const force = environment.FORCE_COLOR;
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (environment.NO_COLOR) return false;
  return isTerminal && environment.TERM !== 'dumb';
}

export function makeColors(isOn: boolean): Colors {
  const paint = (open: number, close: number) => (text: string) =>
    isOn ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { bold: paint(1, 22), dim: paint(2, 22), red: paint(31, 39), green: paint(32, 39), yellow: paint(33, 39) };
}
