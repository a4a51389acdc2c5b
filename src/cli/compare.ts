// SPDX-License-Identifier: MIT
import { Option } from 'commander';
import { findMotion, listMotions } from '../recipe/clip-pair.ts';
import { type CompareResult, compare } from '../recipe/compare.ts';
import { type ReportInput, reportInputOf, reportMetricsOf } from '../recipe/report.ts';
import { FrameRangeError } from '../recipe/select-frames.ts';
import { shortName } from './clean-text.ts';
import { addClipOptions, type ClipOptions } from './clip-options.ts';
import type { CommandSpec, Context } from './command.ts';
import { makeComparePage } from './compare-page.ts';
import { EXIT_DONE, EXIT_GATE, faultOf, JobError, UsageError } from './exit-status.ts';
import { formatCount, formatNumber, formatRatio } from './format-number.ts';
import { METRICS, unitOf } from './metric-list.ts';
import { noteDurations } from './note-durations.ts';
import { type OpenedInput, openInput } from './open-input.ts';
import { readValue, wholeNumber } from './option-values.ts';
import { type Length, lengthInFileUnits, parseLength } from './parse-length.ts';
import { checkResults, saveResults } from './save-results.ts';
import { formatTable } from './table.ts';
import type { OutputFile } from './write-output.ts';

interface CompareCommandOptions extends ClipOptions {
  page?: string;
  pictures: number;
  maxError?: Length;
}

export const compareCommand: CommandSpec<CompareCommandOptions> = {
  name: 'compare',
  summary: 'measure how far one file is from another, as numbers and as a page',
  description:
    'Measures how far a result is from a reference: any two of clip, skinned, morphing and static files with the same vertices. ' +
    "The result is evaluated at the reference's frame times; several animations are paired by name.",
  arguments: [
    { name: '<reference>', description: 'the truth' },
    { name: '<result>', description: 'what is measured against it' },
  ],
  examples: [
    { line: 'compare rest.obj+motion.pc2 result.glb', does: 'every metric of docs/metrics.md' },
    { line: 'compare a.glb b.glb --page errors.html', does: 'with a page: error per frame, worst frames in colour' },
    { line: 'compare a.glb b.glb --max-error 1mm --quiet', does: 'a gate: status 3 when any vertex is further off' },
  ],
  configure(command) {
    command
      .option('--page <file>', 'write a self-contained HTML page')
      .addOption(new Option('--pictures <n>', 'worst frames on the page').default(3).argParser(wholeNumber(0, 24)))
      .addOption(
        new Option('--max-error <length>', 'status 3 when any vertex is further off: 0.01, 1mm or 0.5%').argParser(
          readValue(parseLength),
        ),
      );
    addClipOptions(command);
  },
  async run(context) {
    const { options, args } = context;
    const reference = await context.phase('read', () => openInput(args[0], context));
    const result = await context.phase('read', () => openInput(args[1], context));
    const paths = [...reference.paths, ...result.paths];
    await checkResults(context, options.page === undefined ? [] : [options.page], paths);
    checkAnimation(reference, result, options.animation);
    const compared = await context.phase('compare', () => compareInputs(reference, result, context));
    const pairs = compared.clips.map(({ pair }) => pair);
    noteDurations(reference.asset, result.asset, pairs, context);
    if (!compared.hasSameTriangles)
      context.note('the two files have different triangles; their vertices are compared by index');

    const files: OutputFile[] = [];
    if (options.page !== undefined) {
      const bytes = await context.phase('page', () =>
        makeComparePage(reference, result, compared, { ...pairOptionsOf(options), pictures: options.pictures }),
      );
      files.push({ path: options.page, bytes });
    }
    const inputs = [reportInputOf(args[0], reference.asset), reportInputOf(args[1], result.asset)];
    // Two files that can be compared have the same unit: either may say it.
    const metresPerUnit = reference.asset.metresPerUnit ?? result.asset.metresPerUnit;
    const gate = measureGate(context, metresPerUnit, compared);
    const worst = compared.clips[compared.worst];
    const clips = compared.clips.map((clip) => ({
      name: clip.pair.name,
      frames: clip.times.length,
      metrics: reportMetricsOf(clip.error),
    }));
    context.tell({ reference: inputs[0], result: inputs[1], worst: worst.pair.name, clips, ...(gate ? { gate } : {}) });
    context.say(formatComparison(inputs, compared, context, metresPerUnit));
    await saveResults(context, files, paths, {
      inputs,
      metrics: reportMetricsOf(worst.error),
      result: { animation: worst.pair.name, clips, ...(gate ? { gate } : {}) },
    });
    if (options.page !== undefined) context.say(`wrote ${options.page}`);
    if (!gate || gate.isMet) return EXIT_DONE;
    context.progress.clear();
    context.io.stderr.write(
      `ossify: ${args[1]}: a vertex is off by ${formatNumber(gate.max)}, more than the ${formatNumber(gate.maxError)} allowed\n`,
    );
    return EXIT_GATE;
  },
};

/** The reference's rate wins; --fps speaks for --rate where that is not given, as both mean frames per second. */
export function pairOptionsOf(options: ClipOptions) {
  const { animation, rate, fps, keys, frames } = options;
  return { animation, rate: rate ?? fps, keys, frames };
}

function checkAnimation(reference: OpenedInput, result: OpenedInput, animation: string | undefined): void {
  if (animation === undefined) return;
  const moving = [reference, result].filter(({ asset }) => listMotions(asset).length > 0);
  if (moving.length === 0)
    throw new UsageError(`--animation "${animation}" was given, and neither file has animations`);
  try {
    findMotion(moving[0].asset, animation);
  } catch (error) {
    throw new UsageError(`${moving[0].input}: ${(error as Error).message}`, { cause: error });
  }
}

async function compareInputs(
  reference: OpenedInput,
  result: OpenedInput,
  context: Context<CompareCommandOptions>,
): Promise<CompareResult> {
  try {
    return await compare(reference.asset, result.asset, {
      ...pairOptionsOf(context.options),
      onProgress: (info) => context.progress.show(info),
      signal: context.signal,
    });
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'AbortError') throw error;
    const sentence = `${reference.input}, ${result.input}: ${faultOf(error)}`;
    if (error instanceof FrameRangeError) throw new UsageError(`--frames: ${faultOf(error)}`, { cause: error });
    throw new JobError(sentence, { cause: error });
  }
}

function measureGate(
  context: Context<CompareCommandOptions>,
  metresPerUnit: number | undefined,
  compared: CompareResult,
) {
  const { maxError } = context.options;
  if (!maxError) return undefined;
  const { error } = compared.clips[compared.worst];
  const limit = lengthInFileUnits(maxError, { diagonal: error.diagonal, metresPerUnit });
  return { maxError: limit, max: error.max, isMet: error.max <= limit };
}

function formatComparison(
  inputs: ReportInput[],
  compared: CompareResult,
  { colors }: Context,
  metresPerUnit: number | undefined,
): string {
  const head = formatTable([
    ['reference', inputs[0].name, inputs[0].kind],
    ['result', inputs[1].name, inputs[1].kind],
  ]);
  if (compared.clips.length === 1) {
    const { error, pair, times } = compared.clips[0];
    const rows = METRICS.map(({ key, label, unit, note }) => [
      label,
      formatRatio(error[key]),
      Number.isFinite(error[key]) ? unitOf(unit, metresPerUnit) : '',
      note,
    ]);
    const facts = `${inputs[0].vertices} vertices, ${error.pointCount} once welded; ${formatCount(times.length, 'frame')} of "${shortName(pair.name)}"\n\n`;
    return `${head}${facts}${formatTable([['metric', 'value', 'unit', 'meaning'], ...rows], { align: 'lrll', heading: colors.bold })}`;
  }
  const rows = compared.clips.map(({ pair, times, error }, n) => [
    `${shortName(pair.name)}${n === compared.worst && error.max > 0 ? ' (worst)' : ''}`,
    String(times.length),
    ...METRICS.map(({ key }) => formatRatio(error[key])),
  ]);
  const heading = ['animation', 'frames', ...METRICS.map(({ label }) => label)];
  return `${head}\n${formatTable([heading, ...rows], { align: `lr${'r'.repeat(METRICS.length)}`, heading: colors.bold })}`;
}
