// SPDX-License-Identifier: MIT
export { checkDecodedBytes, type DecodeBudget, makeDecodeBudget } from './decode-limit.ts';
export {
  bindMatrixField,
  countField,
  FLOATS,
  FLOATS_OR_SHORTS,
  floatsField,
  hasField,
  integersField,
  type PrimitiveExtension,
  TYPE_SIZE,
  versionedFields,
  WEIGHTS,
} from './extension-source.ts';
export {
  choiceField,
  fail,
  indexField,
  indexList,
  integerField,
  type JsonObject,
  label,
  listField,
  numbersField,
  objectField,
  optionalBoolean,
  optionalIndex,
  optionalInteger,
  optionalNumber,
  optionalNumbers,
  optionalObject,
  optionalString,
  stringField,
} from './json-fields.ts';
export { measureExtensionBytes } from './measure-extension-bytes.ts';
export { type LaneOrder, NO_VERTEX, orderLanes, SLICE } from './order-lanes.ts';
export type { PackedField } from './packed-field.ts';
export { ENTRY_WORDS, type EntryLayout, type PackedRows, putRow } from './packed-rows.ts';
export { quantizeChannels, restoreChannels } from './quantize-channels.ts';
export { readFloats, type StoredArray, type StoredValues } from './stored-array.ts';
