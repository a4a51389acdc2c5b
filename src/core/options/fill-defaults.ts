// SPDX-License-Identifier: MIT
import { dropUndefined } from '../model/drop-undefined.ts';
import type { Option, OptionSchema, OptionsOf } from './option.ts';

/** The defaults of a schema, of the options that have one. */
export type DefaultsOf<S extends OptionSchema> = {
  readonly [K in keyof S as S[K] extends Option<unknown, infer D>
    ? D extends true
      ? K
      : never
    : never]: OptionsOf<S>[K];
};

/** The defaults of a schema. */
export function defaultsOf<S extends OptionSchema>(schema: S): DefaultsOf<S> {
  const given = Object.entries(schema).filter(([, { hasDefault }]) => hasDefault);
  return Object.fromEntries(given.map(([key, one]) => [key, one.default])) as DefaultsOf<S>;
}

/** The options of a function call, with the defaults of their schema. Options that are given as undefined have their default. Other keys are left out. */
export function fillDefaults<S extends OptionSchema>(schema: S, options: Partial<OptionsOf<S>>): OptionsOf<S> {
  const given = Object.entries(dropUndefined(options)).filter(([key]) => Object.hasOwn(schema, key));
  const filled: object = { ...defaultsOf(schema), ...Object.fromEntries(given) };
  return filled as OptionsOf<S>;
}
