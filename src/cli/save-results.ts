// SPDX-License-Identifier: MIT
import { availableParallelism } from 'node:os';
import { makeReport, type Report, type ReportFacts } from '../recipe/report.ts';
import type { Context } from './command.ts';
import { jsonText } from './json-text.ts';
import { checkOutputs, type OutputFile, writeOutputs } from './write-output.ts';

/** What a command adds to the report; the rest is known here. */
export type CommandFacts = Pick<ReportFacts, 'inputs' | 'result' | 'metrics' | 'bytes'>;

/** Throws now if a later save would fail: see checkOutputs. The report is an output like the others. */
export async function checkResults(
  context: Context,
  paths: readonly string[],
  inputs: readonly string[],
): Promise<void> {
  const { report } = context.options;
  await checkOutputs(report === undefined ? paths : [...paths, report], inputs);
}

/** Writes what a command made, and the report where one is asked for: all of them, or none. */
export async function saveResults(
  context: Context,
  files: readonly OutputFile[],
  inputs: readonly string[],
  facts: CommandFacts,
): Promise<void> {
  const all = [...files];
  const { report } = context.options;
  if (report !== undefined) {
    const text = jsonText(makeCommandReport(context, facts));
    all.push({ path: report, bytes: `${text}\n` });
  }
  if (all.length === 0) return;
  await writeOutputs(all, inputs);
  context.progress.clear();
}

/** The report of a command that is about to end. */
export function makeCommandReport(context: Context, facts: CommandFacts): Report {
  const { report: _report, json: _json, quiet: _quiet, verbose: _verbose, threads, seed, ...own } = context.options;
  const totalSeconds = Object.values(context.seconds).reduce((sum, seconds) => sum + seconds, 0);
  return makeReport({
    version: context.version,
    command: context.command,
    options: own,
    ...facts,
    seconds: context.seconds,
    totalSeconds,
    peakMemory: process.resourceUsage().maxRSS * 1024,
    threads: threads ?? availableParallelism(),
    seed,
  });
}
