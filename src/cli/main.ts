#!/usr/bin/env node
// SPDX-License-Identifier: MIT
import type { CliIo } from './command.ts';
import { EXIT_INTERRUPTED } from './exit-status.ts';
import { runCli } from './run-cli.ts';
import { hasTemporaries, removeTemporaries } from './write-output.ts';

/** A reader that went away (`| head`) is no fault: the job goes on and what it prints is dropped. */
function makeStream(stream: NodeJS.WriteStream): { write(text: string): void; isTerminal: boolean; columns?: number } {
  let isOpen = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    isOpen = false;
  });
  const write = (text: string) => {
    if (isOpen) stream.write(text);
  };
  return { write, isTerminal: stream.isTTY === true, columns: stream.columns };
}

const interrupt = new AbortController();

/** Milliseconds in which a second signal is the first again: under npm, the terminal sends one and npm passes on its own. */
const ECHO = process.env.npm_command === undefined ? 0 : 50;

/**
 * The first interrupt asks for the best so far, the second ends the process. It is left to the system, which does not wait
 * for the end of synchronous work; only while files are half written it is ours, to remove them.
 */
function listen(): void {
  let first = 0;
  // Let go after signals that wait were heard, or one of them would be lost: hence setImmediate.
  const letGo = () => {
    if (!hasTemporaries()) process.off('SIGINT', heed);
  };
  const heed = () => {
    if (!interrupt.signal.aborted) {
      first = performance.now();
      interrupt.abort();
      if (ECHO > 0) setTimeout(() => setImmediate(letGo), ECHO).unref();
      else setImmediate(letGo);
    } else if (performance.now() - first >= ECHO) {
      removeTemporaries();
      process.exit(EXIT_INTERRUPTED);
    }
  };
  process.on('SIGINT', heed);
}

const io: CliIo = {
  stdout: makeStream(process.stdout),
  stderr: makeStream(process.stderr),
  environment: process.env,
  signal: interrupt.signal,
  listen,
};
process.exitCode = await runCli(process.argv.slice(2), io);
