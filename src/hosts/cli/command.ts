// SPDX-License-Identifier: MIT
// The declaration of a command, and the context in which it runs.
import { Argument, Command, Option as CommanderOption, InvalidArgumentError } from 'commander';
import { faultOf, UsageError } from '../../core/model/errors.ts';
import { flagOf, type Json, type Option, type OptionSchema, type OptionsOf } from '../../core/options/option.ts';
import type { OutputFile } from '../../jobs/engine/index.ts';
import type { ProgressBar } from './terminal/progress-bar.ts';
import type { TextStyles } from './terminal/text-styles.ts';

/** Streams, environment and interrupt signal. Tests pass their own. */
export interface CliIo {
  stdout: { write(text: string): void; isTerminal: boolean };
  stderr: { write(text: string): void; isTerminal: boolean; columns?: number };
  environment: Record<string, string | undefined>;
  /** Aborted by the first interrupt after `listen`. */
  signal: AbortSignal;
  /**
   * From now on the first interrupt aborts the signal and the second ends the process. Before, and for commands that never call it, an
   * interrupt ends the process at once: a handler would only delay it until synchronous work ends.
   */
  listen?(): void;
  /** Asks a question on the terminal; absent if there is none. Undefined at the end of the input. */
  ask?(question: string): Promise<string | undefined>;
  /** Gives the terminal back after the last question, so that Ctrl-C is a signal again. */
  endAsking?(): void;
}

/** Options that only the command line has. */
export interface PrintOptions {
  json?: boolean;
  report?: string;
  quiet?: boolean;
  verbose?: boolean;
  progress?: 'bar' | 'json';
}

/** The context of a running command. */
export interface CliContext<Options = Record<string, unknown>> {
  /** All commands, for those that list them. */
  program: Command;
  /** Parsed options, including defaults. */
  options: Options;
  print: PrintOptions;
  /** Options that were given, as JSON. */
  given: Record<string, Json>;
  /** Positional arguments, in order. */
  args: string[];
  io: CliIo;
  styles: TextStyles;
  progress: ProgressBar;
  /** Prints a result as text; nothing with --quiet or --json. */
  say(text: string): void;
  /** Prints a remark to stderr; nothing with --quiet. */
  note(text: string): void;
  /** Prints a detail to stderr; undefined without --verbose. */
  log: ((text: string) => void) | undefined;
  /** Prints a result as JSON; only with --json. */
  tell(value: unknown): void;
  /** Throws if outputs or the report cannot be written. Called before solving. */
  checkOutputs(outputs: readonly string[], inputs: readonly string[]): Promise<void>;
  /** Writes all files and the report, or none. */
  save(files: readonly OutputFile[], inputs: readonly string[], report: unknown): Promise<void>;
}

export interface CliCommand<S extends OptionSchema = OptionSchema> {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** '<input>', '[output]', '[inputs...]'. */
  arguments: readonly { name: string; description: string; choices?: readonly string[] }[];
  description: string;
  examples: readonly { line: string; does: string }[];
  options: S;
  /** Whether `run` stops on the signal and keeps its best result so far. */
  isStoppable?: boolean;
  /** Whether options that it does not have are passed to `run` as arguments. */
  takesOtherOptions?: boolean;
  /** Help of --json, for a command that prints something else than a report. */
  jsonHelp?: string;
  /** Whether there is a report; true if absent. */
  hasReport?: boolean;
  /** Returns the exit status. */
  run(context: CliContext<OptionsOf<S>>): Promise<number>;
}

/** Returns the command unchanged; infers its option types. */
export function defineCommand<S extends OptionSchema>(spec: CliCommand<S>): CliCommand<S> {
  return spec;
}

/** Makes the commander command: arguments, options, help with examples. */
export function makeCommand(spec: CliCommand): Command {
  const command = new Command(spec.name).summary(spec.summary).description(spec.description);
  for (const { name, description, choices } of spec.arguments) {
    const argument = new Argument(name, description);
    // For help and completion only: commands report other values with their own message.
    argument.argChoices = choices?.slice();
    command.addArgument(argument);
  }
  if (spec.takesOtherOptions) command.allowUnknownOption();
  const groups = new Map<string, [string, Option][]>();
  for (const entry of Object.entries(spec.options)) {
    const heading = entry[1].group ?? 'Options:';
    groups.set(heading, [...(groups.get(heading) ?? []), entry]);
  }
  for (const [heading, entries] of groups) {
    command.optionsGroup(heading);
    for (const [key, option] of entries) command.addOption(makeOption(key, option));
  }
  const reportHelp = 'write the report as JSON (see docs/reference/report.md)';
  command
    .optionsGroup('Common options:')
    .option('--json', spec.jsonHelp ?? 'print the report as JSON')
    .option('--report <file>', spec.hasReport === false ? 'no effect; this command has no report' : reportHelp)
    .option('--quiet', 'print nothing but errors')
    .addOption(
      new CommanderOption('--progress <form>', 'progress: a bar on terminals, or a line of JSON per update on stderr')
        .choices(['bar', 'json'])
        .default('bar'),
    )
    .option('--verbose', 'print details and stack traces');
  const lines = spec.examples.flatMap(({ line, does }) => [`  $ ossify ${line}`, `      ${does}`]);
  command.addHelpText('after', `\n${spec.examples.length === 1 ? 'Example' : 'Examples'}:\n${lines.join('\n')}`);
  return command;
}

/** Options on the command line as JSON, without defaults. */
export function listGiven(command: Command, schema: OptionSchema): Record<string, Json> {
  const keys = Object.keys(schema).filter((key) => command.getOptionValueSource(key) === 'cli');
  return Object.fromEntries(keys.map((key) => [key, command.getOptionValue(key) as Json]));
}

function makeOption(key: string, { type, help, default: value, defaultText }: Option): CommanderOption {
  const option = new CommanderOption(`${flagOf(key)} ${type.placeholder}`.trim(), help);
  // noOpen is an option of its own, not the opposite of one that is called open
  option.negate = false;
  if (type.choices) option.choices(type.choices);
  else if (type.placeholder !== '')
    option.argParser((text) => {
      try {
        const parsed = type.parse(text);
        return type.isText ? text : parsed;
      } catch (error) {
        if (error instanceof UsageError) throw new InvalidArgumentError(faultOf(error));
        throw error;
      }
    });
  const shown = defaultText ?? (Array.isArray(value) ? value.join(',') : undefined);
  if (value !== undefined && value !== false) option.default(value, shown);
  return option;
}
