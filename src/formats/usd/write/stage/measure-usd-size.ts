// SPDX-License-Identifier: MIT

import { multiply } from '../../../../core/math/mat4.ts';
import { measureBounds } from '../../../../core/mesh/geometry/bounds.ts';
import { worldsOfNodes } from '../../../../core/model/skin/worlds-of-nodes.ts';
import type { Scene } from '../../../gltf/index.ts';

/** Size of the largest shape of a scene, in the space of its nodes: a measure for errors of positions. */
export function measureUsdSize({ nodes, shapes }: Scene): number {
  const worlds = worldsOfNodes(nodes);
  return shapes.reduce((most, { mesh, node, skin }) => {
    const { min, max } = measureBounds(mesh.positions);
    const diagonal = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
    const m = new Float64Array(16);
    // a skinned shape is as large as its first joint makes it
    if (skin && skin.joints.length > 0) multiply(worlds, skin.inverseBinds, m, 16 * skin.joints[0]);
    else m.set(worlds.subarray(16 * node, 16 * node + 16));
    const scale = Math.max(...[0, 4, 8].map((o) => Math.hypot(m[o], m[o + 1], m[o + 2])));
    return Math.max(most, diagonal * scale);
  }, 0);
}
