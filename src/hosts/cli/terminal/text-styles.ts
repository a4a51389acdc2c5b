// SPDX-License-Identifier: MIT
import { styleText } from 'node:util';

export interface TextStyles {
  bold(text: string): string;
  red(text: string): string;
}

/**
 * Whether to style text of a stream. FORCE_COLOR has priority (0 is off), as in Node; then NO_COLOR (any value except the empty
 * one, https://no-color.org); then whether the stream is a terminal with colours.
 */
export function wantsStyles(environment: Record<string, string | undefined>, isTerminal: boolean): boolean {
  const force = environment.FORCE_COLOR;
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (environment.NO_COLOR) return false;
  return isTerminal && environment.TERM !== 'dumb';
}

export function makeTextStyles(isOn: boolean): TextStyles {
  const style = (name: 'bold' | 'red') => (text: string) =>
    isOn ? styleText(name, text, { validateStream: false }) : text;
  return { bold: style('bold'), red: style('red') };
}
