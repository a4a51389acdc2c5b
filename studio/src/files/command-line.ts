// SPDX-License-Identifier: MIT
import type { Json } from '../../../src/entry/index.ts';
import type { ReadOptions } from '../messages/protocol.ts';

/** A job as the command that does the same in a terminal. */
export interface CommandParts {
  command: string;
  /** Files that are read together. */
  inputs: readonly string[];
  output: string;
  options: Readonly<Record<string, Json | undefined>>;
  read?: ReadOptions;
}

/** The command line of a job. */
export function formatCommand({ command, inputs, output, options, read = {} }: CommandParts): string {
  const { fps, unit, up, scale } = read;
  const all: Record<string, Json | undefined> = { ...options, fps, unit, up, scale };
  const words = Object.entries(all).flatMap(([key, value]) => {
    if (value === undefined || value === false || value === null) return [];
    const flag = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === true ? [flag] : [flag, quote(Array.isArray(value) ? value.join() : String(value))];
  });
  return ['ossify', command, quote(inputs.join('+')), quote(output), ...words].join(' ');
}

/** Quotes a word for a shell where that is needed. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
