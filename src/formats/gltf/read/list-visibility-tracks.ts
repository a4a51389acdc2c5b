// SPDX-License-Identifier: MIT
// KHR_node_visibility, animated through KHR_animation_pointer. Its channels move no node, so they are read apart from the others.
import type { Document, GLTF } from '@gltf-transform/core';
import type { GltfSource } from '../../../core/model/asset.ts';
import type { Track } from '../../../core/model/clip/animation.ts';
import { fail } from '../../../deformers/layout/index.ts';
import { jsonAccessor, jsonOf } from '../document/gltf-json.ts';
import { floatsOf } from '../document/read-accessor.ts';
import { checkTimes } from './read-gltf-animations.ts';

const VISIBILITY = 'KHR_node_visibility';
const POINTER = /^\/nodes\/(\d+)\/extensions\/KHR_node_visibility\/visible$/;

/** A channel that shows and hides a node and its children. Indices are those of the JSON. */
export interface VisibilityChannel {
  node: number;
  /** Accessors of times and values. */
  input: number;
  output: number;
}

/** Lists the channels of a checked JSON that animate visibility. */
export function listVisibilityChannels(json: GLTF.IGLTF): VisibilityChannel[] {
  return (json.animations ?? []).flatMap(({ channels, samplers }) =>
    (channels ?? []).flatMap(({ sampler, target }): VisibilityChannel[] => {
      if ((target.path as string) !== 'pointer') return [];
      const extension = target.extensions?.KHR_animation_pointer as { pointer?: unknown } | undefined;
      const node = Number(POINTER.exec(String(extension?.pointer))?.[1] ?? Number.NaN);
      if (!(node < (json.nodes?.length ?? 0))) return [];
      const { input, output } = samplers[sampler];
      const [times, values] = [jsonAccessor(json, input), jsonAccessor(json, output)];
      if (values.type !== 'SCALAR' || values.count !== times.count)
        fail('mismatch', `the visibility of node ${node} has ${times.count} times, but ${values.count} values`);
      return [{ node, input, output }];
    }),
  );
}

/**
 * Reads the keys of the channels, as tracks of one number: 0 hides the node, others show it.
 * @param treeOf index into the node tree, by node of the JSON
 */
export function listVisibilityTracks(
  document: Document,
  channels: readonly VisibilityChannel[],
  treeOf: readonly number[],
): Track[] {
  const accessors = document.getRoot().listAccessors();
  return channels.map(({ node, input, output }): Track => {
    const times = floatsOf(accessors[input]);
    checkTimes(times, `of the visibility of node ${node}`);
    return { node: treeOf[node], path: 'weights', interpolation: 'STEP', times, values: floatsOf(accessors[output]) };
  });
}

/** By node of the JSON, 0 or 1: whether the file hides it before any animation. */
export function listHidden(source: GltfSource): Uint8Array {
  const { nodes = [] } = jsonOf(source);
  return Uint8Array.from(nodes, ({ extensions }) => {
    const visibility = extensions?.[VISIBILITY] as { visible?: unknown } | undefined;
    return visibility?.visible === false ? 1 : 0;
  });
}
