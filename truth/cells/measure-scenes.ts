// SPDX-License-Identifier: MIT
import type { PlayedClip, PlayedScene } from '../players/played-scene.ts';
import { diagonalOf, largestDistance, listMatches } from './match-points.ts';
import { measureSurfaces } from './measure-surfaces.ts';

/** What two players show, compared. */
export interface Measured {
  /** Largest distance in percent of the box diagonal of the source. */
  percent: number;
  /** Box diagonal of the source, in units of its player. */
  diagonal: number;
  /** Where the largest distance is: a clip and a time, or a pose. */
  worst: string;
  /** Times or poses compared. */
  samples: number;
}

export interface MeasureOptions {
  /** Animations to play, by name; all if absent. */
  clips?: readonly string[];
  /** By animation, in order: parts of its duration that are played besides, as those where a report states the largest errors. */
  peaks?: readonly (readonly number[])[];
  /** A time that is played besides, as that where a report states the largest error. */
  worst?: { clip: string; time: number };
  /** Distances between surfaces instead of points: the result has other vertices. */
  surfaces?: boolean;
  /** Turn joints too, where there is no animation. */
  turned?: boolean;
}

/** Positions of points of one shape that are compared: fewer vertices are played at more times. */
const POINTS = 600_000;
const FEWEST = 20;
const MOST = 60;

/** Plays both files at and between the keys of the source, and compares them. */
export function measureScenes(source: PlayedScene, result: PlayedScene, options: MeasureOptions = {}): Measured {
  const shots = [...listShots(source, result, options)];
  const pick = (shot: Shot) => ({ ...shot, source: shot.source(), result: shot.result() });
  const first = pick(shots[0]);
  const later = [0.25, 0.5, 0.75].map((part) => pick(shots[Math.floor(part * shots.length)]));
  const diagonal = diagonalOf(first.source);
  const shapes = {
    source: [first, ...later].map(({ source: shape }) => shape),
    result: [first, ...later].map(({ result: shape }) => shape),
  };
  let best: Trial | undefined;
  for (const scale of listScales(source, result, first)) {
    const scaled = { source: shapes.source, result: shapes.result.map((shape) => shape.map((x) => x * scale)) };
    for (const way of listWays(source, result, scaled, scale, options)) {
      const trial: Trial = { worst: way(first.source, first.result), at: first.name, way, samples: [] };
      for (const shot of shots) {
        if (best && trial.worst >= best.worst) break;
        tryShot(trial, shot);
      }
      if (!best || trial.worst < best.worst) best = trial;
    }
  }
  if (best) searchBetween(best);
  const { worst, at, samples } = best ?? { worst: Infinity, at: '', samples: [] };
  return { percent: (100 * worst) / diagonal, diagonal, worst: at, samples: samples.length };
}

/** Distance of two shapes. */
type Way = (source: Float64Array, result: Float64Array) => number;

/** A way to compare, and what it found. */
interface Trial {
  worst: number;
  at: string;
  way: Way;
  samples: { shot: Shot; distance: number }[];
}

function listWays(
  source: PlayedScene,
  result: PlayedScene,
  scaled: { source: readonly Float64Array[]; result: readonly Float64Array[] },
  scale: number,
  { surfaces }: MeasureOptions,
): Way[] {
  if (surfaces)
    return [
      (a, b) =>
        measureSurfaces(
          source,
          result,
          a,
          b.map((x) => x * scale),
        ),
    ];
  return listMatches(source, result, scaled).map((match) => (a, b) => largestDistance(match, a, b, scale));
}

function tryShot(trial: Trial, shot: Shot): void {
  const distance = trial.way(shot.source(), shot.result());
  trial.samples.push({ shot, distance });
  if (distance > trial.worst) Object.assign(trial, { worst: distance, at: shot.name });
}

/** Intervals that are halved in a round, and rounds. */
const HALVED = 6;
const ROUNDS = 4;
/** Intervals shorter than this are jumps, seconds. */
const JUMP = 5e-4;

/** Halves the intervals with the largest distances, some times: the largest of all is rarely at a time that was chosen before. */
function searchBetween(trial: Trial): void {
  for (let round = 0; round < ROUNDS; round++) {
    const line = [...trial.samples].sort((a, b) => a.shot.clip - b.shot.clip || a.shot.time - b.shot.time);
    const spans = line.slice(1).flatMap((b, n) => {
      const a = line[n];
      if (a.shot.clip !== b.shot.clip || !(b.shot.time - a.shot.time > JUMP)) return [];
      const slopes = [line[n - 1], line[n + 2]].map((one, side) =>
        Math.abs((one?.distance ?? 0) - (side ? b : a).distance),
      );
      return [{ a, b, rating: Math.max(a.distance, b.distance) + Math.min(...slopes) / 4 }];
    });
    spans.sort((x, y) => y.rating - x.rating);
    for (const { a, b } of spans.slice(0, HALVED)) tryShot(trial, a.shot.at((a.shot.time + b.shot.time) / 2));
  }
}

interface Shot {
  name: string;
  /** Index of its animation, -1 for none. */
  clip: number;
  time: number;
  /** The same animation at another time. */
  at(time: number): Shot;
  source: () => Float64Array;
  result: () => Float64Array;
}

/** Scales that turn positions of the result into those of the source: none, or that of their units. Those that give a shape of another size are left out. */
function listScales(
  source: PlayedScene,
  result: PlayedScene,
  shapes: { source: Float64Array; result: Float64Array },
): number[] {
  const units = (result.metresPerUnit ?? 1) / (source.metresPerUnit ?? 1);
  const all = [...new Set([1, units, 1 / source.scale].filter((scale) => scale > 0))];
  const ratio = diagonalOf(shapes.result) / diagonalOf(shapes.source);
  const alike = all.filter((scale) => ratio * scale > 0.5 && ratio * scale < 2);
  return alike.length > 0 ? alike : all;
}

function* listShots(source: PlayedScene, result: PlayedScene, options: MeasureOptions): Generator<Shot> {
  const clips = [...source.clips.entries()].filter(([, { name }]) => !options.clips || options.clips.includes(name));
  if (clips.length === 0)
    yield makeStill({
      ...{ name: 'as shown', source: () => source.play(undefined, 0), result: () => result.play(undefined, 0) },
    });
  if (clips.length === 0 && options.turned) yield* listTurns(source, result);
  const vertices = source.parts.reduce((sum, { vertexCount }) => sum + vertexCount, 0);
  const count = Math.round(Math.min(Math.max(POINTS / vertices / clips.length, FEWEST), MOST));
  for (const [n, clip] of clips) {
    const other = findClip(result, clip, n);
    const shift = other === undefined ? 0 : timeShift(clip, result.clips[other]);
    const at = (time: number): Shot => ({
      ...{ name: `${clip.name || 'clip'} at ${time.toFixed(4)} s`, clip: n, time, at },
      source: once(() => source.play(n, time)),
      result: once(() => result.play(other, time + shift)),
    });
    // a moment later, as jumps at the same key are at one time in single and another in double precision
    const peaks = (options.peaks?.[n] ?? [])
      .map((part) => Math.min(part * clip.end + 1e-4, clip.end))
      .filter((time) => time >= clip.start);
    const { worst } = options;
    const own = worst?.clip === clip.name || clips.length === 1 ? listAround(worst?.time, clip) : [];
    for (const time of new Set([...listTimes(clip, count), ...peaks, ...own])) yield at(time);
  }
}

/** A time of an animation, which may start at another in the report, and a moment before and after it. */
function listAround(time: number | undefined, { start, end }: PlayedClip): number[] {
  if (time === undefined) return [];
  return [time - 1e-4, time, time + 1e-4].filter((one) => one >= start && one <= end);
}

/** What every way to compare plays is played once. */
function once(play: () => Float64Array): () => Float64Array {
  let shape: Float64Array | undefined;
  return () => {
    shape ??= play();
    return shape;
  };
}

/** A shot without a time. */
function makeStill(still: Pick<Shot, 'name' | 'source' | 'result'>): Shot {
  const shot: Shot = { ...still, clip: -1, time: 0, at: () => shot };
  return shot;
}

/** The animation of the result with the name of an animation of the source, else the one at its place. */
function findClip({ clips }: PlayedScene, { name }: PlayedClip, n: number): number | undefined {
  const found = clips.findIndex((clip) => clip.name === name);
  if (found >= 0) return found;
  return clips.length > 0 ? Math.min(n, clips.length - 1) : undefined;
}

/** Where a file starts at another time, if it is as long. */
function timeShift(a: PlayedClip, b: PlayedClip): number {
  const isSame = Math.abs(a.end - b.end) < 1e-3;
  const isAsLong = Math.abs(a.end - a.start - (b.end - b.start)) < 1e-3;
  return isAsLong && !isSame ? b.start - a.start : 0;
}

/** Half of the times just after keys and just before, the others between them; all of them if they are few. */
function listTimes({ keys }: PlayedClip, count: number): number[] {
  if (keys.length < 2) return [...keys];
  const half = Math.ceil(count / 2);
  const at = Array.from({ length: half }, (_, n) => keys[Math.round((n / (half - 1)) * (keys.length - 1))]);
  const between = Array.from({ length: half }, (_, n) => {
    const place = ((n + 0.5) / half) * (keys.length - 1);
    const k = Math.floor(place);
    // several times in one interval, if there are few keys
    const ratio = keys.length > half ? 0.25 + 0.5 * ((n * 0.618) % 1) : place - k;
    return keys[k] + ratio * (keys[k + 1] - keys[k]);
  });
  // a jump is at its key in single or in double precision, and takes a moment in some formats: a moment before it has not begun, and a moment later it is over
  const after = at.map((time) => Math.min(time + 1e-4, keys[keys.length - 1]));
  const before = at.map((time) => Math.max(time - 2e-4, keys[0]));
  return [...new Set([...after, ...before, ...between])];
}

const POSES = 20;

/** Poses of a rig without animation: every joint is turned by up to 30 degrees about any axis. */
function* listTurns(source: PlayedScene, result: PlayedScene): Generator<Shot> {
  let state = 1;
  const random = () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
  for (let pose = 0; pose < POSES; pose++) {
    const turns = new Map(
      source.jointNames.map((name) => {
        const axis = [random() - 0.5, random() - 0.5, random() - 0.5];
        const half = ((random() * 30) / 360) * Math.PI;
        const factor = Math.sin(half) / Math.hypot(...axis);
        return [name, [...axis.map((x) => x * factor), Math.cos(half)]] as const;
      }),
    );
    yield makeStill({
      ...{ name: `joints turned, pose ${pose}`, source: () => source.turn(turns), result: () => result.turn(turns) },
    });
  }
}
