// SPDX-License-Identifier: MIT
// The skin of a tracked clip, and its file.

import { bakeAt } from '../../deformers/playback/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { type DecomposeResult, decompose } from '../decompose/index.ts';
import { formatCount } from '../engine/index.ts';
import { readWritten, warnStopped } from '../report/index.ts';
import type { SkinProblem, WrittenSkin } from './skin-problem.ts';
import { stiffenClip } from './stiffen-clip.ts';
import { trackSmall } from './track-small.ts';
import type { TrackContext } from './track-steps.ts';

/** A written skin, and the number of its bones. */
export interface SkinFile extends WrittenSkin {
  bones: number;
}

/** Solves a skin and writes it; with --for size, in few bytes. */
export async function solveSkin(context: TrackContext, problem: SkinProblem): Promise<SkinFile> {
  const { bones, influences, threads, seed, for: aim } = context.options;
  const { clip, meshes } = problem;
  const { signal, progress } = context;
  const solved = await context.finish('solve', async () => {
    const still = await stiffenClip(await context.compute(), meshes, clip);
    return decompose(still ?? clip, { bones, influences, threads, seed, signal, onProgress: progress });
  });
  warnStopped(context);
  noteFewBones(context, solved);
  const write = aim === undefined ? writeSkin : trackSmall;
  return { bones: solved.model.skeleton.names.length, ...(await write(context, problem, solved)) };
}

function noteFewBones(context: TrackContext, { model, rigidPieces }: DecomposeResult): void {
  const { bones } = context.options;
  const boneCount = model.skeleton.names.length;
  if (boneCount >= bones) return;
  if (rigidPieces !== undefined)
    context.note(
      `the frames need only ${formatCount(boneCount, 'bone')}, not ${bones}: ${boneCount === 1 ? 'the body moves as a whole, or not at all' : 'its parts are rigid'}`,
    );
  else
    context.note(
      `the template has only ${formatCount(boneCount, 'distinct vertex', 'distinct vertices')}; using ${formatCount(boneCount, 'bone')} instead of ${bones}`,
    );
}

async function writeSkin(
  context: TrackContext,
  { asset, clip }: SkinProblem,
  { model }: Pick<DecomposeResult, 'model'>,
): Promise<WrittenSkin> {
  const bytes = await context.finish('write', () => writeGlb(asset, { kind: 'skin', model }, context.storing));
  const back = await readWritten(bytes);
  return { bytes, played: bakeAt(back, back.animations[0], clip.times) };
}
