// SPDX-License-Identifier: MIT
import { type Command, CommanderError } from 'commander';
import { cleanLines, cleanText, shortName } from './clean-text.ts';
import { makeColors, wantsColor } from './colors.ts';
import type { CliIo, CommandSpec, CommonOptions, Context } from './command.ts';
import { EXIT_DONE, EXIT_INTERRUPTED, EXIT_USAGE, exitStatusOf, UsageError } from './exit-status.ts';
import { jsonText } from './json-text.ts';
import { version } from './package-version.ts';
import { makeProgram } from './program.ts';
import { makeProgressBar, type ProgressBar } from './progress-bar.ts';

/** Milliseconds; longer than main.ts waits for echoes. */
const LET_GO = 70;

/**
 * Runs one command line and returns its exit status. Never throws, never exits, and touches no global: everything goes
 * through `io`.
 * @param argv The words after `ossify`.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  let status = EXIT_DONE;
  let isVerbose = argv.includes('--verbose');
  let progress: ProgressBar | undefined;
  const program = makeProgram(async (spec, args, options) => {
    isVerbose = options.verbose === true;
    const context = makeContext(program, spec, args, options, io);
    progress = context.progress;
    if (spec.isStoppable) io.listen?.();
    io.signal.throwIfAborted();
    status = await spec.run(context);
    progress.clear();
    // The best so far was written, and still the work was cut short.
    if (io.signal.aborted && status === EXIT_DONE) status = EXIT_INTERRUPTED;
  });
  program.configureOutput({
    writeOut: (text) => io.stdout.write(text),
    writeErr: (text) => io.stderr.write(text),
    outputError: (text, write) => write(`${formatUsageError(text)}\n`),
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
  for (const command of program.commands) command.copyInheritedSettings(program);
  try {
    await program.parseAsync(settleHelp(argv, program), { from: 'user' });
    return status;
  } catch (error) {
    progress?.clear();
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_DONE : EXIT_USAGE;
    printError(error, isVerbose, io);
    return io.signal.aborted ? EXIT_INTERRUPTED : exitStatusOf(error);
  }
}

/** `help nope` as `nope`: commander prints the general help for it, and only the command itself is said to be unknown. */
function settleHelp(argv: readonly string[], program: Command): string[] {
  const [word, name] = argv;
  const isUnknown = word === 'help' && name !== undefined && !name.startsWith('-') && name !== 'help';
  return isUnknown && !program.commands.some((command) => command.name() === name) ? [name] : [...argv];
}

function makeContext(program: Command, spec: CommandSpec, args: string[], options: CommonOptions, io: CliIo): Context {
  if (options.quiet && options.verbose) throw new UsageError('--quiet and --verbose cannot be given together');
  const isQuiet = options.quiet === true;
  const isTalking = !isQuiet && options.json !== true;
  const progress = makeProgressBar({
    write: (text) => io.stderr.write(text),
    isOn: isTalking && io.stderr.isTerminal,
    columns: io.stderr.columns,
  });
  const print = (stream: { write(text: string): void }, text: string) => {
    progress.clear();
    stream.write(text.endsWith('\n') ? text : `${text}\n`);
  };
  const seconds: Record<string, number> = {};
  const finish: Context['finish'] = async (name, work) => {
    // From here on a second interrupt must get through synchronous work: the host needs a moment to let go of it.
    if (io.signal.aborted) await new Promise((resolve) => setTimeout(resolve, LET_GO));
    progress.show({ phase: name, ratio: 0 });
    const start = performance.now();
    try {
      return await work();
    } finally {
      seconds[name] = (seconds[name] ?? 0) + (performance.now() - start) / 1000;
    }
  };
  return {
    command: spec.name,
    program,
    version,
    options,
    args,
    io,
    colors: makeColors(wantsColor(io.environment, io.stdout.isTerminal)),
    progress,
    signal: io.signal,
    say: (text) => {
      if (isTalking) print(io.stdout, cleanLines(text));
    },
    note: (text) => {
      if (!isQuiet) print(io.stderr, `note: ${cleanText(text)}`);
    },
    log: (text) => {
      if (options.verbose) print(io.stderr, cleanText(text));
    },
    tell: (value) => {
      if (options.json) print(io.stdout, jsonText(value));
    },
    seconds,
    async phase(name, work) {
      // Lets a pending interrupt arrive between two phases that never wait for anything.
      await new Promise((resolve) => setImmediate(resolve));
      io.signal.throwIfAborted();
      return finish(name, work);
    },
    finish,
  };
}

/** An error is a sentence, also about a file whose names are books. */
const MOST_CHARACTERS = 2000;

function printError(error: unknown, isVerbose: boolean, io: CliIo): void {
  const colors = makeColors(wantsColor(io.environment, io.stderr.isTerminal));
  const isInterrupt = io.signal.aborted || (error instanceof Error && error.name === 'AbortError');
  const message = isInterrupt ? 'interrupted' : error instanceof Error ? error.message : String(error);
  io.stderr.write(`${colors.red('ossify:')} ${shortName(message, MOST_CHARACTERS)}\n`);
  // Wrong usage has its origin on the command line, not in the code.
  if (!isVerbose || !(error instanceof Error) || error instanceof UsageError) return;
  if (error.stack) io.stderr.write(`${error.stack}\n`);
  if (error.cause instanceof Error && error.cause.stack) io.stderr.write(`caused by ${error.cause.stack}\n`);
}

/** Commander's "error: …\n(Did you mean …?)" as the one sentence all our errors are. */
function formatUsageError(text: string): string {
  let sentence = text
    .trim()
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ');
  if (/^too many arguments/.test(sentence)) {
    sentence += " Quote a pattern so that the shell leaves it alone: 'frames/*.obj'.";
  }
  return `ossify: ${cleanText(sentence)}`;
}
