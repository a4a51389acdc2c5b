// SPDX-License-Identifier: MIT
// --noise and --denoise while a job runs.

import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { Asset, SkinnedModel } from '../../../core/model/asset.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import { UsageError } from '../../../core/model/errors.ts';
import { makeDeformer } from '../../../deformers/playback/index.ts';
import { MIN_NOISE_FRAMES } from '../../../methods/noise/index.ts';
import { formatCount, formatNumber, type JobContext, type OutputFile } from '../../engine/index.ts';
import { findFramesFormat } from '../output/output-formats.ts';
import type { NoiseOption } from './prepare-noisy.ts';

/** Maximum noise relative to the box diagonal: more hides every shape. */
const MAX_NOISE = 0.1;

/** The noise of the options in the units of an asset. */
export function noiseOf(context: JobContext<{ noise: string }>, asset: Asset): NoiseOption {
  const { noise } = context.options;
  if (noise === 'auto') return 'auto';
  const deviation = context.lengthOf(noise, asset);
  const { diagonal } = measureBounds(asset.mesh.positions);
  if (deviation >= MAX_NOISE * diagonal)
    throw new UsageError(
      '--noise',
      `must be below ${100 * MAX_NOISE} % of the size, which is ${formatNumber(diagonal)}`,
    );
  return deviation;
}

/** Tells the user about noise that was found, and, with --denoise, that none was. */
export function noteNoise(
  context: JobContext<{ noise: string; denoise?: string }>,
  noise: number,
  asset: Asset,
  clips: readonly Clip[],
): void {
  if (context.options.noise !== 'auto') return;
  if (noise > 0) {
    const percent = (100 * noise) / measureBounds(asset.mesh.positions).diagonal;
    context.note(
      `the frames have noise of about ${formatNumber(percent, 2)} % of the size; solved with a rest shape that was built from all frames (--noise 0: as if they had none)`,
    );
  } else if (context.options.denoise !== undefined) {
    const frameCount = clips.reduce((sum, { times }) => sum + times.length, 0);
    context.note(
      frameCount < MIN_NOISE_FRAMES
        ? `--denoise: noise cannot be estimated from ${formatCount(frameCount, 'frame')}, ${MIN_NOISE_FRAMES} are needed; writing the frames of the skin as it is (give --noise 0.5% if you know it)`
        : '--denoise: no noise was found; writing the frames of the skin as it is',
    );
  }
}

/** All files that writeDenoised makes. */
export function listDenoisedPaths(path: string | undefined, clips: readonly Clip[]): string[] {
  if (path === undefined) return [];
  return clips.flatMap((clip, n) => {
    const own = pathOf(path, n, clips.length);
    return findFramesFormat(own)?.listPaths(own, clip.times.length) ?? [own];
  });
}

/** The frames of every motion of a model, in the format of a path. */
export async function writeDenoised(
  path: string | undefined,
  clips: readonly Clip[],
  model: SkinnedModel,
): Promise<OutputFile[]> {
  if (path === undefined) return [];
  const files: OutputFile[] = [];
  for (const [n, clip] of clips.entries()) {
    const own = pathOf(path, n, clips.length);
    const write = await findFramesFormat(own)?.load();
    if (write) files.push(...write(explainClip(clip, model, n), own));
  }
  return files;
}

/** The frames of a clip as a skin deforms them. */
function explainClip(clip: Clip, model: SkinnedModel, motion: number): Clip {
  const deformer = makeDeformer(model);
  const stride = model.mesh.positions.length;
  const positions = new Float32Array(clip.times.length * stride);
  clip.times.forEach((_, k) => {
    deformer.deformInto({ bones: poseOf(model.motions[motion], k) }, positions.subarray(k * stride, (k + 1) * stride));
  });
  return { ...clip, mesh: { ...clip.mesh, positions: model.mesh.positions, normals: model.mesh.normals }, positions };
}

/** One file, or out-1.pc2, out-2.pc2 … */
function pathOf(path: string, n: number, count: number): string {
  return count === 1 ? path : path.replace(/(\.[^.]*)$/, `-${n + 1}$1`);
}
