// SPDX-License-Identifier: MIT
// Driven bones of shapes under the joints of a skin. A vertex with joint weights w and driven weights a is Σᵢ wᵢ Bᵢ Σⱼ aⱼ Dⱼ v. Bones (i, j) with the matrix Bᵢ Dⱼ and weights πᵢⱼ whose sums are w and a
// give the same with any shapes at the bind pose, and in any pose without shapes; between, the difference is a displacement times the difference of two joints. The weights wᵢ aⱼ would be exact and
// many. Here both lists are consumed in descending order (the north-west corner rule of transport problems), which gives at most one weight less than both lists together.

import { DRIVER_OUTPUTS, type ShapeDrivenSkin } from '../../core/model/deformed/shape-drivers.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import { makeSkin, type Skin } from '../../core/model/skin/skin.ts';

interface Share {
  bone: number;
  weight: number;
}

/**
 * Puts the driven bones of a face under the joints of a rig. Bones that no driver moves are replaced by the joints.
 * @param face its mesh has the vertices of the skin
 * @param isMoved by vertex, whether any shape moves it; the others keep their joints
 * @param influences maximum number of weights per vertex
 */
export function coupleSkins(
  { skeleton, skin }: { skeleton: Skeleton; skin: Skin },
  face: ShapeDrivenSkin,
  isMoved: Uint8Array,
  influences: number,
): ShapeDrivenSkin {
  const size = DRIVER_OUTPUTS[face.drivers.form];
  const isDriven = new Uint8Array(face.skeleton.names.length);
  for (const column of face.drivers.columns) isDriven[Math.floor(column / size)] = 1;
  const vertexCount = skin.rowStart.length - 1;
  const placeOf = new Map<string, number>();
  const added: { joint: number; bone: number }[] = [];
  const bones = new Uint32Array(vertexCount * influences);
  const weights = new Float64Array(vertexCount * influences);
  for (let i = 0; i < vertexCount; i++) {
    const joints = rowOf(skin, i);
    const driven = isMoved[i] ? rowOf(face.skin, i).filter(({ bone }) => isDriven[bone]) : [];
    const still = 1 - driven.reduce((sum, { weight }) => sum + weight, 0);
    const pairs = pairUp(joints, [...driven, { bone: -1, weight: Math.max(0, still) }])
      .sort((a, b) => b.weight - a.weight)
      .slice(0, influences);
    pairs.forEach(({ joint, bone, weight }, n) => {
      let place = joint;
      if (bone >= 0) {
        const key = `${joint} ${bone}`;
        place = placeOf.get(key) ?? skeleton.names.length + added.length;
        if (!placeOf.has(key)) added.push({ joint, bone });
        placeOf.set(key, place);
      }
      bones[i * influences + n] = place;
      weights[i * influences + n] = weight;
    });
  }
  return {
    ...face,
    skeleton: addBones(skeleton, face.skeleton, added),
    skin: makeSkin(bones, weights, influences),
    drivers: repeatDrivers(face.drivers, skeleton.names.length, added),
  };
}

function rowOf({ rowStart, boneIndices, weights }: Skin, i: number): Share[] {
  return Array.from({ length: rowStart[i + 1] - rowStart[i] }, (_, n) => ({
    bone: boneIndices[rowStart[i] + n],
    weight: weights[rowStart[i] + n],
  }));
}

/** Weights of pairs with the given sums. Rows are in descending order of weight. */
function pairUp(joints: Share[], driven: Share[]): { joint: number; bone: number; weight: number }[] {
  const pairs: { joint: number; bone: number; weight: number }[] = [];
  let [a, b] = [0, 0];
  let [left, right] = [joints[0]?.weight ?? 0, driven[0].weight];
  while (a < joints.length && b < driven.length) {
    const weight = Math.min(left, right);
    if (weight > 0) pairs.push({ joint: joints[a].bone, bone: driven[b].bone, weight });
    left -= weight;
    right -= weight;
    if (left <= right) left = joints[++a]?.weight ?? 0;
    else right = driven[++b]?.weight ?? 0;
  }
  return pairs;
}

function addBones(rig: Skeleton, face: Skeleton, added: readonly { joint: number; bone: number }[]): Skeleton {
  const names = [...rig.names];
  const known = new Set(names);
  const bindMatrices = new Float64Array(16 * (names.length + added.length));
  bindMatrices.set(rig.bindMatrices);
  for (const { joint, bone } of added) {
    bindMatrices.set(face.bindMatrices.subarray(16 * bone, 16 * bone + 16), 16 * names.length);
    let name = `${rig.names[joint]} ${face.names[bone]}`;
    while (known.has(name)) name += "'";
    known.add(name);
    names.push(name);
  }
  const parents = Int32Array.from([...rig.parents, ...added.map(({ joint }) => joint)]);
  return { names, parents, bindMatrices };
}

/** The drivers of each added bone are those of the bone of the face. */
function repeatDrivers(
  drivers: ShapeDrivenSkin['drivers'],
  jointCount: number,
  added: readonly { bone: number }[],
): ShapeDrivenSkin['drivers'] {
  const size = DRIVER_OUTPUTS[drivers.form];
  const rowStart = new Uint32Array(drivers.rowStart.length);
  const columns: number[] = [];
  const values: number[] = [];
  for (let n = 0; n + 1 < drivers.rowStart.length; n++) {
    const byBone = new Map<number, { output: number; value: number }[]>();
    for (let e = drivers.rowStart[n]; e < drivers.rowStart[n + 1]; e++) {
      const bone = Math.floor(drivers.columns[e] / size);
      const own = byBone.get(bone) ?? [];
      own.push({ output: drivers.columns[e] % size, value: drivers.values[e] });
      byBone.set(bone, own);
    }
    added.forEach(({ bone }, place) => {
      for (const { output, value } of byBone.get(bone) ?? []) {
        columns.push(size * (jointCount + place) + output);
        values.push(value);
      }
    });
    rowStart[n + 1] = values.length;
  }
  return { ...drivers, rowStart, columns: Uint32Array.from(columns), values: Float32Array.from(values) };
}
