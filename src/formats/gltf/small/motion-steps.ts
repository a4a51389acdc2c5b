// SPDX-License-Identifier: MIT
// Steps that the motion of nodes is rounded to. For the largest error, one step moves vertices by the same length in all tracks: a rotation by an angle moves a vertex by the angle times its distance from the
// node. For the mean error, the bytes saved per squared error added should be the same in all numbers of the file. A number of a track moves m vertices in one frame (m: sum of squared weights; for rotations, times squared
// distances), a coordinate of a rest position moves one vertex in all K frames, and a bit saves the same squared step everywhere; so squared steps relate as 1/m to 1/K (reverse water-filling).

import type { GLTF } from '@gltf-transform/core';
import { compose, multiply, transformPoint } from '../../../core/math/mat4.ts';
import { readJsonAccessor, readJsonFloats } from '../check/json-accessor.ts';
import { jsonAccessor, jsonMesh, jsonSkin } from '../document/gltf-json.ts';
import type { MotionPrecision } from './small-precision.ts';

/** Limits of the square root of K/m: tracks of few vertices are visible in single frames. */
const SPREAD = [0.1, 4] as const;

/** By node: steps of translations in file units, of rotations in radians, of scales. 0: nothing follows the node. */
export interface MotionSteps {
  translation: Float64Array;
  rotation: Float64Array;
  scale: Float64Array;
}

/** The steps of all nodes. */
export function measureMotionSteps(
  json: GLTF.IGLTF,
  binary: Uint8Array,
  { motionStep, aim }: MotionPrecision,
): MotionSteps {
  const nodes = json.nodes ?? [];
  const own = {
    reach: new Float64Array(nodes.length),
    mass: new Float64Array(nodes.length),
    spread: new Float64Array(nodes.length),
  };
  nodes.forEach(({ mesh, skin }, n) => {
    for (const { attributes } of mesh === undefined ? [] : jsonMesh(json, mesh).primitives) {
      if (attributes.POSITION === undefined) continue;
      const positions = readJsonFloats(json, binary, attributes.POSITION);
      if (skin === undefined) addRigid(own, n, positions);
      else addJoints(json, binary, jsonSkin(json, skin), attributes, positions, own);
    }
  });
  const { reach, mass, spread } = gatherUp(nodes, own);
  const frameCount = countKeys(json);
  const translation = new Float64Array(nodes.length);
  const rotation = new Float64Array(nodes.length);
  for (let n = 0; n < nodes.length; n++) {
    if (reach[n] === 0) continue;
    if (aim === 'max') {
      translation[n] = motionStep;
      rotation[n] = motionStep / reach[n];
    } else {
      const limit = (ratio: number) => Math.min(SPREAD[1], Math.max(SPREAD[0], Math.sqrt(ratio)));
      translation[n] = motionStep * limit(frameCount / mass[n]);
      // of three axes, each turns two coordinates
      const distance = Math.sqrt((2 / 3) * (spread[n] / mass[n])) || reach[n];
      rotation[n] = (motionStep / distance) * limit(frameCount / mass[n]);
    }
  }
  return { translation, rotation, scale: rotation };
}

/** The number of keys of all animations, each counted by its longest track. */
function countKeys(json: GLTF.IGLTF): number {
  let count = 0;
  for (const { samplers } of json.animations ?? [])
    count += samplers.reduce((most, { input }) => Math.max(most, jsonAccessor(json, input).count), 0);
  return Math.max(1, count);
}

/** By node: root mean square distance of vertices, sum of squared weights, and of those times squared distances. */
interface Followers {
  reach: Float64Array;
  mass: Float64Array;
  spread: Float64Array;
}

function addRigid({ reach, mass, spread }: Followers, n: number, positions: Float32Array): void {
  let sum = 0;
  for (const x of positions) sum += x * x;
  reach[n] = Math.max(reach[n], Math.sqrt((3 * sum) / Math.max(1, positions.length)));
  mass[n] += positions.length / 3;
  spread[n] += sum;
}

/** Adds the vertices of the joints of a skin. */
function addJoints(
  json: GLTF.IGLTF,
  binary: Uint8Array,
  { joints, inverseBindMatrices }: GLTF.ISkin,
  attributes: Record<string, number>,
  positions: Float32Array,
  { reach, mass, spread }: Followers,
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
    if (sums[2 * j + 1] > 0) reach[node] = Math.max(reach[node], Math.sqrt(sums[2 * j] / sums[2 * j + 1]));
    mass[node] += sums[2 * j + 1];
    spread[node] += sums[2 * j];
  });
}

/** Adds the followers of children to those of their parents, in world units. */
function gatherUp(nodes: readonly GLTF.INode[], own: Followers): Followers {
  const parents = new Int32Array(nodes.length).fill(-1);
  nodes.forEach(({ children = [] }, n) => {
    for (const child of children) parents[child] = n;
  });
  const order: number[] = [];
  for (let n = 0; n < nodes.length; n++) if (parents[n] < 0) order.push(n);
  for (let k = 0; k < order.length; k++) for (const child of nodes[order[k]].children ?? []) order.push(child);
  const worlds = new Float64Array(16 * nodes.length);
  for (const n of order) {
    const { matrix, translation = [0, 0, 0], rotation = [0, 0, 0, 1], scale = [1, 1, 1] } = nodes[n];
    if (matrix) worlds.set(matrix, 16 * n);
    else compose(translation, rotation, scale, worlds, 0, 0, 0, 16 * n);
    if (parents[n] >= 0) multiply(worlds, worlds, worlds, 16 * parents[n], 16 * n, 16 * n);
  }
  const [reach, mass, spread] = [own.reach.slice(), own.mass.slice(), own.spread.slice()];
  for (const n of order.reverse()) {
    const p = parents[n];
    if (p < 0 || reach[n] === 0) continue;
    const [a, b] = [16 * n + 12, 16 * p + 12];
    const offset = Math.hypot(worlds[a] - worlds[b], worlds[a + 1] - worlds[b + 1], worlds[a + 2] - worlds[b + 2]);
    reach[p] = Math.max(reach[p], Math.hypot(offset, reach[n]));
    mass[p] += mass[n];
    spread[p] += spread[n] + mass[n] * offset * offset;
  }
  return { reach, mass, spread };
}
