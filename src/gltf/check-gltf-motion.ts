// SPDX-License-Identifier: MIT
// Finite keys can multiply to infinity: scales of nested nodes, weights of large displacements. This is checked by bounds, without sampling poses.
// With sₙ the largest scale of node n at rest or in any key, and tₙ its largest translation, no matrix of node n lengthens a vector by more than Sₙ,
// the product of s over n and its ancestors, or moves its origin by more than the sum of S t over its ancestors.
import { fail, label } from '../extension/json-fields.ts';
import type { Animation, Track } from '../model/animation.ts';
import type { Morphs } from '../model/morphs.ts';
import type { NodeTree } from '../model/node-tree.ts';
import { measureLargest } from './read-accessor.ts';

/** Positions of a posed mesh are 32-bit floats: this is their range. */
const MAX_FLOAT = 2 ** 128;

/** Throws if a key is not finite, or if keys could move a node or a vertex beyond the range of 32-bit floats. */
export function checkGltfMotion(nodes: NodeTree, animations: readonly Animation[], morphs?: Morphs): void {
  if (animations.length === 0) return;
  const nodeCount = nodes.names.length;
  const scales = new Float64Array(nodeCount);
  const translations = new Float64Array(nodeCount);
  for (let c = 0; c < 3 * nodeCount; c++) {
    const node = Math.floor(c / 3);
    scales[node] = Math.max(scales[node], Math.abs(nodes.scales[c]));
    translations[node] = Math.max(translations[node], Math.abs(nodes.translations[c]));
  }
  const displacements = new Map<number, number>();
  for (const { node, positions } of morphs?.targets ?? [])
    displacements.set(node, (displacements.get(node) ?? 0) + measureLargest(positions));
  for (const [n, { name, tracks }] of animations.entries()) {
    for (const track of tracks) {
      const { node, path } = track;
      const bound = measureBound(track);
      if (!Number.isFinite(bound))
        fail(
          'value',
          `animation ${label(name, n)} has a key of node ${label(nodes.names[node], node)} that is not finite`,
        );
      if (path === 'scale') scales[node] = Math.max(scales[node], bound);
      else if (path === 'translation') translations[node] = Math.max(translations[node], bound);
      else if (path === 'weights' && !(bound * (displacements.get(node) ?? 0) < MAX_FLOAT))
        fail('value', `the morph weights of node ${label(nodes.names[node], node)} move vertices out of range`);
    }
  }
  const lengthening = new Float64Array(nodeCount);
  const distance = new Float64Array(nodeCount);
  nodes.parents.forEach((parent, node) => {
    const above = parent >= 0 ? lengthening[parent] : 1;
    lengthening[node] = above * scales[node];
    distance[node] = (parent >= 0 ? distance[parent] : 0) + above * translations[node];
    if (!(lengthening[node] < MAX_FLOAT && distance[node] < MAX_FLOAT))
      fail('value', `the keys of node ${label(nodes.names[node], node)} and of those above it multiply to infinity`);
  });
}

/** Bound on the components of a track at any time. Between keys, the tangents of a spline add at most a quarter of their size per second. */
function measureBound({ times, values, interpolation }: Track): number {
  let longest = 0;
  if (interpolation === 'CUBICSPLINE')
    for (let k = 1; k < times.length; k++) longest = Math.max(longest, times[k] - times[k - 1]);
  return measureLargest(values) * (1 + longest / 4);
}
