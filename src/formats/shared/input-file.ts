// SPDX-License-Identifier: MIT
import { FormatError } from '../../core/model/errors.ts';

/** A file by name, as readers get it: no reader touches the disk. */
export interface InputFile {
  name: string;
  bytes: Uint8Array;
}

/** A file that is read in ranges, since it may be larger than the memory. */
export interface RangeFile {
  name: string;
  byteLength: number;
  /** Fills bytes from an offset of the file. */
  readInto(bytes: Uint8Array, offset: number): Promise<void>;
}

/** The same error with a file as its subject. */
export function withName(name: string, error: unknown): unknown {
  return error instanceof FormatError ? error.withSubject(name) : error;
}

/** Calls a reader; its errors have the file as their subject. */
export async function readNamed<T>(file: InputFile, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw withName(file.name, error);
  }
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.replace(/^.*[/\\](?=.)/, '');
}

/** The last part of a path without its extension. */
export function plainName(path: string): string {
  return baseName(path).replace(/(.)\.[^.]*$/, '$1');
}
