// SPDX-License-Identifier: MIT
import { isJobName, loadJob } from '../../jobs/table/index.ts';
import type { CliCommand } from './command.ts';
import { jobCommand } from './job-command.ts';

/**
 * Loads the commands that a command line needs: one job, also for its help, or all commands for the general help, completion and everything else. One job loads in
 * half the time.
 * @param argv the arguments after `ossify`
 */
export async function loadCommands(argv: readonly string[]): Promise<readonly CliCommand[]> {
  const name = argv[0] === 'help' ? argv[1] : argv[0];
  if (name !== undefined && isJobName(name)) return [jobCommand(await loadJob(name))];
  if (argv[0] === '--version') return [];
  const { COMMANDS } = await import('./commands.ts');
  return COMMANDS;
}
