// SPDX-License-Identifier: MIT
import type { Json } from './option.ts';
import { settleOptions } from './settle-options.ts';
import { checkPath, type OptionsOfSteps, type Path, type Step, schemaOf } from './step.ts';

/**
 * The options of one path of a job, with the defaults of its steps: an option may have another default in another path. Throws a UsageError for a
 * given option that no step of the path has.
 */
export function settlePath<Steps extends readonly Step[]>(
  path: Path<Steps>,
  { command, options = {} }: { command: string; options?: Readonly<Record<string, Json | undefined>> },
): OptionsOfSteps<Steps> {
  checkPath(path, options);
  const schema = schemaOf(path.steps as readonly Step[]);
  const given = Object.entries(options).filter(([key]) => Object.hasOwn(schema, key));
  const { values } = settleOptions({ name: command, options: schema }, { options: Object.fromEntries(given) });
  return values as OptionsOfSteps<Steps>;
}
