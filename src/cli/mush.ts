// SPDX-License-Identifier: MIT
import { extname } from 'node:path';
import { DDM_EXTENSION } from '../extension/pack-direct-delta-mush.ts';
import { writeGlb } from '../gltf/write-glb.ts';
import { MUSH_DEFAULTS, type MushResult, mush } from '../recipe/mush.ts';
import { type Report, type ReportResult, reportInputOf, reportMetricsOf } from '../recipe/report.ts';
import type { CommandSpec, Context } from './command.ts';
import { EXIT_DONE, faultOf, JobError, UsageError } from './exit-status.ts';
import { formatBytes, formatCount, formatMean, formatNumber } from './format-number.ts';
import { type MeasuredMush, measureMush } from './measure-mush.ts';
import { unitOf } from './metric-list.ts';
import { addMushOptions, checkDdmOptions, ddmOptionsOf, type MushCommandOptions } from './mush-options.ts';
import { noteCorrections } from './note-corrections.ts';
import { type OpenedInput, openInput } from './open-input.ts';
import { type CommandFacts, checkResults, makeCommandReport, saveResults } from './save-results.ts';
import { formatTable } from './table.ts';

type MushContext = Context<MushCommandOptions>;

export const mushCommand: CommandSpec<MushCommandOptions> = {
  name: 'mush',
  summary: 'give a skinned model delta-mush deformation, computed directly per vertex',
  description:
    `Precomputes Direct Delta Mush for a skinned glTF and writes it as ${DDM_EXTENSION} beside a plain skin of four weights that any viewer shows; ` +
    'nodes, animations and materials stay as they are. Measures what was written, read back, at the poses of its animations.',
  arguments: [
    { name: '<input>', description: 'a skinned .glb or .gltf' },
    { name: '<output>', description: 'a .glb file' },
  ],
  examples: [
    { line: 'mush rig.glb out.glb', does: 'variant 0, smoothed as the paper does' },
    { line: 'mush rig.glb out.glb --quantize --meshopt', does: 'the same in a fraction of the bytes' },
    { line: "mush rig.glb out.glb --lambda '40*_SMOOTH'", does: 'smoothed as painted in a vertex attribute' },
    { line: 'mush rig.glb out.glb --variant 4 --kappa 20', does: 'cheaper to play: quaternions about one center' },
  ],
  configure: addMushOptions,
  async run(context) {
    const { options, args } = context;
    const [input, output] = args;
    checkUsage(options, output);
    const opened = await context.phase('read', () => openInput(input, context));
    await checkResults(context, [output], opened.paths);
    noteCorrections(context, opened.asset);
    const solved = await context.phase('solve', () => solve(context, opened));
    const { quantize, meshopt } = options;
    const bytes = await context.phase('write', () =>
      writeGlb(
        opened.asset,
        { kind: 'delta-mush', model: solved.model, skin: solved.skin },
        { quantize, meshopt, log: (remark) => context.note(remark) },
      ),
    );
    const measured = await context.phase('measure', () =>
      measureMush(bytes, opened.asset, solved, options.threads ?? 0),
    );
    if (opened.asset.animations.length === 0)
      context.note('the file has no animation; errors are those of the pose it stands in');
    const facts: CommandFacts = {
      inputs: [reportInputOf(input, opened.asset)],
      metrics: { ...reportMetricsOf(measured.error), ddmVsLbs: measured.lbs.rmseOfHeight },
      result: resultOf(options, solved, measured),
      bytes: { file: bytes.length, ddm: countExtensionBytes(measured) },
    };
    await saveResults(context, [{ path: output, bytes }], opened.paths, facts);
    const report = makeCommandReport(context, facts);
    context.tell(report);
    context.say(formatMushed(report, opened, measured, output));
    return EXIT_DONE;
  },
};

function checkUsage(options: MushCommandOptions, output: string): void {
  if (extname(output).toLowerCase() !== '.glb')
    throw new UsageError(`mush: the output must end in .glb, not "${output}"`);
  checkDdmOptions(options, '--iterations');
}

async function solve({ options, signal, progress }: MushContext, { input, asset }: OpenedInput): Promise<MushResult> {
  const { variant, iterations, threads } = options;
  const own = ddmOptionsOf(options, asset.mesh);
  try {
    return await mush(asset, {
      ...own,
      ...{ variant, iterations, threads, signal },
      onProgress: ({ phase, fraction }) => progress.show({ phase, ratio: fraction }),
    });
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'AbortError') throw error;
    throw new JobError(`${input}: ${faultOf(error).replace(/^direct delta mush: /, '')}`, { cause: error });
  }
}

function resultOf(options: MushCommandOptions, solved: MushResult, measured: MeasuredMush): ReportResult {
  const { model, points, bones } = solved;
  const { plain, drop } = measured;
  const entries = model.multiWeights.boneIndices.length;
  const vertices = model.mesh.positions.length / 3;
  return {
    variant: model.variant,
    settings: model.settings,
    entries,
    entriesPerVertex: entries / vertices,
    points,
    bones,
    influences: model.multiWeights.rowStart.reduce(
      (most, start, i, all) => Math.max(most, start - (all[i - 1] ?? 0)),
      0,
    ),
    blendsPerVertex: entries / vertices,
    frames: measured.frames,
    quantized: options.quantize ?? false,
    plain: {
      influences: MUSH_DEFAULTS.influences,
      rmse: plain.rmse,
      max: plain.max,
      rmseOfHeight: plain.rmseOfHeight,
      maxOfHeight: plain.maxOfHeight,
    },
    lbs: { rmse: measured.lbs.rmse, max: measured.lbs.max, maxOfHeight: measured.lbs.maxOfHeight },
    dropped: {
      rmse: drop.rms,
      max: drop.max,
      rmseOfHeight: (100 * drop.rms) / plain.height,
      maxOfHeight: (100 * drop.max) / plain.height,
      entriesPerVertexBefore: drop.entriesPerVertexBefore,
    },
  };
}

const COMPONENT_BYTES: Record<number, number> = { 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const SIZES: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

/** Bytes of the extension's arrays, before any compression. */
function countExtensionBytes({ asset }: MeasuredMush): number {
  const json = asset.source!.json as {
    meshes: { primitives: { extensions?: Record<string, Record<string, unknown>> }[] }[];
    accessors: { count: number; type: string; componentType: number }[];
  };
  const names = ['starts', 'counts', 'centers', 'scales', 'joints', 'columns', 'squares'];
  const seen = new Set<number>();
  for (const { primitives } of json.meshes)
    for (const { extensions } of primitives)
      for (const name of names) {
        const index = extensions?.[DDM_EXTENSION]?.[name];
        if (typeof index === 'number') seen.add(index);
      }
  let bytes = 0;
  for (const index of seen) {
    const { count, type, componentType } = json.accessors[index];
    bytes += count * SIZES[type] * COMPONENT_BYTES[componentType];
  }
  return bytes;
}

function formatMushed(report: Report, opened: OpenedInput, measured: MeasuredMush, output: string): string {
  const { result, bytes, seconds, peakMemory, threads } = report;
  const { error, plain, lbs, drop, frames } = measured;
  const [input] = report.inputs;
  const unit = unitOf('length', opened.asset.metresPerUnit);
  const percent = (value: number) => (Number.isFinite(value) ? `${formatNumber(value)} %` : '-');
  const row = (name: string, rmse: number, max: number, note: string) => [
    name,
    `${formatNumber(rmse)} ${unit}`,
    percent((100 * rmse) / error.height),
    `${formatNumber(max)} ${unit}`,
    percent((100 * max) / error.height),
    note,
  ];
  const head = formatTable([
    [
      'before',
      formatBytes(input.bytes),
      `${input.kind}, ${input.vertices} vertices, ${formatCount(input.bones, 'bone')}`,
      opened.input,
    ],
    [
      'after',
      formatBytes(bytes.file ?? 0),
      `variant ${result.variant}, ${formatMean(Number(result.entriesPerVertex), 'entry', 'entries')} per vertex (${formatBytes(bytes.ddm ?? 0)}${report.options.meshopt ? ' unpacked' : ''})`,
      output,
    ],
  ]);
  const table = formatTable(
    [
      ['', 'RMSE', 'of height', 'max', 'of height', `at ${formatCount(frames, 'frame')}`],
      row('written', error.rmse, error.max, 'the file by the run-time, against double precision'),
      row('dropped', drop.rms, drop.max, 'what dropping small entries did'),
      row('plain skin', plain.rmse, plain.max, 'what other viewers show, against variant 0'),
      row('own skin', lbs.rmse, lbs.max, "the input's linear blend skinning, against this model"),
    ],
    { align: 'lrrrrl' },
  );
  const phases = Object.entries(seconds).map(([phase, value]) => `${phase} ${formatNumber(value, 3)} s`);
  const memory = peakMemory ? `, ${formatBytes(peakMemory)} of memory` : '';
  return `${head}\n${table}\n${phases.join(', ')}; ${formatCount(threads, 'thread')}${memory}`;
}
