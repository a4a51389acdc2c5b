// SPDX-License-Identifier: MIT

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import { virtualBoneCountOf } from '../../core/model/deformed/two-layer.ts';
import { fillDefaults } from '../../core/options/fill-defaults.ts';
import type { Values } from '../../core/options/option.ts';
import { checkPath } from '../../core/options/step.ts';
import { TWO_LAYER_EXTENSION } from '../../deformers/two-layer/index.ts';
import { COMPRESS_DEFAULTS, compressMethod, TUNING_OPTIONS } from '../../methods/compress/index.ts';
import { defineJob, formatCount, type JobFacts, needsSkin } from '../engine/index.ts';
import { ddmOptionsOf } from '../mush/index.ts';
import { warnStopped } from '../report/index.ts';
import {
  CHARACTER_OUTPUT,
  checkShrinkable,
  choosePoses,
  measurePlain,
  readRangesOption,
  settleMotion,
  solverLimit,
} from '../shared/index.ts';
import { type AssetCompressor, compressorOf, listSources, makeAssetDdm } from './compress.ts';
import { COMPRESS_JOB_OPTIONS, type CompressContext, checkCompressJob, choosePath } from './compress-options.ts';
import { describeCompressed } from './describe-compressed.ts';
import { type CompressedFile, type CompressTarget, type PosedInput, writeCompressed } from './write-compressed.ts';

export const compressJob = defineJob({
  name: 'compress',
  title: 'Compress',
  summary: 'compress Direct Delta Mush into virtual bones and sparse weights',
  description:
    'Compresses Direct Delta Mush, that of the file or one computed here, into a few virtual bones that the skeleton moves and plain weights on those. Writes ' +
    `${TWO_LAYER_EXTENSION} beside a plain skin with four weights per vertex that any viewer shows. Measures what was written in the animations, or in poses within joint ranges if there are none.`,
  inputs: [
    { name: 'input', description: 'a skinned .glb, .gltf, .fbx or USD file, with or without Direct Delta Mush' },
  ],
  output: {
    ...CHARACTER_OUTPUT,
    description: `${CHARACTER_OUTPUT.description}; with several numbers of virtual bones, out-100.glb and so on`,
  },
  examples: [
    { line: 'compress rig.glb out.glb', does: `${COMPRESS_DEFAULTS.virtualBones} virtual bones` },
    {
      line: 'compress rig.glb out.glb --virtual-bones 100,200,500',
      does: 'three files: out-100.glb, out-200.glb, out-500.glb',
    },
    { line: 'compress rig.glb out.glb --max-error 5mm', does: 'the fewest virtual bones that meet the error' },
    { line: 'compress rig.glb out.glb --ranges auto --quantize', does: 'for the animations of the file, in 16 bits' },
  ],
  options: COMPRESS_JOB_OPTIONS,
  isStoppable: true,
  refuses: needsSkin(['twoLayer'], 'This file is compressed already.'),
  titleOf: (values: Values) =>
    `Two layers, ${formatCount(Number(values.virtualBones ?? COMPRESS_DEFAULTS.virtualBones), 'virtual bone')}`,
  check: checkCompressJob,
  run: runCompress,
  describe: describeCompressed,
});

async function runCompress(context: CompressContext): Promise<JobFacts> {
  const opened = await settleMotion(context, await context.open(context.job.inputs[0]));
  const { asset } = opened;
  checkShrinkable(context.options, asset);
  checkPath(choosePath(opened), context.job.options ?? {});
  const ranges = await readRangesOption(context.options.ranges, context);
  const limit = context.limitOf(asset);
  const targets = listTargets(context, limit);
  await context.claim(targets.map(({ path }) => path));
  const posed = await choosePoses(context, asset, context.options);
  const ddm = await context.phase('mush', () => asset.ddm ?? makeModel(context, posed.asset));
  const source = listSources({ ...asset, ddm }, ranges, context.options.examples);
  const compressor = await context.phase('solve', () =>
    makeCompressor(context, { ...posed.asset, ddm }, { source, limit }),
  );
  const input = { ...opened, posed };
  const made = await compressAll(context, input, compressor, targets);
  warnStopped(context);
  return joinFacts(context, input, made);
}

/** One file, or one for each number of virtual bones: out-100.glb and so on. */
function listTargets({ options: { virtualBones = [] }, output }: CompressContext, limit?: number): CompressTarget[] {
  if (virtualBones.length < 2) return [{ virtualBones: virtualBones[0], path: output, limit }];
  return virtualBones.map((count) => ({
    virtualBones: count,
    path: output.replace(/\.glb$/i, `-${count}$&`),
    limit,
  }));
}

function makeModel({ options, signal, progress }: CompressContext, asset: Asset): Promise<DirectDeltaMush> {
  return makeAssetDdm(asset, {
    ...ddmOptionsOf(options, asset.mesh),
    ...{ iterations: options.smoothing, threads: options.threads, signal, onProgress: progress },
  });
}

async function makeCompressor(
  context: CompressContext,
  asset: Asset & { ddm: DirectDeltaMush },
  { source, limit }: { source: ReturnType<typeof listSources>; limit?: number },
): Promise<AssetCompressor> {
  const { options, signal } = context;
  const { solve } = await compressMethod.load();
  const input = {
    ddm: asset.ddm,
    motions: source.motions,
    tuning: fillDefaults(TUNING_OPTIONS, { seed: options.seed }),
  };
  const size = { vertexCount: asset.mesh.positions.length / 3, frameCount: 0 };
  const plan = compressMethod.plan(options, undefined, size);
  const given = fillDefaults(compressMethod.options, { ...options, ranges: source.ranges });
  const run = { compute: await context.compute(), signal };
  const compressor = await solve(run, input, given, plan);
  const { diagonal } = measureBounds(asset.mesh.positions);
  const maxError = limit && solverLimit(limit, diagonal, { isQuantized: options.quantize });
  return compressorOf(asset, compressor, { maxError, influences: options.influences });
}

/** Compresses to every number, and writes each. An interrupt leaves out those after the present one. */
async function compressAll(
  context: CompressContext,
  opened: PosedInput,
  compressor: AssetCompressor,
  targets: readonly CompressTarget[],
): Promise<CompressedFile[]> {
  const made: CompressedFile[] = [];
  for (const [n, target] of targets.entries()) {
    if (n > 0 && context.signal.aborted) break;
    const solved = await context.phase('solve', () =>
      compressor.compress({
        virtualBones: target.virtualBones,
        onProgress: (info) => context.progress({ ...info, fraction: (n + info.fraction) / targets.length }),
      }),
    );
    if (solved.status === 'stalled')
      context.note(`no number of virtual bones meets the error; writing ${virtualBoneCountOf(solved.model)}`);
    made.push(await writeCompressed(context, opened, solved, target));
  }
  return made;
}

/** The facts of the last file, with those of all if there are several. */
function joinFacts(context: CompressContext, opened: PosedInput, made: readonly CompressedFile[]): JobFacts {
  const last = made[made.length - 1];
  const ladder = made.map(({ facts, file: { path } }) => ({ path, ...facts }));
  return {
    inputs: [opened],
    files: made.map(({ file }) => file),
    gate: made.map(({ gate }) => gate).find((gate) => gate && !gate.isMet) ?? last.gate,
    ...last.facts,
    result: { ...last.facts.result, ...(made.length > 1 ? { ladder } : {}) },
    ...(made.length === 1 ? { measure: measurePlain(context, opened.posed) } : {}),
  };
}
