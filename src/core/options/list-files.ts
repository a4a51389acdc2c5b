// SPDX-License-Identifier: MIT
// The files that options name. Everything that opens, hashes, moves or refuses files of options uses this list, so that an option is handled by its type alone.
import type { OptionSchema, OptionType, Values } from './option.ts';

/** A file that an option names. */
export interface NamedFile {
  /** Key of the option. */
  key: string;
  path: string;
  /** Whether the job reads the file, writes it, or may read files in it. */
  use: 'input' | 'output' | 'folder';
}

/** The file that a value of an option names, as settleOptions parses it; undefined if it names none. */
export function fileOf({ names, isWord }: OptionType<unknown>, value: unknown): string | undefined {
  if (names === undefined || value === undefined || value === null || typeof value === 'boolean') return undefined;
  const path = Array.isArray(value) ? value.join(',') : String(value);
  return path === '' || isWord?.(path) ? undefined : path;
}

/** The files that values name, before or after they are checked. */
export function listFiles(schema: OptionSchema, values: Values): NamedFile[] {
  return Object.entries(values).flatMap(([key, value]) => nameFile(schema, key, value) ?? []);
}

/** The values with other names of files. */
export function mapFiles<T>(
  schema: OptionSchema,
  values: Readonly<Record<string, T>>,
  map: (file: NamedFile) => string,
): Record<string, T | string> {
  const settle = ([key, value]: [string, T]): [string, T | string] => {
    const file = nameFile(schema, key, value);
    return [key, file ? map(file) : value];
  };
  return Object.fromEntries(Object.entries(values).map(settle));
}

function nameFile(schema: OptionSchema, key: string, value: unknown): NamedFile | undefined {
  if (!Object.hasOwn(schema, key)) return undefined;
  const { type } = schema[key];
  const path = fileOf(type, value);
  return path === undefined || type.names === undefined ? undefined : { key, path, use: type.names };
}
