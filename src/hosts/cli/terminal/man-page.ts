// SPDX-License-Identifier: MIT
// The manual page, generated from the program so that it is always complete. man(7) macros.
import type { Command, Option } from 'commander';

/** The text of ossify.1. */
export function makeManPage(program: Command, version: string): string {
  const lines = [
    `.TH OSSIFY 1 "" "ossify ${version}" "User Commands"`,
    '.SH NAME',
    `ossify \\- ${escapeRoff(lowerFirst(program.description()))}`,
    '.SH SYNOPSIS',
    '.B ossify',
    '.I command input',
    '.RI [ output ]',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    'An input is a file, a mesh with its point caches (rest.obj+motion.pc2), or a quoted pattern (\\(aqframes/*.obj\\(aq). Without arguments on a terminal, ossify asks what to do.',
    '.SH EXIT STATUS',
    '0 done, 1 the job failed, 2 wrong usage, 3 the quality gate was not met, 130 interrupted.',
    '.SH COMMANDS',
  ];
  for (const command of program.commands) {
    lines.push(
      `.SS ${command.name()}`,
      escapeRoff(command.description()),
      '.PP',
      `.B ossify ${escapeRoff(command.name())}`,
    );
    lines.push(escapeRoff(command.usage()));
    const { visibleOptions } = command.createHelp();
    for (const option of visibleOptions.call(command.createHelp(), command)) lines.push(...describeOption(option));
  }
  lines.push('.SH SEE ALSO', 'https://github.com/ossify/ossify');
  return `${lines.join('\n')}\n`;
}

function describeOption({ flags, description, argChoices, defaultValue }: Option): string[] {
  const choices = argChoices ? ` (${argChoices.join(', ')})` : '';
  const value = defaultValue === undefined || typeof defaultValue === 'object' ? '' : ` (default: ${defaultValue})`;
  return ['.TP', `.B ${escapeRoff(flags)}`, escapeRoff(`${description}${choices}${value}`)];
}

/** Backslashes and hyphens have a meaning; a line must not begin with a dot or an apostrophe. */
function escapeRoff(text: string): string {
  const plain = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/\s+/g, ' ');
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
