// SPDX-License-Identifier: MIT
// Writes the smallest file that meets an error (search-precision.ts), measured through the file.

import type { Compute } from '../../../core/kernels/compute.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../../core/model/asset.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { joinClips } from '../../../core/model/clip/join-clips.ts';
import { reorderClip } from '../../../core/model/clip/reorder-clip.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { ErrorGoal } from '../../../core/progress/error-goal.ts';
import { bakeAt, type PlayedClip, reorderPlayed } from '../../../deformers/playback/index.ts';
import {
  type GlbContent,
  type SmallGlb,
  type SmallPrecision,
  type WriteGlbOptions,
  writeCompactGlb,
  writeSmallGlb,
} from '../../../formats/gltf/index.ts';
import { measureFor, measureSpread, type Written } from '../../../measure/index.ts';
import { readWritten } from '../../report/index.ts';
import { relateBones } from './relate-bones.ts';
import { type FoundPrecision, searchPrecision } from './search-precision.ts';
import type { SizeCodec } from './size-codecs.ts';

/** Smallest error that a file is rounded for, relative to the diagonal: Draco needs much memory for more than 20 bits. */
const SMALLEST_ERROR = 1e-6;
/** Smallest diagonal of a mesh, file units. */
const SMALLEST_MESH = 1e-12;
/** Error between frames that is left for the last measurement: trials measure at the frames only. */
const BETWEEN_RETRIES = 3;
const BETWEEN_STEP = 0.85;
/** A hierarchy is given up if the largest error between frames exceeds this multiple of that at the frames, plus this ratio of the diagonal. */
const MAX_BETWEEN = 1.3;
const MIN_BETWEEN = 1e-3;

export interface WriteSmallOptions {
  /** Default 'auto': the smaller one of Draco and meshopt. */
  codec?: SizeCodec;
  asset: Asset;
  played: readonly PlayedClip[];
  goal: ErrorGoal;
  storing: WriteGlbOptions;
  compute: Compute;
  /** Called before each file, with the best so far as text. */
  onTrial?(text: string, fraction: number): void;
  /** What to write for some steps: the model rounded to them, or the same for all. */
  contentFor(precision: SmallPrecision): Promise<GlbContent>;
}

export interface WrittenSmall {
  bytes: Uint8Array<ArrayBuffer>;
  written: Written;
  precision: SmallPrecision;
  parts: SmallGlb['parts'];
  codec: Exclude<SizeCodec, 'auto'>;
  /** Every file that was tried. */
  tried: { bytes: number; error: number; precision: SmallPrecision }[];
  /** Whether the goal is met, at frames and between them. */
  isMet: boolean;
}

/** Writes the file. */
export async function writeSmall(options: WriteSmallOptions): Promise<WrittenSmall> {
  const { asset, played, storing, compute, contentFor, onTrial } = options;
  const clips = played.map(({ clip }) => clip);
  const { diagonal } = measureBounds(asset.mesh.positions);
  if (!(diagonal >= SMALLEST_MESH))
    throw new InputError(
      '--for size',
      `the mesh is too small to be rounded: its diagonal is ${diagonal}; give --scale`,
    );
  const goal = { ...options.goal, limit: Math.max(options.goal.limit, SMALLEST_ERROR * diagonal) };
  const { shading, log } = storing;
  const { codec = 'auto' } = options;
  const write = async (content: GlbContent, precision: SmallPrecision, meshes: SizeCodec) =>
    meshes === 'ossify'
      ? writeCompactGlb(asset, content, precision, { shading, log })
      : writeSmallGlb(asset, content, precision, { shading, log, meshes: meshes === 'meshopt' ? 'meshopt' : 'draco' });
  const tried: WrittenSmall['tried'] = [];
  let isMeshopt = false;
  const spread = measureSpread(joinClips(clips));
  let isRelated = false;
  const attempt = async (precision: SmallPrecision) => {
    const last = tried.at(-1);
    const text = last
      ? `shrink: ${Math.ceil(last.bytes / 1000)} kB, ${((100 * last.error) / goal.limit).toFixed(0)} % of the error`
      : 'shrink';
    onTrial?.(text, 1 - 0.8 ** tried.length);
    const given = await contentFor(precision);
    const content = isRelated ? relate(given, precision) : given;
    let small = await write(content, precision, isMeshopt ? 'meshopt' : codec);
    // one comparison each shows whether a hierarchy and meshopt make the file smaller
    if (codec !== 'ossify' && tried.length === 0) {
      const related = relate(content, precision);
      const other = related === content ? small : await write(related, precision, codec);
      if (other.bytes.length < small.bytes.length) {
        isRelated = true;
        small = other;
      }
    }
    if (codec === 'auto' && tried.length === 0) {
      const other = await write(isRelated ? relate(content, precision) : content, precision, 'meshopt');
      if (other.bytes.length < small.bytes.length) {
        isMeshopt = true;
        small = other;
      }
    }
    const measured = measureMeanOrMax(await readWritten(small.bytes), clips, small.order, goal.kind);
    const error = goal.kind === 'rms' ? measured * mergedRatio(clips, small.order, spread) : measured;
    tried.push({ bytes: small.bytes.length, error, precision });
    return { small, error };
  };
  let limit = goal.limit;
  for (let n = 0; ; n++) {
    const found: FoundPrecision = await searchPrecision({ goal: { kind: goal.kind, limit }, attempt });
    const { small, precision } = found.best;
    const ordered = played.map((one) => reorderPlayed(one, small.order));
    const run = { player: 'runtime', up: asset.up, compute } as const;
    const written = await measureFor(await readWritten(small.bytes), ordered, run);
    const error = goal.kind === 'rms' ? written.error.rmse : Math.max(written.error.max, written.between.max);
    // keys relative to a parent interpolate along other paths
    if (isRelated && written.between.max > MAX_BETWEEN * written.error.max + MIN_BETWEEN * diagonal) {
      isRelated = false;
      continue;
    }
    const isMet = error <= options.goal.limit;
    const used = codec === 'auto' ? (isMeshopt ? 'meshopt' : 'draco') : codec;
    if (isMet || error <= goal.limit || !found.isMet || n >= BETWEEN_RETRIES)
      return { bytes: small.bytes, written, precision, parts: small.parts, codec: used, tried, isMet };
    limit *= Math.min(BETWEEN_STEP, goal.limit / error);
  }
}

/** Vertices that fall on one point of the grid are one vertex of the file. If those move more than others, the rest has less motion that a mean error is relative to; the ratio of both, at least 1. */
function mergedRatio(clips: readonly Clip[], order: Uint32Array, spread: number): number {
  if (order.length >= clips[0].mesh.positions.length / 3) return 1;
  const left = measureSpread(joinClips(clips.map((clip) => reorderClip(clip, order))));
  return left > 0 ? Math.max(1, spread / left) : 1;
}

/** The content with a hierarchy of bones, if it is a skin of rigid bones without one. */
function relate(content: GlbContent, { motionStep }: SmallPrecision): GlbContent {
  if (content.kind !== 'skin' || content.controllers || content.driven) return content;
  const model = relateBones(content.model, motionStep);
  return model === content.model ? content : { ...content, model };
}

/** The error of a written file at the frames of its clips, file units. */
function measureMeanOrMax(asset: Asset, clips: readonly Clip[], order: Uint32Array, kind: ErrorGoal['kind']): number {
  let sum = 0;
  let largest = 0;
  let count = 0;
  clips.forEach((clip, n) => {
    const animation =
      clips.length === 1 ? asset.animations[0] : asset.animations.find(({ name }) => name === clip.name);
    const { positions } = bakeAt(asset, animation ?? asset.animations[n], clip.times);
    const vertexCount = clip.mesh.positions.length / 3;
    for (let k = 0, o = 0; k < clip.times.length; k++) {
      for (let i = 0; i < order.length; i++, o += 3) {
        const v = 3 * (k * vertexCount + order[i]);
        const square =
          (positions[o] - clip.positions[v]) ** 2 +
          (positions[o + 1] - clip.positions[v + 1]) ** 2 +
          (positions[o + 2] - clip.positions[v + 2]) ** 2;
        sum += square;
        if (square > largest) largest = square;
      }
    }
    count += order.length * clip.times.length;
  });
  return Math.sqrt(kind === 'rms' ? sum / Math.max(1, count) : largest);
}
