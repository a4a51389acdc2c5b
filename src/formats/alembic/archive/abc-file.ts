// SPDX-License-Identifier: MIT
import { FormatError, type FormatErrorCode } from '../../../core/model/errors.ts';

/** The bytes of an Alembic file, in either container. */
export class AbcFile {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Work that may still be done, about a byte read each: a small file whose blocks are used again and again could otherwise take hours. */
  #budget: number;

  /** @param least work that even the smallest file may cause */
  constructor(bytes: Uint8Array, least: number) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#budget = 32 * bytes.length + least;
  }

  /** Counts work against the limit of the file. */
  spend(byteCount: number): void {
    this.#budget -= byteCount;
    if (this.#budget < 0)
      throw this.fault(
        'limit',
        'its objects use the same data so often that reading them would take too much time and memory',
        undefined,
      );
  }

  /** UTF-8 text. Control characters become spaces, since names go into messages and other files. */
  text(start: number, end: number): string {
    return decodeAbcText(this.bytes.subarray(start, end));
  }

  fault(code: FormatErrorCode, message: string, byteOffset?: number): FormatError {
    return new FormatError('abc', code, message, byteOffset);
  }
}

/** UTF-8 text with spaces for control characters. */
export function decodeAbcText(bytes: Uint8Array): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return new TextDecoder().decode(bytes.slice()).replace(/[\u0000-\u001f\u007f]/g, ' ');
}
