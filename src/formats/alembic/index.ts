// SPDX-License-Identifier: MIT
export { type WriteAbcOptions, writeAbc } from './write-abc.ts';
