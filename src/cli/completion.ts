// SPDX-License-Identifier: MIT
import type { CommandSpec } from './command.ts';
import { makeCompletionScript, SHELLS } from './completion-script.ts';
import { EXIT_DONE, UsageError } from './exit-status.ts';

export const completionCommand: CommandSpec = {
  name: 'completion',
  summary: 'print a completion script for bash, zsh or fish',
  arguments: [{ name: '<shell>', description: SHELLS.join(', ') }],
  examples: [
    { line: 'completion bash > ~/.local/share/bash-completion/completions/ossify', does: 'for every new bash' },
    { line: 'completion fish | source', does: 'for this fish' },
  ],
  async run(context) {
    const shell = SHELLS.find((name) => name === context.args[0]);
    if (!shell) throw new UsageError(`completion: "${context.args[0]}" is not one of ${SHELLS.join(', ')}`);
    // The script is the result, whatever --quiet or --json say.
    context.io.stdout.write(makeCompletionScript(shell, context.program));
    return EXIT_DONE;
  },
};
