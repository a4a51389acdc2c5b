// SPDX-License-Identifier: MIT
import type { CommandSpec } from './command.ts';
import { makeCompletionScript, SHELLS } from './completion-script.ts';
import { EXIT_DONE, UsageError } from './exit-status.ts';
import { checkResults, saveResults } from './save-results.ts';

export const completionCommand: CommandSpec = {
  name: 'completion',
  summary: 'print a completion script for bash, zsh or fish',
  description:
    'Prints a script that completes commands, options and their values with the tab key, to be sourced by the shell.',
  arguments: [{ name: '<shell>', description: 'the shell that is to source it', choices: SHELLS }],
  examples: [
    { line: 'completion bash > ~/.local/share/bash-completion/completions/ossify', does: 'for every new bash' },
    { line: 'completion fish | source', does: 'for this fish' },
  ],
  async run(context) {
    const shell = SHELLS.find((name) => name === context.args[0]);
    if (!shell) throw new UsageError(`completion: "${context.args[0]}" is not one of ${SHELLS.join(', ')}`);
    await checkResults(context, [], []);
    // The script is the result, whatever --quiet or --json say.
    context.io.stdout.write(makeCompletionScript(shell, context.program));
    await saveResults(context, [], [], {});
    return EXIT_DONE;
  },
};
