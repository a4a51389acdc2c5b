// SPDX-License-Identifier: MIT
// The options of all decompositions as options of the job. Which method has which option, and its default, follows from the table of methods.

import { choice, type Json, type Option, type OptionType, option, type Values } from '../../core/options/option.ts';
import {
  DECOMPOSE_METHOD_NAMES,
  type DecomposeMethodName,
  listMethodsWith,
  type MethodValues,
  MODEL_KEYS,
  methodOptionsOf,
  SOLVER_KEYS,
} from '../../methods/decompose/index.ts';

/** The method that is used if none is given. */
export const DEFAULT_METHOD: DecomposeMethodName = 'ssdr';

/** Options of methods that the job does not have here: the seed is one of all jobs, the effort is one of the library. */
const LEFT_OUT = ['seed', 'effort'] as const;

/** Values of the options of methods that the job has. */
type JobMethodValues = Omit<MethodValues, (typeof LEFT_OUT)[number]>;

/** All of them are optional: a default depends on the method. */
export type MethodOptions = {
  [K in keyof JobMethodValues]: Option<Exclude<JobMethodValues[K], undefined>, false>;
};

const nameIn = (values: Values) => (values.method ?? DEFAULT_METHOD) as DecomposeMethodName;

/** The options of all methods: those of the model first, then those of one method only, then those of the solver. */
export function mergeMethodOptions(): MethodOptions {
  const all = new Set(DECOMPOSE_METHOD_NAMES.flatMap((name) => Object.keys(methodOptionsOf(name))));
  const shared: readonly string[] = [...MODEL_KEYS, ...SOLVER_KEYS, ...LEFT_OUT];
  const own = [...all].filter((key) => !shared.includes(key));
  const keys = [...MODEL_KEYS, ...own, ...SOLVER_KEYS].filter((key) => all.has(key));
  return Object.fromEntries(keys.map((key) => [key, mergeOption(key)])) as MethodOptions;
}

/** An option of some methods: the help lists them and their defaults. */
function mergeOption(key: string): Option<unknown, false> {
  const owners = listMethodsWith(key);
  const options = owners.map((name) => methodOptionsOf(name)[key]);
  const [{ help, group, form }] = options;
  return option(mergeTypes(options.map(({ type }) => type)), describe(help, owners, options.map(defaultInWords)), {
    ...(group ? { group } : {}),
    ...(form ? { form } : {}),
    // a choice of one is none
    isFor: (values) => {
      const one: Option | undefined = methodOptionsOf(nameIn(values))[key];
      return one !== undefined && one.type.choices?.length !== 1;
    },
    defaultFor: (values) => {
      const one: Option | undefined = methodOptionsOf(nameIn(values))[key];
      return (one?.default ?? one?.defaultFor?.(values)) as Json | undefined;
    },
  });
}

/** The choices of all methods, or the type itself. */
function mergeTypes(types: readonly OptionType<unknown>[]): OptionType<unknown> {
  const choices = new Set(types.flatMap((type) => type.choices ?? []));
  return choices.size > 0 ? choice([...choices], types[0].placeholder) : types[0];
}

function defaultInWords({ default: value, defaultText, defaultFor }: Option): string | undefined {
  const usual = value ?? defaultFor?.({});
  return defaultText ?? (usual === undefined ? undefined : String(usual));
}

/** `help (ssdr, fsd; default: ssdr 30, fsd 100)`. A help that states the default is complete. */
function describe(help: string, owners: readonly string[], texts: readonly (string | undefined)[]): string {
  if (help.includes('(default: ') || texts.every((text) => text === undefined)) return help;
  const isSame = texts.every((text) => text === texts[0]);
  const fallback = isSame ? texts[0] : owners.map((name, n) => `${name} ${texts[n]}`).join(', ');
  const only = owners.length < DECOMPOSE_METHOD_NAMES.length ? `${owners.join(', ')}; ` : '';
  return `${help} (${only}default: ${fallback})`;
}
