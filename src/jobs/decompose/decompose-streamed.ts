// SPDX-License-Identifier: MIT
// decompose for a point cache that is larger than --max-memory: a sample of the points is solved, then all of them in blocks (methods/decompose/large/solve-large.ts). The file is
// read several times and never held. docs/reference/cli.md lists what differs from a clip in memory.

import { makeCompute } from '../../core/compute/make-compute.ts';
import { InputError } from '../../core/model/errors.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import type { Values } from '../../core/options/option.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { measureSource } from '../../measure/index.ts';
import { decomposeMethodOf, type LargeClip } from '../../methods/decompose/index.ts';
import {
  type JobContext,
  type JobFacts,
  makeGate,
  type OpenedInput,
  type OpenedStream,
  reportMetricsOf,
} from '../engine/index.ts';
import { readWritten, warnStopped } from '../report/index.ts';
import { type SolvedFields, transformsOf } from './decompose.ts';
import { DECOMPOSE_PATHS, type DecomposeValues, hasPath, methodValuesOf } from './decompose-options.ts';
import { makeDecomposePlan } from './decompose-plan.ts';
import { makeFacts, restGainOf } from './make-facts.ts';
import { planSolve } from './plan-solve.ts';

/** Memory that a solve of a whole clip needs, relative to the bytes of its frames (methods/decompose/shared/plan-whole.ts). */
const FRAMES_RATIO = 2.5;
/** Files of this size cannot be read as a whole (hosts/disk/read-bytes.ts). */
const MAX_WHOLE = 2 ** 31 - 1;

/**
 * Bytes of a point cache above which decompose reads it in ranges; undefined if the options need the whole clip.
 * @param given options of the job as they were given
 */
export function streamLimitOf(options: DecomposeValues, given: Values): number | undefined {
  const { maxMemory, noise } = options;
  // noise is not estimated in ranges; by default this is no reason to read the whole clip
  const isEstimated = given.noise !== undefined && noise === 'auto';
  const { reads } = planSolve(options, { vertexCount: 0, frameCount: 0 });
  const isPossible = reads === 'stream' && !isEstimated && hasPath(DECOMPOSE_PATHS.streamed, options, given);
  return isPossible && maxMemory !== undefined ? Math.min(MAX_WHOLE, maxMemory / FRAMES_RATIO) : undefined;
}

/** Decomposes a streamed input. */
export async function decomposeStreamed(
  context: JobContext<DecomposeValues>,
  opened: OpenedInput,
  stream: OpenedStream,
): Promise<JobFacts> {
  const { options, output } = context;
  const { asset } = opened;
  const { source, pointOfVertex } = stream;
  try {
    await context.claim([output]);
    context.note(
      'the point cache is larger than --max-memory and is read in blocks: rigid pieces are not solved apart, noise is not estimated, and errors between frames are not measured',
    );
    const plan = makeDecomposePlan(options, asset, undefined, []);
    const {
      model,
      eRms,
      eRmsBeforeRest = eRms,
      ...own
    } = await context.phase('solve', () =>
      solveStream(context, { source, mesh: asset.mesh, pointOfVertex }, plan.bones),
    );
    warnStopped(context, own.status);
    const keys = plan.keysAt(eRms);
    const bytes = await context.finish('write', () => writeGlb(asset, { kind: 'skin', model, keys }, context.storing));
    const error = await context.finish('measure', () => measureStream(context, opened, stream, bytes));
    return makeFacts(context, [opened], plan, {
      ...{ solved: { ...own, method: options.method, eRms }, bytes, error },
      transforms: transformsOf(options.method, options.transforms, own),
      gate: makeGate(plan.limit, error.max),
      measured: {
        isStreamed: true,
        bones: model.skeleton.names.length,
        influences: maxInfluencesOf(model.skin),
        blendsPerVertex: model.skin.weights.length / pointOfVertex.length,
        clips: [{ name: source.name, frames: source.times.length, metrics: reportMetricsOf(error) }],
      },
      more: { eRmsBeforeRest, restGain: restGainOf(eRms, eRmsBeforeRest), keys },
    });
  } finally {
    await stream.close();
  }
}

/** Bones, weights and motion of frames that are read in blocks. */
async function solveStream(
  { options, signal, progress: onProgress }: JobContext<DecomposeValues>,
  large: LargeClip,
  bones: number | undefined,
): Promise<SolvedFields> {
  const compute = await makeCompute({ threads: options.threads });
  try {
    const input = { frames: { kind: 'stream', ...large } as const, deviation: 0 };
    return await decomposeMethodOf(options.method).run({ compute, signal, onProgress }, input, {
      ...methodValuesOf(options),
      bones,
    });
  } finally {
    compute.dispose();
  }
}

/** The errors of the written file, read back. */
async function measureStream(
  context: JobContext,
  { asset }: OpenedInput,
  { source, pointOfVertex }: OpenedStream,
  bytes: Uint8Array,
) {
  const written = await readWritten(bytes);
  if (!written.rig) throw new InputError('the written file', 'lost its bones');
  const onFrame = (fraction: number) => context.progress({ phase: 'measure', fraction });
  return measureSource(source, asset.mesh, pointOfVertex, written, { up: asset.up, onFrame });
}
