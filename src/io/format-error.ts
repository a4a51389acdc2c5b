// SPDX-License-Identifier: MIT

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

/** A file that cannot be read. The message is one sentence without the file's name, which the caller puts before it. */
export class FormatError extends Error {
  /** Short name of the format: gltf, obj, pc2, mdd. */
  readonly format: string;
  readonly code: FormatErrorCode;
  /** Where in the file, where that is known. */
  readonly byteOffset?: number;

  constructor(format: string, code: FormatErrorCode, message: string, byteOffset?: number) {
    super(message);
    this.name = 'FormatError';
    this.format = format;
    this.code = code;
    if (byteOffset !== undefined) this.byteOffset = byteOffset;
  }
}
