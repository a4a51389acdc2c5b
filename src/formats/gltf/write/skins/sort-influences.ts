// SPDX-License-Identifier: MIT
// Many players, three.js among them, read the first set of four weights only. So that they show the best four, the weights of a vertex fall over all sets.
import type { Accessor, Document } from '@gltf-transform/core';
import { disposeUnused } from '../../document/add-accessor.ts';
import { arrayOf } from '../../document/gltf-graph.ts';
import { type InfluenceSet, listInfluenceSets } from '../../document/list-influence-sets.ts';

const SET_SIZE = 4;

/** Sorts the weights of vertices with more than four, where the largest are not in the first set. Changed in place. */
export function sortInfluences(document: Document): void {
  const numbers = new Map<Accessor, number>();
  const numberOf = (accessor: Accessor): number => {
    const known = numbers.get(accessor) ?? numbers.size;
    numbers.set(accessor, known);
    return known;
  };
  const made = new Map<string, readonly InfluenceSet[]>();
  for (const mesh of document.getRoot().listMeshes())
    for (const primitive of mesh.listPrimitives()) {
      const sets = listInfluenceSets(primitive);
      if (sets.length < 2 || !isUniform(sets)) continue;
      const key = sets.map(({ joints, weights }) => `${numberOf(joints)} ${numberOf(weights)}`).join(' ');
      const sorted = made.get(key) ?? sortSets(sets);
      made.set(key, sorted);
      if (sorted === sets) continue;
      sorted.forEach(({ joints, weights }, n) => {
        primitive.setAttribute(`JOINTS_${n}`, joints).setAttribute(`WEIGHTS_${n}`, weights);
      });
    }
  disposeUnused(document, numbers.keys());
}

/** Whether numbers can be exchanged between the sets as they are stored. */
function isUniform([first, ...others]: readonly InfluenceSet[]): boolean {
  return others.every(
    ({ joints, weights }) =>
      arrayOf(joints).constructor === arrayOf(first.joints).constructor &&
      arrayOf(weights).constructor === arrayOf(first.weights).constructor &&
      weights.getNormalized() === first.weights.getNormalized(),
  );
}

/** Copies of the sets with falling weights per vertex; the sets themselves if the first has the largest ones of all vertices. */
function sortSets(sets: readonly InfluenceSet[]): readonly InfluenceSet[] {
  const joints = sets.map((set) => arrayOf(set.joints).slice());
  const weights = sets.map((set) => arrayOf(set.weights).slice());
  const order = Array.from({ length: SET_SIZE * sets.length }, (_, n) => n);
  let isChanged = false;
  for (let o = 0; o < weights[0].length; o += SET_SIZE) {
    const own = order.map((n) => weights[Math.floor(n / SET_SIZE)][o + (n % SET_SIZE)]);
    if (Math.min(...own.slice(0, SET_SIZE)) >= Math.max(...own.slice(SET_SIZE))) continue;
    isChanged = true;
    const joint = order.map((n) => joints[Math.floor(n / SET_SIZE)][o + (n % SET_SIZE)]);
    const falling = [...order].sort((a, b) => own[b] - own[a] || a - b);
    falling.forEach((from, n) => {
      weights[Math.floor(n / SET_SIZE)][o + (n % SET_SIZE)] = own[from];
      joints[Math.floor(n / SET_SIZE)][o + (n % SET_SIZE)] = joint[from];
    });
  }
  if (!isChanged) return sets;
  return sets.map((set, n) => ({
    joints: set.joints.clone().setArray(joints[n]),
    weights: set.weights.clone().setArray(weights[n]),
  }));
}
