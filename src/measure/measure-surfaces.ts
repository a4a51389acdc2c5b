// SPDX-License-Identifier: MIT

import type { Asset } from '../core/model/asset.ts';
import type { Animation } from '../core/model/clip/animation.ts';
import { listPoseTimes, makeAssetDeformer } from '../deformers/playback/index.ts';
import { listPoses } from './list-vertex-maps.ts';
import { SurfaceMeter } from './measure-surface-distance.ts';

/** Distances between two surfaces over poses, in file units. */
export interface SurfaceErrors {
  /** The largest Hausdorff distance of all poses. */
  max: number;
  /** Mean over samples and poses, without those that were searched. */
  mean: number;
  /** The Hausdorff distance of each pose. */
  perPose: number[];
}

export interface MeasureSurfacesOptions {
  /** Look for the largest distance between the poses too. Default: no. */
  isSearched?: boolean;
}

/** Intervals between poses that are halved in a round, and rounds. */
const HALVED = 5;
const ROUNDS = 3;

/** A pose that was measured. */
interface Sample {
  /** Index of the animation. */
  clip: number;
  time: number;
  max: number;
}

/** Measures the distance between the surfaces of two assets with the same animations, at most in this many poses. Vertices need not match. */
export function measureSurfaces(
  reference: Asset,
  result: Asset,
  maxPoses: number,
  { isSearched = false }: MeasureSurfacesOptions = {},
): SurfaceErrors {
  const poses = listPoseTimes(reference, maxPoses);
  const meter = new PoseMeter(reference, result);
  const samples: Sample[] = [];
  let mean = 0;
  for (const [clip, { animation, times }] of poses.entries())
    for (const time of times) {
      const distance = meter.measure(animation, clip, time);
      samples.push({ clip, time, max: distance.max });
      mean += distance.mean;
    }
  mean /= Math.max(1, samples.length);
  for (let round = 0; isSearched && round < ROUNDS; round++)
    for (const { clip, time } of listHalves(samples))
      samples.push({ clip, time, max: meter.measure(poses[clip].animation, clip, time).max });
  const perPose = samples.map(({ max }) => max);
  return { max: perPose.reduce((most, max) => Math.max(most, max), 0), mean, perPose };
}

/** Plays two assets and measures the distance of their surfaces. */
class PoseMeter {
  readonly #sides: readonly { asset: Asset; deformer: ReturnType<typeof makeAssetDeformer>; positions: Float32Array }[];
  readonly #meter: SurfaceMeter;

  constructor(reference: Asset, result: Asset) {
    this.#sides = [reference, result].map((asset) => ({
      ...{ asset, deformer: makeAssetDeformer(asset), positions: new Float32Array(asset.mesh.positions.length) },
    }));
    this.#meter = new SurfaceMeter(reference.mesh.triangles, result.mesh.triangles);
  }

  /** @param clip index of the animation in the result */
  measure(animation: Animation | undefined, clip: number, time: number): { max: number; mean: number } {
    const times = Float64Array.of(time);
    for (const [n, { asset, deformer, positions }] of this.#sides.entries()) {
      const played = n === 0 ? animation : asset.animations[clip];
      for (const pose of listPoses(asset, [{ animation: played, times }])) deformer.deformInto(pose, positions);
    }
    const [a, b] = this.#sides;
    return this.#meter.measure(a.positions, b.positions);
  }
}

/** The middles of the intervals with the largest distances at their ends. */
function listHalves(samples: readonly Sample[]): { clip: number; time: number }[] {
  const line = [...samples].sort((a, b) => a.clip - b.clip || a.time - b.time);
  const spans = line.slice(1).flatMap((b, n) => {
    const a = line[n];
    if (a.clip !== b.clip || !(b.time > a.time)) return [];
    return [{ clip: a.clip, time: (a.time + b.time) / 2, rating: Math.max(a.max, b.max) }];
  });
  return spans.sort((a, b) => b.rating - a.rating || a.clip - b.clip || a.time - b.time).slice(0, HALVED);
}
