// SPDX-License-Identifier: MIT
import { JOB_NAMES, loadJob } from '../../jobs/table/index.ts';
import type { CliCommand } from './command.ts';
import { jobCommand } from './job-command.ts';

/**
 * Loads the commands that a command line needs: one job, or all commands for help, completion and everything else. One job loads in half the time.
 * @param argv the arguments after `ossify`
 */
export async function loadCommands(argv: readonly string[]): Promise<readonly CliCommand[]> {
  if (JOB_NAMES.includes(argv[0])) return [jobCommand(await loadJob(argv[0]))];
  if (argv[0] === '--version') return [];
  const { COMMANDS } = await import('./commands.ts');
  return COMMANDS;
}
