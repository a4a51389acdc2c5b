// SPDX-License-Identifier: MIT
import type { Command } from 'commander';
import type { CliCommand } from '../../src/hosts/cli/command.ts';

/** The page of the command line: program is that of makeProgram, with the commands that it was made of. */
export declare function makeCliPage(program: Command, commands: readonly CliCommand[]): string;
