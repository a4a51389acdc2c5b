// SPDX-License-Identifier: MIT
// What every decomposition takes and returns, and how it is described.

import { checkRange } from '../../core/model/clip/check-range.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import type { PointSource } from '../../core/model/clip/point-source.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import { fillDefaults } from '../../core/options/fill-defaults.ts';
import type { InputSize, Method, SolvePlan, SolveRun } from '../../core/options/method.ts';
import type { OptionSchema, OptionsOf, Values } from '../../core/options/option.ts';
import type { ErrorGoal } from '../../core/progress/error-goal.ts';
import type { Decomposition } from './decomposition.ts';
import type { GivenParts } from './given-parts.ts';

/** Frames that are read in blocks: points in motion, the mesh they belong to, and the point of each vertex. */
export interface LargeClip {
  source: PointSource;
  mesh: Mesh;
  /** vertexCount */
  pointOfVertex: Uint32Array;
}

/** What is decomposed. */
export interface DecomposeInput {
  /** Frames in memory, or read in blocks where the plan of the method reads a stream. */
  frames: Clip | ({ kind: 'stream' } & LargeClip);
  /** The error that the fewest bones have to meet. Absent: the number of bones is an option. */
  goal?: ErrorGoal;
  /** Parts that are kept while the rest is solved. */
  given?: GivenParts;
  /** Standard deviation of the noise per coordinate, file units; 0: none. */
  deviation: number;
}

/** A decomposition, and how it is run with options that are not complete. */
export interface DecomposeMethod<S extends OptionSchema = OptionSchema, Out extends Decomposition = Decomposition>
  extends Method<S, DecomposeInput, Out> {
  /** The plan for some of its options, before they are checked; bones 0: the number is not known. */
  planFor(given: Values, goal: Pick<ErrorGoal, 'kind'> | undefined, size: InputSize): SolvePlan;
  /** Settles the options, plans and solves. */
  run(run: SolveRun, input: DecomposeInput, given: Values): Promise<Out>;
}

/** The vertices and frames of an input, its noise, and what of it is kept. */
export function sizeOf({ frames, given, deviation }: DecomposeInput): InputSize {
  const [vertices, times] =
    frames.kind === 'clip'
      ? [frames.mesh.positions.length / 3, frames.times]
      : [frames.pointOfVertex.length, frames.source.times];
  const keeps = given && (given.motion ? 'skeleton' : 'weights');
  return { vertexCount: vertices, frameCount: times.length, noise: deviation, keeps };
}

/** Completes the description of a decomposition. */
export function defineDecomposeMethod<S extends OptionSchema, Out extends Decomposition>(
  method: Method<S, DecomposeInput, Out>,
): DecomposeMethod<S, Out> {
  const fill = (given: Values) => fillDefaults(method.options, given as Partial<OptionsOf<S>>);
  return {
    ...method,
    planFor: (given, goal, size) => method.plan(fill(given), goal, size),
    async run(run, input, given) {
      const options = fill(given);
      method.check?.(options);
      if (input.frames.kind === 'clip') checkRange(input.frames);
      const { solve } = await method.load();
      return solve(run, input, options, method.plan(options, input.goal, sizeOf(input)));
    },
  };
}
