// SPDX-License-Identifier: MIT
import { fail } from './json-fields.ts';

/**
 * Maximum decoded size: a constant, plus a multiple of the stored size. Compressed views, sparse accessors and shared rows grow tenfold or more
 * in real files; a file of a hundred bytes with four billion vertices is rejected.
 */
const DECODED_BASE = 16 * 2 ** 20;
const DECODED_RATIO = 64;

/** Throws if decoded data needs more memory than 16 MB plus 64 times its stored size. */
export function checkDecodedBytes(decodedBytes: number, storedBytes: number): void {
  if (!(decodedBytes <= DECODED_BASE + DECODED_RATIO * storedBytes))
    fail(
      'limit',
      `the file has ${storedBytes} bytes but claims data of ${decodedBytes} bytes; its counts cannot be true`,
    );
}

/** Counts bytes before they are allocated. Throws once their sum exceeds the limit. */
export type DecodeBudget = (bytes: number) => void;

/**
 * Makes the memory limit of all data decoded from one file.
 * @param storedBytes bytes of the file's buffers
 */
export function makeDecodeBudget(storedBytes: number): DecodeBudget {
  let decodedBytes = 0;
  return (bytes) => {
    decodedBytes += bytes;
    checkDecodedBytes(decodedBytes, storedBytes);
  };
}
