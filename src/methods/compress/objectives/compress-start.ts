// SPDX-License-Identifier: MIT
// Le et al. 2021, §4.1: virtual bones from farthest points, then K-means. After the first pass, distances are computed only for the nearest bones of a point:
// means move little, so the nearest bone at the end is among the nearest at the start.
import type { CompressPoints } from '../compress-points.ts';
import type { BoneResponse, Responses } from '../compress-responses.ts';
import type { BoneMaker, VirtualBone } from '../virtual-bones/virtual-bones.ts';

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

/** Inserts a bone into the sorted list of a point and drops the farthest. A bone that is already in the list is moved. */
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

/** Farthest-point samples: each is the farthest from those before it. Fewer samples are a prefix of more, so several counts share the distances. */
export class FarthestPoints {
  readonly points: CompressPoints;
  readonly responses: Responses;
  readonly maker: BoneMaker;
  readonly #chosen: number[] = [];
  readonly #isTaken: Uint8Array;
  readonly #nearest: NearestBones;
  readonly #scratch: BoneResponse;

  /** @param width bones in the list of a point */
  constructor(points: CompressPoints, responses: Responses, maker: BoneMaker, width: number) {
    this.points = points;
    this.responses = responses;
    this.maker = maker;
    this.#isTaken = new Uint8Array(points.pointCount);
    this.#nearest = makeNearestBones(points.pointCount, width);
    this.#scratch = responses.allocateScratch();
  }

  /** The first count samples, and the nearest of them for every point. */
  async take(
    count: number,
    onPart?: (part: number) => Promise<unknown>,
  ): Promise<{ chosen: number[]; nearest: NearestBones }> {
    const chosen = this.#chosen;
    if (count < chosen.length) {
      const nearest = makeNearestBones(this.points.pointCount, Math.min(this.#nearest.width, count));
      for (let k = 0; k < count; k++) {
        await onPart?.(k / count);
        this.#insert(nearest, k);
      }
      return { chosen: chosen.slice(0, count), nearest };
    }
    while (chosen.length < count) {
      await onPart?.(chosen.length / count);
      const next = chosen.length === 0 ? farthestFromCentroid(this.points) : this.#farthest();
      this.#isTaken[next] = 1;
      chosen.push(next);
      this.#insert(this.#nearest, chosen.length - 1);
    }
    return { chosen: chosen.slice(), nearest: copyNearest(this.#nearest, count) };
  }

  #insert(nearest: NearestBones, k: number): void {
    this.responses.respond(this.maker.make([this.#chosen[k]]), this.#scratch);
    for (let i = 0; i < this.points.pointCount; i++)
      insertNearest(nearest, i, k, this.responses.distance(i, this.#scratch));
  }

  #farthest(): number {
    const { distances, width } = this.#nearest;
    let next = -1;
    for (let i = 0; i < this.points.pointCount; i++) {
      if (this.#isTaken[i] === 0 && (next < 0 || distances[i * width] > distances[next * width])) next = i;
    }
    return next;
  }
}

function copyNearest(from: NearestBones, count: number): NearestBones {
  const width = Math.min(from.width, count);
  if (width === from.width) return { width, bones: from.bones.slice(), distances: from.distances.slice() };
  const pointCount = from.bones.length / from.width;
  const nearest = makeNearestBones(pointCount, width);
  for (let i = 0; i < pointCount; i++) {
    nearest.bones.set(from.bones.subarray(i * from.width, i * from.width + width), i * width);
    nearest.distances.set(from.distances.subarray(i * from.width, i * from.width + width), i * width);
  }
  return nearest;
}

/** Farthest points, then iterations of K-means. Empty groups keep their bone. */
export async function startVirtualBones(
  farthest: FarthestPoints,
  count: number,
  iterations: number,
  onPart?: (part: number) => Promise<unknown>,
): Promise<StartResult> {
  const { responses, maker } = farthest;
  const { pointCount } = farthest.points;
  const { chosen, nearest } = await farthest.take(count, onPart && ((part) => onPart(part / 2)));
  const bones: VirtualBone[] = chosen.map((i) => maker.make([i]));
  const boneResponses = bones.map((bone) => responses.respond(bone, responses.allocateScratch()));
  const groups: number[][] = bones.map(() => []);
  for (let iteration = 0; iteration < iterations; iteration++) {
    await onPart?.((1 + iteration / iterations) / 2);
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
