// SPDX-License-Identifier: MIT
// USDZ: a zip archive whose files are stored without compression (https://openusd.org/release/spec_usdz.html). The first file is the stage.
import { FormatError } from '../../../core/model/errors.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import { listZipEntries } from './list-zip-entries.ts';

/** Lists the files of a package by path, in the order of the package. The bytes are views. */
export function readUsdz(bytes: Uint8Array): Map<string, Uint8Array> {
  const entries = listZipEntries(bytes) ?? fail('truncated', 'the package has no directory, or it is damaged');
  const files = new Map<string, Uint8Array>();
  for (const { name, method, size, stored, start } of entries) {
    if (method !== 0 || size !== stored)
      fail('unsupported', `${quoteName(name)} is compressed, which a USDZ package must not be; make it with usdzip`);
    if (start < 0) fail('truncated', `${quoteName(name)} is not where the package says, or ends after it`);
    files.set(name, bytes.subarray(start, start + size));
  }
  if (files.size === 0) fail('empty', 'the package holds no file');
  return files;
}

function fail(code: 'truncated' | 'unsupported' | 'empty', fault: string): never {
  throw new FormatError('usd', code, fault);
}
