// SPDX-License-Identifier: MIT
// The frame that every command joins: what it declares, and what it is given to work with.
import { Argument, Command, Option } from 'commander';
import type { Colors } from './colors.ts';
import { wholeNumber } from './option-values.ts';
import type { ProgressBar } from './progress-bar.ts';

/** The outside world, handed in so that tests run commands without a process. */
export interface CliIo {
  stdout: { write(text: string): void; isTerminal: boolean };
  stderr: { write(text: string): void; isTerminal: boolean; columns?: number };
  environment: Record<string, string | undefined>;
  /** Aborted by the first interrupt after `listen`. */
  signal: AbortSignal;
  /**
   * From now on the first interrupt aborts the signal and the second ends the process. Before, and for commands that never
   * ask, an interrupt ends the process at once: a handler would only make it wait for the end of synchronous work.
   */
  listen?(): void;
}

/** Options of every command. */
export interface CommonOptions {
  json?: boolean;
  report?: string;
  quiet?: boolean;
  verbose?: boolean;
  threads?: number;
  seed: number;
}

/** What a running command works with. */
export interface Context<Options extends CommonOptions = CommonOptions> {
  command: string;
  /** All commands, for those that speak about them. */
  program: Command;
  /** The version of this package. */
  version: string;
  options: Options;
  /** Positional arguments, in order. */
  args: string[];
  io: CliIo;
  colors: Colors;
  progress: ProgressBar;
  signal: AbortSignal;
  /** Prints a result for people: nothing with --quiet or --json. */
  say(text: string): void;
  /** Prints a remark for people to stderr: nothing with --quiet. */
  note(text: string): void;
  /** Prints a detail to stderr: only with --verbose. */
  log(text: string): void;
  /** Prints a result for machines: only with --json. */
  tell(value: unknown): void;
  /** Seconds per phase, in the order the phases ended. */
  seconds: Record<string, number>;
  /** Runs a phase and adds its time to `seconds`; stops before it when interrupted. */
  phase<T>(name: string, work: () => T | Promise<T>): Promise<T>;
  /** The same for what an interrupt must not stop: writing and measuring the best so far. */
  finish<T>(name: string, work: () => T | Promise<T>): Promise<T>;
}

export interface CommandSpec<Options extends CommonOptions = CommonOptions> {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** Words of the usage line with their description: '<input>', '[output]', and the words to choose from where they are few. */
  arguments: { name: string; description: string; choices?: readonly string[] }[];
  /** Sentences that open the help page. */
  description: string;
  examples: { line: string; does: string }[];
  /** Whether `run` stops on the context's signal and keeps its best so far. */
  isStoppable?: boolean;
  /** Adds the command's own options. */
  configure?(command: Command): void;
  /** Does the job; returns the exit status. */
  run(context: Context<Options>): Promise<number>;
}

const MOST_THREADS = 256;
const MOST_SEED = 2 ** 32 - 1;

/** Makes commander's side of a command: arguments, options, the common ones, help with examples. */
export function makeCommand(spec: CommandSpec): Command {
  const command = new Command(spec.name).summary(spec.summary).description(spec.description);
  for (const { name, description, choices } of spec.arguments) {
    const argument = new Argument(name, description);
    // For help and completion alone: each command refuses other words in a sentence of its own.
    argument.argChoices = choices?.slice();
    command.addArgument(argument);
  }
  spec.configure?.(command);
  command
    .optionsGroup('Common options:')
    .option('--json', 'print the result as JSON')
    .option('--report <file>', 'write the report (JSON, see docs/report.md)')
    .option('--quiet', 'print nothing but errors')
    .option('--verbose', 'print details, and where an error came from')
    .addOption(
      new Option('--threads <n>', 'number of threads (default: one per core)').argParser(wholeNumber(1, MOST_THREADS)),
    )
    .addOption(new Option('--seed <n>', 'seed of everything random').default(0).argParser(wholeNumber(0, MOST_SEED)));
  command.addHelpText('after', formatExamples(spec));
  return command;
}

function formatExamples(spec: CommandSpec): string {
  const lines = spec.examples.flatMap(({ line, does }) => [`  $ ossify ${line}`, `      ${does}`]);
  return `\n${spec.examples.length === 1 ? 'Example' : 'Examples'}:\n${lines.join('\n')}`;
}
