// SPDX-License-Identifier: MIT

import type { Compute } from '../../core/kernels/compute.ts';
import type { DdmVariant } from '../../core/model/deformed/direct-delta-mush.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { ProgressInfo } from '../../core/progress/solve-monitor.ts';
import type { SmoothMethod } from '../../deformers/delta-mush/index.ts';
import { DROP_DEFAULTS, type DropOptions } from '../../deformers/direct-delta-mush/index.ts';

/** How vertices are bound before smoothing. */
export const BIND_RULES = ['cells', 'rigid', 'smooth'] as const;
/** How vertices are bound before smoothing. */
export type BindRule = (typeof BIND_RULES)[number];

/** A number for all vertices, or one per vertex. */
export type VertexMap = number | Float32Array;

/** Options that can change without a new smoothing of the products. */
export interface DdmBlendOptions extends DropOptions {
  /** Smoothing of translations, from 0 to lambda; smaller values give sharper bends. */
  kappa?: VertexMap;
  /** Blend between the smoothing of translations by lambda (0) and by kappa (1); at least 0 and below 1. */
  alpha?: VertexMap;
  /** Variant of the run-time, 0 to 5. */
  variant?: DdmVariant;
}

/** Options of precomputeDdm and makeDdmPrecompute. */
export interface DdmOptions extends DdmBlendOptions {
  /** Number of smoothing steps, at least 1. */
  iterations?: number;
  /**
   * Length over which rotations are smoothed, relative to the height of the model; translations are smoothed over 0.22 of it. The result does not depend on the mesh. Not used if lambda or kappa is
   * given, or with explicit steps.
   */
  reach?: number;
  /** Strength of each step, above 0 (vertices with 0 in a map are fixed); at most 1 for explicit steps. It smooths over √(iterations x lambda) edges. */
  lambda?: VertexMap;
  /** Minimum number of edges that smoothing with lambda spans, whatever its strength and the map; vertices with lambda 0 stay fixed. Default: 0, and V1_EDGES for variant 1 with a reach. */
  minEdges?: number;
  /** Implicit smoothing, or explicit steps. */
  method?: SmoothMethod;
  /** Factors on lambda and kappa: from the distance to the bone, none, or one per vertex (0 to 1). */
  map?: 'distance' | 'none' | Float32Array;
  /** Initial binding: the strongest bone at each place of the surface ('cells', the default with a reach), the strongest bone of each vertex ('rigid', the default with lambda), or its weights ('smooth'). */
  bind?: BindRule;
  /** Connects points of different parts that are bound to the same bone and closer than this, relative to the box diagonal; 0: none. */
  bridge?: number;
  /**
   * vertexCount: 1 for vertices that follow their strongest bone rigidly. Only with a reach; with lambda, use a map that is 0 there.
   * @internal
   */
  isRigid?: Uint8Array;
  /** Height of the model for the distance map, file units; 0: the longest side of its box. */
  height?: number;
  /** Compute for the smoothing: threads and SIMD. Without it, plain loops on this thread. */
  compute?: Compute;
  /** Called with the fraction that is done, 0 to 1. */
  onProgress?: (info: ProgressInfo) => void;
  /** Stops the precomputation, which then throws the signal's reason: there is no partial result. */
  signal?: AbortSignal;
}

/**
 * Defaults of DdmOptions: the settings of the slides. lambda and kappa are used if one of them is given, or for explicit steps; the reach is about that of the slides on a person of 13,000 vertices. The bridge, chosen by hand, is 4 mm on a person: it connects seams of clothing, but not
 * fingers.
 */
export const DDM_DEFAULTS = {
  ...DROP_DEFAULTS,
  iterations: 20,
  reach: 0.12,
  lambda: 20,
  kappa: 1,
  alpha: 0.9,
  variant: 0,
  method: 'implicit',
  map: 'distance',
  bridge: 0.002,
  height: 0,
} as const satisfies DdmOptions;

/**
 * Edges that the smoothing of variant 1 spans at least. It inverts the second moments of a patch, which are next to singular if the patch is hardly larger than a vertex: below one edge, shapes of a creature differed from
 * variant 0 by up to 170 % of the height, and 16-bit files from floats by up to 350 %. The other variants need no minimum.
 */
export const V1_EDGES = 1.5;

const NAME = 'direct delta mush';

/** Throws on invalid values. */
export function checkDdmOptions(options: DdmOptions, vertexCount: number): void {
  const iterations = options.iterations ?? DDM_DEFAULTS.iterations;
  if (!(Number.isInteger(iterations) && iterations >= 1))
    throw new UsageError(NAME, `iterations must be a whole number of at least 1, got ${iterations}`);
  if (options.reach !== undefined) {
    if (!(options.reach > 0 && options.reach < Number.POSITIVE_INFINITY))
      throw new UsageError(NAME, `reach must be above 0, got ${options.reach}`);
    if (options.lambda !== undefined || options.kappa !== undefined || options.method === 'explicit')
      throw new UsageError(NAME, 'reach cannot be combined with lambda, kappa or explicit smoothing');
  }
  const lambda = options.lambda ?? DDM_DEFAULTS.lambda;
  if (typeof lambda === 'number' && !(lambda > 0 && lambda < Number.POSITIVE_INFINITY))
    throw new UsageError(NAME, `lambda must be above 0, got ${lambda}`);
  checkMap('lambda', lambda, vertexCount, (v) => v >= 0 && v < Number.POSITIVE_INFINITY, 'at least 0');
  const method = options.method ?? DDM_DEFAULTS.method;
  if (method !== 'implicit' && method !== 'explicit')
    throw new InputError(NAME, `method must be 'implicit' or 'explicit', got '${method}'`);
  if (method === 'explicit')
    checkMap('lambda', lambda, vertexCount, (v) => v <= 1, 'at most 1 for explicit smoothing (use more iterations)');
  if (options.bind !== undefined && !BIND_RULES.includes(options.bind))
    throw new InputError(NAME, `bind must be ${BIND_RULES.join(', ')}, got '${options.bind}'`);
  const bridge = options.bridge ?? DDM_DEFAULTS.bridge;
  if (!(bridge >= 0 && bridge < 1))
    throw new UsageError(NAME, `bridge must be a ratio of at least 0 and below 1, got ${bridge}`);
  if (options.minEdges !== undefined && !(options.minEdges >= 0 && options.minEdges < Number.POSITIVE_INFINITY))
    throw new UsageError(NAME, `minEdges must be at least 0, got ${options.minEdges}`);
  const map = options.map ?? DDM_DEFAULTS.map;
  if (typeof map === 'string') {
    if (map !== 'distance' && map !== 'none')
      throw new InputError(NAME, `map must be 'distance' or 'none', got '${map}'`);
  } else {
    checkMap('map', map, vertexCount, (v) => v >= 0 && v <= 1, 'from 0 to 1');
  }
  checkBlendOptions(options, lambda, vertexCount);
}

export function checkBlendOptions(options: DdmBlendOptions, lambda: VertexMap, vertexCount: number): void {
  const kappa = options.kappa ?? 0;
  const alpha = options.alpha ?? DDM_DEFAULTS.alpha;
  checkMap('kappa', kappa, vertexCount, (v) => v >= 0 && v < Number.POSITIVE_INFINITY, 'at least 0');
  checkMap('alpha', alpha, vertexCount, (v) => v >= 0 && v < 1, 'at least 0 and below 1');
  for (let i = 0; i < vertexCount; i++) {
    const k = valueAt(kappa, i);
    const l = valueAt(lambda, i);
    // vertices that a map of lambda fixes are fixed for kappa too
    if (k > l && l > 0)
      throw new InputError(
        NAME,
        `kappa smooths translations and must not be above lambda, got ${k} against ${l}; lower kappa or raise lambda`,
      );
    if (typeof kappa === 'number' && typeof lambda === 'number') break;
  }
  const variant = options.variant ?? DDM_DEFAULTS.variant;
  if (!(Number.isInteger(variant) && variant >= 0 && variant <= 5))
    throw new UsageError(NAME, `the variant must be 0 to 5, got ${variant}`);
}

function checkMap(
  name: string,
  value: VertexMap,
  vertexCount: number,
  isGood: (v: number) => boolean,
  range: string,
): void {
  if (typeof value === 'number') {
    if (!isGood(value)) throw new UsageError(NAME, `${name} must be ${range}, got ${value}`);
    return;
  }
  if (value.length !== vertexCount)
    throw new InputError(NAME, `the map of ${name} has ${value.length} numbers for ${vertexCount} vertices`);
  const bad = value.findIndex((v) => !isGood(v));
  if (bad >= 0) throw new InputError(NAME, `${name} must be ${range}, vertex ${bad} has ${value[bad]}`);
}

export function valueAt(value: VertexMap, i: number): number {
  return typeof value === 'number' ? value : value[i];
}

/** Whether strengths follow from the reach. */
export function isByReach({ lambda, kappa, method }: DdmOptions): boolean {
  return lambda === undefined && kappa === undefined && method !== 'explicit';
}

/** The minimum number of edges of options. */
export function minEdgesOf(options: DdmOptions): number {
  return options.minEdges ?? (options.variant === 1 && isByReach(options) ? V1_EDGES : 0);
}

/** The default kappa, limited by lambda. */
export function defaultKappa(lambda: VertexMap): VertexMap {
  return typeof lambda === 'number'
    ? Math.min(DDM_DEFAULTS.kappa, lambda)
    : lambda.map((l) => Math.min(DDM_DEFAULTS.kappa, l));
}

export function largestOf(value: VertexMap): number {
  return typeof value === 'number' ? value : value.reduce((max, v) => Math.max(max, v), 0);
}
