// SPDX-License-Identifier: MIT
export { ABC_TYPES, type AbcObjectSpec, type AbcPropertySpec, writeAbcArchive } from './write/abc-archive-writer.ts';
export { type WriteAbcOptions, writeAbc } from './write/write-abc.ts';
