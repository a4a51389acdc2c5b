// SPDX-License-Identifier: MIT
// Custom properties, which are JSON, as dictionaries of USD and back. USD has no lists of mixed values and no null: such values are JSON text.
import type { Extras } from '../../core/model/surface-look.ts';
import type { UsdDictionary, UsdValue } from './syntax/usd-layer.ts';

/** An entry of a dictionary of USD, with its type. */
export type UsdEntry =
  | { key: string; type: 'bool'; value: boolean }
  | { key: string; type: 'double'; value: number }
  | { key: string; type: 'string'; value: string }
  | { key: string; type: 'double[]'; value: Float64Array }
  | { key: string; type: 'string[]'; value: readonly string[] }
  | { key: string; type: 'dictionary'; value: readonly UsdEntry[] };

/** The key of JSON text in a dictionary that has no other. */
const JSON_KEY = 'json';
const MAX_DEPTH = 32;

/** Custom properties as entries of a dictionary. */
export function usdEntriesOf(extras: Extras, depth = 0): UsdEntry[] {
  return Object.entries(extras).flatMap(([key, value]) => (value === undefined ? [] : [entryOf(key, value, depth)]));
}

function entryOf(key: string, value: unknown, depth: number): UsdEntry {
  if (typeof value === 'boolean') return { key, type: 'bool', value };
  if (typeof value === 'number' && Number.isFinite(value)) return { key, type: 'double', value };
  if (typeof value === 'string') return { key, type: 'string', value };
  if (Array.isArray(value) && value.length > 0) {
    if (value.every((item) => typeof item === 'number' && Number.isFinite(item)))
      return { key, type: 'double[]', value: Float64Array.from(value as number[]) };
    if (value.every((item) => typeof item === 'string')) return { key, type: 'string[]', value: value as string[] };
  }
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
  const isOwn = isPlain && Object.keys(value).length === 1 && JSON_KEY in value;
  if (isPlain && !isOwn && depth < MAX_DEPTH)
    return { key, type: 'dictionary', value: usdEntriesOf(value as Extras, depth + 1) };
  const text = JSON.stringify(value) ?? 'null';
  return { key, type: 'dictionary', value: [{ key: JSON_KEY, type: 'string', value: text }] };
}

/** Custom properties from a dictionary. */
export function extrasOfUsd(dictionary: UsdDictionary): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(dictionary)) if (key !== '__proto__') out[key] = jsonOfUsd(value);
  return out;
}

function jsonOfUsd(value: UsdValue): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return [...value];
  if (value instanceof Float64Array || value instanceof Float32Array || value instanceof Int32Array)
    return Array.from(value, (x) => (Number.isFinite(x) ? x : 0));
  const dictionary = value as UsdDictionary;
  const { [JSON_KEY]: text, ...others } = dictionary;
  if (typeof text !== 'string' || Object.keys(others).length > 0) return extrasOfUsd(dictionary);
  try {
    return JSON.parse(text);
  } catch {
    return { [JSON_KEY]: text };
  }
}
