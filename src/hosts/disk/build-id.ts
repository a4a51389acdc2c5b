// SPDX-License-Identifier: MIT
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { version } from './package-version.ts';

const HASH_DIGITS = 12;

let build: string | undefined;

/**
 * The version of this package and a hash of its kernels: what decides the bytes of an output besides the job. Read once, so that a package that is replaced
 * while a process runs does not change what that process says about itself.
 */
export function buildId(): string {
  if (build !== undefined) return build;
  const hash = createHash('sha256');
  for (const name of ['kernels.wasm', 'kernels-shared.wasm'])
    hash.update(readFileSync(new URL(`../../core/compute/${name}`, import.meta.url)));
  build = `${version}+${hash.digest('hex').slice(0, HASH_DIGITS)}`;
  return build;
}
