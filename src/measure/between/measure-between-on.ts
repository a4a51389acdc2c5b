// SPDX-License-Identifier: MIT
// The largest error between frames is searched, not sampled evenly: after one pass over the keys and the middles between them, the intervals with the largest
// errors are halved again.
import type { Compute } from '../../core/kernels/compute.ts';
import { isJump } from '../../core/keyframes/list-jumps.ts';
import { type Weld, weldClip } from '../../core/mesh/topology/weld.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { DistanceMeter } from '../error/distance-meter.ts';
import type { PlayShapes } from '../error/frame-shapes.ts';
import { batchSizeOf } from '../error/measure-error-on.ts';
import type { BetweenTimes } from './list-between-times.ts';
import { type BetweenReport, reportBetween } from './measure-between.ts';

/** Intervals that are halved in each round: a part of all, then a few. */
const FIRST_PART = 0.2;
const FEW = 6;
const ROUNDS = 4;

/** What is compared between frames. */
export interface BetweenPlayers {
  source: PlayShapes;
  result: PlayShapes;
}

export interface BetweenOnOptions {
  weld?: Weld;
  /** By frame of the clip: its largest distance, which tells where to search. */
  atFrames?: ArrayLike<number>;
  /** Called with the fraction done. */
  onFrame?(fraction: number): void;
}

/** A time that was measured. */
interface Sample {
  time: number;
  /** Sum of squared distances over points. */
  square: number;
  max: number;
}

/** Measures a result between the frames of a clip against what the clip was taken from. */
export async function measureBetweenOn(
  compute: Compute,
  clip: Clip,
  players: BetweenPlayers,
  { stops, times }: BetweenTimes,
  options: BetweenOnOptions = {},
): Promise<BetweenReport> {
  const weld = options.weld ?? weldClip(clip);
  if (times.length === 0) return reportBetween(clip, weld.pointCount, [], []);
  return compute.scope(async (memory) => {
    const measure = makeSampler(memory, clip, players, weld);
    const first = await measure(times, (part) => options.onFrame?.(0.8 * part));
    const line = mergeFrames(clip, first, options.atFrames);
    for (let round = 0; round < ROUNDS; round++) {
      const count = round === 0 ? Math.max(FEW, Math.ceil(FIRST_PART * stops.length)) : FEW;
      const halves = listHalves(line, count);
      if (halves.length === 0) break;
      for (const sample of await measure(Float64Array.from(halves))) line.push({ ...sample, isFrame: false });
      line.sort((a, b) => a.time - b.time);
    }
    options.onFrame?.(1);
    const all = line.filter(({ isFrame }) => !isFrame);
    return reportBetween(clip, weld.pointCount, all, first);
  });
}

interface LineSample extends Sample {
  isFrame: boolean;
}

/** Samples and frames in order. */
function mergeFrames({ times }: Clip, samples: readonly Sample[], atFrames: ArrayLike<number> = []): LineSample[] {
  const frames = Array.from(times, (time, k) => ({ time, square: 0, max: atFrames[k] ?? 0, isFrame: true }));
  return [...frames, ...samples.map((sample) => ({ ...sample, isFrame: false }))].sort((a, b) => a.time - b.time);
}

/** The middles of the intervals that may have the largest errors: those whose ends are large, and differ from the middle of their neighbours. */
function listHalves(line: readonly LineSample[], count: number): number[] {
  const rated: { time: number; rating: number }[] = [];
  for (let n = 0; n + 1 < line.length; n++) {
    const [a, b] = [line[n], line[n + 1]];
    if (isJump(a.time, b.time)) continue;
    // a curve may rise above both ends by about as much as they differ from their neighbours
    const before = Math.abs(a.max - (line[n - 1] ?? a).max);
    const after = Math.abs(b.max - (line[n + 2] ?? b).max);
    rated.push({ time: (a.time + b.time) / 2, rating: Math.max(a.max, b.max) + Math.min(before, after) / 4 });
  }
  rated.sort((a, b) => b.rating - a.rating || a.time - b.time);
  return rated
    .slice(0, count)
    .map(({ time }) => time)
    .sort((a, b) => a - b);
}

/** Measures both files at some times, in batches. */
function makeSampler(memory: Compute, clip: Clip, { source, result }: BetweenPlayers, weld: Weld) {
  const stride = clip.mesh.positions.length;
  const size = batchSizeOf(stride / 3, 2 * clip.times.length, memory.threads);
  const truth = memory.float32(size * stride);
  const shapes = memory.float32(size * stride);
  const distances = new DistanceMeter(weld);
  return async (times: Float64Array, onPart?: (part: number) => void): Promise<Sample[]> => {
    const samples: Sample[] = [];
    for (let first = 0; first < times.length; first += size) {
      const some = times.subarray(first, first + size);
      await source(some, truth);
      await result(some, shapes);
      const [expected, found] = [truth.view(), shapes.view()];
      some.forEach((time, k) => {
        const [from, to] = [k * stride, (k + 1) * stride];
        const square = distances.measure(expected.subarray(from, to), found.subarray(from, to), first + k);
        let max = 0;
        for (const d of distances.ofPoint) if (d > max) max = d;
        samples.push({ time, square, max });
      });
      onPart?.((first + some.length) / times.length);
    }
    return samples;
  };
}
