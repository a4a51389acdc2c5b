// SPDX-License-Identifier: MIT
// Options of jobs: one description serves the command line, the studio, job files and the report.
import type { UpAxis } from '../model/asset.ts';
import type { FrameRange } from '../model/clip/select-frames.ts';
import { UsageError } from '../model/errors.ts';
import { METRES, parseLength } from './length.ts';
import { parseFrames } from './parse-frames.ts';

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/** The text form of a value, and its parser. */
export interface OptionType<T> {
  /** Placeholder of the value in help: '<n>'. Empty for a switch; in square brackets if the value is optional. */
  placeholder: string;
  /** Parses the text of a value. Throws a UsageError that describes valid values. */
  parse(text: string): T;
  /** The possible values, if there are few. */
  choices?: readonly string[];
  /** Whether the value names a file that the job reads, one that it writes, or a folder of files that inputs may refer to. Only such files can be opened (list-files.ts). */
  names?: 'input' | 'output' | 'folder';
  /** Whether a value is no file but a word or a number, such as auto. Default: every value is a file. */
  isWord?(value: string): boolean;
  /** Whether jobs and reports keep the text ('1mm', '10:50') instead of the parsed value. */
  isText?: boolean;
  /** Whether the text is a length, which may be in millimetres. */
  isLength?: boolean;
}

/** How the studio shows an option. Options without a form are not offered there. */
export interface OptionForm {
  label: string;
  /** Description in the studio. Default: the help. */
  note?: string;
  /** Range and step of a slider. */
  range?: readonly [min: number, max: number, step: number];
  isLog?: boolean;
  /** Shown only under "more options". */
  isFine?: boolean;
  /** Labels of choices by value; choices without a label are not offered. */
  labels?: Readonly<Record<string, string>>;
}

/** Values of options by key, before they are checked. */
export type Values = Readonly<Record<string, unknown>>;

interface OptionDetails {
  /** Heading in the help. */
  group: string;
  /** Text about the default in help, if it is not a plain value. */
  defaultText: string;
  /** Keys of options that cannot be given with it. */
  conflicts: readonly string[];
  /** Whether it has an effect with the other options. Default: always. */
  isFor(values: Values): boolean;
  /** The default, if it depends on the other options. */
  defaultFor(values: Values): Json | undefined;
  form: OptionForm;
}

/** One option: its type, help and default. */
export interface Option<T = unknown, HasDefault extends boolean = boolean> extends Partial<OptionDetails> {
  type: OptionType<T>;
  /** A noun phrase or an imperative, with unit and effect. */
  help: string;
  default?: T;
  hasDefault: HasDefault;
}

/** Options of a job by key. */
export type OptionSchema = Readonly<Record<string, Option>>;

/** The values of a schema: optional unless there is a default. */
export type OptionsOf<S extends OptionSchema> = {
  [K in keyof S]: S[K] extends Option<infer T, infer D> ? (D extends true ? T : T | undefined) : never;
};

/** Describes an option. */
export function option<T>(
  type: OptionType<T>,
  help: string,
  details: Partial<OptionDetails> & { default: NoInfer<T> },
): Option<T, true>;
export function option<T>(type: OptionType<T>, help: string, details?: Partial<OptionDetails>): Option<T, false>;
export function option<T>(
  type: OptionType<T>,
  help: string,
  details: Partial<OptionDetails> & { default?: T } = {},
): Option<T> {
  return { type, help, hasDefault: details.default !== undefined, ...details };
}

/** Puts options under one heading. */
export function group<S extends OptionSchema>(heading: string, schema: S): S {
  return Object.fromEntries(Object.entries(schema).map(([key, one]) => [key, { group: heading, ...one }])) as S;
}

/** The same options, not offered in the studio. */
export function withoutForms<S extends OptionSchema>(schema: S): S {
  return Object.fromEntries(Object.entries(schema).map(([key, { form: _form, ...one }]) => [key, one])) as unknown as S;
}

/** The flag of an option: maxError is --max-error. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

const refuse = (fault: string): never => {
  throw new UsageError('', fault);
};

/** A whole number in a range. */
export function count(min: number, max = Number.MAX_SAFE_INTEGER, placeholder = '<n>'): OptionType<number> {
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
  return {
    placeholder,
    parse(text) {
      const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : refuse(`Give a whole number, ${range}.`);
    },
  };
}

/** A finite number that a rule accepts. */
export function numberThat(isGood: (value: number) => boolean, rule: string, placeholder: string): OptionType<number> {
  return {
    placeholder,
    parse(text) {
      const value = text.trim() === '' ? Number.NaN : Number(text);
      return Number.isFinite(value) && isGood(value) ? value : refuse(`Give ${rule}.`);
    },
  };
}

export const positive = (placeholder = '<x>') => numberThat((x) => x > 0, 'a number above zero', placeholder);
export const notNegative = (placeholder = '<x>') => numberThat((x) => x >= 0, 'a number, zero or above', placeholder);
export const ratio = (placeholder = '<ratio>') =>
  numberThat((x) => x >= 0 && x < 1, 'a number from zero to below one', placeholder);
export const numberFrom = (min: number, max: number, placeholder = '<x>') =>
  numberThat((x) => x >= min && x <= max, `a number from ${min} to ${max}`, placeholder);

/** One of a few words. */
export function choice<const T extends string>(choices: readonly T[], placeholder = '<name>'): OptionType<T> {
  return {
    placeholder,
    choices,
    parse: (text) => choices.find((one) => one === text) ?? refuse(`Allowed choices are ${choices.join(', ')}.`),
  };
}

/** A switch: true if it is given. */
export const flag: OptionType<boolean> = {
  placeholder: '',
  parse: (text) => (text === 'true' || text === 'false' ? text === 'true' : refuse('Give true or false.')),
};

export const text = (placeholder: string): OptionType<string> => ({ placeholder, parse: (value) => value });
/** A file that is read. */
export const file: OptionType<string> = { ...text('<file>'), names: 'input' };
/** A file that is read, or a word or a number that isWord accepts. */
export const fileOrWord = (isWord: (value: string) => boolean, placeholder = '<file>'): OptionType<string> => ({
  ...text(placeholder),
  names: 'input',
  isWord,
});
/** A folder of files that inputs may refer to. */
export const folder: OptionType<string> = { ...text('<folder>'), names: 'folder' };
/** A file that is written besides the output. */
export const outputFile: OptionType<string> = { ...text('<file>'), names: 'output' };

/** A length: 0.02, 1mm, 0.5%. */
export const length: OptionType<string> = {
  placeholder: '<length>',
  isText: true,
  isLength: true,
  parse(value) {
    parseLength(value);
    return value;
  },
};

/** A type with an optional value; true if it is left out. */
export function optional<T>(type: OptionType<T>): OptionType<T | true> {
  return {
    ...type,
    placeholder: type.placeholder.replace('<', '[').replace('>', ']'),
    parse: (value) => (value === 'true' ? true : type.parse(value)),
  };
}

/** A word, or a value of another type. */
export function orWord<const W extends string, T>(words: readonly W[], type: OptionType<T>): OptionType<W | T> {
  const isOneOf = (value: string) => words.some((one) => one === value.trim());
  return {
    ...type,
    ...(type.names ? { isWord: (value) => isOneOf(value) || type.isWord?.(value) === true } : {}),
    parse: (value) => {
      const word = words.find((one) => one === value.trim());
      if (word !== undefined) return word;
      try {
        return type.parse(value);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        return refuse(error.fault.replace(/\.$/, `, or ${words.join(', ')}.`));
      }
    },
  };
}

/** Several values of a type, separated by commas. */
export function list<T>(type: OptionType<T>, placeholder: string): OptionType<T[]> {
  return {
    placeholder,
    parse: (value) => (value.trim() === '' ? [] : value.split(',').map((one) => type.parse(one.trim()))),
  };
}

export const frameRange: OptionType<FrameRange> = { placeholder: '<range>', isText: true, parse: parseFrames };

/** Metres per file unit: the name of a unit, or a number. */
export const unit: OptionType<number> = {
  placeholder: '<unit>',
  parse(value) {
    const known = METRES[value.trim().toLowerCase()] ?? (value.trim() === '' ? Number.NaN : Number(value));
    if (known > 0 && Number.isFinite(known)) return known;
    return refuse(`Give ${Object.keys(METRES).join(', ')}, or the metres in one file unit.`);
  },
};

export const axis: OptionType<UpAxis> = {
  placeholder: '<axis>',
  parse: (value) =>
    (['x', 'y', 'z'] as const).find((one) => one === value.trim().toLowerCase()) ?? refuse('Give x, y or z.'),
};
