#!/usr/bin/env node
import type { Interface } from 'node:readline';
import { hasTemporaries, removeTemporaries } from '../disk/index.ts';
// SPDX-License-Identifier: MIT
import type { CliIo } from './command.ts';
import { runCli } from './run-cli.ts';
import { EXIT_FAILED, EXIT_INTERRUPTED } from './terminal/exit-status.ts';

/** Why output could not be printed; undefined if it was. */
let lost: string | undefined;

/** A closed pipe (`| head`) is no error: the job continues and its output is dropped. A full disk is an error. */
function makeStream(stream: NodeJS.WriteStream): { write(text: string): void; isTerminal: boolean; columns?: number } {
  let isOpen = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    isOpen = false;
    if (error.code !== 'EPIPE') lost ??= error.code === 'ENOSPC' ? 'the disk is full' : String(error.code);
  });
  const write = (text: string) => {
    if (isOpen) stream.write(text);
  };
  return { write, isTerminal: stream.isTTY === true, columns: stream.columns };
}

const interrupt = new AbortController();

/** Milliseconds in which a second signal is ignored as a copy of the first: under npm, the terminal sends one and npm another. */
const ECHO = process.env.npm_command === undefined ? 0 : 50;

/** Milliseconds after an interrupt until the user is told that the command still ends. */
const PATIENCE = 1000;

function tellInterrupted(): void {
  io.stderr.write(
    'note: interrupted; the command ends after its present step (press Ctrl-C again to end it at once)\n',
  );
}

/**
 * The first interrupt requests the best result so far, the second ends the process. The handler is removed after the first, because a handler would run
 * only after synchronous work; it stays while files are being written, to remove them.
 */
function listen(): void {
  let first = 0;
  // setImmediate: the handler is removed after pending signals were handled.
  const letGo = () => {
    if (!hasTemporaries()) process.off('SIGINT', heed);
  };
  const heed = () => {
    if (!interrupt.signal.aborted) {
      first = performance.now();
      interrupt.abort();
      // a step that takes long ends before the command does
      if (!process.argv.includes('--quiet')) setTimeout(tellInterrupted, PATIENCE).unref();
      if (ECHO > 0) setTimeout(() => setImmediate(letGo), ECHO).unref();
      else setImmediate(letGo);
    } else if (performance.now() - first >= ECHO) {
      removeTemporaries();
      process.exit(EXIT_INTERRUPTED);
    }
  };
  process.on('SIGINT', heed);
}

/** Questions on a terminal, until its input ends. Lines that were typed ahead are answers too. */
function makeQuestions(): Pick<CliIo, 'ask' | 'endAsking'> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return {};
  let lines: Interface | undefined;
  const typed: string[] = [];
  let take: ((line: string | undefined) => void) | undefined;
  const end = () => {
    lines?.close();
    lines = undefined;
  };
  return {
    async ask(question) {
      if (!lines) {
        const { createInterface } = await import('node:readline');
        lines = createInterface({ input: process.stdin, output: process.stdout });
        lines.on('line', (line) => (take ? take(line) : typed.push(line)));
        lines.on('close', () => take?.(undefined));
      }
      lines.setPrompt(question);
      lines.prompt();
      if (typed.length > 0) return typed.shift();
      const answer = await new Promise<string | undefined>((resolve) => {
        take = resolve;
      });
      take = undefined;
      return answer;
    },
    endAsking: end,
  };
}

const io: CliIo = {
  stdout: makeStream(process.stdout),
  stderr: makeStream(process.stderr),
  environment: process.env,
  signal: interrupt.signal,
  listen,
  ...makeQuestions(),
};
const status = await runCli(process.argv.slice(2), io);
// Streams report errors after the call that wrote to them.
await new Promise((resolve) => setImmediate(resolve));
if (lost !== undefined) io.stderr.write(`ossify: the results could not be printed: ${lost}\n`);
process.exitCode = lost === undefined ? status : status || EXIT_FAILED;
