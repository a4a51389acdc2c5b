// SPDX-License-Identifier: MIT

import type { Accessor, Animation, Document, Node } from '@gltf-transform/core';
import { addAccessor } from '../document/add-accessor.ts';

/** One property of one node over time, and the keys to store. */
export interface GltfTrack {
  node: Node;
  path: 'translation' | 'rotation' | 'scale';
  /** frameCount x size */
  values: Float32Array;
  /** Indices of frames, ascending. If it is empty, the track is not stored. */
  kept: Uint32Array;
}

/** Adds an animation with linear interpolation. Tracks with the same keys share their times. */
export function addGltfAnimation(
  document: Document,
  name: string,
  times: Float32Array,
  tracks: GltfTrack[],
): Animation {
  const inputs = new Map<string, Accessor>();
  const inputOf = (kept: Uint32Array): Accessor => {
    const key = kept.join();
    let input = inputs.get(key);
    if (!input) {
      input = addAccessor(document, 1, pick(times, kept, 1));
      inputs.set(key, input);
    }
    return input;
  };
  const animation = document.createAnimation(name);
  for (const { node, path, values, kept } of tracks) {
    if (kept.length === 0) continue;
    const size = path === 'rotation' ? 4 : 3;
    const sampler = document
      .createAnimationSampler()
      .setInterpolation('LINEAR')
      .setInput(inputOf(kept))
      .setOutput(addAccessor(document, size, pick(values, kept, size)));
    const channel = document.createAnimationChannel().setTargetNode(node).setTargetPath(path).setSampler(sampler);
    animation.addSampler(sampler).addChannel(channel);
  }
  return animation;
}

/** Adds keys that several nodes share, with linear interpolation. */
export function addGltfKeys(
  document: Document,
  animation: Animation,
  nodes: readonly Node[],
  path: 'translation' | 'weights',
  times: Float32Array,
  values: Float32Array<ArrayBuffer>,
): void {
  const sampler = document
    .createAnimationSampler()
    .setInterpolation('LINEAR')
    .setInput(addAccessor(document, 1, times as Float32Array<ArrayBuffer>))
    .setOutput(addAccessor(document, path === 'weights' ? 1 : 3, values));
  animation.addSampler(sampler);
  for (const node of nodes) {
    const channel = document.createAnimationChannel().setTargetNode(node).setTargetPath(path);
    animation.addChannel(channel.setSampler(sampler));
  }
}

function pick(values: Float32Array, kept: Uint32Array, size: number): Float32Array<ArrayBuffer> {
  const out = new Float32Array(kept.length * size);
  for (let n = 0; n < kept.length; n++) for (let c = 0; c < size; c++) out[n * size + c] = values[kept[n] * size + c];
  return out;
}
