// SPDX-License-Identifier: MIT
// Writes a tracked surface in few bytes: a skin with coarse numbers, and displacements along its normals that bring it back to the frames (src/methods/size/README.md). Displacements are fitted to the skin as it was
// written and read back, so they also make up for what rounding moved across the surface.

import type { Compute } from '../../core/kernels/compute.ts';
import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';
import { weldVertices } from '../../core/mesh/topology/weld.ts';
import type { Asset, SkinnedModel } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { reorderClip } from '../../core/model/clip/reorder-clip.ts';
import { bakeAt } from '../../deformers/playback/index.ts';
import type { CompactDisplacements } from '../../formats/compact-skin/index.ts';
import { type SmallGlb, type SmallPrecision, type WriteGlbOptions, writeCompactGlb } from '../../formats/gltf/index.ts';
import { DisplacementFit, RoundedFit } from '../../methods/size/index.ts';
import { FrameProjector, type ScanFrame } from '../../methods/track/index.ts';
import { readWritten } from '../report/index.ts';
import { LOOK } from '../shared/index.ts';

/** First step of positions, relative to the limit. */
const FIRST = 3;
/** Steps in a weight of one: displacements make up for coarse weights (a dancer of 20,000 vertices: 5 steps give files that are 4 % larger, 17 a fifth). */
const WEIGHT_STEPS = 3;
const MOTION_OF_POSITION = 0.5;
/** Changes of the step of positions that are tried in order, until one makes the file smaller. */
const POSITION_FACTORS = [1.5, 1 / 1.5];
/** The nearest place of a surface is looked up again after displacements. */
const AIMS = 4;
/** Steps of displacements, relative to the limit, and halvings of the interval. */
const MIN_STEP = 0.2;
const MAX_STEP = 30;
const HALVINGS = 16;
/** A file is close enough to the limit from this part of it on. */
const CLOSE = 0.98;
const AIM = 0.993;
const MAX_FILES = 3;

export interface WriteDisplacedOptions {
  asset: Asset;
  /** The tracked frames, and the meshes that they follow. */
  clip: Clip;
  frames: readonly ScanFrame[];
  model: SkinnedModel;
  /** Root mean square distance of the vertices of the file from the frames, file units. */
  limit: number;
  storing: WriteGlbOptions;
  /** Called before each trial. */
  onTrial?(text: string, fraction: number): void;
  signal?: AbortSignal;
}

export interface DisplacedGlb extends SmallGlb {
  precision: SmallPrecision;
  /** Step of displacements, file units; undefined: there are none. */
  displacementStep?: number;
  /** Root mean square distance of the vertices of the file from the frames, file units. */
  rms: number;
  isMet: boolean;
  /** Root mean square distance of the vertices of the file from the tracked ones, file units: more than rms, since vertices may slide along the surface. */
  vertexRms: number;
  /** The file, read back, and its positions in every frame. */
  played: Clip;
  tried: { bytes: number; rms: number; precision: SmallPrecision }[];
}

/** Writes the smallest file that meets a distance from the frames. */
export async function writeDisplaced(compute: Compute, options: WriteDisplacedOptions): Promise<DisplacedGlb> {
  const { clip, frames, model, limit, signal } = options;
  const fit = new RoundedFit(compute, clip, model, { kind: 'rms', limit });
  const projector = new FrameProjector(compute, frames);
  const writer = new DisplacedWriter(projector, options);
  const tried: DisplacedGlb['tried'] = [];
  /** Writes a file. @param factor step of positions, relative to the limit */
  const attempt = async (factor: number, before?: MadeGlb): Promise<MadeGlb> => {
    const kilobytes = before ? `: ${Math.ceil(before.bytes.length / 1000)} kB` : '';
    options.onTrial?.(`shrink${kilobytes}`, tried.length / (1 + POSITION_FACTORS.length));
    const [positionStep, motionStep] = [factor * limit, MOTION_OF_POSITION * factor * limit];
    const precision = { ...LOOK, motionStep, aim: 'mean' as const, positionStep, weightSteps: WEIGHT_STEPS };
    const made = await writer.write(await fit.round(precision), precision);
    tried.push({ bytes: made.bytes.length, rms: made.rms, precision });
    return made;
  };
  try {
    const best = await improve(await attempt(FIRST), (factor, before) => attempt(factor * FIRST, before), signal);
    const vertexRms = rmsBetween(best.played.positions, reorderClip(clip, best.order).positions);
    return { ...best, tried, vertexRms };
  } finally {
    projector.dispose();
  }
}

/** The first file that is better than the given one, with another step of positions; the given one if none is, or once the signal ends the search. */
async function improve(
  first: MadeGlb,
  attempt: (factor: number, before: MadeGlb) => Promise<MadeGlb>,
  signal: AbortSignal | undefined,
): Promise<MadeGlb> {
  for (const factor of POSITION_FACTORS) {
    if (signal?.aborted) break;
    const made = await attempt(factor, first);
    if (isBetter(made, first)) return made;
  }
  return first;
}

type MadeGlb = Omit<DisplacedGlb, 'tried' | 'vertexRms'>;

/** Whether a file meets the limit with fewer bytes, or comes closer to it. */
function isBetter(a: MadeGlb, b: MadeGlb): boolean {
  if (a.isMet !== b.isMet) return a.isMet;
  return a.isMet ? a.bytes.length < b.bytes.length : a.rms < b.rms;
}

/** Whether a file is so close to the limit, or has so small a step, that another one would not be better. */
function isClose({ rms, isMet, displacementStep = 0 }: MadeGlb, limit: number): boolean {
  return (isMet && rms >= CLOSE * limit) || displacementStep <= MIN_STEP * limit;
}

/** Writes rounded models with displacements. */
class DisplacedWriter {
  readonly #projector: FrameProjector;
  readonly #options: WriteDisplacedOptions;
  /** The error of the last file relative to the one that its fit expected. */
  #ratio = 1;

  constructor(projector: FrameProjector, options: WriteDisplacedOptions) {
    this.#projector = projector;
    this.#options = options;
  }

  /** Writes a model with the largest step of displacements that meets the limit. */
  async write(model: SkinnedModel, precision: SmallPrecision): Promise<MadeGlb> {
    const { clip, limit } = this.#options;
    const plain = await this.#encode(model, precision);
    const read = await play(plain, clip);
    const fit = new DisplacementFit(read.clip.positions, listDirections(read.asset, read.clip));
    for (let n = 0; n < AIMS; n++) {
      const from = fit.positions;
      const to = await this.#projector.project(from);
      const rms = rmsBetween(from, to);
      if (n === 0 && rms <= limit) return { ...plain, precision, rms, isMet: true, played: read.clip };
      fit.aim(from, to);
    }
    let made = await this.#displace(model, plain, fit, precision);
    let best = made;
    for (let n = 1; n < MAX_FILES && !isClose(made, limit); n++) {
      made = await this.#displace(model, plain, fit, precision);
      if (isBetter(made, best)) best = made;
    }
    return best;
  }

  /** Writes a model with the largest step of displacements that is expected to meet the limit, and measures the file. */
  async #displace(
    model: SkinnedModel,
    { order }: SmallGlb,
    fit: DisplacementFit,
    precision: SmallPrecision,
  ): Promise<MadeGlb> {
    const { clip, limit } = this.#options;
    const { step, values, expected } = searchStep(fit, (AIM * limit) / this.#ratio, limit);
    const times = Float32Array.from(clip.times);
    const displacements = { step, animation: 0, times, values: spread(values, order, clip) };
    const small = await this.#encode(model, precision, displacements);
    const { clip: played } = await play(small, clip);
    const rms = rmsBetween(played.positions, await this.#projector.project(played.positions));
    this.#ratio = rms / expected;
    return { ...small, precision, displacementStep: step, rms, isMet: rms <= limit, played };
  }

  #encode(model: SkinnedModel, precision: SmallPrecision, displacements?: CompactDisplacements): Promise<SmallGlb> {
    const { asset, storing } = this.#options;
    const { shading, log } = storing;
    return writeCompactGlb(asset, { kind: 'skin', model }, precision, { shading, log, displacements });
  }
}

/** The file as a player shows it at the frames. */
async function play({ bytes }: SmallGlb, { times }: Clip): Promise<{ asset: Asset; clip: Clip }> {
  const asset = await readWritten(bytes);
  return { asset, clip: bakeAt(asset, asset.animations[0], times) };
}

/** frameCount x vertexCount x 3: how vertices move if they are moved by one along their normals at rest */
function listDirections(asset: Asset, played: Clip): Float32Array {
  const { positions, triangles } = asset.mesh;
  const normals = new Float32Array(positions.length);
  vertexNormalsInto(positions, triangles, normals, weldVertices(positions));
  const mesh = { ...asset.mesh, positions: positions.map((x, n) => x + normals[n]) };
  const moved = bakeAt({ ...asset, mesh }, asset.animations[0], played.times);
  return moved.positions.map((x, n) => x - played.positions[n]);
}

function rmsBetween(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let n = 0; n < a.length; n++) sum += (a[n] - b[n]) ** 2;
  return Math.sqrt((3 * sum) / Math.max(1, a.length));
}

/** The largest step whose error is within an aim, or the smallest one. */
function searchStep(fit: DisplacementFit, aim: number, limit: number) {
  let [low, high] = [MIN_STEP * limit, MAX_STEP * limit];
  for (let n = 0; n < HALVINGS; n++) {
    const middle = Math.sqrt(low * high);
    if (fit.round(middle).rms <= aim) low = middle;
    else high = middle;
  }
  const { values, rms } = fit.round(low);
  return { step: low, values, expected: rms };
}

/** Displacements by vertex of the clip; vertices that the file lacks have none. */
function spread(values: Int32Array, order: Uint32Array, { mesh, times }: Clip): Int32Array {
  const vertexCount = mesh.positions.length / 3;
  const all = new Int32Array(times.length * vertexCount);
  for (let k = 0; k < times.length; k++)
    order.forEach((v, n) => {
      all[k * vertexCount + v] = values[k * order.length + n];
    });
  return all;
}
