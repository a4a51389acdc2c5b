// SPDX-License-Identifier: MIT
// What each job does in its worker: the library's verb, and what is to be written of its result. Same input and options give the bytes of the command line.

import { bakeClip } from '../../src/deform.ts';
import {
  type Asset,
  bakeHelperMotions,
  type Clip,
  compress,
  convert,
  type DdmVariant,
  DECOMPOSE_DEFAULTS,
  DECOMPOSE_METHODS,
  type DecomposeMethodName,
  type DecomposeOptions,
  decompose,
  type GlbContent,
  mush,
  type ProgressInfo,
  pickMethodOptions,
  type ReduceOptions,
  reduce,
  skeleton,
  virtualBoneCountOf,
} from '../../src/index.ts';

export interface JobHooks {
  signal: AbortSignal;
  onProgress: (info: ProgressInfo) => void;
  threads: number;
  /** Of the rest pose's box, file units. */
  diagonal: number;
}

export interface JobOutcome {
  content: GlbContent;
  /** For the report. */
  result: Record<string, unknown>;
  notes: string[];
  /** What the report measures against, where that is not the input: the model that was to be written. */
  reference?: Asset;
}

type Options = Record<string, unknown>;
type Runner = (asset: Asset, options: Options, hooks: JobHooks) => Promise<JobOutcome>;

export const RUNNERS: Readonly<Record<string, Runner>> = {
  skeleton: runSkeleton,
  reduce: runReduce,
  convert: runConvert,
  decompose: runDecompose,
  mush: runMush,
  compress: runCompress,
};

/** Of the box diagonal: what a file of 32-bit floats may move a vertex, with room to spare; and the most of a limit to give up for it. */
const ROUNDING = 1e-6;
const MOST_ROUNDING = 0.01;

const STOPPED = 'stopped early; this is the best so far';

/** Everything that an asset plays, as frames of positions, from time zero on. */
export function listClips(asset: Asset): Clip[] {
  const count = asset.clips.length > 0 ? asset.clips.length : asset.animations.length;
  return Array.from({ length: count }, (_, animation) => {
    const clip = bakeClip(asset, { animation });
    const [first = 0] = clip.times;
    return first < 0 ? { ...clip, times: clip.times.map((time) => time - first) } : clip;
  });
}

async function runDecompose(asset: Asset, options: Options, hooks: JobHooks): Promise<JobOutcome> {
  const limit = Number(options.maxError ?? 0);
  const rank = Number(options.corrections ?? 0);
  const method = (options.method ?? DECOMPOSE_DEFAULTS.method) as DecomposeMethodName;
  const { transforms, defaults, solveByError } = DECOMPOSE_METHODS[method];
  const isByError = limit > 0 && solveByError !== undefined;
  const solved = await decompose(listClips(asset), {
    ...pickMethodOptions(
      method,
      pick(options, ['influences', 'transforms', 'iterations', 'tolerance', 'ridge', 'seed']),
    ),
    method,
    transforms: (transforms as readonly unknown[]).includes(options.transforms)
      ? (options.transforms as DecomposeOptions['transforms'])
      : undefined,
    keepRest: options.keepRest === true && 'keepRest' in defaults ? true : undefined,
    bones: isByError ? undefined : Number(options.bones) || undefined,
    maxError: isByError ? limit - Math.min(ROUNDING * hooks.diagonal, MOST_ROUNDING * limit) : undefined,
    corrections: rank > 0 ? { rank, normals: false, normalCoefficients: 'own' } : undefined,
    threads: hooks.threads,
    signal: hooks.signal,
    onProgress: hooks.onProgress,
  });
  const { eRms, eRmsBeforeRest, reseeds, relocations, iterations, status } = solved;
  const bones = solved.model.skeleton.names.length;
  const notes = status === 'stopped' ? [STOPPED] : [];
  if (isByError && status === 'stalled')
    notes.push(`no number of bones up to ${bones} keeps every vertex that close; this is the best of them`);
  return {
    content: {
      kind: 'skin',
      model: solved.model,
      correction: solved.corrected && { model: solved.corrected.correction, as: 'extension' },
    },
    result: {
      method,
      corrections: rank,
      bones,
      eRmsSolved: eRms,
      eRmsBeforeRest,
      reseeds,
      relocations,
      iterations,
      status,
    },
    notes,
  };
}

async function runMush(asset: Asset, options: Options, hooks: JobHooks): Promise<JobOutcome> {
  const { model, skin, points, bones } = await mush(asset, {
    ...pick(options, ['lambda', 'kappa', 'alpha', 'iterations', 'threshold']),
    variant: Number(options.variant ?? 0) as DdmVariant,
    threads: hooks.threads,
    signal: hooks.signal,
    onProgress: hooks.onProgress,
  });
  const entries = model.multiWeights.boneIndices.length;
  const entriesPerVertex = entries / (model.mesh.positions.length / 3);
  return {
    content: { kind: 'delta-mush', model, skin },
    reference: { ...asset, ddm: model },
    result: { variant: model.variant, settings: model.settings, entries, entriesPerVertex, points, bones },
    notes: [],
  };
}

async function runCompress(asset: Asset, options: Options, hooks: JobHooks): Promise<JobOutcome> {
  const solved = await compress(asset, {
    ...pick(options, ['virtualBones', 'influences', 'iterations', 'seed']),
    ranges: options.ranges as 'default' | 'auto',
    objective: options.objective as 'nonlinear' | 'linear',
    mush: { threads: hooks.threads },
    signal: hooks.signal,
    onProgress: hooks.onProgress,
  });
  const { model, skin, status, iterations, rmseFit } = solved;
  return {
    content: { kind: 'two-layer', model, skin },
    reference: { ...asset, ddm: solved.ddm },
    result: { virtualBones: virtualBoneCountOf(model), iterations, status, rmseFit },
    notes: status === 'stopped' ? [STOPPED] : [],
  };
}

async function runSkeleton(asset: Asset, options: Options, hooks: JobHooks): Promise<JobOutcome> {
  const solved = await skeleton(listClips(asset), {
    ...pick(options, ['method', 'bones', 'influences', 'seed']),
    threads: hooks.threads,
    signal: hooks.signal,
    onProgress: hooks.onProgress,
  });
  const { status, iterations, model } = solved;
  return {
    content: { kind: 'skin', model },
    result: { method: options.method, bones: model.skeleton.names.length, iterations, status },
    notes: status === 'stopped' ? [STOPPED] : [],
  };
}

async function runReduce(asset: Asset, options: Options, hooks: JobHooks): Promise<JobOutcome> {
  const solved = await reduce(asset, {
    ...pick(options, ['influences', 'seed']),
    method: options.method === 'auto' ? undefined : (options.method as ReduceOptions['method']),
    threads: hooks.threads,
    signal: hooks.signal,
    onProgress: hooks.onProgress,
  });
  const { method, skin, twoLayer, blendsPerVertex, poses, status } = solved;
  return {
    content: { kind: 'weights', skin, layers: twoLayer },
    result: { method, blendsPerVertex, poses, status },
    notes: status === 'stopped' ? [STOPPED] : [],
  };
}

async function runConvert(asset: Asset, options: Options, hooks: JobHooks): Promise<JobOutcome> {
  const solved = await convert(asset, {
    ...pick(options, ['helpers', 'influences', 'transforms', 'samples', 'seed']),
    ranges: options.ranges as 'default' | 'auto',
    threads: hooks.threads,
    signal: hooks.signal,
    onProgress: hooks.onProgress,
  });
  const { model, bones, rmse, status } = solved;
  const helpers = model.controllers.length;
  const motions = bakeHelperMotions(asset, model, bones.subarray(0, bones.length - helpers));
  return {
    content: { kind: 'converted', model, bones, motions },
    result: { helpers, bones: bones.length, rmse, status },
    notes: status === 'stopped' ? [STOPPED] : [],
  };
}

/** Numbers and words that were given, by key; absent ones stay absent, so that the library's defaults hold. */
function pick(options: Options, keys: string[]): Record<string, never> {
  return Object.fromEntries(
    keys.filter((key) => options[key] !== undefined).map((key) => [key, options[key]]),
  ) as Record<string, never>;
}
