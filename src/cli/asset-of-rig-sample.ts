// SPDX-License-Identifier: MIT
import type { Asset } from '../model/asset.ts';
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
  const { motion } = makeRigClip(name, FRAMES);
  const asset: Asset = {
    name,
    mesh: source.mesh,
    nodes: {
      names: [],
      parents: new Int32Array(0),
      translations: new Float64Array(0),
      rotations: new Float64Array(0),
      scales: new Float64Array(0),
    },
    animations: [],
    clips: [],
    metresPerUnit: 1,
    up: 'y',
    byteLength: 0,
  };
  return { asset, source, motion: motion! };
}
