// SPDX-License-Identifier: MIT
// A step is a part of jobs with options of its own, such as the noise of clips or the storage of files. A job is a table of paths, and a path is a list
// of steps: a given option that belongs to no step of the path is refused before anything is solved.
import { UsageError } from '../model/errors.ts';
import { flagOf, type OptionSchema, type OptionsOf } from './option.ts';

/** A part of jobs: its options, and the rules between them. */
export interface Step<S extends OptionSchema = OptionSchema> {
  readonly name: string;
  readonly options: S;
  /** Throws a UsageError where its options contradict one another. No other file has these rules. */
  check?(options: OptionsOf<S>): void;
}

type Intersection<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never;

/** The options of several steps. */
export type OptionsOfSteps<Steps extends readonly Step[]> = Intersection<OptionsOf<Steps[number]['options']>>;

/** Returns the step unchanged; infers the types of its options. */
export function defineStep<S extends OptionSchema>(step: Step<S>): Step<S> {
  return step;
}

/** The schema of several steps. */
export type SchemaOfSteps<Steps extends readonly Step[]> = Intersection<Steps[number]['options']>;

/** The schema of a job: the options of its steps, in the order of the help. */
export function schemaOf<const Steps extends readonly Step[]>(steps: Steps): SchemaOfSteps<Steps> {
  const schema: Record<string, OptionSchema[string]> = {};
  for (const { name, options } of steps)
    for (const [key, one] of Object.entries(options)) {
      if (Object.hasOwn(schema, key)) throw new Error(`two steps have the option ${key}, the second is ${name}`);
      schema[key] = one;
    }
  return schema as SchemaOfSteps<Steps>;
}

/** One way through a job. */
export interface Path<Steps extends readonly Step[] = readonly Step[]> {
  /** What takes it, as in messages: 'morph targets', 'a streamed point cache'. */
  readonly of: string;
  readonly steps: Steps;
  /** By key of an option that the path lacks: the fault and the remedy, if there is more to say than that it has no effect. */
  readonly faults?: Readonly<Record<string, string>>;
}

/**
 * Throws a UsageError for the first given option that no step of the path has.
 * @param given options of the job as they were given
 */
export function checkPath({ of, steps, faults = {} }: Path, given: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(given)) {
    const isOff = value === undefined || value === null || value === false;
    if (isOff || steps.some(({ options }) => Object.hasOwn(options, key))) continue;
    throw new UsageError(flagOf(key), faults[key] ?? `has no effect on ${of}; remove it`);
  }
}
