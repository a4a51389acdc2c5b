// SPDX-License-Identifier: MIT
// Finite keys can multiply to infinity: scales of nested nodes, weights of large displacements. This is checked by bounds, without sampling poses.
// With sₙ the largest scale of node n at rest or in any key, and tₙ its largest translation, no matrix of node n lengthens a vector by more than Sₙ,
// the product of s over n and its ancestors, or moves its origin by more than the sum of S t over its ancestors.

import { invertAffine } from '../../../core/math/mat4.ts';
import type { Asset } from '../../../core/model/asset.ts';
import type { Track } from '../../../core/model/clip/animation.ts';
import { MAX_COORDINATE } from '../../../core/model/mesh/coordinate-limit.ts';
import { fail, label } from '../../../deformers/layout/index.ts';
import { measureLargest } from '../document/read-accessor.ts';

/** Maximum distance of a posed vertex. Bounds of many shapes add up, so this is far above MAX_COORDINATE, and far below the range of 32-bit floats. */
const MAX_REACH = 1e30;
/** Length of a vector whose components are one. */
const SQRT3 = Math.sqrt(3);

/** Throws if a key is not finite, or if the asset could move a node or a vertex out of range, at rest or in any key. */
export function checkGltfMotion(asset: Asset): void {
  const { nodes, animations, rig } = asset;
  const nodeCount = nodes.names.length;
  const scales = new Float64Array(nodeCount);
  const translations = new Float64Array(nodeCount);
  for (let c = 0; c < 3 * nodeCount; c++) {
    const node = Math.floor(c / 3);
    scales[node] = Math.max(scales[node], Math.abs(nodes.scales[c]));
    translations[node] = Math.max(translations[node], Math.abs(nodes.translations[c]));
  }
  const weights = new Map<number, number>();
  for (const { node, weights: rest } of asset.morphs?.restWeights ?? []) weights.set(node, measureLargest(rest));
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
      else if (path === 'weights') weights.set(node, Math.max(weights.get(node) ?? 0, bound));
    }
  }
  const radius = SQRT3 * measureLargest(asset.mesh.positions) + boundMorphs(asset, weights) + boundCorrection(asset);
  const lengthening = new Float64Array(nodeCount);
  const distance = new Float64Array(nodeCount);
  nodes.parents.forEach((parent, node) => {
    const above = parent >= 0 ? lengthening[parent] : 1;
    lengthening[node] = above * scales[node];
    distance[node] = (parent >= 0 ? distance[parent] : 0) + above * SQRT3 * translations[node];
    if (!(lengthening[node] < MAX_COORDINATE && distance[node] < MAX_COORDINATE))
      fail(
        'value',
        `the keys of node ${label(nodes.names[node], node)} and of those above it multiply to more than 1e18`,
      );
  });
  rig?.nodeOfBone.forEach((node, j) => {
    const reach = lengthening[node] * boundInBone(rig.skeleton.bindMatrices, 16 * j, radius) + distance[node];
    if (!(reach < MAX_REACH)) fail('value', `node ${label(nodes.names[node], node)} moves vertices out of range`);
  });
}

/** Largest displacement by morph targets. */
function boundMorphs({ nodes, morphs }: Asset, weights: ReadonlyMap<number, number>): number {
  const displacements = new Map<number, number>();
  for (const { node, positions } of morphs?.targets ?? [])
    displacements.set(node, (displacements.get(node) ?? 0) + SQRT3 * measureLargest(positions));
  let most = 0;
  for (const [node, displacement] of displacements) {
    const bound = displacement === 0 ? 0 : displacement * (weights.get(node) ?? 0);
    if (!(bound < MAX_REACH))
      fail('value', `the morph weights of node ${label(nodes.names[node], node)} move vertices out of range`);
    most = Math.max(most, bound);
  }
  return most;
}

/** Largest displacement by corrective shapes. */
function boundCorrection({ correction, mesh }: Asset): number {
  if (!correction) return 0;
  const { rank, basis, tracks } = correction;
  const largest = new Float64Array(rank);
  for (const { values } of tracks)
    for (let c = 0; c < values.length; c++) largest[c % rank] = Math.max(largest[c % rank], Math.abs(values[c]));
  const size = mesh.positions.length;
  let sum = 0;
  for (let r = 0; r < rank; r++) sum += SQRT3 * measureLargest(basis.subarray(r * size, (r + 1) * size)) * largest[r];
  if (!(sum < MAX_REACH)) fail('value', 'the corrective shapes move vertices out of range');
  return sum;
}

/** Distance from a bone, in its own space, of points that are at most radius from the origin. */
function boundInBone(bindMatrices: Float64Array, offset: number, radius: number): number {
  const inverse = new Float64Array(16);
  if (!invertAffine(bindMatrices, inverse, offset)) return 0;
  const columns = inverse.subarray(0, 12).reduce((sum, x) => sum + x * x, 0);
  return Math.sqrt(columns) * radius + Math.hypot(inverse[12], inverse[13], inverse[14]);
}

/** Bound on the components of a track at any time. Between keys, the tangents of a spline add at most a quarter of their size per second. */
function measureBound({ times, values, interpolation }: Track): number {
  let longest = 0;
  if (interpolation === 'CUBICSPLINE')
    for (let k = 1; k < times.length; k++) longest = Math.max(longest, times[k] - times[k - 1]);
  return measureLargest(values) * (1 + longest / 4);
}
