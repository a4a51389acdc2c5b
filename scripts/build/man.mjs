// SPDX-License-Identifier: MIT
// Writes the manual page, dist/man/ossify.1, from the compiled program. The bundle of the command line replaces dist/cli/main.js alone.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const at = (path) => new URL(`../../${path}`, import.meta.url);
const { COMMANDS } = await import(at('dist/hosts/cli/commands.js').href);
const { makeProgram } = await import(at('dist/hosts/cli/program.js').href);
const { makeManPage } = await import(at('dist/hosts/cli/terminal/man-page.js').href);
const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
mkdirSync(at('dist/man'), { recursive: true });
writeFileSync(
  at('dist/man/ossify.1'),
  makeManPage(
    makeProgram(COMMANDS, async () => {}),
    version,
  ),
);
