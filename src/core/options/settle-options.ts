// SPDX-License-Identifier: MIT

import { faultOf, UsageError } from '../model/errors.ts';
import { flagOf, type Json, type Option, type OptionSchema, type OptionsOf } from './option.ts';

export interface SettledOptions<S extends OptionSchema = OptionSchema> {
  /** Parsed values, including defaults. */
  values: OptionsOf<S>;
  /** Values as JSON, including defaults, for reports and hashing. */
  json: Record<string, Json | undefined>;
}

/** Checks the options of a job and merges the defaults. Jobs may come from untrusted files: every fault is a UsageError. */
export function settleOptions<S extends OptionSchema>(
  spec: { name: string; options: S },
  job: { readonly options?: Readonly<Record<string, Json | undefined>> },
): SettledOptions<S> {
  const given = Object.entries(job.options ?? {}).filter(([, value]) => value !== undefined && value !== null);
  for (const [key] of given)
    if (!Object.hasOwn(spec.options, key)) throw new UsageError(spec.name, `there is no option "${key}"`);
  const raw = Object.fromEntries(given) as Record<string, Json>;
  const values: Record<string, unknown> = {};
  const json: Record<string, Json | undefined> = {};
  for (const [key, one] of Object.entries(spec.options)) {
    if (Object.hasOwn(raw, key)) {
      values[key] = parseJson(key, one, raw[key]);
      json[key] = one.type.isText ? raw[key] : (values[key] as Json);
    } else if (one.default !== undefined) {
      values[key] = one.default;
      json[key] = one.default as Json;
    }
  }
  for (const [key, { conflicts = [] }] of Object.entries(spec.options)) {
    const other = conflicts.find((name) => isOn(values[key]) && isOn(raw[name]));
    if (other !== undefined && Object.hasOwn(raw, key))
      throw new UsageError(flagOf(key), `cannot be used with ${flagOf(other)}`);
  }
  for (const [key, { defaultFor }] of Object.entries(spec.options))
    if (values[key] === undefined && defaultFor) json[key] = defaultFor(values);
  return { values: values as OptionsOf<S>, json };
}

const isOn = (value: unknown): boolean => value !== undefined && value !== false;

function parseJson(key: string, { type }: Option, value: Json): unknown {
  const text = Array.isArray(value) ? value.join(',') : String(value);
  if (typeof value === 'object' && !Array.isArray(value))
    throw new UsageError(flagOf(key), 'has an object as its value');
  try {
    return type.parse(text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(flagOf(key), `the value "${text}" is invalid. ${faultOf(error)}`, { cause: error });
  }
}
