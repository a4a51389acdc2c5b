// SPDX-License-Identifier: MIT
import type { CommonOptions, Context } from './command.ts';

/** The first of some options that the command line gives, as it is written there; a default does not count. */
export function findGivenOption<Options extends CommonOptions>(
  { program, command: name }: Context<Options>,
  names: readonly (keyof Options & string)[],
): string | undefined {
  const command = program.commands.find((one) => one.name() === name);
  const given = names.find((option) => command?.getOptionValueSource(option) === 'cli');
  return command?.options.find((option) => option.attributeName() === given)?.long;
}
