// SPDX-License-Identifier: MIT
import type { Asset } from '../model/asset.ts';
import { makeAsset } from '../model/make-asset.ts';
import type { Motion } from '../model/motion.ts';
import type { RigSource } from '../model/rig-source.ts';
import { makeRigClip, makeRigSample, RIG_SAMPLES } from '../sample/make-rig-sample.ts';
import { UsageError } from './exit-status.ts';

/** Frames of the loop that shows a sample rig at work. */
const FRAMES = 60;

/** A sample rig as if it had been read: its rest shape as an asset, the source itself, and its loop. */
export function assetOfRigSample(name: string, input: string): { asset: Asset; source: RigSource; motion: Motion } {
  if (!RIG_SAMPLES.some((known) => known.name === name))
    throw new UsageError(
      `${input}: there is no rig "${name}"; there are ${RIG_SAMPLES.map((known) => known.name).join(', ')}`,
    );
  const source = makeRigSample(name);
  const { motion, clip } = makeRigClip(name, FRAMES);
  const asset = { ...makeAsset({ ...clip, mesh: source.mesh }, { name, metresPerUnit: 1 }), clips: [] };
  return { asset, source, motion: motion! };
}
