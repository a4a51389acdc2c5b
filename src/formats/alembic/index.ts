// SPDX-License-Identifier: MIT
export { ABC_TYPES, type AbcObjectSpec, type AbcPropertySpec, writeAbcArchive } from './abc-archive-writer.ts';
export { type WriteAbcOptions, writeAbc } from './write-abc.ts';
