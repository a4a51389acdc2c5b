// SPDX-License-Identifier: MIT
// Runs a command of the command line and returns its report: in a process of its own where the package is built, else in this one from the sources.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Report } from '../../src/entry/index.ts';
import type { BenchContext } from './bench-suite.ts';

/** A command that hangs is no benchmark. */
const COMMAND_LIMIT = 900_000;

/** The built command line. */
export const MAIN = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
/** Whether commands run in processes of their own, so that memory and start are theirs. */
export const isBuilt = existsSync(MAIN);

/** Runs a command with --json, the seed and the threads of the bench. Throws with the first line of its error. */
export async function runOssify(
  words: readonly string[],
  { threads, seed, signal }: Pick<BenchContext, 'threads' | 'seed' | 'signal'>,
): Promise<Report> {
  const line = [...words, '--json', '--seed', String(seed)];
  if (threads !== undefined) line.push('--threads', String(threads));
  return JSON.parse(isBuilt ? await runProcess(line, signal) : await runHere(line, signal)) as Report;
}

async function runProcess(line: readonly string[], signal: AbortSignal): Promise<string> {
  const limits = { maxBuffer: 1 << 28, timeout: COMMAND_LIMIT, signal };
  return (await promisify(execFile)(process.execPath, [MAIN, ...line], limits)).stdout;
}

async function runHere(line: readonly string[], signal: AbortSignal): Promise<string> {
  const { runCli } = await import('../../src/hosts/cli/run-cli.ts');
  let [out, err] = ['', ''];
  const status = await runCli(line, {
    stdout: { write: (text) => (out += text), isTerminal: false },
    stderr: { write: (text) => (err += text), isTerminal: false },
    environment: process.env,
    signal,
  });
  if (status !== 0) throw new Error(err.trim());
  return out;
}
