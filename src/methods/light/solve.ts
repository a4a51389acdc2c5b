// SPDX-License-Identifier: MIT
// D. L. James and C. D. Twigg, "Skinning mesh animations", ACM Transactions on Graphics 24(3), 2005, doi:10.1145/1073204.1073206, §6: appearance of a mesh
// animation as a low-rank approximation that a vertex shader evaluates. "Computing PRT transfer vectors for each mesh, then either computing TSVD of
// transfer vectors, or non-negative matrix factorization of pre-lit vertex colors."
//
//   every frame       light of all vertices                             trace-light.ts, make-light-samples.ts
//   matrix            A: frames x (vertices x channels)
//   transfer          A ≈ U(n) + C B by singular values                 truncated-svd.ts
//   occlusion, prelit A ≈ Σ Wₜ(n) C Bₜ with C, B ≥ 0                     relative-factors.ts; nonnegative-factors.ts without normals
//
// Where this differs: the paper does not say how many rays, which harmonics, or how the ground reflects. Nine harmonics are used, and a ground that is lit as
// if the model were not there. The paper factors A itself. Here light is relative to U and W, which an unshadowed surface with the posed normal receives
// (make-unshadowed-light.ts): at rank 6 this has a third less error on horse-gallop, since components need not describe how the surface turns.

import type { UpAxis } from '../../core/model/asset.ts';
import { type LightTrack, needsNormals, type SkinLight } from '../../core/model/deformed/skin-light.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import { allRead, type Solve } from '../../core/options/method.ts';
import { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import { lightInto } from '../../deformers/light/index.ts';
import { factorLight } from './factor-light.ts';
import type { LowRank } from './low-rank.ts';
import { makeEnvironment, makeLightSamples } from './make-light-samples.ts';
import { makeSky } from './make-sky.ts';
import { makeUnshadowedLight } from './make-unshadowed-light.ts';
import { groundOf, type LIGHT_OPTIONS, sunOf } from './options.ts';
import { type LitMotion, type TracedLight, traceLight } from './trace-light.ts';

/** Part of the progress that tracing takes. */
const TRACE_PART = 0.9;

/** An animated mesh. */
export interface LightInput {
  mesh: Mesh;
  motions: readonly LitMotion[];
  up: UpAxis;
}

/** Light of an animated mesh, and how close it is to the traced light. */
export interface LightResult {
  /** What to write or play. */
  model: SkinLight;
  /** rank + 1 numbers: the relative error ‖A − L‖ / ‖A‖ of the light L in the Frobenius norm with 0, 1, … components */
  errors: number[];
  /** Why the solver ended. */
  status: 'converged' | 'max-iterations' | 'stopped';
  /** The light of every frame before it was approximated. */
  traced: TracedLight;
  /** Number of frames. */
  frames: number;
  /** Seconds of tracing and of factoring. */
  seconds: { trace: number; factor: number };
}

/** Computes the light of a mesh in motion. Stopped while tracing, it throws an AbortError; later, it returns the components so far. */
export const solve: Solve<typeof LIGHT_OPTIONS, LightInput, LightResult> = async (
  { compute, signal, onProgress },
  { mesh, motions, up },
  { kind, rank, rays, seed, time, ground: reflected, sun, ...rest },
) => {
  allRead(rest);
  if (mesh.triangles.length === 0) throw new InputError('light', 'the mesh has no triangles to light');
  if (!motions.some(({ times }) => times.length > 0)) throw new InputError('light', 'there are no frames to light');
  const monitor = new SolveMonitor({ signal, onProgress, time });
  const [ground, sky] = [groundOf({ ground: reflected }), makeSky(up, sunOf({ sun }))];
  const samples = makeLightSamples(kind, { rays, seed, sky, ground });
  monitor.enter('trace', 0, TRACE_PART);
  const traced = await traceLight(compute, mesh, motions, samples, monitor);
  const trace = monitor.seconds;
  monitor.enter('factor', TRACE_PART, 1);
  const { frameCount } = traced;
  // occlusion of a uniform sky is the same for all normals; without normals in the file, players compute other ones
  const isRelative = mesh.normals !== undefined && (kind !== 'occlusion' || ground !== undefined);
  const unshadowed = isRelative ? makeUnshadowedLight(kind, { sky, ground }) : {};
  const found = await factorLight(kind, traced, unshadowed, Math.min(rank, frameCount), monitor);
  const model: SkinLight = {
    kind,
    rank: found.rank,
    basis: found.basis,
    ...unshadowed,
    ...(kind === 'transfer' ? { environment: makeEnvironment(sky) } : {}),
    tracks: makeTracks(motions, found),
  };
  if (needsNormals(model)) model.mean = makeMean(model, found, traced);
  const { errors, status } = found;
  return { model, errors, status, traced, frames: frameCount, seconds: { trace, factor: monitor.seconds - trace } };
};

/** The mean over all frames of the colours that players show. */
function makeMean(model: SkinLight, { coefficients, rank }: LowRank, traced: TracedLight): Float32Array {
  const { frameCount, vertexCount } = traced;
  const sums = new Float64Array(3 * vertexCount);
  const colors = new Float32Array(3 * vertexCount);
  for (let k = 0; k < frameCount; k++) {
    const normals = traced.normals.subarray(3 * vertexCount * k, 3 * vertexCount * (k + 1));
    lightInto(model, coefficients.subarray(k * rank, (k + 1) * rank), colors, { normals });
    for (let c = 0; c < colors.length; c++) sums[c] += colors[c] / frameCount;
  }
  return Float32Array.from(sums);
}

function makeTracks(motions: readonly LitMotion[], { coefficients, rank }: LowRank): LightTrack[] {
  let first = 0;
  return motions.map(({ name, times }) => {
    const values = coefficients.slice(first * rank, (first + times.length) * rank);
    first += times.length;
    return { name, times: Float64Array.from(times), values };
  });
}
