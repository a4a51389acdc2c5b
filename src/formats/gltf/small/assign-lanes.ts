// SPDX-License-Identifier: MIT
// The places of bones in JOINTS and WEIGHTS. A vertex is predicted from its neighbours, place by place, so a bone should have the same place at neighbours. Bones
// get places such that bones of one vertex rarely have the same one (a greedy coloring with local search, by the number of shared vertices).
// A vertex with two bones of one place puts the smaller one elsewhere. A place without weight names joint 0, as glTF recommends; naming the bone of the
// neighbours would save 1 % of the mesh (horse-gallop, 36 bones).

/** Passes of the local search. */
const PASSES = 4;

/** Influences in places: vertexCount x laneCount each. */
export interface Lanes {
  joints: Uint16Array;
  weights: Float32Array;
}

/** Moves influences to places, changed in place. Weights of one vertex and their bones are kept. */
export function assignLanes({ joints, weights }: Lanes, laneCount: number): void {
  const vertexCount = weights.length / laneCount;
  const laneOf = colorBones({ joints, weights }, laneCount);
  const rowJoints = new Int32Array(laneCount);
  const rowWeights = new Float64Array(laneCount);
  const order = Array.from({ length: laneCount }, (_, e) => e);
  for (let i = 0; i < vertexCount; i++) {
    const o = i * laneCount;
    rowWeights.set(weights.subarray(o, o + laneCount));
    rowJoints.set(joints.subarray(o, o + laneCount));
    weights.fill(0, o, o + laneCount);
    joints.fill(0, o, o + laneCount);
    order.sort((a, b) => rowWeights[b] - rowWeights[a] || a - b);
    for (const e of order) {
      if (!(rowWeights[e] > 0)) break;
      let lane = laneOf[rowJoints[e]];
      if (weights[o + lane] > 0) lane = weights.subarray(o, o + laneCount).indexOf(0);
      joints[o + lane] = rowJoints[e];
      weights[o + lane] = rowWeights[e];
    }
  }
}

/** By bone: its place. */
function colorBones({ joints, weights }: Lanes, laneCount: number): Uint8Array {
  const boneCount = joints.reduce((most, bone) => Math.max(most, bone + 1), 1);
  const shared = new Uint32Array(boneCount * boneCount);
  for (let o = 0; o < weights.length; o += laneCount)
    for (let a = o; a < o + laneCount; a++)
      for (let b = o; b < o + laneCount; b++)
        if (weights[a] > 0 && weights[b] > 0) shared[joints[a] * boneCount + joints[b]]++;
  const laneOf = new Uint8Array(boneCount).fill(laneCount);
  const costs = new Float64Array(laneCount + 1);
  const order = Array.from({ length: boneCount }, (_, j) => j);
  order.sort((a, b) => shared[b * boneCount + b] - shared[a * boneCount + a] || a - b);
  for (let pass = 0; pass < PASSES; pass++) {
    for (const j of order) {
      costs.fill(0);
      for (let k = 0; k < boneCount; k++) if (k !== j) costs[laneOf[k]] += shared[j * boneCount + k];
      let best = 0;
      for (let lane = 1; lane < laneCount; lane++) if (costs[lane] < costs[best]) best = lane;
      laneOf[j] = best;
    }
  }
  return laneOf;
}
