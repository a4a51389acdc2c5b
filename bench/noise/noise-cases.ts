// SPDX-License-Identifier: MIT
// Clips for the noise suite: clean frames, and the same with noise in every vertex and frame and without a rest pose.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { measureBounds } from '../../src/core/mesh/geometry/bounds.ts';
import type { Asset } from '../../src/core/model/asset.ts';
import { type Clip, frameCountOf } from '../../src/core/model/clip/clip.ts';
import { joinClips } from '../../src/core/model/clip/join-clips.ts';
import { selectFrames } from '../../src/core/model/clip/select-frames.ts';
import { listClips } from '../../src/deformers/playback/index.ts';
import { bakeAt } from '../../src/entry/deform.ts';
import type { SharedAnimation } from '../../src/entry/index.ts';
import { makeSample } from '../../src/entry/sample.ts';
import { openFiles } from '../../src/hosts/disk/index.ts';
import { capturedInput } from '../shared/decompose-cases.ts';
import { addNoise } from './add-noise.ts';

/** Frames of each animation, and the noise: standard deviation of every coordinate, relative to the box diagonal of the rest pose. */
const FRAMES = 16;
export const NOISE = 0.005;
const CREATURES = ['fox', 'spider', 'snake', 'bird'];
/** Captured and simulated motion: 16 frames, evenly spaced. */
const CAPTURED = ['horse-gallop', 'samba', 'biped'];

export interface NoiseCase {
  name: string;
  clean: Clip[];
  /** Their mesh is the first frame of the first clip. */
  noisy: Clip[];
  /** Standard deviation of the noise, file units. */
  sigma: number;
  /** The rig with the true joints, and its animations, if the case has one. */
  rig?: { asset: Asset; animations: SharedAnimation[] };
}

/** All animations of four rigs together, captured motion, and generated creatures. */
export async function* listNoiseCases(
  folder: string | undefined,
  quick: boolean,
  seed: number,
): AsyncGenerator<NoiseCase> {
  if (folder && !quick) {
    for (const name of CREATURES) {
      const path = join(folder, '../creatures', `${name}-animations.glb`);
      if (existsSync(path)) yield await openCreature(name, path, seed);
    }
    for (const name of CAPTURED) {
      const { asset } = await openFiles(capturedInput(folder, name), {});
      const [clip] = listClips({ input: name, asset });
      const step = Math.floor(frameCountOf(clip) / FRAMES);
      yield makeCase(name, [selectFrames(clip, { first: 0, last: step * FRAMES - 1, step })], seed);
    }
  }
  for (const own of quick ? [1] : [1, 3])
    yield makeCase(
      `creature ${own}`,
      [makeSample('creature', { seed: own, frames: FRAMES, resolution: quick ? 500 : 1500 }).clip],
      seed,
    );
}

async function openCreature(name: string, path: string, seed: number): Promise<NoiseCase> {
  const { asset } = await openFiles(path, {});
  const animations: SharedAnimation[] = [];
  const clean: Clip[] = [];
  for (const animation of asset.animations) {
    // frames of the rest pose would be a rest pose
    if (animation.name === 'Rest Pose') continue;
    const duration = Math.max(...animation.tracks.map(({ times }) => times[times.length - 1]));
    const times = Float64Array.from({ length: FRAMES }, (_, k) => (k * duration) / (FRAMES - 1));
    clean.push(bakeAt(asset, animation, times));
    animations.push({ reference: animation, times });
  }
  return { ...makeCase(name, clean, seed), rig: { asset, animations } };
}

function makeCase(name: string, clean: Clip[], seed: number): NoiseCase {
  const joined = addNoise(joinClips(clean), { ratio: NOISE, seed });
  let frame = 0;
  const noisy = clean.map((clip) => {
    const from = frame * clip.mesh.positions.length;
    frame += frameCountOf(clip);
    return { ...clip, mesh: joined.mesh, positions: joined.positions.slice(from, frame * clip.mesh.positions.length) };
  });
  return { name, clean, noisy, sigma: NOISE * measureBounds(clean[0].mesh.positions).diagonal };
}
