// SPDX-License-Identifier: MIT
// What the page is told of an asset: its motions, its bones and how far they turn; and the files that it was read from.

import { bakeClip, sampleAnimation } from '../../src/deform.ts';
import { type Asset, defaultRanges, type JointRange, rangesFromMotions } from '../../src/index.ts';
import type { FileBytes, MotionView, RigView } from './protocol.ts';

export function listMotions(asset: Asset): MotionView[] {
  if (asset.clips.length > 0) return asset.clips.map(({ name, times }) => ({ name, times }));
  if (asset.animations.length === 0) return [{ name: 'rest', times: Float64Array.of(0) }];
  // one vertex stands for all: only the times are wanted
  const probe = {
    ...asset,
    mesh: { ...asset.mesh, positions: new Float32Array(0) },
    rig: undefined,
    morphs: undefined,
    ddm: undefined,
    twoLayer: undefined,
  };
  return asset.animations.map(({ name }, animation) => ({ name, times: bakeClip(probe, { animation }).times }));
}

export function makeRigView({ rig, mesh, animations, ...asset }: Asset): RigView {
  const { skeleton, skin, isJoint } = rig!;
  const ys = mesh.positions.filter((_, c) => c % 3 === 1);
  const height = ys.reduce((a, b) => Math.max(a, b), -Infinity) - ys.reduce((a, b) => Math.min(a, b), Infinity);
  const limits = defaultRanges(skeleton, height);
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
