// SPDX-License-Identifier: MIT
// Makes forms of jobs, in the worker. The page shows fields and does not know the options.
import { type AssetFacts, findJob, JOBS, type Json, type Option, type Report } from '../../../src/entry/index.ts';
import type { FieldView, JobView } from '../messages/protocol.ts';

export { findJob } from '../../../src/entry/index.ts';

/** The jobs that the page offers, with the reason if a file cannot be the input. */
export function listJobViews(facts: AssetFacts | undefined): JobView[] {
  return JOBS.flatMap(({ name, title, description, refuses }) =>
    refuses ? [{ name, title, description, fault: facts ? refuses(facts) : 'Open a file first.' }] : [],
  );
}

/** The fields of a job for the current values. */
export function listFields(job: string, values: Readonly<Record<string, Json>>): FieldView[] {
  return Object.entries(findJob(job).options).flatMap(([key, option]) =>
    option.form ? [makeFieldView(key, option, values)] : [],
  );
}

function makeFieldView(key: string, option: Option, values: Readonly<Record<string, Json>>): FieldView {
  const { type, form, help, isFor, defaultFor } = option;
  const { label, note = `${help[0].toUpperCase()}${help.slice(1)}.`, range, isLog, isFine, labels } = form!;
  const common = { key, label, note, isFine: isFine === true, isShown: isFor?.(values) !== false };
  const value = (option.default ?? defaultFor?.(values)) as Json | undefined;
  if (type.placeholder === '') return { ...common, kind: 'switch', value: value === true };
  if (labels) {
    const choices = Object.entries(labels).map(([one, text]) => ({ value: one, label: text }));
    return { ...common, kind: 'choice', value: value === undefined ? choices[0].value : String(value), choices };
  }
  if (type.placeholder === '<length>') return { ...common, kind: 'length', value: 0 };
  const [min, max, step] = range ?? [0, 2 ** 32 - 1, 1];
  return { ...common, kind: 'number', value: Number(value ?? 0), min, max, step, isLog: isLog === true };
}

/** The value of a field that was not changed; undefined if the form does not have it. */
export function defaultOf(job: string, key: string): Json | undefined {
  return listFields(job, {}).find((field) => field.key === key)?.value;
}

/**
 * The options of a job for the values of its fields, without defaults. An option without a default is left out if it is zero.
 * Throws for options that the job does not have: those of a link may be misspelled.
 */
export function listOptions(job: string, values: Readonly<Record<string, Json>>): Record<string, Json> {
  const known = findJob(job).options;
  for (const key of Object.keys(values)) if (!(key in known)) throw new Error(`${job} has no option "${key}"`);
  const fields = listFields(job, values).filter(({ isShown }) => isShown);
  const isGiven = ({ key, value }: FieldView) => values[key] !== undefined && values[key] !== value;
  return Object.fromEntries(fields.filter(isGiven).map(({ key }) => [key, values[key]]));
}

/** The name of a result. Levels of detail are told apart by their triangles. */
export function titleOfResult(
  job: string,
  values: Record<string, Json>,
  report: Report | undefined,
  n: number,
): string {
  const levels = report?.result.levels as { triangles: number }[] | undefined;
  if (levels?.[n]) return `Level ${n + 1}, ${levels[n].triangles.toLocaleString('en')} triangles`;
  return findJob(job).titleOf?.(values, report?.result) ?? job;
}
