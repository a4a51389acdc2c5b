// SPDX-License-Identifier: MIT
// Pairs of motions of two assets, and both sides of a pair as clips with the same frames.

import type { Asset } from '../../core/model/asset.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import { type Clip, frameCountOf } from '../../core/model/clip/clip.ts';
import { type FrameRange, selectFrames } from '../../core/model/clip/select-frames.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import { bakeAt } from './bake/bake-at.ts';
import { listFrameTimes } from './times/list-frame-times.ts';

export interface PairOptions {
  /** Only this motion: a name, or an index. */
  animation?: string;
  /** Sampling rate of the reference's animation, in frames per second. Default: the rate of its keys. */
  rate?: number;
  /** Sample at the times of the reference's keys instead. */
  keys?: boolean;
  /** Frames of the reference to use. */
  frames?: FrameRange;
  /** Maximum bytes of baked frames. */
  maxMemory?: number;
}

/** One motion of each asset; -1 if the asset does not move. */
export interface ClipPair {
  name: string;
  reference: number;
  result: number;
}

/** Names of the motions of an asset: its clips if it has any, otherwise its animations. */
export function listMotions(asset: Asset): string[] {
  return (asset.clips.length > 0 ? asset.clips : asset.animations).map((motion) => motion.name);
}

/** The index of a motion given by name, or by index where no motion has that name; throws when there is none. */
export function findMotion(asset: Asset, animation: string): number {
  const names = listMotions(asset);
  const named = names.indexOf(animation);
  if (named >= 0) return named;
  const index = /^\d+$/.test(animation) ? Number(animation) : names.length;
  if (index < names.length) return index;
  throw new UsageError('--animation', `there is no animation "${animation}"; the file ${describeMotions(names)}`);
}

/** Pairs the motions of two assets: the only ones, or those of the same name, or a still shape with each motion of the other. */
export function listClipPairs(reference: Asset, result: Asset, options: PairOptions = {}): ClipPair[] {
  const a = listMotions(reference);
  const b = listMotions(result);
  if (options.animation !== undefined) return [pairOne(reference, result, options.animation)];
  if (a.length === 0 && b.length === 0) return [{ name: 'rest', reference: -1, result: -1 }];
  if (b.length === 0) return a.map((name, n) => ({ name, reference: n, result: -1 }));
  if (a.length === 0) return b.map((name, n) => ({ name, reference: -1, result: n }));
  if (a.length === 1 && b.length === 1) return [{ name: a[0], reference: 0, result: 0 }];
  const pairs: ClipPair[] = [];
  const isTaken = new Set<number>();
  a.forEach((name, n) => {
    const m = b.findIndex((other, index) => other === name && !isTaken.has(index));
    if (m < 0) return;
    isTaken.add(m);
    pairs.push({ name, reference: n, result: m });
  });
  if (pairs.length === 0) {
    throw new InputError(
      'compare',
      `the two files have no animation of the same name: the first ${describeMotions(a)}, the second ${describeMotions(b)}`,
    );
  }
  return pairs;
}

/** One side of a pair: its frames, or the times at which they are still to be evaluated. */
type PairSide = Clip | { asset: Asset; animation: Animation | undefined; times: Float64Array };

/** Evaluates an asset at given times, as bakeAt does; onProgress is called with the fraction done. */
export type BakeSide = (
  asset: Asset,
  animation: Animation | undefined,
  times: Float64Array,
  onProgress?: (fraction: number) => void,
) => Promise<Clip>;

/**
 * Both sides of a pair as clips with the same frames. The times are those of the side with frames of positions, otherwise those of the reference; the other
 * side is evaluated at these times. Two clips of frames must have the same number of them.
 */
export function bakePair(
  reference: Asset,
  result: Asset,
  pair: ClipPair,
  options: PairOptions = {},
): { reference: Clip; result: Clip } {
  const bake = (side: PairSide): Clip => ('asset' in side ? bakeAt(side.asset, side.animation, side.times) : side);
  const sides = planPair(reference, result, pair, options);
  return { reference: bake(sides.reference), result: bake(sides.result) };
}

/** The same, evaluated by a function of the caller, such as one that uses several threads. */
export async function bakePairWith(
  bakeSide: BakeSide,
  reference: Asset,
  result: Asset,
  pair: ClipPair,
  options: PairOptions & { onProgress?(fraction: number): void } = {},
): Promise<{ reference: Clip; result: Clip }> {
  const { onProgress, ...chosen } = options;
  const bake = async (side: PairSide, first: number): Promise<Clip> =>
    'asset' in side
      ? bakeSide(side.asset, side.animation, side.times, (fraction) => onProgress?.(first + fraction / 2))
      : side;
  const sides = planPair(reference, result, pair, chosen);
  return { reference: await bake(sides.reference, 0), result: await bake(sides.result, 0.5) };
}

function planPair(
  reference: Asset,
  result: Asset,
  pair: ClipPair,
  options: PairOptions,
): { reference: PairSide; result: PairSide } {
  const hasFrames = (asset: Asset) => asset.clips.length > 0;
  if (hasFrames(reference) && hasFrames(result)) {
    const a = reference.clips[pair.reference];
    const b = result.clips[pair.result];
    if (frameCountOf(a) !== frameCountOf(b)) {
      throw new InputError(
        'compare',
        `the clip "${a.name}" has ${frameCountOf(a)} frames in the first file and ${frameCountOf(b)} in the second; they must have the same number`,
      );
    }
    return { reference: pick(a, options), result: pick(b, options) };
  }
  const isReferenceLed = hasFrames(reference) || (pair.reference >= 0 && !hasFrames(result));
  const [lead, leadIndex] = isReferenceLed ? [reference, pair.reference] : [result, pair.result];
  const [other, otherIndex] = isReferenceLed ? [result, pair.result] : [reference, pair.reference];
  const master = planLead(lead, leadIndex, options);
  const animation = otherIndex < 0 ? undefined : other.animations[otherIndex];
  const follower = { asset: other, animation, times: master.times };
  return isReferenceLed ? { reference: master, result: follower } : { reference: follower, result: master };
}

function planLead(asset: Asset, index: number, { rate: fps, keys, maxMemory, ...options }: PairOptions): PairSide {
  if (index < 0) return pick(bakeAt(asset, undefined, Float64Array.of(0)), options);
  if (asset.clips.length > 0) return pick(asset.clips[index], options);
  const animation = asset.animations[index];
  const bytesPerFrame = 4 * asset.mesh.positions.length;
  const { frames } = options;
  return { asset, animation, times: listFrameTimes(animation, { fps, keys, frames, maxMemory, bytesPerFrame }) };
}

function pick(clip: Clip, options: PairOptions): Clip {
  return options.frames ? selectFrames(clip, options.frames) : clip;
}

function pairOne(reference: Asset, result: Asset, animation: string): ClipPair {
  const a = listMotions(reference);
  const b = listMotions(result);
  if (a.length === 0)
    return { name: b[findMotion(result, animation)], reference: -1, result: findMotion(result, animation) };
  const first = findMotion(reference, animation);
  const name = a[first];
  if (b.length === 0) return { name, reference: first, result: -1 };
  const same = b.indexOf(name);
  return { name, reference: first, result: same >= 0 ? same : b.length === 1 ? 0 : findMotion(result, animation) };
}

function describeMotions(names: readonly string[]): string {
  if (names.length === 0) return 'has none';
  const shown = names.slice(0, 8).map((name) => `"${name}"`);
  return `has ${shown.join(', ')}${names.length > shown.length ? ` and ${names.length - shown.length} more` : ''}`;
}
