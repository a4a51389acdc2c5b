// SPDX-License-Identifier: MIT
// Le et al. 2021, §4.1: virtual bones from farthest points, then K-means. Distances after the first pass are taken to a point's nearest few bones only:
// means move little, so the bone that is nearest in the end was among the nearest at the start.
import type { CompressPoints } from './compress-points.ts';
import type { BoneResponse, Responses } from './compress-responses.ts';
import type { BoneMaker, VirtualBone } from './virtual-bones.ts';

/** The nearest bones of every point, by the distance of §4.1, nearest first. */
export interface NearestBones {
  width: number;
  /** pointCount x width; −1 where there are fewer bones */
  bones: Int32Array;
  /** pointCount x width */
  distances: Float64Array;
}

export function makeNearestBones(pointCount: number, width: number): NearestBones {
  return {
    width,
    bones: new Int32Array(pointCount * width).fill(-1),
    distances: new Float64Array(pointCount * width).fill(Number.POSITIVE_INFINITY),
  };
}

/** Puts a bone in a point's list where it belongs; the farthest falls out. A bone that is listed already is moved. */
export function insertNearest(nearest: NearestBones, i: number, bone: number, distance: number): void {
  const { width, bones, distances } = nearest;
  const o = i * width;
  let n = width - 1;
  for (let a = 0; a < width; a++) {
    if (bones[o + a] === bone) {
      n = a;
      distances[o + a] = distance;
      while (n + 1 < width && distances[o + n + 1] < distance) {
        bones[o + n] = bones[o + n + 1];
        distances[o + n] = distances[o + n + 1];
        n++;
      }
      bones[o + n] = bone;
      distances[o + n] = distance;
      break;
    }
    if (bones[o + a] < 0) break;
  }
  if (bones[o + n] !== bone && !(distance < distances[o + n])) return;
  while (n > 0 && distances[o + n - 1] > distance) {
    bones[o + n] = bones[o + n - 1];
    distances[o + n] = distances[o + n - 1];
    n--;
  }
  bones[o + n] = bone;
  distances[o + n] = distance;
}

export interface StartResult {
  bones: VirtualBone[];
  responses: BoneResponse[];
  nearest: NearestBones;
}

/**
 * Farthest points, from the one farthest from the centroid, then rounds of K-means. Groups that run empty keep their bone.
 * @param maker of bones from single points and from groups
 */
export function startVirtualBones(
  points: CompressPoints,
  responses: Responses,
  count: number,
  rounds: number,
  width: number,
  maker: BoneMaker,
): StartResult {
  const { pointCount } = points;
  const nearest = makeNearestBones(pointCount, Math.min(width, count));
  const bones: VirtualBone[] = [];
  const boneResponses: BoneResponse[] = [];
  const isTaken = new Uint8Array(pointCount);
  let next = farthestFromCentroid(points);
  for (let k = 0; k < count; k++) {
    isTaken[next] = 1;
    bones.push(maker.make([next]));
    boneResponses.push(responses.makeRoom());
    responses.respond(bones[k], boneResponses[k]);
    next = -1;
    let farthest = -1;
    for (let i = 0; i < pointCount; i++) {
      insertNearest(nearest, i, k, responses.distance(i, boneResponses[k]));
      const distance = nearest.distances[i * nearest.width];
      if (isTaken[i] === 0 && distance > farthest) {
        farthest = distance;
        next = i;
      }
    }
  }
  const groups: number[][] = bones.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const group of groups) group.length = 0;
    for (let i = 0; i < pointCount; i++) groups[nearest.bones[i * nearest.width]].push(i);
    groups.forEach((group, k) => {
      if (group.length === 0) return;
      bones[k] = maker.make(group);
      responses.respond(bones[k], boneResponses[k]);
    });
    measureNearest(responses, boneResponses, nearest, pointCount);
  }
  return { bones, responses: boneResponses, nearest };
}

/** Measures the listed bones again and sorts each list. */
export function measureNearest(
  responses: Responses,
  bones: readonly BoneResponse[],
  nearest: NearestBones,
  pointCount: number,
): void {
  const { width } = nearest;
  for (let i = 0; i < pointCount; i++) {
    const o = i * width;
    for (let a = 0; a < width && nearest.bones[o + a] >= 0; a++) {
      const bone = nearest.bones[o + a];
      const distance = responses.distance(i, bones[bone]);
      let n = a;
      while (n > 0 && nearest.distances[o + n - 1] > distance) {
        nearest.bones[o + n] = nearest.bones[o + n - 1];
        nearest.distances[o + n] = nearest.distances[o + n - 1];
        n--;
      }
      nearest.bones[o + n] = bone;
      nearest.distances[o + n] = distance;
    }
  }
}

function farthestFromCentroid({ pointCount, positions }: CompressPoints): number {
  const mean = [0, 0, 0];
  for (let c = 0; c < positions.length; c++) mean[c % 3] += positions[c] / pointCount;
  let best = 0;
  let farthest = -1;
  for (let i = 0; i < pointCount; i++) {
    let square = 0;
    for (let c = 0; c < 3; c++) square += (positions[3 * i + c] - mean[c]) ** 2;
    if (square > farthest) {
      farthest = square;
      best = i;
    }
  }
  return best;
}
