// SPDX-License-Identifier: MIT
// decompose for a point cache that is larger than --max-memory: SSDR on a sample of the points, then on all of them in blocks (methods/decompose/large/solve-large.ts). The file is
// read several times and never held. docs/reference/cli.md lists what differs from a clip in memory.

import { makeCompute } from '../../core/compute/make-compute.ts';
import { InputError } from '../../core/model/errors.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { measureSource } from '../../measure/index.ts';
import { pickMethodOptions, ssdrInBlocks } from '../../methods/decompose/index.ts';
import {
  isDecomposedInBlocks,
  type JobContext,
  type JobFacts,
  makeGate,
  type OpenedInput,
  type OpenedStream,
  reportMetricsOf,
} from '../engine/index.ts';
import { readWritten, warnStopped } from '../report/index.ts';
import type { DecomposeValues } from './decompose-options.ts';
import { makeDecomposePlan } from './decompose-plan.ts';

/** Memory that a solve of a whole clip needs, relative to the bytes of its frames (check-job-memory.ts). */
const FRAMES_RATIO = 2.5;
/** Files of this size cannot be read as a whole (hosts/disk/read-bytes.ts). */
const MAX_WHOLE = 2 ** 31 - 1;

/**
 * Bytes of a point cache above which decompose reads it in ranges; undefined if the options need the whole clip.
 * @param isNoiseGiven whether --noise is given, as opposed to its default: noise is not estimated in ranges
 */
export function streamLimitOf(options: DecomposeValues, isNoiseGiven: boolean): number | undefined {
  const { corrections, correctionsError, rms, kg, for: aim, denoise, frames, animation, rest, maxMemory } = options;
  const needsClip = [corrections, correctionsError, rms, kg, aim, denoise, frames, animation, rest].some(
    (value) => value !== undefined && value !== 0,
  );
  const isEstimated = isNoiseGiven && options.noise === 'auto';
  return needsClip || isEstimated || !isDecomposedInBlocks(options) || maxMemory === undefined
    ? undefined
    : Math.min(MAX_WHOLE, maxMemory / FRAMES_RATIO);
}

/** Decomposes a streamed input. */
export async function decomposeStreamed(
  context: JobContext<DecomposeValues>,
  opened: OpenedInput,
  { source, pointOfVertex, close }: OpenedStream,
): Promise<JobFacts> {
  const { options, output, signal } = context;
  const { asset } = opened;
  try {
    await context.claim([output]);
    context.note(
      'the point cache is larger than --max-memory and is read in blocks: rigid pieces are not solved apart, noise is not estimated, and errors between frames are not measured',
    );
    const plan = makeDecomposePlan(options, asset, undefined, []);
    const compute = await makeCompute({ threads: options.threads });
    const solve = async () => {
      try {
        return await ssdrInBlocks(
          compute,
          { source, mesh: asset.mesh, pointOfVertex },
          { ...pickMethodOptions('ssdr', options), bones: plan.bones, signal, onProgress: context.progress },
        );
      } finally {
        compute.dispose();
      }
    };
    const { model, eRms, eRmsBeforeRest, ...own } = await context.phase('solve', solve);
    warnStopped(context, own.status);
    const keys = plan.keysAt(eRms);
    const bytes = await context.finish('write', () => writeGlb(asset, { kind: 'skin', model, keys }, context.storing));
    const error = await context.finish('measure', async () => {
      const written = await readWritten(bytes);
      if (!written.rig) throw new InputError('the written file', 'lost its bones');
      const onFrame = (fraction: number) => context.progress({ phase: 'measure', fraction });
      return measureSource(source, asset.mesh, pointOfVertex, written, { up: asset.up, onFrame });
    });
    const metrics = reportMetricsOf(error);
    return {
      inputs: [opened],
      files: [{ path: output, bytes }],
      gate: makeGate(plan.limit, error.max),
      metrics,
      result: {
        ...own,
        ...{ method: 'ssdr', transforms: options.transforms ?? 'rigid', isStreamed: true },
        bones: model.skeleton.names.length,
        influences: maxInfluencesOf(model.skin),
        blendsPerVertex: model.skin.weights.length / pointOfVertex.length,
        clips: [{ name: source.name, frames: source.times.length, metrics }],
        ...{ eRmsSolved: eRms, eRmsBeforeRest, restGain: eRmsBeforeRest > 0 ? 1 - eRms / eRmsBeforeRest : 0, keys },
      },
      bytes: { file: bytes.length },
      options: { bones: plan.bones },
    };
  } finally {
    await close();
  }
}
