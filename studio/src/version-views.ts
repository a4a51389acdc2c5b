// SPDX-License-Identifier: MIT
// What the page shows of an asset: its motions, its bones and their ranges; and the files that it was read from.

import { listPoseTimes, sampleAnimation, type TimedMotion } from '../../src/deform.ts';
import { type Asset, defaultRanges, type JointRange, measureHeight, rangesFromMotions } from '../../src/index.ts';
import type { FileBytes, RigView } from './protocol.ts';

/** The motions of an asset with the times of their frames; one frame for an asset that does not move. */
export function listMotions(asset: Asset): TimedMotion[] {
  if (asset.clips.length > 0) return asset.clips.map(({ name, times }) => ({ name, times }));
  const all = listPoseTimes(asset, Number.POSITIVE_INFINITY);
  return all.map(({ animation, times }) => ({ name: animation?.name ?? 'rest', times }));
}

export function makeRigView({ rig, mesh, animations, ...asset }: Asset): RigView {
  const { skeleton, skin, isJoint } = rig!;
  const limits = defaultRanges(skeleton, measureHeight(mesh.positions, 'y'));
  const whole = { ...asset, rig, mesh, animations };
  const times = (duration: number) => Float64Array.from({ length: 32 }, (_, k) => (k * duration) / 31);
  const motions = animations.map((animation) => sampleAnimation(whole, animation, times(animation.duration)).motion);
  const moved = motions.length > 0 ? rangesFromMotions(skeleton, motions) : limits;
  return {
    names: skeleton.names,
    parents: skeleton.parents,
    binds: skeleton.bindMatrices,
    skin,
    isJoint,
    ranges: joinRanges(limits, moved),
  };
}

/** The paper's ranges, widened to what the animations of the file do. */
function joinRanges(a: readonly JointRange[], b: readonly JointRange[]): Float64Array {
  const out = new Float64Array(6 * a.length);
  for (let j = 0; j < a.length; j++) {
    for (let c = 0; c < 3; c++) {
      out[6 * j + 2 * c] = Math.min(a[j].rotation[c][0], b[j].rotation[c][0]);
      out[6 * j + 2 * c + 1] = Math.max(a[j].rotation[c][1], b[j].rotation[c][1]);
    }
  }
  return out;
}

export function findResource(files: FileBytes[], uri: string): Uint8Array {
  const wanted = baseName(uri);
  const found = files.find(({ name }) => name === uri) ?? files.find(({ name }) => baseName(name) === wanted);
  if (!found) throw new Error(`it needs "${wanted}" as well; open both files together`);
  return found.bytes;
}

export function baseName(path: string): string {
  return path.replace(/^.*[/\\](?=.)/, '');
}
