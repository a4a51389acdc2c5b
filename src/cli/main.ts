#!/usr/bin/env node
// SPDX-License-Identifier: MIT
import type { CliIo } from './command.ts';
import { EXIT_FAILED, EXIT_INTERRUPTED } from './exit-status.ts';
import { runCli } from './run-cli.ts';
import { hasTemporaries, removeTemporaries } from './temporary-files.ts';

/** Why what was printed did not arrive; undefined where it did. */
let lost: string | undefined;

/** A reader that went away (`| head`) is no fault: the job goes on and what it prints is dropped. A full disk is one. */
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
const status = await runCli(process.argv.slice(2), io);
// Errors of a stream are told after the call that wrote to it.
await new Promise((resolve) => setImmediate(resolve));
if (lost !== undefined) io.stderr.write(`ossify: the results could not be printed: ${lost}\n`);
process.exitCode = lost === undefined ? status : status || EXIT_FAILED;
