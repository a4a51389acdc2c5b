// SPDX-License-Identifier: MIT
// Chooses a decomposition method for a clip, runs it, and reports the reason. The criteria are cheap compared with a solve:
// - η, the ratio of triangles that move with near-rigid parts (D. L. James, C. D. Twigg, "Skinning mesh animations", 2005), over a few frames: below one half a clip
//   has hardly any rigid parts;
// - a trial: a few iterations with rigid and with affine bones on a small sample of the points; the ratio of their errors estimates the gain by affine bones.
// Rigid bones are supported everywhere, so they are used (SSDR) unless affine bones gain much (FSD). SMA and LSSP are never chosen: on all nine clips of
// docs/benchmarks/decompose.md, with four influences, LSSP ends above SSDR's error at the same number of bones, and SMA above SSDR's at the same or a smaller one.

import type { TransformKind } from '../../../core/kernels/bones/bone-sweep.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { type Clip, frameCountOf, frameOf } from '../../../core/model/clip/clip.ts';
import { InputError } from '../../../core/model/errors.ts';
import { fillDefaults } from '../../../core/options/fill-defaults.ts';
import type { ErrorGoal } from '../../../core/progress/error-goal.ts';
import { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { rigidClusters } from '../../../fit/clusters/index.ts';
import { normalizeClip, SkinFit, selectTrajectories } from '../../../fit/skin/index.ts';
import type { Decomposition } from '../decomposition.ts';
import { fsd } from '../fsd/fsd.ts';
import { piecesFirst, piecesFirstByError } from '../pieces/pieces-first.ts';
import { FIRST_EPSILON } from '../sma/options.ts';
import { clusterTriangles } from '../sma/sma.ts';
import { triangleRotations } from '../sma/triangle-rotations.ts';
import { drawSample, ssdr } from '../ssdr/ssdr.ts';
import { ssdrByError } from '../ssdr/ssdr-by-error.ts';
import { AUTO_OPTIONS, type AutoOptions, type AutoSettings, checkAutoOptions } from './options.ts';

/** Result of auto. */
export interface AutoResult extends Decomposition {
  /** The chosen method. */
  chosen: 'ssdr' | 'fsd';
  /** Transformations of the bones. */
  transforms: TransformKind;
  /** The reason, one sentence. */
  why: string;
  /** Near-rigid fraction; absent if the mesh has no triangles. */
  eta?: number;
  /** Error of affine bones relative to rigid bones in the trial. */
  affineRatio: number;
}

/** Numbers of frames, triangles and points used, and iterations of the trial. Not tuned. */
const ETA_FRAMES = 8;
const ETA_TRIANGLES = 2500;
const TRIAL_FRAMES = 24;
const TRIAL_POINTS = 600;
const TRIAL_ITERATIONS = 8;
const TRIAL_RIDGE = 1e-9;
/** Minimum η of clips with near-rigid parts (SMA, §7). */
const MIN_ETA = 0.5;
/** Maximum error of affine bones relative to rigid ones; the second is for clips with few near-rigid parts. Not tuned. */
const AFFINE_RATIO = 0.6;
const AFFINE_RATIO_SOFT = 0.85;
/** E_RMS, thousandths of the rest pose's radius, below which the gain by affine bones is not visible. Not tuned. */
const CLOSE = 1;

/** Decomposes a clip by the chosen method. */
export async function auto(compute: Compute, clip: Clip, options: AutoOptions = {}): Promise<AutoResult> {
  return solveAuto(compute, clip, settleAutoOptions(options));
}

function settleAutoOptions({ deviation = 0, signal, onProgress, ...own }: AutoOptions): AutoSettings {
  const settled = fillDefaults(AUTO_OPTIONS, own);
  checkAutoOptions(settled);
  return { ...settled, deviation, signal, onProgress };
}

/** The same with all options. */
export async function solveAuto(compute: Compute, clip: Clip, o: AutoSettings): Promise<AutoResult> {
  checkFrames(clip);
  const solved = await piecesFirst<AutoSettings, AutoResult>(clip, o, {
    bones: o.bones,
    exact: describeRigid,
    async solve(part, own) {
      const choice = await tryMethods(compute, part, own);
      const left = withoutTrial(own);
      return tell(choice.chosen === 'fsd' ? await fsd(compute, part, left) : await ssdr(compute, part, left), choice);
    },
  });
  return { ...solved, warnings: solved.warnings ?? [solved.why] };
}

/** The choice for a clip of rigid pieces only. */
function describeRigid(pieceCount: number): MethodChoice {
  const parts = pieceCount === 1 ? 'the only connected part moves' : `all ${pieceCount} connected parts move`;
  return { chosen: 'ssdr', transforms: 'rigid', why: `rigid bones: ${parts} rigidly`, eta: 1, affineRatio: 1 };
}

function checkFrames(clip: Clip): void {
  if (frameCountOf(clip) < 1) throw new InputError('auto', 'the clip has no frames');
}

/** The fewest bones that meet an error, rigid or affine depending on the trial. */
export async function autoByError(
  compute: Compute,
  clip: Clip,
  goal: ErrorGoal,
  options: AutoOptions = {},
): Promise<AutoResult> {
  return solveAutoByError(compute, clip, goal, settleAutoOptions(options));
}

/** The same with all options. */
export async function solveAutoByError(
  compute: Compute,
  clip: Clip,
  goal: ErrorGoal,
  o: AutoSettings,
): Promise<AutoResult> {
  checkFrames(clip);
  const solved = await piecesFirstByError<AutoSettings, AutoResult>(clip, o, goal.limit, {
    exact: describeRigid,
    async solve(part, own) {
      const choice = await tryMethods(compute, part, own);
      const { transforms } = choice;
      const found = await ssdrByError(compute, part, goal, { ...withoutTrial(own), transforms });
      const why = `${choice.why}; FSD does not search for a number of bones, so it is SSDR with ${transforms} bones`;
      return tell(found, choice.chosen === 'fsd' ? { ...choice, chosen: 'ssdr', why } : choice);
    },
  });
  return { ...solved, warnings: solved.warnings ?? [solved.why] };
}

export type MethodChoice = Omit<AutoResult, keyof Decomposition>;

/** Chooses the method for a clip. */
export async function chooseMethod(compute: Compute, clip: Clip, options: AutoOptions = {}): Promise<MethodChoice> {
  return tryMethods(compute, clip, settleAutoOptions(options));
}

async function tryMethods(compute: Compute, clip: Clip, o: AutoSettings): Promise<MethodChoice> {
  checkFrames(clip);
  const monitor = new SolveMonitor(o);
  monitor.enter('choose', 0, 0.05);
  await monitor.tick(0);
  const eta = clip.mesh.triangles.length > 0 ? await measureEta(compute, clip, o.seed, monitor) : undefined;
  const { rigid, affineRatio } = await measureTrial(compute, clip, o.bones, o.influences, o.seed);
  const isSoft = eta !== undefined && eta < MIN_ETA;
  const isClose = rigid < CLOSE;
  const isAffine = !isClose && affineRatio < (isSoft ? AFFINE_RATIO_SOFT : AFFINE_RATIO);
  const percent = (part: number) => `${Math.round(100 * part)} %`;
  const parts = eta === undefined ? '' : `${percent(eta)} of the triangles move with near-rigid parts, and `;
  const gain = isClose
    ? `in a quick trial rigid bones come within an E_RMS of ${rigid.toFixed(1)}`
    : affineRatio < 1
      ? `in a quick trial affine bones lower the error by ${percent(1 - affineRatio)}`
      : 'in a quick trial affine bones do not lower the error';
  const minimum = percent(1 - (isSoft ? AFFINE_RATIO_SOFT : AFFINE_RATIO));
  const limit = isAffine || isClose ? '' : `, less than the ${minimum} that make up for bones that shear`;
  const why = `${isAffine ? 'FSD with affine' : 'SSDR with rigid'} bones: ${parts}${gain}${limit}`;
  return {
    chosen: isAffine ? 'fsd' : 'ssdr',
    transforms: isAffine ? 'affine' : 'rigid',
    why,
    ...(eta === undefined ? {} : { eta }),
    affineRatio,
  };
}

function tell<Solved extends Decomposition>(solved: Solved, choice: MethodChoice): Solved & AutoResult {
  return { ...solved, ...choice, warnings: [choice.why, ...(solved.warnings ?? [])] };
}

/** The trial takes little time; progress continues after it. */
function withoutTrial(options: AutoSettings): AutoSettings {
  const { onProgress } = options;
  return {
    ...options,
    onProgress: onProgress && ((info) => onProgress({ ...info, fraction: 0.05 + 0.95 * info.fraction })),
  };
}

/** Evenly spaced frames of a clip. */
function thinClip(clip: Clip, frames: number): Clip {
  const frameCount = frameCountOf(clip);
  const count = Math.min(frames, frameCount);
  const ids = Array.from({ length: count }, (_, n) => Math.floor((n * frameCount) / count));
  const stride = clip.mesh.positions.length;
  const positions = new Float32Array(count * stride);
  ids.forEach((k, n) => {
    positions.set(frameOf(clip, k), n * stride);
  });
  return { ...clip, positions, times: Float64Array.from(ids, (k) => clip.times[k]) };
}

/** The paper's fraction, on some of the triangles: its bones need not be connected. */
async function measureEta(compute: Compute, clip: Clip, seed: number, monitor: SolveMonitor): Promise<number> {
  const thin = thinClip(clip, ETA_FRAMES);
  const { triangles } = clip.mesh;
  const count = Math.min(ETA_TRIANGLES, triangles.length / 3);
  const some = new Uint32Array(3 * count);
  for (let n = 0; n < count; n++) {
    const f = Math.floor((n * triangles.length) / 3 / count);
    some.set(triangles.subarray(3 * f, 3 * f + 3), 3 * n);
  }
  const part = { ...thin, mesh: { ...thin.mesh, triangles: some } };
  const rule = { seed, bonesBy: 'cores' } as const;
  return (await clusterTriangles(compute, part, triangleRotations(part), FIRST_EPSILON, rule, monitor)).eta;
}

/** E_RMS of rigid bones, and the relative error of affine ones, for a sample of the points. */
async function measureTrial(
  compute: Compute,
  clip: Clip,
  bones: number,
  influences: number,
  seed: number,
): Promise<{ rigid: number; affineRatio: number }> {
  const random = makeRandom(seed);
  return compute.scope(async (memory) => {
    const { trajectories: all } = normalizeClip(memory, thinClip(clip, TRIAL_FRAMES));
    const ids = drawSample(all.vertexCount, Math.max(TRIAL_POINTS, 20 * bones), random);
    const sample = selectTrajectories(memory, all, ids);
    const boneCount = Math.min(bones, sample.vertexCount);
    let start: Float64Array | undefined;
    const errors: number[] = [];
    for (const transforms of ['rigid', 'affine'] as const) {
      const fit = new SkinFit(memory, sample, boneCount, {
        ...{ influences, transforms, ridge: TRIAL_RIDGE, sweeps: 2, support: 'exchange' },
      });
      if (start) fit.bones.view().set(start);
      else {
        await rigidClusters(memory, sample, fit.bones, boneCount, random);
        start = fit.bones.view().slice();
      }
      await fit.solveWeights('cold');
      await fit.alternate(TRIAL_ITERATIONS);
      errors.push(fit.eRms);
    }
    return { rigid: errors[0], affineRatio: errors[0] > 0 ? errors[1] / errors[0] : 1 };
  });
}
