// SPDX-License-Identifier: MIT
// Every command that docs/reference/papers.md names must parse: a page of commands that fail is worse than none.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { BENCH_SUITES } from '../bench/suites.ts';
import { COMMANDS } from '../src/hosts/cli/commands.ts';
import { makeProgram } from '../src/hosts/cli/program.ts';

const DOCS = dirname(fileURLToPath(import.meta.url));
const page = readFileSync(join(DOCS, 'reference/papers.md'), 'utf8');
const commands = [...page.matchAll(/`ossify ([a-z]+ ?[^`]*)`/g)]
  .map(([, words]) => words.split(' '))
  // the form of a command, not one
  .filter((words) => !words.includes('SUITE'));

describe('docs/reference/papers.md', () => {
  it('names commands that parse', async () => {
    expect(commands.length).toBeGreaterThan(40);
    for (const words of commands) {
      let ran = '';
      const program = makeProgram(COMMANDS, async (command) => {
        ran = command.name;
      });
      for (const one of [program, ...program.commands]) one.exitOverride().configureOutput({ writeErr: () => {} });
      await expect(program.parseAsync(words, { from: 'user' }), words.join(' ')).resolves.toBeDefined();
      expect(ran, words.join(' ')).toBe(words[0]);
    }
  });

  it('names suites that exist', () => {
    const suites = BENCH_SUITES.map(({ name }) => name);
    for (const [command, suite] of commands) if (command === 'bench') expect(suites).toContain(suite);
  });

  it('links to pages that exist', () => {
    for (const [, target] of page.matchAll(/\]\(([\w./-]+\.md)(?:#[\w-]+)?\)/g))
      expect(existsSync(join(DOCS, 'reference', target)), target).toBe(true);
  });
});
