// SPDX-License-Identifier: MIT
// Help and messages are plain technical English. This keeps out words that sounded translated or clever here before; it cannot tell whether a
// sentence is good.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { listPages } from '../../docs/list-pages.ts';
import { COMMANDS } from '../hosts/cli/commands.ts';
import { makeProgram } from '../hosts/cli/program.ts';

const SRC = dirname(dirname(fileURLToPath(import.meta.url)));

const BANNED: readonly [RegExp, string][] = [
  [/\b(hears?|heard)\b/i, 'receives'],
  [/\btakes? back\b|\btaken back\b/i, 'corrects, removes'],
  [/\bnone such\b/i, 'not supported'],
  [/\bfarthest that\b|\bas few as\b|\bso many\b/i, 'maximum, fewest'],
  [/\bbrings? less\b/i, 'improves by less'],
  [/\bin parts of\b/i, 'relative to'],
  [/\bas (it|they) (was|were|stands?)\b/i, 'original, unchanged'],
  [/\btwins?\b/i, 'reference implementation'],
  [/\bstrange\b|\botherwise than\b/i, 'say what differs'],
  [/\balternations?\b/i, 'iterations'],
  [/\bthe look\b|\bthe words\b/i, 'name the thing'],
  [/\bcannot be meant\b|\bare? meant\b/i, 'invalid'],
  [/\bof no use\b|\bof use\b/i, 'has no effect'],
];

/** Words of a sentence, markup and code aside. */
function listFaults(text: string): string[] {
  return BANNED.filter(([pattern]) => pattern.test(text)).map(
    ([pattern, instead]) => `${pattern} (${instead}) in "${text}"`,
  );
}

/** String and template literals of a source that are sentences: three words or more. */
function listSentences(source: string): string[] {
  const code = source.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '');
  const literals = code.match(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g) ?? [];
  return literals.filter((text) => (text.match(/[a-z]{2,} /gi) ?? []).length >= 2);
}

describe('plain English', () => {
  it('in the help of every command', () => {
    const program = makeProgram(COMMANDS, async () => {});
    const pages = [program, ...program.commands].map((command) => command.helpInformation().replace(/\s+/g, ' '));
    const faults = pages.flatMap((page) => page.split(/(?<=[.;:)])\s/)).flatMap(listFaults);
    expect(faults).toEqual([]);
  });

  it('in errors, notes and other sentences of the sources', () => {
    const faults: string[] = [];
    for (const name of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts') || name.endsWith('.as.ts')) continue;
      const source = readFileSync(join(SRC, name), 'utf8');
      for (const fault of listSentences(source).flatMap(listFaults)) faults.push(`${name}: ${fault}`);
    }
    expect(faults).toEqual([]);
  });

  it('in the documentation', () => {
    const root = dirname(SRC);
    const faults = listPages().flatMap((page) =>
      readFileSync(join(root, page), 'utf8')
        .replace(/^```[\s\S]*?^```|`[^`]*`|"[^"]*"/gm, '')
        .split(/\n\n|\n(?=[-|])|(?<=[.:])\s/)
        .flatMap((text) => listFaults(text.replace(/\s+/g, ' ')).map((fault) => `${page}: ${fault}`)),
    );
    expect(faults).toEqual([]);
  });
});
