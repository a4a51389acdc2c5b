// SPDX-License-Identifier: MIT
import { plainText } from './plain-text.ts';

/** The codes of a FormatError. Published codes keep their meaning. */
export const FORMAT_ERROR_CODES = [
  /** The file is empty, or has nothing usable (no mesh, no triangle, no frame). */
  'empty',
  /** The file is shorter than its header declares. */
  'truncated',
  /** The first bytes do not match the format. */
  'magic',
  /** The version of the format is not supported. */
  'version',
  /** Text or JSON that does not parse, or a field of the wrong type. */
  'syntax',
  /** A count, length, offset or stride that contradicts the data. */
  'length',
  /** A size beyond the limits of the reader or of memory. */
  'limit',
  /** An index out of range. */
  'index',
  /** A number that is not finite or out of range. */
  'value',
  /** Nodes in a cycle, or with two parents. */
  'hierarchy',
  /** Two counts that must be equal are not. */
  'mismatch',
  /** A URI outside the file's folder, or on the network. */
  'uri',
  /** A buffer, image or companion file that is missing. */
  'resource',
  /** A feature or extension that is not supported. */
  'unsupported',
] as const;

/** What is wrong with a file, for programs; the message is for people. */
export type FormatErrorCode = (typeof FORMAT_ERROR_CODES)[number];

/**
 * An error that a user can act on. `fault` is one sentence; `subject` is what it is about: a method, an argument or a file. The message
 * joins both. Callers that know a better subject (the file that the data came from) can use it with the same fault.
 */
export class SubjectError extends Error {
  /** The method, argument or file at fault; '' if unknown. */
  readonly subject: string;
  /** The sentence without the subject. */
  readonly fault: string;

  /** @param options the cause, as for Error */
  constructor(subject: string, fault: string, options?: ErrorOptions) {
    super(subject === '' ? fault : `${subject}: ${fault}`, options);
    this.name = new.target.name;
    this.subject = subject;
    this.fault = fault;
  }
}

/** Unusable data: a mesh without triangles, weights of another mesh, content that a format cannot store. */
export class InputError extends SubjectError {}

/** Options that contradict one another or are out of range. */
export class UsageError extends SubjectError {}

/**
 * A file that cannot be read. Readers of single files leave the subject empty; readAsset sets it to the name of the file. Control characters in
 * the fault are replaced, because it may quote names from the file.
 * @example
 * ```ts
 * import { FormatError, readAsset } from 'ossify';
 *
 * try {
 *   await readAsset(files);
 * } catch (error) {
 *   if (error instanceof FormatError) console.error(error.format, error.code, error.byteOffset, error.message);
 *   else throw error;
 * }
 * ```
 */
export class FormatError extends InputError {
  /** Short name of the format: gltf, obj, pc2, mdd. */
  readonly format: string;
  /** What is wrong. */
  readonly code: FormatErrorCode;
  /** Position in the file, if known. */
  readonly byteOffset?: number;

  /**
   * @param subject name of the file; '' if unknown
   * @param options its cause is the unexpected error that this one stands for
   */
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

  /** Returns the same error with the name of a file as its subject. An error that has a subject is returned unchanged. */
  withSubject(subject: string): FormatError {
    if (this.subject !== '') return this;
    const options = this.cause === undefined ? undefined : { cause: this.cause };
    return new FormatError(this.format, this.code, this.fault, this.byteOffset, subject, options);
  }
}

/** The end of a stopped job that has no result. Its message is for people; other AbortErrors have the text of the platform. */
export class InterruptedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AbortError';
  }
}

/** The sentence of an error without its subject. */
export function faultOf(error: unknown): string {
  if (error instanceof SubjectError) return error.fault;
  return error instanceof Error ? error.message : String(error);
}
