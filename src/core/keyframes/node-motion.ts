// SPDX-License-Identifier: MIT
import { compose } from '../math/mat4.ts';
import type { Track } from '../model/clip/animation.ts';
import type { NodeTree } from '../model/skin/node-tree.ts';
import { sampleTrackInto } from './sample-track.ts';

/** Plays the nodes of an animation, one at a time. */
export class NodeMotion {
  readonly #tree: NodeTree;
  readonly #tracks = new Map<number, Track[]>();
  readonly #parts = {
    translation: new Float64Array(3),
    rotation: new Float64Array(4),
    scale: new Float64Array(3),
  };

  constructor(tree: NodeTree, { tracks }: { tracks: readonly Track[] }) {
    this.#tree = tree;
    for (const track of tracks) {
      if (track.path === 'weights') continue;
      const own = this.#tracks.get(track.node);
      if (own) own.push(track);
      else this.#tracks.set(track.node, [track]);
    }
  }

  /** The tracks of a node. */
  tracksOf(node: number): readonly Track[] {
    return this.#tracks.get(node) ?? [];
  }

  /** Fills 16 numbers, column-major, with the local matrix of a node at a time. */
  localInto(node: number, time: number, out: Float64Array, offset = 0): void {
    const { translation, rotation, scale } = this.#parts;
    const { translations, rotations, scales } = this.#tree;
    for (let c = 0; c < 3; c++) {
      translation[c] = translations[3 * node + c];
      scale[c] = scales[3 * node + c];
    }
    for (let c = 0; c < 4; c++) rotation[c] = rotations[4 * node + c];
    for (const track of this.tracksOf(node))
      if (track.path !== 'weights') sampleTrackInto(track, time, this.#parts[track.path]);
    compose(translation, rotation, scale, out, 0, 0, 0, offset);
  }
}

/** The times of all keys in order, each once. A value that jumps has a time just before the jump too, so that straight lines between values at these times have it. */
export function listMotionTimes(tracks: readonly Track[]): Float32Array {
  const times = new Set<number>();
  for (const { times: own, interpolation } of tracks)
    own.forEach((time, k) => {
      times.add(time);
      if (interpolation === 'STEP' && k > 0) times.add(Math.max(beforeOf(time), own[k - 1]));
    });
  return Float32Array.from(times).sort();
}

/** The number of 32 bits before a time. */
function beforeOf(time: number): number {
  const float = Float32Array.of(time);
  const bits = new Int32Array(float.buffer);
  if (time === 0) return -(2 ** -149);
  bits[0] += time > 0 ? -1 : 1;
  return float[0];
}
