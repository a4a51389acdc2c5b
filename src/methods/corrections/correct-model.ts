// SPDX-License-Identifier: MIT
// D. L. James and C. D. Twigg, "Skinning mesh animations", ACM Transactions on Graphics 24(3), 2005, doi:10.1145/1073204.1073206, §6, after
// P. G. Kry, D. L. James, D. K. Pai, "EigenSkin: real time large deformation character skinning in hardware", SCA 2002: progressive corrections of any skin.
//   Eq. 12   p = T (p̃ + Ũ q)      Ũ of few columns, q per frame
//
// symbol   here                               shape
// T        CorrectionProblem (F and r)        per point and frame
// Ũ        SkinCorrection.basis               rank x vertices x 3
// q        SkinCorrection.tracks[n].values    frames x rank
//
// Differences from the paper (src/methods/corrections/README.md has the measured effects): inverses are damped where blends collapse (rest-displacement.ts), and the
// truncated SVD in the rest pose is only the start of a minimization of the posed error (posed-basis.ts). With fit: 'rest' the SVD is the result.

import { smallestEnclosingBall } from '../../core/mesh/geometry/enclosing-ball.ts';
import type { SkinnedModel } from '../../core/model/asset.ts';
import { type Clip, frameCountOf } from '../../core/model/clip/clip.ts';
import type { NormalRule, SkinCorrection } from '../../core/model/deformed/skin-correction.ts';
import { UsageError } from '../../core/model/errors.ts';
import { SolveMonitor, type SolveMonitorOptions } from '../../core/progress/solve-monitor.ts';
import { type CorrectionProblem, makeCorrectionProblem } from './correction-problem.ts';
import { measurePrefixes, type PrefixErrors } from './measure-prefixes.ts';
import { fitNormals, makeNormalRows } from './normal-corrections.ts';
import { openBlends } from './open-blends.ts';
import { packCorrection, roundComponents } from './pack-correction.ts';
import { posedBasis } from './posed-basis.ts';
import { refineSkin } from './refine-skin.ts';
import { type LowRank, type PointRows, restBasis } from './rest-basis.ts';
import { restDisplacementsInto } from './rest-displacement.ts';

/** Options of correctModel. */
export interface CorrectOptions extends SolveMonitorOptions {
  /** Number of components. Default: 5, or with maxError the fewest that meet it. */
  rank?: number;
  /** Without rank: maximum vertex error, file units. */
  maxError?: number;
  /** What the basis minimizes: 'posed': the error of the posed shapes; 'rest': the error in the rest pose, by the paper's truncated SVD. */
  fit?: 'posed' | 'rest';
  /** Maximum number of iterations of the posed fit. */
  iterations?: number;
  /** The posed fit stops when an iteration lowers the error by less than this ratio. */
  tolerance?: number;
  /**
   * Maximum number of iterations that fit weights (and bones, if all are rigid) to the corrections; requires a rank and the posed fit. Above zero, weights are
   * also changed where blends collapse and full rank or maxError requires it. 0 keeps the skin.
   */
  refine?: number;
  /** Bone transformations of refine: 'affine': any matrix; 'rigid': bones change only if all of them are rigid. */
  bones?: 'rigid' | 'affine';
  /** Also corrects normals, for players that transform normals by this rule. */
  normals?: NormalRule | false;
  /** 'own': normals have their own basis and coefficients, with the same rank; 'shared': normals use the coefficients of the displacements, as morph targets require. */
  normalCoefficients?: 'own' | 'shared';
}

/** Defaults of CorrectOptions. */
export const CORRECT_DEFAULTS = {
  rank: 5,
  fit: 'posed',
  iterations: 30,
  tolerance: 1e-3,
  refine: 0,
  bones: 'rigid',
  normals: false,
  normalCoefficients: 'own',
} as const;

/** A model with its correction, and the errors. */
export interface CorrectResult {
  /** The corrected model: the input, or its refined copy. */
  model: SkinnedModel;
  /** Basis and coefficients. */
  correction: SkinCorrection;
  /** rank + 1: E_RMS with the first r components; [0] is the skin alone. */
  eRms: Float64Array;
  /** rank + 1: largest distance with the first r components, file units */
  max: Float64Array;
  /** With normals, rank + 1: root mean square angle of the drawn normals, degrees. */
  normalDegrees?: Float64Array;
  /** Number of samples (pairs of point and frame) whose blend is near singular and was inverted with damping. */
  singularCount: number;
  /** Number of samples: points times frames. */
  sampleCount: number;
  /** Number of iterations of the posed fit. */
  iterations: number;
  /** Why the solve ended; 'stalled': no rank meets maxError. */
  status: 'converged' | 'max-iterations' | 'stalled' | 'stopped';
}

/** Maximum rank of the posed fit: its cost grows with the cube of the rank, and the gain is small beyond. Chosen by hand. */
const MAX_POSED_RANK = 32;

/**
 * Corrects a skinned model to match the clips it was made from: displacements of the rest shape in a small basis, with coefficients for every frame of
 * every motion. Full rank reproduces the clips, except where blends collapse.
 * @param clips one per motion of the model, with the same frames
 * @example
 * ```ts
 * import { correctModel, decompose, writeGlb } from 'ossify';
 *
 * const decomposed = await decompose(clip, { bones: 20 });
 * const { model, correction } = await correctModel(clip, decomposed.model, { rank: 8 });
 * const glb = await writeGlb(asset, { kind: 'skin', model, correction: { model: correction } });
 * ```
 */
export async function correctModel(
  clips: Clip | readonly Clip[],
  given: SkinnedModel,
  options: CorrectOptions = {},
): Promise<CorrectResult> {
  const list = Array.isArray(clips) ? (clips as readonly Clip[]) : [clips as Clip];
  checkOptions(options);
  const monitor = new SolveMonitor(options);
  const first = await correct(list, given, options, monitor);
  // full rank is exact except where blends collapse
  const isShort = first.status === 'stalled' || (options.rank ?? 0) >= countFrames(list);
  if (!options.refine || first.singularCount === 0 || !isShort || monitor.isStopped) return first;
  const { model, changed } = openBlends(list, given);
  return changed > 0 ? correct(list, model, options, monitor) : first;
}

const countFrames = (clips: readonly Clip[]): number => clips.reduce((sum, clip) => sum + frameCountOf(clip), 0);

async function correct(
  list: readonly Clip[],
  model: SkinnedModel,
  options: CorrectOptions,
  monitor: SolveMonitor,
): Promise<CorrectResult> {
  const problem = makeCorrectionProblem(list, model);
  const { rows, countSingular } = makeDisplacementRows(problem);
  const solved = await solveRank(problem, rows, options, monitor);
  const iterations =
    solved.iterations > 0 && options.maxError === undefined ? (options.refine ?? CORRECT_DEFAULTS.refine) : 0;
  if (iterations === 0) return finish({ list, model, problem }, solved, countSingular(), options, monitor);
  monitor.enter('refine', 0.4, 0.9);
  const refined = await refineSkin(
    list,
    model,
    solved.fit,
    { iterations, tolerance: toleranceOf(options), isAffine: options.bones === 'affine' },
    monitor,
  );
  const best = { ...solved, fit: refined.fit, iterations: solved.iterations + refined.iterations };
  const own = makeCorrectionProblem(list, refined.model);
  return finish({ list, model: refined.model, problem: own }, best, countSingular(), options, monitor);
}

const toleranceOf = ({ tolerance }: CorrectOptions): number => tolerance ?? CORRECT_DEFAULTS.tolerance;

/** A model, the clips that it is corrected to match, and the problem of both. */
interface CorrectedModel {
  list: readonly Clip[];
  model: SkinnedModel;
  problem: CorrectionProblem;
}

/** Rounds and measures a solution, and corrects normals. */
async function finish(
  { list, model, problem }: CorrectedModel,
  solved: SolvedRank,
  singularCount: number,
  options: CorrectOptions,
  monitor: SolveMonitor,
): Promise<CorrectResult> {
  const fit = roundComponents(solved.fit);
  monitor.enter('measure', 0.9, 0.95);
  const errors = await measurePrefixes(problem, fit, monitor);
  const packed = packCorrection(problem.weld, fit, list, model);
  const normals =
    options.normals && fit.rank > 0 ? await correctNormals(list, model, fit, options, monitor) : undefined;
  const correction = normals ? { ...packed, ...normals.part, tracks: normals.putTracks(packed.tracks) } : packed;
  const radius = smallestEnclosingBall(list[0].mesh.positions).radius;
  return {
    model,
    correction,
    eRms: errors.rms.map((rms) => (rms === 0 ? 0 : (1000 * rms) / (Math.sqrt(3) * radius))),
    max: errors.max,
    ...(normals ? { normalDegrees: normals.degrees } : {}),
    singularCount,
    sampleCount: problem.pointCount * problem.frameCount,
    iterations: solved.iterations,
    status: monitor.isStopped ? 'stopped' : solved.status,
  };
}

function checkOptions({ rank, maxError, refine }: CorrectOptions): void {
  if (refine !== undefined && !(Number.isInteger(refine) && refine >= 0))
    throw new UsageError('correctModel', `refine must be a whole number of iterations, got ${refine}`);
  if (rank !== undefined && !(Number.isInteger(rank) && rank >= 0))
    throw new UsageError('correctModel', `rank must be a whole number of at least 0, got ${rank}`);
  if (maxError !== undefined && !(maxError > 0 && Number.isFinite(maxError)))
    throw new UsageError('correctModel', `maxError must be a length above zero, got ${maxError}`);
}

/** The displacements of the rest positions that each frame requires; counts collapsed blends during the first pass. */
function makeDisplacementRows(problem: CorrectionProblem): { rows: PointRows; countSingular(): number } {
  const { pointCount, frameCount, blends, residuals } = problem;
  const singular = new Int32Array(pointCount).fill(-1);
  const rows: PointRows = {
    pointCount,
    frameCount,
    readInto(i, out) {
      problem.read(i);
      singular[i] = restDisplacementsInto(blends, residuals, out);
    },
  };
  return { rows, countSingular: () => singular.reduce((sum, count) => sum + Math.max(0, count), 0) };
}

interface SolvedRank {
  fit: LowRank;
  iterations: number;
  status: CorrectResult['status'];
}

async function solveRank(
  problem: CorrectionProblem,
  rows: PointRows,
  options: CorrectOptions,
  monitor: SolveMonitor,
): Promise<SolvedRank> {
  const { maxError } = options;
  const maxRank = Math.min(problem.frameCount, 3 * problem.pointCount);
  monitor.enter('correct', 0, 0.3);
  if (options.rank !== undefined || maxError === undefined) {
    const rank = Math.min(maxRank, options.rank ?? CORRECT_DEFAULTS.rank);
    const start = await restBasis(rows, rank, monitor);
    monitor.enter('correct', 0.3, 0.9);
    return refine(problem, start, maxRank, options, monitor);
  }
  return solveError(problem, rows, maxError, maxRank, options, monitor);
}

/** The posed fit, if selected and not at full rank, which is exact already. */
async function refine(
  problem: CorrectionProblem,
  start: LowRank,
  maxRank: number,
  options: CorrectOptions,
  monitor: SolveMonitor,
): Promise<SolvedRank> {
  const isPosed = (options.fit ?? CORRECT_DEFAULTS.fit) === 'posed';
  if (!isPosed || start.rank === 0 || start.rank >= maxRank || start.rank > MAX_POSED_RANK || monitor.isStopped)
    return { fit: start, iterations: 0, status: 'converged' };
  const posed = await posedBasis(
    problem,
    start,
    {
      iterations: options.iterations ?? CORRECT_DEFAULTS.iterations,
      tolerance: toleranceOf(options),
    },
    monitor,
  );
  return { fit: posed, iterations: posed.iterations, status: posed.status };
}

/** The fewest components that meet a maximum error: doubled with the truncated SVD, then reduced with posed fits while they meet it. */
async function solveError(
  problem: CorrectionProblem,
  rows: PointRows,
  maxError: number,
  maxRank: number,
  options: CorrectOptions,
  monitor: SolveMonitor,
): Promise<SolvedRank> {
  let start: LowRank;
  let errors: PrefixErrors;
  let held: number;
  for (let rank = Math.min(maxRank, 8); ; rank = Math.min(maxRank, 2 * rank)) {
    start = await restBasis(rows, rank, monitor);
    errors = await measurePrefixes(problem, start, monitor);
    held = errors.max.findIndex((max) => max <= maxError);
    if (held >= 0 || rank >= maxRank || monitor.isStopped) break;
  }
  if (held < 0) return { fit: start, iterations: 0, status: 'stalled' };
  let best: SolvedRank = { fit: firstComponents(start, held), iterations: 0, status: 'converged' };
  monitor.enter('correct', 0.3, 0.9);
  while (best.fit.rank > 1 && !monitor.isStopped) {
    const tried = await refine(problem, firstComponents(start, best.fit.rank - 1), maxRank, options, monitor);
    if (tried.iterations === 0) break;
    const { max } = await measurePrefixes(problem, tried.fit, monitor);
    if (!(max[tried.fit.rank] <= maxError)) break;
    best = { ...tried, iterations: best.iterations + tried.iterations, status: 'converged' };
  }
  return best;
}

function firstComponents({ rank, basis, coefficients }: LowRank, keep: number): LowRank {
  const pick = (values: Float64Array, size: number): Float64Array => {
    const count = rank > 0 ? values.length / (rank * size) : 0;
    const out = new Float64Array(count * keep * size);
    for (let n = 0; n < count; n++)
      out.set(values.subarray(n * rank * size, (n * rank + keep) * size), n * keep * size);
    return out;
  };
  return { rank: keep, basis: pick(basis, 3), coefficients: pick(coefficients, 1) };
}

/** Corrections of normals, with the rank of the displacements. */
async function correctNormals(
  clips: readonly Clip[],
  model: SkinnedModel,
  displacements: LowRank,
  options: CorrectOptions,
  monitor: SolveMonitor,
): Promise<{
  part: Pick<SkinCorrection, 'normalRank' | 'normals'>;
  putTracks(tracks: SkinCorrection['tracks']): SkinCorrection['tracks'];
  degrees: Float64Array;
}> {
  monitor.enter('normals', 0.95, 1);
  const rule = options.normals as NormalRule;
  const isOwn = (options.normalCoefficients ?? CORRECT_DEFAULTS.normalCoefficients) === 'own';
  const problem = makeCorrectionProblem(clips, model, true);
  const rows = makeNormalRows(clips, model, problem, rule);
  const fit = isOwn
    ? roundComponents(await restBasis(rows, displacements.rank, monitor))
    : fitNormals(rows, displacements.coefficients, displacements.rank);
  const packed = packCorrection(problem.weld, fit, clips, model);
  return {
    part: { normalRank: isOwn ? fit.rank : 0, normals: { rule, basis: packed.basis } },
    putTracks: (tracks) =>
      isOwn ? tracks.map((track, n) => ({ ...track, normalValues: packed.tracks[n].values })) : tracks,
    degrees: rows.measure(fit),
  };
}
