// SPDX-License-Identifier: MIT
// The page of the command line is that of the sources.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeCliPage } from '../scripts/build/cli-page.mjs';
import { COMMANDS } from '../src/hosts/cli/commands.ts';
import { makeProgram } from '../src/hosts/cli/program.ts';
import { ROOT } from './list-pages.ts';

const PAGE = 'docs/reference/cli.md';
const page = makeCliPage(
  makeProgram(COMMANDS, async () => {}),
  COMMANDS,
);

describe(PAGE, () => {
  it('is made of the commands as they are (npm run build:library && npm run docs:cli)', () => {
    expect(readFileSync(join(ROOT, PAGE), 'utf8')).toBe(page);
  });

  it('has every command and every option', () => {
    for (const { name, options } of COMMANDS) {
      expect(page).toContain(`\n## ${name}\n`);
      for (const key of Object.keys(options)) {
        const flag = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
        expect(new RegExp(`\`${flag}[ \`]`).test(page), `${name} ${flag}`).toBe(true);
      }
    }
  });
});
