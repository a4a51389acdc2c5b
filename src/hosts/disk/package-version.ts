// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs';

/** The version of this package. src/disk and dist/disk have the same depth, so one path works for both. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
