// SPDX-License-Identifier: MIT
// The keys of driven bones: players interpolate translation, rotation and scale between them, and the input its weights and nodes. Where the file strays from the animations of the
// input between two keys, it gets one more.

import type { Asset } from '../../core/model/asset.ts';
import { listReferences } from '../../deformers/playback/index.ts';
import { measureFor, type Written } from '../../measure/index.ts';
import { orderTracks } from '../../methods/faces/index.ts';
import type { JobContext } from '../engine/index.ts';
import { readWritten } from '../report/index.ts';
import { type ConvertShapesResult, type ListedShapes, listShapes } from './convert-shapes.ts';
import { writeDrivenShapes } from './write-driven-shapes.ts';

/** Maximum number of times that keys are added. */
const ROUNDS = 6;
/** Keys are added where the file is off by more than this ratio of the largest error at the frames, plus this ratio of the diagonal. */
const STRAY_RATIO = 1.15;
const STRAY_OF_DIAGONAL = 5e-4;
/** Seconds that two keys are apart, at least. */
const LEAST_STEP = 1e-3;

/** A file with its keys, and what it shows in the animations of the input. */
export interface KeyedShapes {
  bytes: Uint8Array<ArrayBuffer>;
  asset: Asset;
  tracks: ConvertShapesResult['tracks'];
  /** Undefined without animations. */
  played?: Written;
}

/** Writes a face with as many keys as its animations need. */
export async function writeKeyedShapes(
  context: JobContext,
  asset: Asset,
  source: ListedShapes,
  solved: ConvertShapesResult,
): Promise<KeyedShapes> {
  const still = { ...asset, animations: [] };
  const write = async ({ tracks: listed, joints }: Pick<ListedShapes, 'tracks' | 'joints'>): Promise<KeyedShapes> => {
    const tracks = orderTracks({ ...solved, tracks: listed });
    const bytes = await context.finish('write', () =>
      writeDrivenShapes(still, solved.model, tracks, { ...context.storing, joints }),
    );
    return { bytes, asset: await readWritten(bytes), tracks };
  };
  let last = await write(source);
  if (source.tracks.length === 0) return last;
  const references = listReferences(asset);
  const options = { player: 'runtime', up: asset.up, compute: await context.compute(), ...context.measuring } as const;
  const measure = (written: Asset) => context.finish('measure', () => measureFor(written, references, options));
  last = { ...last, played: await measure(last.asset) };
  let best = last;
  let times = source.tracks.map((track) => track.times);
  for (let round = 0; round < ROUNDS && last.played; round++) {
    const { error, clips } = last.played;
    const allowed = STRAY_RATIO * error.max + STRAY_OF_DIAGONAL * error.diagonal;
    const next = times.map((own, n) => addStrayed(own, clips[n].between.perFrame, allowed));
    if (next.every((own, n) => own.length === times[n].length)) break;
    times = next;
    const file = await write(listShapes(asset, times));
    last = { ...file, played: await measure(file.asset) };
    if (largestOf(last) < largestOf(best)) best = last;
  }
  return best;
}

const largestOf = ({ played }: KeyedShapes): number =>
  played ? Math.max(played.error.max, played.between.max) : Number.POSITIVE_INFINITY;

/** Times of keys, with the time of the largest error of every interval that strays. */
function addStrayed(
  keys: Float64Array,
  { times, max }: { times: Float64Array; max: Float64Array },
  allowed: number,
): Float64Array {
  const worst = new Map<number, number>();
  let k = 0;
  times.forEach((time, n) => {
    while (k + 1 < keys.length && keys[k + 1] <= time) k++;
    const isInside = k + 1 < keys.length && time - keys[k] >= LEAST_STEP && keys[k + 1] - time >= LEAST_STEP;
    const known = worst.get(k);
    if (isInside && max[n] > allowed && (known === undefined || max[n] > max[known])) worst.set(k, n);
  });
  return Float64Array.from([...keys, ...Array.from(worst.values(), (n) => Math.fround(times[n]))]).sort();
}
