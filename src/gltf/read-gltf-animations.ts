// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import type { Animation, Interpolation, Track } from '../model/animation.ts';
import { fail, label } from './gltf-fields.ts';
import type { GltfAccessors } from './make-gltf-accessors.ts';
import type { GltfNodes } from './read-gltf-nodes.ts';

/** Reads all animations as tracks on the node tree. Times must rise; keys must be finite. */
export function readGltfAnimations(json: GLTF.IGLTF, nodes: GltfNodes, accessors: GltfAccessors): Animation[] {
  return (json.animations ?? []).map((animation, n) => {
    const name = animation.name || `animation ${n}`;
    const tracks = animation.channels.map((channel): Track => {
      const { input, output, interpolation } = animation.samplers[channel.sampler];
      const times = accessors.floats(input);
      for (let k = 0; k < times.length; k++) {
        if (!Number.isFinite(times[k]))
          fail('value', `animation ${label(animation.name, n)} has a time that is not finite`);
        if (k > 0 && times[k] <= times[k - 1])
          fail(
            'value',
            `animation ${label(animation.name, n)} has times that do not rise: ${times[k - 1]} s, then ${times[k]} s`,
          );
      }
      const values = accessors.floats(output);
      for (let c = 0; c < values.length; c++) {
        if (!Number.isFinite(values[c]))
          fail(
            'value',
            `animation ${label(animation.name, n)} has a key of node ${channel.target.node} that is not finite`,
          );
      }
      return {
        node: nodes.treeOf[channel.target.node!],
        path: channel.target.path as Track['path'],
        interpolation: (interpolation ?? 'LINEAR') as Interpolation,
        times,
        values,
      };
    });
    const duration = tracks.reduce((most, { times }) => Math.max(most, times[times.length - 1]), 0);
    return { name, duration, tracks };
  });
}
