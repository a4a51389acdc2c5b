// SPDX-License-Identifier: MIT
// T. Mukai, "Sampling-based rig conversion into non-rigid helper bones", I3D 2018, doi:10.1145/3203190, §7: parts of a rig without influence on the shape are removed. The measures are those of its sampling:
//   Eq. 7  disp: the largest displacement of any vertex when a joint turns. For linear blend skinning it has a closed form: a turn about an axis through the joint moves vertex i by at most
//          √2 W |v − c| at 90°, with W the weight of the joint and of all joints below it.
//   Eq. 8  dep: the share of the displacement of a joint that a vertex follows, here W itself. A vertex with W below the ratio does not follow the joint.
// Helper bones are measured like joints; joints that the controller of a visible helper reads stay.
// A shape displaces vertex i by its largest weight times |δ|. A triangle has no effect if it has no area in any pose (two of its corners coincide in every pose: same position, weights and
// displacements; or its corners lie on a line and move as one body), or if an earlier triangle of its part has the same corners in the same order.

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Elimination } from '../../core/model/deformed/elimination.ts';

/** What has no visible effect, and the largest effect of anything that is removed. */
export interface InertParts extends Elimination {
  /** The largest displacement that any removed joint or shape could cause, file units. */
  largest: number;
}

/**
 * Finds joints, shapes and triangles without visible effect.
 * @param ratio displacements below this ratio of the box diagonal are not visible
 */
export function findInert(asset: Asset, ratio: number): InertParts {
  const limit = ratio * measureBounds(asset.mesh.positions).diagonal;
  const joints = findInertJoints(asset, ratio, limit);
  const shapes = findInertShapes(asset, limit);
  return {
    nodes: joints.nodes,
    shapes: shapes.shapes,
    triangles: findCollapsed(asset),
    largest: Math.max(joints.largest, shapes.largest),
  };
}

function findInertJoints({ rig, mesh, nodes, helpers }: Asset, ratio: number, limit: number) {
  const found: number[] = [];
  let largest = 0;
  if (!rig) return { nodes: found, largest };
  const { skeleton, skin, nodeOfBone, isJoint } = rig;
  const boneCount = skeleton.names.length;
  const effect = new Float64Array(boneCount);
  const share = new Float64Array(boneCount);
  for (let i = 0; i + 1 < skin.rowStart.length; i++) {
    share.fill(0);
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) share[skin.boneIndices[e]] += skin.weights[e];
    for (let j = boneCount - 1; j > 0; j--) if (skeleton.parents[j] >= 0) share[skeleton.parents[j]] += share[j];
    for (let j = 0; j < boneCount; j++) {
      if (!(share[j] > 0)) continue;
      const c = skeleton.bindMatrices.subarray(16 * j + 12, 16 * j + 15);
      const distance = Math.hypot(...[0, 1, 2].map((r) => mesh.positions[3 * i + r] - c[r]));
      effect[j] = Math.max(effect[j], Math.SQRT2 * share[j] * distance, share[j] > ratio ? limit : 0);
    }
  }
  const isUsed = new Uint8Array(nodes.names.length);
  const worst = new Float64Array(nodes.names.length);
  const isBone = new Uint8Array(nodes.names.length);
  for (let j = 0; j < boneCount; j++) {
    const node = nodeOfBone[j];
    isBone[node] = 1;
    worst[node] = Math.max(worst[node], effect[j]);
    if (!isJoint[j] || !(effect[j] < limit)) isUsed[node] = 1;
  }
  for (const { bone, joints } of helpers ?? [])
    if (isUsed[nodeOfBone[bone]]) for (const joint of joints) isUsed[nodeOfBone[joint]] = 1;
  // a node above a used one is used
  for (let n = nodes.names.length - 1; n >= 0; n--)
    if (isUsed[n] && nodes.parents[n] >= 0) isUsed[nodes.parents[n]] = 1;
  for (let n = 0; n < isUsed.length; n++) {
    if (!isBone[n] || isUsed[n]) continue;
    found.push(n);
    largest = Math.max(largest, worst[n]);
  }
  return { nodes: found, largest };
}

function findInertShapes({ morphs, animations }: Asset, limit: number) {
  const shapes: Elimination['shapes'] = [];
  let largest = 0;
  const keyOf = (node: number, weight: number): string => `${node} ${weight}`;
  const reach = new Map<string, { node: number; weight: number; effect: number }>();
  for (const { node, weight, positions } of morphs?.targets ?? []) {
    let most = 0;
    for (let c = 0; c < positions.length; c += 3)
      most = Math.max(most, Math.hypot(positions[c], positions[c + 1], positions[c + 2]));
    const key = keyOf(node, weight);
    reach.set(key, { node, weight, effect: Math.max(most, reach.get(key)?.effect ?? 0) });
  }
  const counts = new Map<number, number>();
  for (const { node, weight } of reach.values()) counts.set(node, Math.max(counts.get(node) ?? 0, weight + 1));
  for (const { node, weight, effect } of reach.values()) {
    let most = 1;
    for (const { tracks } of animations)
      for (const track of tracks) {
        if (track.path !== 'weights' || track.node !== node) continue;
        const size = counts.get(node)!;
        for (let e = weight; e < track.values.length; e += size) most = Math.max(most, Math.abs(track.values[e]));
      }
    if (!(effect * most < limit)) continue;
    shapes.push({ node, weight });
    largest = Math.max(largest, effect * most);
  }
  return { shapes, largest };
}

/** Relative area below which the corners of a triangle lie on a line in single precision. */
const FLAT = 1e-7;

/** Triangles without area in every pose, and repeated ones. */
function findCollapsed({ mesh, rig, morphs }: Asset): number[] {
  const { positions } = mesh;
  const hasSameWeights = (a: number, b: number): boolean => {
    if (!rig) return true;
    const { rowStart, boneIndices, weights } = rig.skin;
    const count = rowStart[a + 1] - rowStart[a];
    if (rowStart[b + 1] - rowStart[b] !== count) return false;
    for (let e = 0; e < count; e++)
      if (
        boneIndices[rowStart[a] + e] !== boneIndices[rowStart[b] + e] ||
        weights[rowStart[a] + e] !== weights[rowStart[b] + e]
      )
        return false;
    return true;
  };
  const hasSameShapes = (a: number, b: number): boolean =>
    (morphs?.targets ?? []).every(({ vertexStart, vertexCount, positions: deltas }) => {
      const at = (v: number, r: number): number =>
        v >= vertexStart && v < vertexStart + vertexCount ? deltas[3 * (v - vertexStart) + r] : 0;
      return [0, 1, 2].every((r) => at(a, r) === at(b, r));
    });
  const movesWith = (a: number, b: number): boolean => a === b || (hasSameWeights(a, b) && hasSameShapes(a, b));
  const isSame = (a: number, b: number): boolean =>
    [0, 1, 2].every((r) => positions[3 * a + r] === positions[3 * b + r]) && movesWith(a, b);
  const isFlat = (a: number, b: number, c: number): boolean => {
    const [u, v] = [b, c].map((d) => [0, 1, 2].map((r) => positions[3 * d + r] - positions[3 * a + r]));
    const area = Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
    return area <= FLAT * (Math.hypot(...u) ** 2 + Math.hypot(...v) ** 2) && movesWith(a, b) && movesWith(a, c);
  };
  const known = new Set<string>();
  const found: number[] = [];
  for (let f = 0; f < mesh.triangles.length / 3; f++) {
    const [a, b, c] = mesh.triangles.subarray(3 * f, 3 * f + 3);
    // vertices of different parts have different numbers
    const key = [`${a} ${b} ${c}`, `${b} ${c} ${a}`, `${c} ${a} ${b}`].sort()[0];
    if (isSame(a, b) || isSame(b, c) || isSame(a, c) || isFlat(a, b, c) || known.has(key)) found.push(f);
    known.add(key);
  }
  return found;
}
