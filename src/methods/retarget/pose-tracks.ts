// SPDX-License-Identifier: MIT
import type { Track } from '../../core/model/clip/animation.ts';
import type { JointPair } from './match-bodies.ts';
import type { RestRig } from './rest-rig.ts';
import type { TargetPose } from './target-pose.ts';

/** Collects the keys of all joints. */
export class PoseTracks {
  readonly #tracks: { track: Track; node: number }[];

  constructor(target: RestRig, pairs: readonly JointPair[], moved: ReadonlySet<number>, times: ArrayLike<number>) {
    const keys = Float32Array.from(times);
    const make = (node: number, path: 'translation' | 'rotation', size: number) => ({
      node,
      track: {
        node,
        path,
        interpolation: 'LINEAR' as const,
        times: keys,
        values: new Float32Array(size * keys.length),
      },
    });
    const nodes = target.nodes.names.length;
    this.#tracks = [
      ...[...moved].filter((node) => node < nodes).map((node) => make(node, 'translation', 3)),
      ...pairs.map(({ to }) => make(to, 'rotation', 4)),
    ];
  }

  add({ locals, offsets }: TargetPose, k: number): void {
    for (const { node, track } of this.#tracks) {
      const { values, path } = track;
      if (path === 'translation') values.set(offsets.subarray(3 * node, 3 * node + 3), 3 * k);
      else {
        values.set(locals.subarray(4 * node, 4 * node + 4), 4 * k);
        if (k > 0) keepSign(values, 4 * k);
      }
    }
  }

  finish(): Track[] {
    return this.#tracks.map(({ track }) => track);
  }
}

/** The sign of a quaternion that makes it similar to the one before. */
function keepSign(values: Float32Array, o: number): void {
  let dot = 0;
  for (let c = 0; c < 4; c++) dot += values[o + c] * values[o + c - 4];
  if (dot < 0) for (let c = 0; c < 4; c++) values[o + c] *= -1;
}
