// SPDX-License-Identifier: MIT
import { type Command, CommanderError } from 'commander';
import { InterruptedError, UsageError } from '../../core/model/errors.ts';
import { plainLines, plainText, shortName } from '../../core/model/plain-text.ts';
import { settleOptions } from '../../core/options/settle-options.ts';
import { jsonText } from '../../jobs/engine/index.ts';
import { checkOutputs, writeOutputs } from '../disk/index.ts';
import { type CliCommand, type CliContext, type CliIo, listGiven, type PrintOptions } from './command.ts';
import { loadCommands } from './load-commands.ts';
import { makeProgram } from './program.ts';
import { askCommand, formatCommand } from './terminal/ask-command.ts';
import { EXIT_DONE, EXIT_INTERRUPTED, EXIT_USAGE, exitStatusOf } from './terminal/exit-status.ts';
import { makeProgressBar, type ProgressBar } from './terminal/progress-bar.ts';
import { makeProgressLines } from './terminal/progress-lines.ts';
import { makeTextStyles, wantsStyles } from './terminal/text-styles.ts';

/**
 * Runs one command line and returns its exit status. Never throws, never exits, and uses no globals: everything goes
 * through `io`.
 * @param argv The arguments after `ossify`.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  if (isHelpOfPresets(argv)) {
    const { formatPresets } = await import('./terminal/format-presets.ts');
    io.stdout.write(formatPresets(Math.min(io.stderr.columns ?? COLUMNS, MAX_COLUMNS)));
    return EXIT_DONE;
  }
  let status = EXIT_DONE;
  let isVerbose = argv.includes('--verbose');
  let progress: ProgressBar | undefined;
  const program = makeProgram(await loadCommands(argv), async (spec, args, command) => {
    const print = command.opts<PrintOptions>();
    isVerbose = print.verbose === true;
    const context = makeContext(program, spec, args, command, io);
    progress = context.progress;
    if (spec.isStoppable) io.listen?.();
    io.signal.throwIfAborted();
    status = await spec.run(context);
    progress.clear();
    // the best result so far was written, but the job was interrupted
    if (io.signal.aborted && status === EXIT_DONE) status = EXIT_INTERRUPTED;
  });
  program.configureOutput({
    writeOut: (text) => io.stdout.write(text),
    writeErr: (text) => io.stderr.write(text),
    // the error that commander throws has the same text, and a code
    outputError: () => undefined,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
  for (const command of program.commands) command.copyInheritedSettings(program);
  try {
    const words = argv.length === 0 && io.ask ? await askForCommand(io.ask, io) : argv;
    await program.parseAsync(settleHelp(words, program), { from: 'user' });
    return status;
  } catch (error) {
    progress?.clear();
    if (error instanceof CommanderError) return endParsing(error, io);
    printError(error, isVerbose, io);
    return io.signal.aborted ? EXIT_INTERRUPTED : exitStatusOf(error);
  }
}

/** Asks for the command on a terminal, and prints it before it runs. */
async function askForCommand(ask: NonNullable<CliIo['ask']>, io: CliIo): Promise<readonly string[]> {
  const words = await askCommand(ask, (text) => io.stdout.write(text));
  io.endAsking?.();
  if (words) io.stdout.write(`\n$ ${formatCommand(words)}\n\n`);
  return words ?? [];
}

/** Columns of a page of help: of a terminal that states none, and at most. */
const [COLUMNS, MAX_COLUMNS] = [80, 120];

/** The settings of --for TARGET are a page of the help, and no command. */
const isHelpOfPresets = ([first, second, ...others]: readonly string[]): boolean =>
  first === 'help' && second === 'presets' && others.length === 0;

/** Replaces `help nope` by `nope`: commander prints the general help for the first, and an error for the second. */
function settleHelp(argv: readonly string[], program: Command): string[] {
  const [word, name] = argv;
  const isUnknown = word === 'help' && name !== undefined && !name.startsWith('-') && name !== 'help';
  return isUnknown && !program.commands.some((command) => command.name() === name) ? [name] : [...argv];
}

function makeContext(program: Command, spec: CliCommand, args: string[], command: Command, io: CliIo): CliContext {
  const print = command.opts<PrintOptions>();
  if (print.quiet && print.verbose) throw new UsageError('--quiet', 'cannot be used with --verbose');
  const isQuiet = print.quiet === true;
  const isTalking = !isQuiet && print.json !== true;
  const write = (text: string): void => io.stderr.write(text);
  const progress =
    print.progress === 'json'
      ? makeProgressLines(write)
      : makeProgressBar({
          write,
          isOn: isTalking && io.stderr.isTerminal && io.environment.TERM !== 'dumb',
          columns: io.stderr.columns,
        });
  const put = (stream: { write(text: string): void }, text: string) => {
    progress.clear();
    stream.write(text.endsWith('\n') ? text : `${text}\n`);
  };
  const given = listGiven(command, spec.options);
  const withReport = (paths: readonly string[]) => (print.report === undefined ? paths : [...paths, print.report]);
  return {
    program,
    options: settleOptions({ name: spec.name, options: spec.options }, { options: given }).values,
    print,
    given,
    args,
    io,
    styles: makeTextStyles(wantsStyles(io.environment, io.stdout.isTerminal)),
    progress,
    say: (text) => {
      if (isTalking) put(io.stdout, plainLines(text));
    },
    note: (text) => {
      if (!isQuiet) put(io.stderr, `note: ${plainText(text)}`);
    },
    log: print.verbose ? (text) => put(io.stderr, plainText(text)) : undefined,
    tell: (value) => {
      if (print.json) put(io.stdout, jsonText(value));
    },
    checkOutputs: (outputs, inputs) => checkOutputs(withReport(outputs), inputs),
    async save(files, inputs, report) {
      const all =
        print.report === undefined ? files : [...files, { path: print.report, bytes: `${jsonText(report)}\n` }];
      if (all.length > 0) await writeOutputs(all, inputs);
      progress.clear();
    },
  };
}

/** Messages that quote very long names are truncated. */
const MAX_CHARACTERS = 2000;

function printError(error: unknown, isVerbose: boolean, io: CliIo): void {
  const { red } = makeTextStyles(wantsStyles(io.environment, io.stderr.isTerminal));
  const text = error instanceof Error ? error.message : String(error);
  const isInterrupt = io.signal.aborted || (error instanceof Error && error.name === 'AbortError');
  const message = isInterrupt && !(error instanceof InterruptedError) ? 'interrupted; nothing was written' : text;
  io.stderr.write(`${red('ossify:')} ${shortName(message, MAX_CHARACTERS)}\n`);
  // the cause of wrong usage is on the command line, not in the code
  if (!isVerbose || !(error instanceof Error) || error instanceof UsageError) return;
  if (error.stack) io.stderr.write(`${error.stack}\n`);
  if (error.cause instanceof Error && error.cause.stack) io.stderr.write(`caused by ${error.cause.stack}\n`);
}

/** The status for an end of commander: help and version, which it has printed, or wrong usage, which is printed here. */
function endParsing(error: CommanderError, io: CliIo): number {
  if (error.exitCode === 0) return EXIT_DONE;
  if (error.code !== HELP_AFTER_ERROR) io.stderr.write(`${formatUsageError(error)}\n`);
  return EXIT_USAGE;
}

/** Commander's code where it has printed the help instead of an error: for a command line without a command. */
const HELP_AFTER_ERROR = 'commander.help';

/** Commander's "error: …\n(Did you mean …?)" as one sentence. */
function formatUsageError({ code, message }: CommanderError): string {
  const sentence = message
    .trim()
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ');
  const remedy =
    code === 'commander.excessArguments'
      ? " Quote a pattern so that the shell does not expand it: 'frames/*.obj'."
      : '';
  return `ossify: ${plainText(sentence)}${remedy}`;
}
