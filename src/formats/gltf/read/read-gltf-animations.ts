// SPDX-License-Identifier: MIT
import type { AnimationChannel, Document } from '@gltf-transform/core';
import type { Animation, Interpolation, Track } from '../../../core/model/clip/animation.ts';
import { fail, label } from '../../../deformers/layout/index.ts';
import { samplerOf, targetOf } from '../document/gltf-graph.ts';
import { floatsOf } from '../document/read-accessor.ts';
import type { GltfNodes } from './read-gltf-nodes.ts';

/** Reads all animations as tracks on the node tree. Times must be ascending; values of keys are checked by checkGltfMotion. */
export function readGltfAnimations(document: Document, nodes: GltfNodes): Animation[] {
  const risen = new Set<Float32Array>();
  const readTrack = (channel: AnimationChannel, name: string): Track => {
    const { sampler, input, output } = samplerOf(channel);
    const node = nodes.treeOf(targetOf(channel));
    const times = floatsOf(input);
    const values = floatsOf(output);
    if (!risen.has(times)) checkTimes(times, name);
    risen.add(times);
    return {
      node,
      path: channel.getTargetPath() as Track['path'],
      interpolation: sampler.getInterpolation() as Interpolation,
      times,
      values,
    };
  };
  const animations = document.getRoot().listAnimations();
  return animations.map((animation, n) => {
    const tracks = animation.listChannels().map((channel) => readTrack(channel, label(animation.getName(), n)));
    const duration = tracks.reduce((most, { times }) => Math.max(most, times[times.length - 1]), 0);
    return { name: animation.getName() || `animation ${n}`, duration, tracks };
  });
}

/** Throws if the times of keys are not finite or do not rise. */
export function checkTimes(times: Float32Array, name: string): void {
  for (let k = 0; k < times.length; k++) {
    if (!Number.isFinite(times[k])) fail('value', `animation ${name} has a time that is not finite`);
    if (k > 0 && times[k] <= times[k - 1])
      fail('value', `animation ${name} has times that do not rise: ${times[k - 1]} s, then ${times[k]} s`);
  }
}
