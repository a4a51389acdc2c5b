// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { compose, multiply, transformPoint } from '../math/mat4.ts';
import { readJsonAccessor, readJsonFloats } from './json-accessor.ts';

/**
 * By node: how far the vertices that follow it, or a node below it, are from it at rest, as a root mean square over the vertices of each joint and a
 * maximum over the joints below. 0 if no vertex follows.
 */
export function measureNodeReach(json: GLTF.IGLTF, binary: Uint8Array): Float64Array {
  const nodes = json.nodes ?? [];
  const own = new Float64Array(nodes.length);
  nodes.forEach(({ mesh, skin }, n) => {
    for (const { attributes } of mesh === undefined ? [] : json.meshes![mesh].primitives) {
      if (attributes.POSITION === undefined) continue;
      const positions = readJsonFloats(json, binary, attributes.POSITION);
      if (skin === undefined) own[n] = Math.max(own[n], rootMeanSquare(positions));
      else measureJoints(json, binary, json.skins![skin], attributes, positions, own);
    }
  });
  return spreadUp(nodes, own);
}

function rootMeanSquare(positions: Float32Array): number {
  let sum = 0;
  for (const x of positions) sum += x * x;
  return Math.sqrt((3 * sum) / Math.max(1, positions.length));
}

/** The distances of weighted vertices from the joints of a skin. */
function measureJoints(
  json: GLTF.IGLTF,
  binary: Uint8Array,
  { joints, inverseBindMatrices }: GLTF.ISkin,
  attributes: Record<string, number>,
  positions: Float32Array,
  own: Float64Array,
): void {
  const inverses = inverseBindMatrices === undefined ? undefined : readJsonFloats(json, binary, inverseBindMatrices);
  const sums = new Float64Array(2 * joints.length);
  const point = new Float64Array(3);
  for (let set = 0; attributes[`JOINTS_${set}`] !== undefined; set++) {
    const ids = readJsonAccessor(json, binary, attributes[`JOINTS_${set}`]);
    const weights = readJsonFloats(json, binary, attributes[`WEIGHTS_${set}`]);
    for (let e = 0; e < ids.length; e++) {
      const w = weights[e] ** 2;
      if (w === 0) continue;
      const v = 3 * (e >> 2);
      if (inverses) transformPoint(inverses, positions, point, 16 * ids[e], v, 0);
      else point.set(positions.subarray(v, v + 3));
      sums[2 * ids[e]] += w * (point[0] ** 2 + point[1] ** 2 + point[2] ** 2);
      sums[2 * ids[e] + 1] += w;
    }
  }
  joints.forEach((node, j) => {
    if (sums[2 * j + 1] > 0) own[node] = Math.max(own[node], Math.sqrt(sums[2 * j] / sums[2 * j + 1]));
  });
}

/** Adds the reach of children to that of their parents, in world units. */
function spreadUp(nodes: readonly GLTF.INode[], own: Float64Array): Float64Array {
  const parents = new Int32Array(nodes.length).fill(-1);
  nodes.forEach(({ children = [] }, n) => {
    for (const child of children) parents[child] = n;
  });
  const order: number[] = [];
  for (let n = 0; n < nodes.length; n++) if (parents[n] < 0) order.push(n);
  for (let k = 0; k < order.length; k++) order.push(...(nodes[order[k]].children ?? []));
  const worlds = new Float64Array(16 * nodes.length);
  for (const n of order) {
    const { matrix, translation = [0, 0, 0], rotation = [0, 0, 0, 1], scale = [1, 1, 1] } = nodes[n];
    if (matrix) worlds.set(matrix, 16 * n);
    else compose(translation, rotation, scale, worlds, 0, 0, 0, 16 * n);
    if (parents[n] >= 0) multiply(worlds, worlds, worlds, 16 * parents[n], 16 * n, 16 * n);
  }
  const reach = own.slice();
  for (const n of order.reverse()) {
    const p = parents[n];
    if (p < 0 || reach[n] === 0) continue;
    const [a, b] = [16 * n + 12, 16 * p + 12];
    const offset = Math.hypot(worlds[a] - worlds[b], worlds[a + 1] - worlds[b + 1], worlds[a + 2] - worlds[b + 2]);
    reach[p] = Math.max(reach[p], Math.hypot(offset, reach[n]));
  }
  return reach;
}
