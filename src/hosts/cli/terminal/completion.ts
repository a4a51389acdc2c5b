// SPDX-License-Identifier: MIT
import { UsageError } from '../../../core/model/errors.ts';
import { COMMON_OPTIONS } from '../../../jobs/engine/index.ts';
import { defineCommand } from '../command.ts';
import { makeCompletionScript, SHELLS } from './completion-script.ts';
import { EXIT_DONE } from './exit-status.ts';

export const completionCommand = defineCommand({
  name: 'completion',
  summary: 'print a completion script for bash, zsh, fish or PowerShell',
  description:
    'Prints a script that completes commands, options and their values with the tab key, to be sourced by the shell.',
  arguments: [{ name: '<shell>', description: 'the shell that is to source it', choices: SHELLS }],
  examples: [
    { line: 'completion bash > ~/.local/share/bash-completion/completions/ossify', does: 'for every new bash' },
    { line: 'completion fish | source', does: 'for this fish' },
    { line: 'completion powershell | Out-String | Invoke-Expression', does: 'for this PowerShell' },
  ],
  jsonHelp: 'no effect; the script is printed',
  hasReport: false,
  options: COMMON_OPTIONS,
  async run(context) {
    const shell = SHELLS.find((name) => name === context.args[0]);
    if (!shell) throw new UsageError('completion', `"${context.args[0]}" is not one of ${SHELLS.join(', ')}`);
    // the script is printed even with --quiet and --json
    context.io.stdout.write(makeCompletionScript(shell, context.program));
    return EXIT_DONE;
  },
});
