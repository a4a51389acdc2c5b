// SPDX-License-Identifier: MIT
import { plainText } from './plain-text.ts';

/** The closed list of faults a reader can name. Values, once published, keep their meaning. */
export const FORMAT_ERROR_CODES = [
  /** Nothing in the file, or nothing this project can use (no mesh, no triangle, no frame). */
  'empty',
  /** The file ends before what it announces. */
  'truncated',
  /** The first bytes are not those of the format. */
  'magic',
  /** A version of the format that is not read. */
  'version',
  /** Text or JSON that does not parse, or a field of the wrong type. */
  'syntax',
  /** A count, length, offset or stride that contradicts the data. */
  'length',
  /** More than the file could mean, or than can be held. */
  'limit',
  /** An index that names something that is not there. */
  'index',
  /** A number that is not finite, or out of its range. */
  'value',
  /** Nodes in a cycle, or with two parents. */
  'hierarchy',
  /** Two things that must agree in number do not. */
  'mismatch',
  /** A URI that leads out of the file's folder, or to the network. */
  'uri',
  /** A buffer, image or companion file that could not be had. */
  'resource',
  /** A feature or extension that is not read. */
  'unsupported',
] as const;

export type FormatErrorCode = (typeof FORMAT_ERROR_CODES)[number];

/**
 * A fault that a user can act on. `fault` is one sentence; `subject` is what it is about: a method, an argument or a file. The message
 * joins both, so that callers who know a better name for the subject (the file that it came from) can put that before the fault.
 */
export class SubjectError extends Error {
  readonly subject: string;
  readonly fault: string;

  constructor(subject: string, fault: string, options?: ErrorOptions) {
    super(subject === '' ? fault : `${subject}: ${fault}`, options);
    this.name = new.target.name;
    this.subject = subject;
    this.fault = fault;
  }
}

/** Data that cannot be used: a mesh without triangles, weights that do not fit, a file that cannot be written. */
export class InputError extends SubjectError {}

/** Options that contradict one another or are out of range. */
export class UsageError extends SubjectError {}

/**
 * A file that cannot be read. Its subject is the file's name once a reader of several files has put it there (withSubject). Control characters
 * in the fault are replaced, since it may quote names of the file.
 */
export class FormatError extends InputError {
  /** Short name of the format: gltf, obj, pc2, mdd. */
  readonly format: string;
  readonly code: FormatErrorCode;
  /** Where in the file, where that is known. */
  readonly byteOffset?: number;

  /** @param options.cause the error that a reader did not expect, where this one stands for it */
  constructor(
    format: string,
    code: FormatErrorCode,
    fault: string,
    byteOffset?: number,
    subject = '',
    options?: ErrorOptions,
  ) {
    super(subject, plainText(fault), options);
    this.format = format;
    this.code = code;
    if (byteOffset !== undefined) this.byteOffset = byteOffset;
  }

  /** The same fault, said of a file. One that has a subject keeps it. */
  withSubject(subject: string): FormatError {
    if (this.subject !== '') return this;
    const options = this.cause === undefined ? undefined : { cause: this.cause };
    return new FormatError(this.format, this.code, this.fault, this.byteOffset, subject, options);
  }
}

/** The sentence of an error without its subject. */
export function faultOf(error: unknown): string {
  if (error instanceof SubjectError) return error.fault;
  return error instanceof Error ? error.message : String(error);
}
