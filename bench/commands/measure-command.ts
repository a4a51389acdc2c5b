// SPDX-License-Identifier: MIT
// One command of the command line: wall time, processor time and memory. In a process of its own where the package is built, so that its start and its threads count.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Report } from '../../src/entry/index.ts';
import type { BenchContext } from '../shared/bench-suite.ts';
import { isBuilt, MAIN, runOssify } from '../shared/run-ossify.ts';

/** What a command took. */
export interface CommandCost {
  seconds: number;
  /** Processor time of all threads. */
  cpuSeconds: number;
  bytes: number;
  report: Report;
}

/** A module that prints what the process has used when it ends. */
const TELL = `import { writeSync } from 'node:fs';
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeSync(2, '\\n@used ' + JSON.stringify({ cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, bytes: 1024 * maxRSS }));
});`;
/** A command that hangs is no benchmark. */
const LIMIT = 900_000;

/** Runs a command once with --json. */
export async function measureCommand(
  words: readonly string[],
  context: Pick<BenchContext, 'threads' | 'seed' | 'signal'>,
): Promise<CommandCost> {
  const start = performance.now();
  if (!isBuilt) {
    const before = process.cpuUsage();
    const report = await runOssify(words, context);
    const { user, system } = process.cpuUsage(before);
    const bytes = process.memoryUsage().rss;
    return { seconds: (performance.now() - start) / 1000, cpuSeconds: (user + system) / 1e6, bytes, report };
  }
  const { threads, seed, signal } = context;
  const line = [
    ...words,
    '--json',
    '--seed',
    String(seed),
    ...(threads === undefined ? [] : ['--threads', `${threads}`]),
  ];
  const preload = ['--import', `data:text/javascript,${encodeURIComponent(TELL)}`];
  const limits = { maxBuffer: 1 << 28, timeout: LIMIT, signal };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...preload, MAIN, ...line], limits);
  const used = JSON.parse(stderr.slice(stderr.lastIndexOf('@used ') + 6)) as Pick<CommandCost, 'cpuSeconds' | 'bytes'>;
  return { seconds: (performance.now() - start) / 1000, ...used, report: JSON.parse(stdout) as Report };
}
