// SPDX-License-Identifier: MIT
import { fail } from './json-fields.ts';

/**
 * Bytes that any file may take decoded, and how many times its own size beyond that. Compressed views, sparse accessors and shared rows
 * grow tenfold or more in real files; a file of a hundred bytes that claims four billion vertices is refused.
 */
const DECODED_BASE = 16 * 2 ** 20;
const DECODED_RATIO = 64;

/** Throws when data takes more memory, decoded, than 16 MB and 64 times the bytes that it is stored in. */
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
 * Makes the budget of all that is decoded from one file.
 * @param storedBytes bytes of the file's buffers
 */
export function makeDecodeBudget(storedBytes: number): DecodeBudget {
  let decodedBytes = 0;
  return (bytes) => {
    decodedBytes += bytes;
    checkDecodedBytes(decodedBytes, storedBytes);
  };
}
