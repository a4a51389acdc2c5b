// SPDX-License-Identifier: MIT
// reduce --cage: a mesh in a cage becomes a plain skin, or one in two layers.

import type { Clip } from '../../core/model/clip/clip.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import { bakeClip, listReferences } from '../../deformers/playback/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { measureFor } from '../../measure/index.ts';
import { reduceCage } from '../../methods/reduce/index.ts';
import { type JobContext, type JobFacts, type OpenedInput, reportMetricsOf } from '../engine/index.ts';
import { measureAgain, readWritten, reportPlayers } from '../report/index.ts';
import type { ReduceValues } from './reduce-job.ts';

export async function runCage(context: JobContext<ReduceValues>, opened: OpenedInput, file: string): Promise<JobFacts> {
  const { options, signal, output } = context;
  const { method, influences, virtualBones, printed, pursuit, threads, seed, quantize, meshopt, shading } = options;
  const cage = await context.open(file);
  context.name('cage', file);
  const clip = clipOfCage(cage);
  await context.claim([output]);
  if (clip.times.length === 0) context.note('the cage does not move; there are no poses to preserve');
  const { asset } = opened;
  const solved = await context.phase('solve', () =>
    reduceCage(asset.mesh, clip, {
      ...{ method, influences, virtualBones, printed, pursuit, threads, seed, signal, onProgress: context.progress },
      poses: options.poses === 'none' ? 'none' : undefined,
    }),
  );
  const bare = { ...asset, clips: [], animations: [] };
  let bytes = await context.finish('write', () =>
    writeGlb(bare, { kind: 'skin', model: solved.model }, { quantize, meshopt, shading }),
  );
  let back = await readWritten(bytes);
  if (solved.twoLayer) {
    const { skin, twoLayer } = solved;
    const layers = { ...twoLayer, mesh: back.mesh, skeleton: back.rig!.skeleton };
    bytes = await context.finish('write', () =>
      writeGlb(back, { kind: 'weights', skin, layers }, { quantize, meshopt }),
    );
    back = await readWritten(bytes);
  }
  const references = clip.times.length > 0 ? [{ clip: solved.reference }] : listReferences(back);
  const measured = await context.finish('measure', async () =>
    measureFor(back, references, {
      player: 'runtime',
      up: asset.up,
      compute: await context.compute(),
      ...context.measuring,
    }),
  );
  return {
    inputs: [opened, cage],
    files: [{ path: output, bytes }],
    metrics: reportMetricsOf(measured.error),
    result: {
      method: solved.method,
      bones: solved.bones.after,
      bonesBefore: solved.bones.before,
      ...(solved.twoLayer ? { virtualBones: solved.twoLayer.virtualBones.rowStart.length - 1 } : {}),
      influences: maxInfluencesOf(solved.twoLayer?.skin ?? solved.skin),
      influencesBefore: maxInfluencesOf(solved.bound),
      blendsPerVertex: solved.blendsPerVertex,
      blendsPerVertexBefore: solved.bound.weights.length / (solved.bound.rowStart.length - 1),
      pieces: back.mesh.parts.length,
      poses: solved.poses,
      status: solved.status,
      ...(clip.times.length > 1 ? { between: measured.between } : {}),
      ...(await context.finish('measure', () => reportPlayers(context, back, references))),
    },
    bytes: { file: bytes.length },
    measure: measureAgain(context, references),
  };
}

/** The cage in motion; a clip without frames if it does not move. */
export function clipOfCage({ asset }: OpenedInput): Clip {
  if (asset.clips.length > 0) return asset.clips[0];
  if (asset.animations.length > 0) return bakeClip(asset);
  const { name, mesh } = asset;
  return { kind: 'clip', name, mesh, positions: new Float32Array(0), times: new Float64Array(0) };
}
