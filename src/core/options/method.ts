// SPDX-License-Identifier: MIT
// What a method states about itself, and the parts that jobs compose. A method is a folder of src/methods: options.ts has its schema, index.ts this
// description, and solve.ts the algorithm, which is loaded when it is needed. Whatever the description says is said nowhere else.
import type { Compute } from '../kernels/compute.ts';
import type { ErrorGoal } from '../progress/error-goal.ts';
import type { ProgressInfo } from '../progress/solve-monitor.ts';
import type { OptionSchema, OptionsOf } from './option.ts';

/** What a method can be combined with. Jobs refuse everything else before they read a file. */
export interface Capabilities {
  /** Errors for which it finds the number of bones itself; empty: the number is an option. */
  readonly goals: readonly ErrorGoal['kind'][];
  /** Parts that it keeps while it solves the rest. */
  readonly keeps: readonly ('skeleton' | 'weights')[];
  /** Whether it corrects the rest shape of noisy clips while it solves. */
  readonly noise: boolean;
  /** Whether its result can have corrective shapes. */
  readonly corrections: boolean;
}

/** The size of an input, known before its frames are read or made. */
export interface InputSize {
  /** Vertices of the file. */
  readonly vertexCount: number;
  /** Frames that are used. */
  readonly frameCount: number;
  /** Standard deviation of the noise, file units, as far as it is known: 0 or absent if there is none. */
  readonly noise?: number;
  /** The part that is given and kept. */
  readonly keeps?: 'skeleton' | 'weights';
}

/** How an input will be solved. It is made once; reading, the check of memory and the solver follow it. */
export interface SolvePlan {
  /** whole: all frames at once. blocks: a sample of the points, then all of them in blocks. */
  readonly strategy: 'whole' | 'blocks';
  /** Whether the frames may stay on disk. */
  readonly reads: 'clip' | 'stream';
  /** Peak memory besides the input, bytes. */
  readonly bytes: number;
}

/** The threads, the stop signal and the progress of a solve. */
export interface SolveRun {
  readonly compute: Compute;
  readonly signal?: AbortSignal;
  onProgress?(info: ProgressInfo): void;
}

/** A solver with all of its options. `plan` is the one that the method made for this input. */
export type Solve<S extends OptionSchema, In, Out> = (
  run: SolveRun,
  input: In,
  options: OptionsOf<S>,
  plan: SolvePlan,
) => Promise<Out>;

/** A method: what the index of its folder exports. Importing it loads no solver. */
export interface Method<S extends OptionSchema, In, Out> {
  readonly name: string;
  /** A few words for help, studio and documentation. */
  readonly summary: string;
  readonly options: S;
  readonly capabilities: Capabilities;
  /** Throws a UsageError where its options contradict one another. No other file has these rules. */
  check?(options: OptionsOf<S>): void;
  /** How an input of this size is solved for a goal, or for a number of bones if there is none. The limit of the goal may not be known yet. */
  plan(options: OptionsOf<S>, goal: Pick<ErrorGoal, 'kind'> | undefined, size: InputSize): SolvePlan;
  load(): Promise<{ solve: Solve<S, In, Out> }>;
}

/**
 * Does not compile while options are left in `_rest`: a solver takes its options apart and passes what remains, so that an option that it does not
 * read is found by the compiler.
 */
export const allRead = <T extends object>(_rest: T & Record<keyof T, never>): void => {};
